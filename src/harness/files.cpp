// SPDX-FileCopyrightText: The Parallax developers
// SPDX-License-Identifier: Apache-2.0
#include "harness/files.hpp"

#include <unistd.h>

#include <cerrno>
#include <cstdio>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <sstream>

#include "harness/error.hpp"

namespace parallax {
namespace {

std::string temporary_name(const std::string& path) {
  return path + ".partial-" + std::to_string(getpid());
}

[[noreturn]] void refuse(const std::string& verb, const std::string& path, const std::string& why) {
  throw MachineError("cannot " + verb + " '" + path + "': " + why);
}

}  // namespace

void write_atomically(const std::string& path,
                      const std::function<void(std::string const&)>& fill) {
  const auto temporary = temporary_name(path);
  try {
    fill(temporary);
    if (std::rename(temporary.c_str(), path.c_str()) != 0)
      refuse("write", path, std::strerror(errno));
  } catch (...) {
    std::remove(temporary.c_str());
    throw;
  }
}

void write_atomically(const std::string& path, const std::string& content) {
  write_atomically(path, [&](const std::string& temporary) {
    std::ofstream file(temporary, std::ios::binary);
    file << content;
    file.close();
    if (!file) refuse("write", path, std::strerror(errno));
  });
}

void require_writable(const std::string& path) {
  if (path.empty()) throw UsageError("an output file needs a name, got ''");
  if (std::filesystem::is_directory(path)) refuse("write", path, "it is a directory");
  const auto temporary = temporary_name(path);
  std::ofstream file(temporary, std::ios::binary);
  const int reason = errno;
  if (!file) refuse("write", path, std::strerror(reason));
  file.close();
  std::remove(temporary.c_str());
}

std::string read_file(const std::string& path) {
  if (std::filesystem::is_directory(path)) refuse("read", path, "it is a directory");
  std::ifstream file(path, std::ios::binary);
  if (!file) refuse("read", path, std::strerror(errno));
  std::ostringstream content;
  content << file.rdbuf();
  return content.str();
}

}  // namespace parallax
