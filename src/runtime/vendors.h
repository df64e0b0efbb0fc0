// The GPU vendors of this build, by device type.
#ifndef QFUSE_RUNTIME_VENDORS_H
#define QFUSE_RUNTIME_VENDORS_H

#include "backend/vendor.h"

namespace qfuse::runtime {

// Null: this build has no vendor for the type.
const backend::Vendor* find_vendor(qfuse_device_type type);

// For tests, before any device is used: `vendor` replaces the one of its type.
void replace_vendor(const backend::Vendor& vendor);

}  // namespace qfuse::runtime

#endif  // QFUSE_RUNTIME_VENDORS_H
