// SPDX-FileCopyrightText: The Parallax developers
// SPDX-License-Identifier: Apache-2.0
//
// The OpenMP snippets of docs/dictionary.md, between "begin" and "end": a
// program without Kokkos. Without a compiler for a device, the target
// regions run on the host.
#include <omp.h>

#include <cstdio>
#include <vector>

// begin: first
void twice(std::vector<float>& x) {
  const int n = static_cast<int>(x.size());
  float* a = x.data();
#pragma omp target teams distribute parallel for map(tofrom : a[:n])
  for (int i = 0; i < n; ++i) a[i] *= 2;
}
// end: first

bool first() {
  std::vector<float> x{1, 2, 3, 4, 5};
  twice(x);
  return x == std::vector<float>{2, 4, 6, 8, 10};
}

bool data() {
  const int n = 1000;
  std::vector<float> x(n, 1);
  float* a = x.data();
#pragma omp target data map(tofrom : a[:n])
  for (int step = 0; step < 3; ++step) {
#pragma omp target teams distribute parallel for
    for (int i = 0; i < n; ++i) a[i] *= 2;
  }
  return x == std::vector<float>(n, 8);
}

int digit(int i) { return i % 10; }
#pragma omp declare target(digit)

bool atomics() {
  const int n = 1000;
  int count[10] = {};
#pragma omp target teams distribute parallel for map(tofrom : count)
  for (int i = 0; i < n; ++i) {
#pragma omp atomic
    count[digit(i)] += 1;
  }
  for (const int c : count)
    if (c != 100) return false;
  return true;
}

bool shared() {
  const int n = 640;
  std::vector<int> x(n);
  for (int i = 0; i < n; ++i) x[i] = i;
  int* a = x.data();
#pragma omp target teams distribute map(tofrom : a[:n])
  for (int begin = 0; begin < n; begin += 64) {
    int tile[64];  // one for each team
#pragma omp parallel for
    for (int t = 0; t < 64; ++t) tile[t] = a[begin + t];
#pragma omp parallel for  // the loop before has ended with a barrier
    for (int t = 0; t < 64; ++t) a[begin + t] = tile[63 - t];
  }
  for (int i = 0; i < n; ++i)
    if (x[i] != 64 * (i / 64) + 63 - i % 64) return false;
  return true;
}

/// Two dimensions, indices of threads, time: terms of the page's table.
bool terms() {
  const int rows = 7, columns = 5;
  int t[rows * columns];
  const double start = omp_get_wtime();
#pragma omp target teams distribute parallel for collapse(2) map(from : t)
  for (int row = 0; row < rows; ++row)
    for (int column = 0; column < columns; ++column)
      t[row * columns + column] = row * column;
  int wrong = omp_get_wtime() < start;
  for (int i = 0; i < rows * columns; ++i)
    wrong += t[i] != (i / columns) * (i % columns);
#pragma omp target teams map(tofrom : wrong) reduction(+ : wrong)
#pragma omp parallel reduction(+ : wrong)
  {
    wrong += omp_get_team_num() >= omp_get_num_teams();
#pragma omp barrier
    wrong += omp_get_thread_num() >= omp_get_num_threads();
  }
  return wrong == 0;
}

bool reduction() {
  const int n = 1000;
  const std::vector<double> x(n, 0.5);
  const double* a = x.data();
  double sum = 0;
#pragma omp target teams distribute parallel for map(to : a[:n]) reduction(+ : sum)
  for (int i = 0; i < n; ++i) sum += a[i];
  return sum == 500;
}

bool streams() {
  const int n = 1000;
  std::vector<int> x(n), y(n);
  int *a = x.data(), *b = y.data();
#pragma omp target teams distribute parallel for map(from : a[:n]) nowait
  for (int i = 0; i < n; ++i) a[i] = i;
#pragma omp target teams distribute parallel for map(from : b[:n]) nowait
  for (int i = 0; i < n; ++i) b[i] = 2 * i;
#pragma omp taskwait
  for (int i = 0; i < n; ++i)
    if (a[i] != i || b[i] != 2 * i) return false;
  return true;
}

int main() {
  if (first() && data() && shared() && terms() && atomics() && reduction() &&
      streams())
    return 0;
  std::puts("a snippet is wrong");
  return 1;
}
