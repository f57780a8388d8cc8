// SPDX-FileCopyrightText: The Parallax developers
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <functional>
#include <string>
#include <vector>

namespace parallax {

/// Writes a file whole or not at all: under a temporary name beside it, which then replaces it.
/// Symbolic links are followed, and a file that is there keeps its mode and its owner. What is not
/// a regular file, such as a device or a pipe, is written to as it is. Throws MachineError.
void write_file(const std::string& path, const std::string& content);
/// The same for regular files only: `fill` gets the name of the temporary file, which exists and is
/// empty. Where `fill` throws, the temporary file is removed.
void write_atomically(const std::string& path, const std::function<void(std::string const&)>& fill);

/// Whether `path` is there and not a regular file: what is written to it cannot be replaced. The
/// descriptors of this process, such as /dev/stdout, count as such whatever is behind them.
bool is_stream(const std::string& path);

/// Throws MachineError where `path` could not be written later: checked before work that would be
/// lost. Removes the temporary files of processes that were killed.
void require_writable(const std::string& path);

/// A file as the user named it, by an option or otherwise.
struct NamedFile {
  std::string option, path;
};
/// Throws UsageError where an output is an input too, another output, or the file to which standard
/// output or standard error goes. Empty names are passed over.
void require_distinct(const std::vector<NamedFile>& inputs, const std::vector<NamedFile>& outputs);

/// The whole file. Throws MachineError naming it.
std::string read_file(const std::string& path);

}  // namespace parallax
