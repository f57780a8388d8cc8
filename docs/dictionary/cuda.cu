// SPDX-FileCopyrightText: The Parallax developers
// SPDX-License-Identifier: Apache-2.0
//
// The CUDA snippets of docs/dictionary.md, between "begin" and "end": a
// program without Kokkos. Each function says whether its snippet did what
// the page says; main runs them all. hip.cpp includes this file.
#include <cmath>
#include <cstddef>
#include <cstdio>
#include <cstdlib>
#include <vector>

// begin: errors
void check(cudaError_t error) {
  if (error == cudaSuccess) return;
  std::fprintf(stderr, "%s\n", cudaGetErrorString(error));
  std::exit(1);
}
// end: errors

/// An array on the device, with the elements of `from`.
template <class T>
T* on_device(const std::vector<T>& from) {
  T* a;
  check(cudaMalloc(&a, from.size() * sizeof(T)));
  check(cudaMemcpy(a, from.data(), from.size() * sizeof(T),
                   cudaMemcpyHostToDevice));
  return a;
}

/// The n elements of an array on the device, which is freed.
template <class T>
std::vector<T> on_host(T* a, int n) {
  std::vector<T> h(n);
  check(cudaGetLastError());
  check(cudaMemcpy(h.data(), a, n * sizeof(T), cudaMemcpyDeviceToHost));
  check(cudaFree(a));
  return h;
}

// begin: first
__global__ void twice(float* a, int n) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) a[i] *= 2;
}

void twice(std::vector<float>& x) {
  const int n = x.size(), bytes = n * sizeof(float);
  float* a;
  check(cudaMalloc(&a, bytes));
  check(cudaMemcpy(a, x.data(), bytes, cudaMemcpyHostToDevice));
  twice<<<(n + 255) / 256, 256>>>(a, n);
  check(cudaGetLastError());
  check(cudaMemcpy(x.data(), a, bytes, cudaMemcpyDeviceToHost));
  check(cudaFree(a));
}
// end: first

bool first() {
  std::vector<float> x{1, 2, 3, 4, 5};
  twice(x);
  return x == std::vector<float>{2, 4, 6, 8, 10};
}

// begin: grid_stride
__global__ void squares(int* a, int n) {
  const int first = blockIdx.x * blockDim.x + threadIdx.x;
  const int stride = gridDim.x * blockDim.x;
  for (int i = first; i < n; i += stride) a[i] = i * i;
}
// end: grid_stride

bool grid_stride() {
  const int n = 1000;
  int* a = on_device(std::vector<int>(n));
  squares<<<4, 64>>>(a, n);
  const auto h = on_host(a, n);
  for (int i = 0; i < n; ++i)
    if (h[i] != i * i) return false;
  return true;
}

__global__ void table(int* a, int rows, int columns) {
  const int column = blockIdx.x * blockDim.x + threadIdx.x;
  const int row = blockIdx.y * blockDim.y + threadIdx.y;
  if (row < rows && column < columns) a[row * columns + column] = row * column;
}

bool two_dimensions() {
  const int rows = 7, columns = 5;
  int* a = on_device(std::vector<int>(rows * columns));
  const dim3 block(16, 16);
  const dim3 grid((columns + 15) / 16, (rows + 15) / 16);
  table<<<grid, block>>>(a, rows, columns);
  const auto h = on_host(a, rows * columns);
  for (int i = 0; i < rows * columns; ++i)
    if (h[i] != (i / columns) * (i % columns)) return false;
  return true;
}

// begin: shared
__global__ void reverse(int* a) {  // reverse<<<n / 64, 64>>>(a)
  __shared__ int tile[64];
  const int t = threadIdx.x, begin = 64 * blockIdx.x;
  tile[t] = a[begin + t];
  __syncthreads();
  a[begin + t] = tile[63 - t];
}
// end: shared

bool shared() {
  const int n = 640;
  std::vector<int> x(n);
  for (int i = 0; i < n; ++i) x[i] = i;
  int* a = on_device(x);
  reverse<<<n / 64, 64>>>(a);
  const auto h = on_host(a, n);
  for (int i = 0; i < n; ++i)
    if (h[i] != 64 * (i / 64) + 63 - i % 64) return false;
  return true;
}

// begin: atomics
__device__ int digit(int i) { return i % 10; }

__global__ void count(int* bins, int n) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) atomicAdd(&bins[digit(i)], 1);
}
// end: atomics

bool atomics() {
  const int n = 1000;
  int* bins = on_device(std::vector<int>(10));
  count<<<(n + 255) / 256, 256>>>(bins, n);
  const auto h = on_host(bins, 10);
  for (int i = 0; i < 10; ++i)
    if (h[i] != 100) return false;
  return true;
}

