// The roof of a bandwidth-bound op: reads and writes the same number of bytes with no arithmetic.
#ifndef QFUSE_BENCH_CPU_ROOF_H
#define QFUSE_BENCH_CPU_ROOF_H

#include <cstdint>
#include <span>

namespace qfuse::bench {

enum class Stores { plain, streaming };

// Reads `in` once and writes `out` once, front to back, with this machine's widest vectors, on at most `threads`
// threads (0: one per core). out must be aligned to 64 bytes for streaming stores.
void move_bytes(std::span<const std::uint8_t> in, std::span<std::uint8_t> out, Stores stores, int threads);

}  // namespace qfuse::bench

#endif  // QFUSE_BENCH_CPU_ROOF_H
