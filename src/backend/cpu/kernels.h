// The CPU backend's ops. Parameters are checked; exec chooses threads and SIMD target. UNSUPPORTED: no such target
// here.
#ifndef QFUSE_BACKEND_CPU_KERNELS_H
#define QFUSE_BACKEND_CPU_KERNELS_H

#include <cstdint>

#include "contract/ops.h"

namespace qfuse::cpu {

contract::Outcome dequantize_4bit(const contract::Dequantize4bit& p, const qfuse_exec& exec);
contract::Outcome quantize_4bit(const contract::Quantize4bit& p, const qfuse_exec& exec);
contract::Outcome quantize_blockwise(const contract::QuantizeBlockwise& p, const qfuse_exec& exec);
contract::Outcome dequantize_blockwise(const contract::DequantizeBlockwise& p, const qfuse_exec& exec);
contract::Outcome dequantize_int8(const contract::DequantizeInt8& p, const qfuse_exec& exec);
contract::Outcome swiglu(const contract::Swiglu& p, const qfuse_exec& exec);
contract::Outcome matmul_4bit(const contract::Matmul4bit& p, const qfuse_exec& exec);
contract::Outcome matmul_4bit_grouped(const contract::Matmul4bitGrouped& p, const qfuse_exec& exec);
contract::Outcome lora_merge(const contract::LoraMerge& p, const qfuse_exec& exec);

// Whether matmul_4bit adds otherwise in the order PLAIN, in tiles of AMX, than in SPLIT, in dot products; and up to how many
// rows SPLIT takes no longer: of Emerald Rapids, 4096 -> 14336 on 16 cores, 1 row takes 0.42 and 0.92 ms, 8 take 1.7 and 1.0.
bool has_two_orders(const contract::Matmul4bit& p);
inline constexpr std::int64_t kRowsOfDots = 4;

}  // namespace qfuse::cpu

#endif  // QFUSE_BACKEND_CPU_KERNELS_H
