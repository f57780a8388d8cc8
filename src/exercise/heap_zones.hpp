// SPDX-FileCopyrightText: The Parallax developers
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <cstddef>
#include <string>

/// Zones around what Kokkos allocates in the host's memory: workspaces and a kernel's temporaries,
/// which do not come from data::allocate. Kokkos takes that memory from operator new, which this
/// pair replaces, so no kernel knows of it. What it allocates prefers huge pages.
///
/// AddressSanitizer and ThreadSanitizer replace them, too, and watch this memory themselves: built
/// with one of them, there are no zones.
#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
#define PARALLAX_SANITIZED 1
#elif defined(__has_feature)
#define PARALLAX_SANITIZED (__has_feature(address_sanitizer) || __has_feature(thread_sanitizer))
#else
#define PARALLAX_SANITIZED 0
#endif

namespace parallax::guard_zones {

/// Bytes on each side of an array that a verified run must leave alone: 512 doubles.
inline constexpr std::size_t zone = 4096;

/// What zones hold. 0x42 is 48.6 in single and 1.6e11 in double precision: a sum that takes it in
/// is wrong, too, and what adds 1 to it changes it. Next to it on both sides; every third 16 bytes
/// are NaN, which even a product with 0 does not hide.
const std::array<unsigned char, zone>& pattern();

/// Of a zone: "it wrote 4 bytes after the end of 'c'"; "" where it holds the pattern.
std::string touched(const unsigned char* zone_begin, const std::string& label, bool after);

/// While one lives, what Kokkos allocates in the host's memory has zones, which hold the pattern.
/// At other times it has none, and costs what it always did.
class HeapZones {
 public:
  HeapZones();
  ~HeapZones();
  HeapZones(const HeapZones&) = delete;
  HeapZones& operator=(const HeapZones&) = delete;
  /// Fills the zones again, and forgets what was touched.
  static void fill();
  /// Since then, in memory that was freed meanwhile, too; as `touched` says it.
  static std::string complaint();
};

}  // namespace parallax::guard_zones