// begin: constant
__constant__ float weights[3];

__global__ void smooth(const float* a, float* out, int n) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n) return;
  float mine[3];
  for (int k = 0; k < 3; ++k) mine[k] = weights[k] * a[i + k];
  out[i] = mine[0] + mine[1] + mine[2];
}
// end: constant

bool constant() {
  const int n = 100;
  std::vector<float> x(n + 2);
  for (int i = 0; i < n + 2; ++i) x[i] = i;
  float *a = on_device(x), *out = on_device(std::vector<float>(n));
  // begin: constant
  // on the host, before the launch
  const float w[3] = {0.25f, 0.5f, 0.25f};
  check(cudaMemcpyToSymbol(weights, w, sizeof w));
  // end: constant
  smooth<<<1, 128>>>(a, out, n);
  const auto h = on_host(out, n);
  for (int i = 0; i < n; ++i)
    if (h[i] != i + 1) return false;
  check(cudaFree(a));
  return true;
}

__global__ void ramp(int* a, int n, int step) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) a[i] = step * i;
}

bool streams() {
  const int n = 1000, bytes = n * sizeof(int), blocks = (n + 255) / 256;
  int *a = on_device(std::vector<int>(n)), *b = on_device(std::vector<int>(n));
  // begin: streams
  int* host_b;
  check(cudaMallocHost(&host_b, bytes));  // pinned
  cudaStream_t stream[2];
  for (auto& s : stream) check(cudaStreamCreate(&s));
  ramp<<<blocks, 256, 0, stream[0]>>>(a, n, 1);
  ramp<<<blocks, 256, 0, stream[1]>>>(b, n, 2);
  check(cudaMemcpyAsync(host_b, b, bytes, cudaMemcpyDeviceToHost, stream[1]));
  for (auto& s : stream) check(cudaStreamSynchronize(s));
  // end: streams
  bool right = true;
  const auto host_a = on_host(a, n);
  for (int i = 0; i < n; ++i)
    right = right && host_a[i] == i && host_b[i] == 2 * i;
  for (auto& s : stream) check(cudaStreamDestroy(s));
  check(cudaFreeHost(host_b));
  check(cudaFree(b));
  return right;
}

bool timing() {
  const int n = 1000;
  float* a = on_device(std::vector<float>(n));
  // begin: timing
  cudaEvent_t start, stop;
  check(cudaEventCreate(&start));
  check(cudaEventCreate(&stop));
  check(cudaEventRecord(start));
  twice<<<(n + 255) / 256, 256>>>(a, n);
  check(cudaEventRecord(stop));
  check(cudaEventSynchronize(stop));
  float milliseconds;
  check(cudaEventElapsedTime(&milliseconds, start, stop));
  // end: timing
  check(cudaEventDestroy(start));
  check(cudaEventDestroy(stop));
  check(cudaFree(a));
  return milliseconds >= 0;
}

// begin: fused
__global__ void root(const double* a, const double* b, const double* c,
                     double* x, int n) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) x[i] = (-b[i] + sqrt(b[i] * b[i] - 4 * a[i] * c[i])) / (2 * a[i]);
}
// end: fused

bool fused() {
  const int n = 100;
  double* a = on_device(std::vector<double>(n, 5.0));
  double* b = on_device(std::vector<double>(n, 10.0));
  double* c = on_device(std::vector<double>(n, -0.1));
  root<<<1, 128>>>(a, b, c, c, n);
  for (const double x : on_host(c, n))
    if (std::abs(x - 0.009950493836207741) > 1e-14) return false;
  check(cudaFree(a));
  check(cudaFree(b));
  return true;
}

bool errors() {
  float* a = on_device(std::vector<float>(1));
  // begin: errors
  twice<<<1, 4096>>>(a, 1);                         // too large a block
  const cudaError_t launched = cudaGetLastError();  // of the launch
  const cudaError_t ran = cudaDeviceSynchronize();  // of the kernel
  std::printf("%s, %s\n", cudaGetErrorString(launched),
              cudaGetErrorString(ran));
  // end: errors
  check(cudaFree(a));
  return launched != cudaSuccess && ran == cudaSuccess;
}

int main() {
  const struct {
    const char* name;
    bool (*run)();
  } all[] = {{"first", first},
             {"grid_stride", grid_stride},
             {"two_dimensions", two_dimensions},
             {"shared", shared},
             {"atomics", atomics},
             {"constant", constant},
             {"streams", streams},
             {"timing", timing},
             {"fused", fused},
             {"errors", errors}};
  int failed = 0;
  for (const auto& snippet : all)
    if (!snippet.run()) {
      std::printf("wrong: %s\n", snippet.name);
      ++failed;
    }
  return failed;
}
