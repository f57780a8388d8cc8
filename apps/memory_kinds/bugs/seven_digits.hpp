// SPDX-FileCopyrightText: The Parallax developers
// SPDX-License-Identifier: Apache-2.0
// step: global
// says: In single precision all is right.
// expect: only f32 is right
// cause: The sum is a float whatever the type of the array is.
float sum = 0;
for (int k = 0; k < taps; ++k) sum += weights(k) * in(i + k);
out(i) = sum;
