// SPDX-FileCopyrightText: The Parallax developers
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <functional>
#include <string>

namespace parallax {

/// Writes a file whole or not at all: `fill` gets a temporary name beside `path`, which then
/// replaces `path`. Throws MachineError; the temporary file is removed.
void write_atomically(const std::string& path, const std::function<void(std::string const&)>& fill);
void write_atomically(const std::string& path, const std::string& content);

/// Throws MachineError where `path` could not be written later: checked before work that would be
/// lost.
void require_writable(const std::string& path);

/// The whole file. Throws MachineError naming it.
std::string read_file(const std::string& path);

}  // namespace parallax
