// SPDX-FileCopyrightText: The Parallax developers
// SPDX-License-Identifier: Apache-2.0
#include "platform/base/interrupt.hpp"

#include <atomic>
#include <csignal>
#include <initializer_list>
#include <optional>

namespace parallax {
namespace {

// Any thread may be the one that handles a signal.
std::atomic<int> signal_received = 0, signals = 0;
static_assert(std::atomic<int>::is_always_lock_free);
std::optional<int> agreed;  ///< by several ranks

extern "C" void note_signal(int number) {
  int none = 0;
  signal_received.compare_exchange_strong(none, number);
  if (++signals < 3) return;
  std::signal(number, SIG_DFL);
  raise(number);  // is delivered when this function returns
}

}  // namespace

void watch_signals() {
  // Open MPI 5 and newer kill all ranks at SIGINT and SIGTERM, and pass SIGUSR1 on.
  for (const int number : {SIGINT, SIGTERM, SIGUSR1}) {
    struct sigaction action {};
    action.sa_handler = note_signal;
    action.sa_flags = SA_RESTART;
    sigemptyset(&action.sa_mask);
    sigaction(number, &action, nullptr);
  }
}

bool interrupted() { return interrupting_signal() != 0; }

int received_signal() { return signal_received; }

void agree_on_signal(int number) { agreed = number; }

int interrupting_signal() { return agreed ? *agreed : received_signal(); }

}  // namespace parallax
