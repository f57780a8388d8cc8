// SPDX-FileCopyrightText: The Parallax developers
// SPDX-License-Identifier: Apache-2.0
//
// In place of ThreadSanitizer's library: makes the unlucky orders of a race happen, on any machine.
// What is compiled with -fsanitize=thread calls these functions before each access to memory. A
// thread is held where it is about to touch what several threads of a parallel region touch, and at
// least one writes: until each thread that goes before it (`rank`) waits for something, such as a
// barrier, or has nothing more to do. PARALLAX_HANDOVER says who goes before whom:
//
// - k, from 0 to threads - 1: thread k goes first, then the next ones. One that runs ahead where a
//   barrier is missing does damage.
// - threads: who is about to write what it has read goes last. Others update it meanwhile.
// - threads + 1: at each access a thread goes last. They take turns.
//
// Each of these orders is allowed, so a right kernel has the same result in all of them. Processor
// time decides what is tried, never what is right: a thread that takes long between two accesses is
// taken for one that waits, and others go on.
#include <fcntl.h>
#include <pthread.h>
#include <sched.h>
#include <time.h>
#include <unistd.h>

#include <atomic>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <cstring>

extern "C" {
int omp_in_parallel();
int omp_get_num_threads();
int omp_get_thread_num();
}

namespace {

constexpr int most = 64;  // threads
// Nanoseconds of processor time without an access: the thread waits, or needs no other.
constexpr long busy = 20'000;
// Nanoseconds that a process may lose in holds: far more than it does.
constexpr long patience = 20'000'000'000;
// Of a thread at one place of the code in one parallel region, at most.
constexpr int holds = 12;
const char* const asked = std::getenv("PARALLAX_HANDOVER");
const int order = asked ? std::atoi(asked) : -1;

long now(clockid_t clock) {
  timespec time{};
  return clock_gettime(clock, &time) == 0 ? time.tv_sec * 1'000'000'000L + time.tv_nsec : -1;
}

// One core for all threads, the one that the system chose: one works at a time, and those that wait
// take no other core's time.
[[gnu::constructor]] void stay_on_one_core() {
  const int core = sched_getcpu();
  if (!std::getenv("PARALLAX_HANDOVER") || core < 0) return;
  cpu_set_t one;
  CPU_ZERO(&one);
  CPU_SET(core, &one);
  sched_setaffinity(0, sizeof one, &one);
}

struct Thread {
  std::atomic<long> accesses{0}, rank{0};
  std::atomic<int> region{0};
  std::atomic<bool> held{false};
  clockid_t clock{};
  int state = -1;  // the file in /proc that has it
} threads[most];
std::atomic<int> region{1};
std::atomic<long> lowest{0}, lost{0};

// An address, and which threads have read and written it since `region` began.
struct Place {
  std::atomic<std::uintptr_t> address{0};
  std::atomic<int> region{0};
  std::atomic<std::uint64_t> readers{0}, writers{0};
  std::atomic<bool> shared{false};
} places[1 << 17];

// The entry of an address, which takes the place of one that only one thread touches.
Place& place_of(std::uintptr_t address) {
  const auto first = (address >> 2) * 0x9E3779B97F4A7C15 >> 47;
  Place* free = nullptr;
  for (std::size_t k = first; k < first + 8; ++k) {
    Place& place = places[k % (1 << 17)];
    if (place.address == address) return place;
    if (!free && !place.shared) free = &place;
  }
  Place& place = free ? *free : places[first];
  place.address = address;
  place.region = 0;
  place.shared = false;
  return place;
}

// A place of the code, and how often this thread was held there since `region` began.
struct Site {
  const void* code = nullptr;
  int region = 0, held = 0;
};

struct Mine {
  Site sites[256]{};
  Thread* thread = nullptr;
  std::uintptr_t stack = 0, stack_end = 0, last_read = 0;
  bool fell = false;
};
thread_local Mine mine;

void begin(int number) {
  pthread_attr_t attributes;
  void* stack = nullptr;
  std::size_t size = 0;
  pthread_getattr_np(pthread_self(), &attributes);
  pthread_attr_getstack(&attributes, &stack, &size);
  pthread_attr_destroy(&attributes);
  mine.stack = reinterpret_cast<std::uintptr_t>(stack);
  mine.stack_end = mine.stack + size;
  mine.thread = &threads[number];
  pthread_getcpuclockid(pthread_self(), &mine.thread->clock);
  char name[48];
  std::snprintf(name, sizeof name, "/proc/self/task/%d/stat", gettid());
  mine.thread->state = open(name, O_RDONLY | O_CLOEXEC);
}

bool sleeps(const Thread& thread) {
  char text[128]{};
  if (pread(thread.state, text, sizeof text - 1, 0) <= 0) return true;
  const char* const after = std::strrchr(text, ')');
  return after && after[1] && after[2] == 'S';
}

// Waits while `go_on(thread)` holds for a thread that still moves.
template <class Before>
void wait_for(int count, const Before& before) {
  const long start = now(CLOCK_MONOTONIC);
  for (int k = 0; k < count; ++k) {
    Thread& other = threads[k];
    if (&other == mine.thread) continue;
    long accesses = other.accesses, used = now(other.clock);
    for (int tries = 1; before(other); ++tries) {
      sched_yield();
      if (other.held || other.accesses != accesses) {
        accesses = other.accesses, used = now(other.clock), tries = 0;
        if (lost + now(CLOCK_MONOTONIC) - start > patience) break;
      } else if (now(other.clock) - used > busy || (tries % 4 == 0 && sleeps(other))) {
        break;
      }
    }
  }
  lost += now(CLOCK_MONOTONIC) - start;
}

void hold(int count) {
  Thread& self = *mine.thread;
  self.held = true;
  wait_for(count, [&](const Thread& other) {
    return other.region == self.region && other.rank < self.rank;
  });
  ++self.accesses;
  self.held = false;
}

// The first of a thread in a parallel region waits for the first of all others.
void start(int number, int count) {
  if (!mine.thread) begin(number);
  Thread& self = *mine.thread;
  mine.fell = false;
  mine.last_read = 0;
  self.rank = order < count ? (number - order + count) % count : number;
  self.region = region.load();
  wait_for(count, [&](const Thread& other) { return other.region != self.region && other.clock; });
  if (order < count) hold(count);
}

bool may_hold(const void* code) {
  Site& site = mine.sites[(reinterpret_cast<std::uintptr_t>(code) >> 2) * 0x9E3779B97F4A7C15 >> 56];
  if (site.code != code || site.region != mine.thread->region)
    site = {code, mine.thread->region, 0};
  return ++site.held <= holds;
}

// `code`: where the access is; none for an atomic operation, at which no thread is held.
void touch(const volatile void* pointer, bool writes, const void* code) {
  if (order < 0 || !omp_in_parallel()) return;
  const auto address = reinterpret_cast<std::uintptr_t>(pointer);
  if (address - mine.stack < mine.stack_end - mine.stack) return;
  const int count = omp_get_num_threads(), number = omp_get_thread_num();
  if (count < 2 || count > most || lost > patience) return;
  if (!mine.thread || mine.thread->region != region) start(number, count);
  Thread& self = *mine.thread;
  if (code) ++self.accesses;
  Place& place = place_of(address);
  if (place.region != self.region) {
    place.readers = place.writers = 0;
    place.region = self.region.load();
  }
  const std::uint64_t me = std::uint64_t{1} << number;
  const auto writers = (writes ? place.writers |= me : place.writers.load());
  const auto all = (writes ? place.readers.load() : place.readers |= me) | writers;
  if (writers && all & (all - 1)) place.shared = true;
  const bool updates = writes && mine.last_read == address;
  if (!writes) mine.last_read = address;
  if (!code || !place.shared || !may_hold(code)) return;
  if (order > count || (order == count && updates && !mine.fell)) {
    self.rank = count + ++lowest;
    mine.fell = true;
  }
  hold(count);
}

void touch_all(const volatile void* pointer, std::size_t size, bool writes, const void* code) {
  for (std::size_t k = 0; k < size; k += 8)
    touch(static_cast<const volatile char*>(pointer) + k, writes, code);
}

}  // namespace

