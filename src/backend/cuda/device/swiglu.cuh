// Steps of the SwiGLU backward: from an element's gate, up and gradient to what the contract rounds to bf16. No step
// may be fused with another unless it says so: whoever includes this is compiled with -fmad=false.
#ifndef QFUSE_BACKEND_CUDA_DEVICE_SWIGLU_CUH
#define QFUSE_BACKEND_CUDA_DEVICE_SWIGLU_CUH

#include <cstdint>

#include "backend/cuda/device/rounding.cuh"

namespace qfuse::cuda {

// PyTorch's, on CUDA: 1 / (1 + torch.exp(-g)).
__device__ inline float sigmoid(float g) { return __frcp_rn(1.0F + expf(-g)); }

// Magnitudes of g up to which fast_sigmoid is right: beyond, 1 + exp(-g) may exceed 2^126, whose reciprocal
// is subnormal. As bf16 bits, 87.
constexpr std::uint32_t kFastSigmoidMost = 0x42aeU;

// The same bits for every bf16 g of at most that magnitude, in two thirds of the instructions: a test compares all of
// them. The steps are those of CUDA's expf, which splits x*log2(e) into an integer and a fraction; but the power of two
// is multiplied with where 1 is added (which rounds once, as 1 + exp does, the product being exact), and the reciprocal
// is refined without looking for operands that do not occur.
__device__ inline float fast_sigmoid(float g) {
  constexpr float kRange = 0x1.77313ap-8F;     // log2(e) / 252
  constexpr float kMagic = 12582913.0F;        // 1.5 * 2^23 + 1: the sum's low bits are the integer, biased by 127
  constexpr float kMagicBiased = 12583039.0F;  // 1.5 * 2^23 + 127
  constexpr float kLog2e = 0x1.715476p+0F;
  constexpr float kLog2eLow = 0x1.4ae0cp-26F;
  float clamped;
  asm("fma.rn.sat.f32 %0, %1, %2, 0f3f000000;" : "=f"(clamped) : "f"(g), "f"(-kRange));
  const float biased = __fmaf_rd(clamped, 252.0F, kMagic);
  const float fraction = __fmaf_rn(g, -kLog2eLow, __fmaf_rn(g, -kLog2e, -(biased - kMagicBiased)));
  float power;
  asm("ex2.approx.ftz.f32 %0, %1;" : "=f"(power) : "f"(fraction));
  const float denominator = __fmaf_rn(power, __uint_as_float(__float_as_uint(biased) << 23), 1.0F);
  float reciprocal;
  asm("rcp.approx.ftz.f32 %0, %1;" : "=f"(reciprocal) : "f"(denominator));
  return __fmaf_rn(reciprocal, __fmaf_rn(-denominator, reciprocal, 1.0F), reciprocal);
}

__device__ inline float gate_gradient(float g, float u, float dy, float s) {
  return ((dy * u) * s) * (1.0F + g * (1.0F - s));
}

}  // namespace qfuse::cuda

#endif  // QFUSE_BACKEND_CUDA_DEVICE_SWIGLU_CUH
