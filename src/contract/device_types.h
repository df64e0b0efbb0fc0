// The types of devices, and the names that users give them.
#ifndef QFUSE_CONTRACT_DEVICE_TYPES_H
#define QFUSE_CONTRACT_DEVICE_TYPES_H

#include <qfuse/qfuse.h>

#include <algorithm>
#include <string_view>

namespace qfuse::contract {

struct DeviceType {
  std::string_view name;
  qfuse_device_type type;
  bool own_memory;  // and streams, and possibly several numbered devices
};
inline constexpr DeviceType kDeviceTypes[] = {{"cpu", QFUSE_CPU, false},
                                              {"reference", QFUSE_REFERENCE, false},
                                              {"cuda", QFUSE_CUDA, true},
                                              {"opencl", QFUSE_OPENCL, true}};

// Null if there is no such type.
inline const DeviceType* find_device_type(qfuse_device_type type) {
  const auto* const found = std::ranges::find(kDeviceTypes, type, &DeviceType::type);
  return found != std::ranges::end(kDeviceTypes) ? found : nullptr;
}

inline bool has_own_memory(qfuse_device_type type) {
  const DeviceType* const found = find_device_type(type);
  return found != nullptr && found->own_memory;
}

}  // namespace qfuse::contract

#endif  // QFUSE_CONTRACT_DEVICE_TYPES_H
