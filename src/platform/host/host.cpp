// SPDX-FileCopyrightText: The Parallax developers
// SPDX-License-Identifier: Apache-2.0
#include "platform/host/host.hpp"

#include <unistd.h>

#include <cstdlib>
#include <ctime>

namespace parallax {

std::string environment(const char* name) {
  const char* const value = std::getenv(name);
  return value != nullptr ? value : "";
}

std::string host_name() {
  char name[256] = {};
  gethostname(name, sizeof name - 1);
  return name;
}

bool shows_progress() {
  const auto terminal = environment("TERM");
  return isatty(STDERR_FILENO) != 0 && !terminal.empty() && terminal != "dumb" &&
         environment("NO_COLOR").empty();
}

std::string now() {
  const std::time_t t = std::time(nullptr);
  std::tm local{};
  localtime_r(&t, &local);
  char text[64];
  std::strftime(text, sizeof text, "%Y-%m-%dT%H:%M:%S%z", &local);
  const std::string date = text;
  const auto minutes = date.size() - 2;  // RFC 3339 writes +00:00
  return date.substr(0, minutes) + ":" + date.substr(minutes);
}

}  // namespace parallax
