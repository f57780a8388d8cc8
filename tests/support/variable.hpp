// SPDX-FileCopyrightText: The Parallax developers
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <catch2/catch_test_macros.hpp>
#include <cstdlib>
#include <optional>
#include <string>

namespace parallax::test {

/// A variable of the environment, for as long as the object lives.
class Variable {
 public:
  Variable(const char* name, const std::string& value) : name_(name) {
    if (const char* const before = std::getenv(name)) before_ = before;
    setenv(name, value.c_str(), 1);
  }
  ~Variable() {
    if (before_)
      setenv(name_, before_->c_str(), 1);
    else
      unsetenv(name_);
  }
  Variable(const Variable&) = delete;
  Variable& operator=(const Variable&) = delete;

 private:
  const char* name_;
  std::optional<std::string> before_;
};

/// A library that was built for these tests.
inline std::string library(const std::string& name) {
  const char* const folder = std::getenv("PARALLAX_TEST_LIBRARIES");
  REQUIRE(folder != nullptr);  // ctest sets it: the build's folder 'tests'
  return std::string(folder) + "/" + name + ".so";
}

}  // namespace parallax::test
