// Kernels with one fault each, which check_isa must find. Kernels of these names must not have the fault.
#include <hip/hip_runtime.h>

namespace {

__global__ void decode_keeps_an_array(float* out, const int* at) {
  float values[512];
  for (int i = 0; i < 512; ++i) values[i] = out[i];
  values[at[0]] = 1;
  out[0] = values[at[1]];
}

#pragma clang fp contract(fast)
__global__ void decode_fuses(float* out, const float* in) { out[0] = in[0] * in[1] + in[2]; }

#pragma clang fp contract(off)
__global__ void decode_mixes(_Float16* out, const float* in) { out[0] = static_cast<_Float16>(in[0] * in[1]); }

// Its template arguments say wide, but it has no 16-byte accesses.
template <class Out, bool kNested, bool kWide, bool kStream>
__global__ void decode(Out* out) {
  out[threadIdx.x] = kNested ? 1 : kStream;
}
template __global__ void decode<float, true, true, false>(float*);

}  // namespace
