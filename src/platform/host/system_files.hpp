// SPDX-FileCopyrightText: The Parallax developers
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>
#include <string>
#include <vector>

/// Reads the files of /proc and /sys. Each returns nothing where a file is missing or unreadable.
namespace parallax::system_files {

std::vector<std::string> lines(const std::string& file);
std::optional<std::string> first_line(const std::string& file);
/// The numbers that the file begins with.
std::vector<double> numbers(const std::string& file);
/// The first of them.
std::optional<double> number(const std::string& file);
/// The value in the first line "name: value" or "name value".
std::optional<std::string> field(const std::string& file, const std::string& name);
/// The paths in `folder` whose names begin with `prefix`, in order.
std::vector<std::string> entries(const std::string& folder, const std::string& prefix = "");

}  // namespace parallax::system_files
