// base + scale * B * A for the proof of a merge, by nothing that made it: neither a backend nor the oracle, which would
// take several times as long.
#ifndef QFUSE_CHECKPOINT_REPORT_CHAINS_H
#define QFUSE_CHECKPOINT_REPORT_CHAINS_H

#include <cstddef>
#include <cstdint>
#include <qfuse/qfuse.hpp>
#include <span>

namespace qfuse::checkpoint {

// The sums of qfuse_lora_merge, in its order: each element's is a chain of fused multiply-adds, ascending in the rank.
// Parameters as lora_merge has them, on the host; `exec` is not asked.
void add_by_chains(std::span<const std::byte> in, Dtype in_dtype, std::int64_t rows, std::int64_t cols,
                   const LoraProduct& product, std::span<std::byte> out, Dtype out_dtype, const Exec& exec);

}  // namespace qfuse::checkpoint

#endif  // QFUSE_CHECKPOINT_REPORT_CHAINS_H
