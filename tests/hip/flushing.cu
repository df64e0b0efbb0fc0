// A kernel compiled to flush subnormals to zero, which check_isa must find.
#include <hip/hip_runtime.h>

__global__ void decode_flushes(float* out, const float* in) { out[0] = in[0] * in[1]; }
