// Which way of a product with a 4-bit weight is the fastest on a device.
#ifndef QFUSE_OPS_MATMUL_4BIT_ADVICE_H
#define QFUSE_OPS_MATMUL_4BIT_ADVICE_H

#include "contract/matmul_4bit.h"

namespace qfuse::ops {

// Looks at the weight's shape and blocks, the dtype and the direction.
contract::Outcome find_advice(const contract::Matmul4bit& p, const qfuse_device& device,
                              contract::Matmul4bitAdvice& advice);

}  // namespace qfuse::ops

#endif  // QFUSE_OPS_MATMUL_4BIT_ADVICE_H