#define CODE __builtin_return_address(0)

extern "C" {
void __tsan_init() {}
// Code outside of a parallel region: the next one is another.
void __tsan_func_entry(void*) {
  if (order >= 0 && !omp_in_parallel()) ++region;
}
void __tsan_func_exit() {}
void __tsan_vptr_update(void**, void*) {}
void __tsan_vptr_read(void**) {}
void __tsan_read_range(void* p, std::size_t n) { touch_all(p, n, false, CODE); }
void __tsan_write_range(void* p, std::size_t n) { touch_all(p, n, true, CODE); }
void* __tsan_memcpy(void* to, const void* from, std::size_t n) { return std::memcpy(to, from, n); }
void* __tsan_memmove(void* to, const void* from, std::size_t n) {
  return std::memmove(to, from, n);
}
void* __tsan_memset(void* to, int value, std::size_t n) { return std::memset(to, value, n); }
void __tsan_atomic_thread_fence(int) { std::atomic_thread_fence(std::memory_order_seq_cst); }
void __tsan_atomic_signal_fence(int) {}

#define ACCESS(N)                                                   \
  void __tsan_read##N(void* p) { touch(p, false, CODE); }           \
  void __tsan_write##N(void* p) { touch(p, true, CODE); }           \
  void __tsan_unaligned_read##N(void* p) { touch(p, false, CODE); } \
  void __tsan_unaligned_write##N(void* p) { touch(p, true, CODE); }
ACCESS(1)
ACCESS(2)
ACCESS(4)
ACCESS(8)
ACCESS(16)

#define UPDATE(N, T, NAME)                                   \
  T __tsan_atomic##N##_##NAME(volatile T* p, T value, int) { \
    touch(p, true, nullptr);                                 \
    return __atomic_##NAME(p, value, __ATOMIC_SEQ_CST);      \
  }
