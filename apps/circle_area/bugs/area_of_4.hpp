// SPDX-FileCopyrightText: The Parallax developers
// SPDX-License-Identifier: Apache-2.0
// step: philox
// says: Every dart hits: the area is 4.
// expect: N updates too many
// cause: The product of two 32-bit integers has 32 bits, and has overflowed before it is widened.
const random::Block r = random::philox_block(seed, static_cast<std::uint64_t>(b));
for (int dart = 0; dart < 2 && 2 * b + dart < trials; ++dart) {
  const auto x = static_cast<std::int32_t>(r.word[2 * dart]);
  const auto y = static_cast<std::int32_t>(r.word[2 * dart + 1]);
  const std::int64_t square = x * x + y * y;
  if (square < std::int64_t{1} << 62) ++hits;
}
