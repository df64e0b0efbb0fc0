// Computes base + scale * B * A for checking a merge, independently of the code that merged: neither by a backend nor
// by the oracle, which would take several times as long.
#ifndef QFUSE_CHECKPOINT_REPORT_CHAINS_H
#define QFUSE_CHECKPOINT_REPORT_CHAINS_H

#include <cstddef>
#include <cstdint>
#include <qfuse/qfuse.hpp>
#include <span>

namespace qfuse::checkpoint {

// Sums in the same order as qfuse_lora_merge: each element is a chain of fused multiply-adds in ascending order of the
// rank. Parameters are those of lora_merge, in host memory; `exec` is ignored.
void add_by_chains(std::span<const std::byte> in, Dtype in_dtype, std::int64_t rows, std::int64_t cols,
                   const LoraProduct& product, std::span<std::byte> out, Dtype out_dtype, const Exec& exec);

}  // namespace qfuse::checkpoint

#endif  // QFUSE_CHECKPOINT_REPORT_CHAINS_H
