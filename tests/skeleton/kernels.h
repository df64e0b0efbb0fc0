// The functions of the op, one per backend. In the library each is a line in reference/reference.h,
// backend/cpu/kernels.h or backend/cuda/kernels.h.
#ifndef QFUSE_TESTS_SKELETON_KERNELS_H
#define QFUSE_TESTS_SKELETON_KERNELS_H

#include "skeleton/contract/scale.h"

namespace qfuse {

namespace reference {
void scale(const contract::Scale& p);
}
namespace cpu {
contract::Outcome scale(const contract::Scale& p, const qfuse_exec& exec);
}
namespace cuda::ops {
contract::Outcome scale(const contract::Scale& p, const qfuse_exec& exec);
}

}  // namespace qfuse

#endif  // QFUSE_TESTS_SKELETON_KERNELS_H
