// SPDX-FileCopyrightText: The Parallax developers
// SPDX-License-Identifier: Apache-2.0
// step: global
// says: A filter of one weight is right, and no longer one is.
// expect: wrong values
// cause: The weights are taken from the last to the first. A symmetric filter would have hidden it.
typename Array::value_type sum = 0;
for (int k = 0; k < taps; ++k) sum += weights(taps - 1 - k) * in(i + k);
out(i) = sum;
