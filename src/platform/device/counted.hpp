// SPDX-FileCopyrightText: The Parallax developers
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>

namespace parallax::counted {

/// What a profiler around this process asked for, and how far the process is with it.
struct Request {
  bool device = false;               ///< CUDA's switch for profilers
  std::string control, acknowledge;  ///< the FIFOs of `perf stat --control=fifo:CTL,ACK`
  long pass = 0;                     ///< sections that go uncounted, before the one that counts
  bool done = true;                  ///< nothing (more) is counted
  bool counted = false;              ///< its section is over: the process has no more to do

  /// Of the values of PARALLAX_COUNTED ("device" or "CTL,ACK") and PARALLAX_COUNTED_PASS; both may
  /// be null.
  static Request of(const char* asked, const char* pass);
  /// This process's, read from the environment once.
  static Request& of_process();
};

/// True in a process that was started to be counted, once it has been.
bool finished();

/// Brackets one run of a row's measured work with the profiler's switches. Only one section of a
/// process counts; all others do nothing.
class Section {
 public:
  explicit Section(Request& request = Request::of_process());
  ~Section();
  Section(const Section&) = delete;
  Section& operator=(const Section&) = delete;

 private:
  Request& request_;
  bool counts_ = false;
  int control_ = -1, acknowledge_ = -1;
};

}  // namespace parallax::counted
