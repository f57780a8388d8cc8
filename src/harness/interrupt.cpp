// SPDX-FileCopyrightText: The Parallax developers
// SPDX-License-Identifier: Apache-2.0
#include "harness/interrupt.hpp"

#include <csignal>
#include <initializer_list>

namespace parallax {
namespace {

volatile std::sig_atomic_t signal_received = 0;

extern "C" void note_signal(int number) { signal_received = number; }

}  // namespace

void watch_signals() {
  for (const int number : {SIGINT, SIGTERM}) {
    struct sigaction action {};
    action.sa_handler = note_signal;
    // SA_RESETHAND: the second signal has its default effect, for a kernel that never ends.
    action.sa_flags = SA_RESETHAND | SA_RESTART;
    sigemptyset(&action.sa_mask);
    sigaction(number, &action, nullptr);
  }
}

bool interrupted() { return signal_received != 0; }

int interrupting_signal() { return signal_received; }

}  // namespace parallax
