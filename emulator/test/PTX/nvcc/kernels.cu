// What debug.ptx and lines.ptx were made from: nvcc (CUDA 13.0) -arch=sm_90a -rdc=true -G -ptx kernels.cu -o debug.ptx, and the same with
// -lineinfo instead of -G for lines.ptx.
extern "C" int printf(const char *, ...);

struct Pair {
  int first;
  float *second;
};

__constant__ float table[4] = {1.f, 2.f, 3.f, 4.f};
__device__ int counters[3][2] = {{1, 2}, {3, 4}};
__device__ float store[16];
__device__ Pair pair = {3, store + 2};
__device__ __noinline__ int triple(int x) { return x * 3; }
__device__ __noinline__ int square(int x) { return x * x + 1; }
__device__ __noinline__ float scale(Pair p, float x) { return x * p.first; }
__device__ int (*functions[2])(int) = {triple, square};
extern __shared__ float dynamic[];

__global__ void __launch_bounds__(128, 2) kernel(float *out, int n, Pair given) {
  __shared__ int fixed[32];
  float local[64];
  int i = threadIdx.x + blockIdx.x * blockDim.x;
  fixed[threadIdx.x & 31] = i;
  dynamic[threadIdx.x] = table[i & 3];
  for (int j = 0; j < 64; ++j) {
    local[j] = j * n;
  }
  __syncthreads();
  switch (n) {
  case 0: out[0] = triple(i); break;
  case 1: out[1] = n * i; break;
  case 2: out[2] = fixed[n]; break;
  case 3: out[i] = 7; break;
  case 4: out[4] = square(n); break;
  case 5: out[8] = 9 + i; break;
  case 6: out[9] = dynamic[3]; break;
  case 7: out[i + 1] = 4; break;
  }
  if (n > 100) {
    printf("n is %d\n", n);
  }
  asm volatile("{ .reg .b32 t; mov.u32 t, %1; add.u32 %0, t, 1; }" : "=r"(fixed[0]) : "r"(n));
  out[i] = local[(i * n) & 63] + functions[n & 1](i) + counters[n % 3][i & 1] + scale(given, dynamic[i & 127]) + *pair.second;
}
