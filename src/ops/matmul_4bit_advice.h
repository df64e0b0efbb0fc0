// The fastest way to compute a product with a 4-bit weight on a device.
#ifndef QFUSE_OPS_MATMUL_4BIT_ADVICE_H
#define QFUSE_OPS_MATMUL_4BIT_ADVICE_H

#include "contract/matmul_4bit.h"

namespace qfuse::ops {

// Depends on the weight's shape and block size, the dtype and the direction.
contract::Outcome find_advice(const contract::Matmul4bit& p, const qfuse_device& device,
                              contract::Matmul4bitAdvice& advice);

}  // namespace qfuse::ops

#endif  // QFUSE_OPS_MATMUL_4BIT_ADVICE_H
