// SPDX-FileCopyrightText: The Parallax developers
// SPDX-License-Identifier: Apache-2.0
//
// What an exercise sees of the instrument: the one header that apps/NAME includes
// (docs/adding-an-exercise.md).
#pragma once

#include "exercise/arrays.hpp"
#include "exercise/check.hpp"
#include "exercise/exercise.hpp"
#include "exercise/messages.hpp"
#include "exercise/outputs.hpp"
#include "exercise/reference_random.hpp"
#include "exercise/registration.hpp"
#include "exercise/round_trip.hpp"
#include "exercise/rows.hpp"
#include "exercise/seeds.hpp"
#include "exercise/team_size.hpp"
#include "platform/base/error.hpp"
#include "platform/base/time_spent.hpp"
#include "platform/device/spaces.hpp"
#include "platform/ranks/division.hpp"
#include "platform/ranks/ranks.hpp"
#include "platform/ranks/routes.hpp"
