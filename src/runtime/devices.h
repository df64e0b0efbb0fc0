// The devices of this machine, by name and number, and the memory and streams of its GPUs.
#ifndef QFUSE_RUNTIME_DEVICES_H
#define QFUSE_RUNTIME_DEVICES_H

#include <qfuse/qfuse.h>

#include <cstdint>
#include <string>
#include <string_view>

#include "contract/outcome.h"

namespace qfuse::runtime {

int device_count(qfuse_device_type type);

// Reads "cpu", "reference", "cuda", "cuda:N", "opencl" or "opencl:N".
contract::Outcome parse(std::string_view name, qfuse_device& device);

// Describes the device in one line. UNSUPPORTED, with the reason, if there is no such device.
contract::Outcome describe(qfuse_device device, std::string& line);

// As in qfuse.h. A failure's message says on which device it failed, and at what.
contract::Outcome allocate(qfuse_device device, qfuse_memory_kind kind, std::int64_t size, void** memory);
void release(qfuse_device device, qfuse_memory_kind kind, void* memory);
contract::Outcome create_stream(qfuse_device device, void** stream);
void destroy_stream(qfuse_device device, void* stream);
contract::Outcome copy(qfuse_device device, void* to, const void* from, std::int64_t size, void* stream);
contract::Outcome synchronize(qfuse_device device, void* stream);

}  // namespace qfuse::runtime

#endif  // QFUSE_RUNTIME_DEVICES_H
