// SPDX-FileCopyrightText: The Parallax developers
// SPDX-License-Identifier: Apache-2.0
#pragma once

namespace parallax {

/// Makes SIGINT and SIGTERM (which batch systems send at the time limit) ask the run to stop after
/// the sample in hand. The second changes nothing, since many who send one do so twice (timeout
/// signals its child and then the group, which is the child once more); the third ends the process
/// at once, for a kernel that never ends.
void watch_signals();

/// True once a signal has come.
bool interrupted();

/// The number of the signal that came to this process, else 0.
int received_signal();
/// Of several ranks, all stop at the same place: from the first call on they are interrupted by
/// what they agreed on, 0 for none.
void agree_on_signal(int number);

/// The number of the signal that interrupted, else 0. The exit status is then 128 + it, as shells
/// have it.
int interrupting_signal();

}  // namespace parallax
