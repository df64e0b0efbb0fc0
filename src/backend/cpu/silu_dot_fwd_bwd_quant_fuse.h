#ifndef QFUSE_BACKEND_CPU_SILU_DOT_FWD_BWD_QUANT_FUSE_H
#define QFUSE_BACKEND_CPU_SILU_DOT_FWD_BWD_QUANT_FUSE_H

#include "format/outcome.h"
#include "format/params.h"

namespace qfuse::cpu {

// Checked parameters; exec chooses threads and target. UNSUPPORTED: no such target here.
format::Outcome silu_dot_fwd_bwd_quant_fuse(const format::SiluDotFwdBwdQuantFuse& p, const qfuse_exec& exec);

}  // namespace qfuse::cpu

#endif  // QFUSE_BACKEND_CPU_SILU_DOT_FWD_BWD_QUANT_FUSE_H