// Functions end without a semicolon, which clang-format does not see.
// clang-format off
#define ATOMIC(N, T)                                                                               \
  UPDATE(N, T, fetch_add) UPDATE(N, T, fetch_sub) UPDATE(N, T, fetch_and)                          \
  UPDATE(N, T, fetch_or) UPDATE(N, T, fetch_xor) UPDATE(N, T, fetch_nand)                          \
  T __tsan_atomic##N##_load(const volatile T* p, int) {                                            \
    touch(p, false, nullptr);                                                                      \
    return __atomic_load_n(p, __ATOMIC_SEQ_CST);                                                   \
  }                                                                                                \
  void __tsan_atomic##N##_store(volatile T* p, T value, int) {                                     \
    touch(p, true, nullptr);                                                                       \
    __atomic_store_n(p, value, __ATOMIC_SEQ_CST);                                                  \
  }                                                                                                \
  T __tsan_atomic##N##_exchange(volatile T* p, T value, int) {                                     \
    touch(p, true, nullptr);                                                                       \
    return __atomic_exchange_n(p, value, __ATOMIC_SEQ_CST);                                        \
  }                                                                                                \
  bool __tsan_atomic##N##_compare_exchange_strong(volatile T* p, T* seen, T value, int, int) {     \
    touch(p, true, nullptr);                                                                       \
    return __atomic_compare_exchange_n(p, seen, value, false, __ATOMIC_SEQ_CST, __ATOMIC_SEQ_CST); \
  }                                                                                                \
  bool __tsan_atomic##N##_compare_exchange_weak(volatile T* p, T* seen, T value, int, int) {       \
    touch(p, true, nullptr);                                                                       \
    return __atomic_compare_exchange_n(p, seen, value, false, __ATOMIC_SEQ_CST, __ATOMIC_SEQ_CST); \
  }                                                                                                \
  T __tsan_atomic##N##_compare_exchange_val(volatile T* p, T seen, T value, int, int) {            \
    touch(p, true, nullptr);                                                                       \
    __atomic_compare_exchange_n(p, &seen, value, false, __ATOMIC_SEQ_CST, __ATOMIC_SEQ_CST);       \
    return seen;                                                                                   \
  }
// clang-format on
ATOMIC(8, std::uint8_t)
ATOMIC(16, std::uint16_t)
ATOMIC(32, std::uint32_t)
ATOMIC(64, std::uint64_t)
}
