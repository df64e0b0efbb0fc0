// What this machine has to run ops on.
#ifndef QFUSE_RUNTIME_DEVICES_H
#define QFUSE_RUNTIME_DEVICES_H

#include <qfuse/qfuse.h>

#include <string>

#include "format/outcome.h"

namespace qfuse::runtime {

int device_count(qfuse_device_type type);

// One line for people; empty where there is no such device.
std::string describe(qfuse_device device);

// Unsupported, and why, where there is no GPU of that number.
format::Outcome check_gpu(int index);

}  // namespace qfuse::runtime

#endif  // QFUSE_RUNTIME_DEVICES_H
