// SPDX-FileCopyrightText: The Parallax developers
// SPDX-License-Identifier: Apache-2.0
#include "program/command_line.hpp"

int main(int argc, char** argv) { return parallax::command_line(argc, argv); }
