#include "runtime/devices.h"

#include <fstream>
#include <thread>

#include "backend/cuda/gpu.h"

namespace qfuse::runtime {
namespace {

// The first "model name" of /proc/cpuinfo; other architectures have none.
std::string cpu_model() {
  std::ifstream cpuinfo("/proc/cpuinfo");
  for (std::string line; std::getline(cpuinfo, line);) {
    const std::size_t colon = line.find(": ");
    if (line.starts_with("model name") && colon != std::string::npos) return line.substr(colon + 2);
  }
  return "unknown model";
}

std::string describe_cpu() {
  return cpu_model() + ", " + std::to_string(std::thread::hardware_concurrency()) + " threads";
}

}  // namespace

int device_count(qfuse_device_type type) {
  switch (type) {
    case QFUSE_CPU: return 1;
    case QFUSE_CUDA: return cuda::device_count();
    case QFUSE_REFERENCE: return 1;
  }
  return 0;
}

std::string describe(qfuse_device device) {
  if (device.index < 0 || device.index >= device_count(device.type)) return {};
  switch (device.type) {
    case QFUSE_CPU: return describe_cpu();
    case QFUSE_CUDA: return cuda::describe_device(device.index);
    case QFUSE_REFERENCE: return "the scalar oracle, one thread";
  }
  return {};
}

format::Outcome check_gpu(int index) {
  const int count = cuda::device_count();
  if (index >= 0 && index < count) return {};
  const std::string name = "device cuda:" + std::to_string(index);
  if (count > 0)
    return format::unsupported(name + ": this machine has " + std::to_string(count) + (count == 1 ? " GPU" : " GPUs") +
                               " for this process, numbered from 0");
  cuda::DeviceFacts none;
  return format::unsupported(name + ": there is no GPU here: " + cuda::device_facts(0, none).message);
}

}  // namespace qfuse::runtime
