// Records which op ran where, for the table at the end of `make test`: lines "<op> <way>" in the file QFUSE_RAN.
#ifndef QFUSE_TESTS_SUPPORT_RAN_H
#define QFUSE_TESTS_SUPPORT_RAN_H

#include <qfuse/qfuse.h>

#include <cstdlib>
#include <fstream>
#include <set>
#include <string>
#include <string_view>
#include <utility>

namespace qfuse::tests {

class Ran {
 public:
  static Ran& here() {
    static Ran here;
    return here;
  }
  void add(const char* op, const qfuse_exec& exec) {
    if (file_ != nullptr && !is_double(exec.device)) ran_.emplace(op, way_of(exec));
  }
  ~Ran() {
    if (ran_.empty()) return;
    std::ofstream file(file_, std::ios::app);
    for (const auto& [op, way] : ran_) file << op + " " + way + "\n";
  }
  Ran(const Ran&) = delete;
  Ran& operator=(const Ran&) = delete;

 private:
  Ran() = default;

  // Whether the device is the double in support/gpu_double.h, which uses the CPU's kernels.
  static bool is_double(qfuse_device device) {
    char text[256];
    return device.type == QFUSE_CUDA && qfuse_device_describe(device, text, sizeof text, nullptr) == QFUSE_OK &&
           std::string_view(text) == "a double";
  }

  static std::string way_of(const qfuse_exec& exec) {
    switch (exec.device.type) {
      case QFUSE_REFERENCE: return "reference";
      case QFUSE_CPU: return exec.cpu_target != nullptr ? exec.cpu_target : default_target();
      case QFUSE_CUDA: return "cuda";
      case QFUSE_OPENCL: return "opencl";
    }
    return "unknown";
  }

  static const char* default_target() {
    const char* const chosen = std::getenv("QFUSE_CPU_TARGET");
    return chosen != nullptr ? chosen : qfuse_cpu_target_name(0);
  }

  const char* file_ = std::getenv("QFUSE_RAN");
  std::set<std::pair<std::string, std::string>> ran_;
};

}  // namespace qfuse::tests

#endif  // QFUSE_TESTS_SUPPORT_RAN_H
