#ifndef QFUSE_BACKEND_CPU_SILU_DOT_FWD_BWD_QUANT_FUSE_H
#define QFUSE_BACKEND_CPU_SILU_DOT_FWD_BWD_QUANT_FUSE_H

#include <cstdint>

#include "format/layout.h"
#include "format/outcome.h"
#include "format/params.h"

namespace qfuse::cpu {

// Channels of a tile of 128 tokens, which is one item of a thread's range. Measured on Zen 5, 8192 x 4096 in pages of
// 4 KiB, one core: rows lie pages apart, so a narrow tile mostly waits for the next page. 1, 2, 4, 8 groups of channels
// took 2.7, 2.1, 1.9, 1.8 ns an element, and with rows fetched ahead 1.8 for 4 and 1.7 for 8, whose y would take 256
// KiB of the stack instead of 128.
inline constexpr std::int64_t kSiluTileWidth = 4 * format::kGroupSize;

// Checked parameters; exec chooses threads and target. UNSUPPORTED: no such target here.
format::Outcome silu_dot_fwd_bwd_quant_fuse(const format::SiluDotFwdBwdQuantFuse& p, const qfuse_exec& exec);

}  // namespace qfuse::cpu

#endif  // QFUSE_BACKEND_CPU_SILU_DOT_FWD_BWD_QUANT_FUSE_H
