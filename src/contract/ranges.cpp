#include "contract/ranges.h"

#include <fmt/format.h>

#include <algorithm>
#include <bit>
#include <limits>
#include <string>

#include "contract/device_types.h"
#include "format/layout.h"

namespace qfuse::contract {

Outcome check_count(const char* name, std::int64_t count) {
  if (count < 0) return invalid_argument(fmt::format("{} is {}, it must not be negative", name, count));
  if (count > std::numeric_limits<std::int64_t>::max() / 4)
    return invalid_argument(fmt::format("{} is {}, more than memory can hold", name, count));
  return {};
}

Outcome check_matrix(const char* rows_name, std::int64_t rows, const char* cols_name, std::int64_t cols) {
  if (Outcome o = check_count(rows_name, rows); !o.ok()) return o;
  if (Outcome o = check_count(cols_name, cols); !o.ok()) return o;
  if (cols > 0 && rows > std::numeric_limits<std::int64_t>::max() / 4 / cols)
    return invalid_argument(
        fmt::format("{} * {} is {} * {}, more than memory can hold", rows_name, cols_name, rows, cols));
  return {};
}

Outcome check_positive(const char* name, std::int64_t value) {
  if (value > 0) return {};
  return invalid_argument(fmt::format("{} is {}, it must be positive", name, value));
}

Outcome check_power_of_two(const char* name, std::int64_t value) {
  if (value < 1 || !std::has_single_bit(static_cast<std::uint64_t>(value)))
    return invalid_argument(fmt::format("{} is {}, it must be a power of two", name, value));
  return {};
}

Outcome check_dtype(const char* name, qfuse_dtype dtype) {
  if (format::dtype_size(dtype) == 0)
    return invalid_argument(
        fmt::format("{} is {}, it must be QFUSE_FLOAT32 ({}), QFUSE_FLOAT16 ({}) or QFUSE_BFLOAT16 ({})", name,
                    static_cast<int>(dtype), static_cast<int>(QFUSE_FLOAT32), static_cast<int>(QFUSE_FLOAT16),
                    static_cast<int>(QFUSE_BFLOAT16)));
  return {};
}

Outcome check_enumerator(const char* name, int value, std::initializer_list<const char*> names) {
  const auto count = static_cast<int>(names.size());
  if (value >= 0 && value < count) return {};
  std::string all;
  int i = 0;
  for (const char* one : names) {
    all += i == 0 ? "" : i == count - 1 ? " or " : ", ";
    all += fmt::format("{} ({})", one, i++);
  }
  return invalid_argument(fmt::format("{} is {}, it must be {}", name, value, all));
}

Outcome check_direction(qfuse_direction direction) {
  if (direction == QFUSE_FORWARD || direction == QFUSE_BACKWARD) return {};
  return invalid_argument(fmt::format("direction is {}, it must be QFUSE_FORWARD ({}) or QFUSE_BACKWARD ({})",
                                      static_cast<int>(direction), static_cast<int>(QFUSE_FORWARD),
                                      static_cast<int>(QFUSE_BACKWARD)));
}

Outcome check_reciprocal(qfuse_reciprocal reciprocal) {
  if (reciprocal != QFUSE_RECIPROCAL_IEEE && reciprocal != QFUSE_RECIPROCAL_APPROX)
    return invalid_argument(
        fmt::format("reciprocal is {}, it must be QFUSE_RECIPROCAL_IEEE ({}) or "
                    "QFUSE_RECIPROCAL_APPROX ({})",
                    static_cast<int>(reciprocal), static_cast<int>(QFUSE_RECIPROCAL_IEEE),
                    static_cast<int>(QFUSE_RECIPROCAL_APPROX)));
  return {};
}

Outcome check_rows(const char* name, std::int64_t stride, std::int64_t m, const char* cols_name, std::int64_t cols) {
  if (stride != 0 && stride < cols)
    return invalid_argument(fmt::format("{} is {}, it must be 0 or at least {}, {}", name, stride, cols_name, cols));
  const std::int64_t step = std::max(stride, cols);
  if (step > 0 && m > std::numeric_limits<std::int64_t>::max() / 8 / step)
    return invalid_argument(fmt::format("m rows of {} elements ({}) are {} * {}, more than memory can hold", step,
                                        stride != 0 ? name : cols_name, m, step));
  return {};
}

Outcome check_workspace(std::int64_t given, std::int64_t needed) {
  if (given >= needed) return {};
  return invalid_argument(fmt::format("workspace_size is {}, this call needs {} bytes", given, needed));
}

Outcome check(const qfuse_exec& exec) {
  const qfuse_device& device = exec.device;
  if (find_device_type(device.type) == nullptr)
    return invalid_argument(fmt::format(
        "device type is {}, it must be QFUSE_CPU ({}), QFUSE_CUDA ({}), QFUSE_REFERENCE ({}) or QFUSE_OPENCL ({})",
        static_cast<int>(device.type), static_cast<int>(QFUSE_CPU), static_cast<int>(QFUSE_CUDA),
        static_cast<int>(QFUSE_REFERENCE), static_cast<int>(QFUSE_OPENCL)));
  if (device.index < 0)
    return invalid_argument(fmt::format("device index is {}, it must not be negative", device.index));
  if (!has_own_memory(device.type) && device.index > 0)
    return unsupported(fmt::format("device index is {}, there is only one such device", device.index));
  if (!has_own_memory(device.type) && exec.stream != nullptr)
    return invalid_argument("stream is given, but only CUDA and OpenCL devices have streams");
  if (device.type != QFUSE_CPU && exec.parallel_for != nullptr)
    return invalid_argument("parallel_for is given, but only the CPU runs on threads of the caller's");
  if (exec.threads < 0) return invalid_argument(fmt::format("threads is {}, it must not be negative", exec.threads));
  return {};
}

Outcome check_device(qfuse_reciprocal reciprocal, const qfuse_device& device) {
  if (reciprocal == QFUSE_RECIPROCAL_APPROX && device.type != QFUSE_CUDA)
    return unsupported("reciprocal is QFUSE_RECIPROCAL_APPROX, the approximation of NVIDIA's GPUs: only CUDA has it");
  return {};
}

}  // namespace qfuse::contract
