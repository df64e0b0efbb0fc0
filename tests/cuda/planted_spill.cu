// Keeps an array in local memory because its index is unknown at compile time. Must not compile.
__global__ void planted(const int* at, float* out) {
  float values[32];
  for (int i = 0; i < 32; ++i) values[i] = out[i];
  for (int i = 0; i < 32; ++i) values[at[i]] += 1.0F;
  out[threadIdx.x] = values[at[threadIdx.x]];
}
