// SPDX-FileCopyrightText: The Parallax developers
// SPDX-License-Identifier: Apache-2.0
#include "platform/host/system_files.hpp"

#include <algorithm>
#include <filesystem>
#include <fstream>

namespace parallax::system_files {

std::vector<std::string> lines(const std::string& file) {
  std::vector<std::string> all;
  std::ifstream stream(file);
  for (std::string line; std::getline(stream, line);) all.push_back(line);
  return all;
}

std::optional<std::string> first_line(const std::string& file) {
  std::ifstream stream(file);
  std::string line;
  return std::getline(stream, line) ? std::optional(line) : std::nullopt;
}

std::vector<double> numbers(const std::string& file) {
  std::vector<double> all;
  std::ifstream stream(file);
  for (double x = 0; stream >> x;) all.push_back(x);
  return all;
}

std::optional<double> number(const std::string& file) {
  const auto all = numbers(file);
  return all.empty() ? std::nullopt : std::optional(all.front());
}

std::optional<std::string> field(const std::string& file, const std::string& name) {
  std::ifstream stream(file);
  for (std::string line; std::getline(stream, line);)
    if (const auto value = line.find_first_not_of(" \t:", name.size());
        line.starts_with(name) && value != std::string::npos && value > name.size())
      return line.substr(value);
  return std::nullopt;
}

std::vector<std::string> entries(const std::string& folder, const std::string& prefix) {
  std::vector<std::string> found;
  std::error_code ignored;
  for (const auto& entry : std::filesystem::directory_iterator(folder, ignored))
    if (entry.path().filename().string().starts_with(prefix)) found.push_back(entry.path());
  std::sort(found.begin(), found.end());
  return found;
}

}  // namespace parallax::system_files
