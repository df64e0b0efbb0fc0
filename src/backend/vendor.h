// The only interface to a GPU vendor's runtime: a table of functions for devices, memory and streams, which each
// vendor's backend fills. A stream is passed as void*, as in qfuse.h.
#ifndef QFUSE_BACKEND_VENDOR_H
#define QFUSE_BACKEND_VENDOR_H

#include <qfuse/qfuse.h>

#include <cstdint>
#include <string>

#include "contract/outcome.h"

namespace qfuse::backend {

struct Vendor {
  qfuse_device_type type;

  // Number of devices that the driver shows this process; 0 without devices or without a driver.
  int (*device_count)();
  // Human-readable reason why there is no device.
  contract::Outcome (*why_none)();
  // One line: model, capability, multiprocessors, memory. Empty if there is no such device.
  std::string (*describe)(int index);

  // Allocates `size` bytes of device memory, aligned to 256, or of host memory that devices copy at full speed.
  contract::Outcome (*allocate)(int index, qfuse_memory_kind kind, std::int64_t size, void** memory);
  void (*release)(int index, qfuse_memory_kind kind, void* memory);

  // A stream that does not wait for the legacy default stream.
  contract::Outcome (*create_stream)(int index, void** stream);
  void (*destroy_stream)(int index, void* stream);
  // Enqueues a copy in any direction; the host's side should be pinned.
  contract::Outcome (*copy)(int index, void* to, const void* from, std::int64_t size, void* stream);
  // Waits until all work enqueued on the stream is done, and reports its errors.
  contract::Outcome (*synchronize)(int index, void* stream);
};

}  // namespace qfuse::backend

#endif  // QFUSE_BACKEND_VENDOR_H
