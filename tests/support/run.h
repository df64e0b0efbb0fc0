// Runs an op on host arrays, on any device: for a GPU it copies them there and back.
#ifndef QFUSE_TESTS_SUPPORT_RUN_H
#define QFUSE_TESTS_SUPPORT_RUN_H

#include <gtest/gtest.h>
#include <qfuse/qfuse.h>

#include <cstdint>
#include <cstring>
#include <memory>
#include <qfuse/qfuse.hpp>
#include <type_traits>
#include <vector>

#include "capi/call.h"
#include "contract/device_types.h"
#include "contract/ops.h"
#include "support/buffer.h"
#include "support/ran.h"

namespace qfuse::tests {

// A weight of `n` elements in one row. The caller sets the arrays.
inline qfuse_weight_4bit flat_weight(std::int64_t n, std::int64_t blocksize, qfuse_quant_type quant_type) {
  qfuse_weight_4bit w{};
  w.rows = 1;
  w.cols = n;
  w.blocksize = blocksize;
  w.quant_type = quant_type;
  return w;
}
inline qfuse_weight_4bit_out flat_weight_out(std::int64_t n, std::int64_t blocksize, qfuse_quant_type quant_type) {
  qfuse_weight_4bit_out w{};
  w.rows = 1;
  w.cols = n;
  w.blocksize = blocksize;
  w.quant_type = quant_type;
  return w;
}

// A plain NF4 weight [rows, cols] in blocks of 64, over these arrays.
inline qfuse_weight_4bit plain_weight(std::int64_t rows, std::int64_t cols, const std::uint8_t* packed,
                                      const float* absmax) {
  qfuse_weight_4bit w = flat_weight(cols, 64, QFUSE_NF4);
  w.rows = rows;
  w.packed = packed;
  w.absmax = absmax;
  return w;
}

using capi::call;

// Arrays in a GPU's memory, with the same misalignment as on the host. Outputs are poisoned, with poison around them.
// An input ends at the end of its allocation, so that compute-sanitizer detects a read one byte too far.
class OnDevice {
 public:
  explicit OnDevice(const qfuse_exec& exec) : device_(exec.device), stream_(device_) {}

  // visit_arrays calls this with each array of an op. A pointer to const is an input.
  template <class T>
  void operator()(const char* /*name*/, T*& array, std::int64_t size) {
    if (array == nullptr) return;
    void* output = nullptr;
    if constexpr (!std::is_const_v<T>) output = array;
    array = static_cast<T*>(move(array, output, static_cast<std::size_t>(size)));
  }
  // A workspace is handled like an output, because nothing may be written past its end.
  void operator()(const char* name, void*& array, std::int64_t size, contract::Workspace /*marks it*/) {
    (*this)(name, array, size);
  }

  // Waits, copies the outputs back, and checks that nothing else was written.
  void finish(void* op_stream) {
    qfuse_error error{};
    ASSERT_EQ(qfuse_stream_synchronize(device_, op_stream, &error), QFUSE_OK) << error.message;
    for (const auto& array : arrays_) {
      std::vector<std::uint8_t> after(array->there.size());
      stream_.copy(after.data(), array->there.data(), after.size());
      stream_.synchronize();
      if (array->out != nullptr) {
        std::memcpy(array->out, after.data() + array->front, array->size);
        std::memcpy(array->before.data() + array->front, array->out, array->size);
      }
      EXPECT_EQ(after, array->before) << "bytes were written that are not the op's to write";
    }
  }

 private:
  struct Array {
    Array(qfuse_device device, std::size_t front_bytes, std::size_t array_bytes, std::size_t back,
          const void* host_array, void* host_output)
        : front(front_bytes),
          size(array_bytes),
          host(host_array),
          out(host_output),
          before(front + size + back, kPoison),
          there(device, before.size()) {}
    std::size_t front;
    std::size_t size;
    const void* host;
    void* out;  // on the host; null for an input
    std::vector<std::uint8_t> before;
    DeviceMemory there;
  };

  void* move(const void* from, void* out, std::size_t size) {
    constexpr std::size_t kGuard = 64;
    const std::size_t front = kGuard + reinterpret_cast<std::uintptr_t>(from) % 16;
    for (const auto& input : arrays_)
      if (out != nullptr && input->host == from && input->size == size) {  // in place
        input->out = out;
        return input->there.data() + input->front;
      }
    Array& array = *arrays_.emplace_back(std::make_unique<Array>(device_, front, size, out ? kGuard : 0, from, out));
    if (out == nullptr && size > 0) std::memcpy(array.before.data() + front, from, size);
    stream_.copy(array.there.data(), array.before.data(), array.before.size());
    stream_.synchronize();
    return array.there.data() + front;
  }

  qfuse_device device_;
  Stream stream_;
  std::vector<std::unique_ptr<Array>> arrays_;
};

// Runs an op on exec's device. Parameters must be valid, because their sizes are used unchecked. If the op needs a
// workspace and p has none, allocates one of exactly the required size, at an odd address.
template <class Op>
qfuse_status run(Op p, const qfuse_exec& exec, qfuse_error* error) {
  [[maybe_unused]] Buffer workspace(0);
  if constexpr (requires { workspace_size(p); }) {
    if (p.workspace == nullptr && workspace_size(p) > 0) {
      p.workspace_size = workspace_size(p);
      workspace = Buffer(static_cast<std::size_t>(p.workspace_size), 1);
      p.workspace = workspace.as<void>();
    }
  }
  qfuse_status status = QFUSE_OK;
  if (contract::has_own_memory(exec.device.type)) {
    OnDevice arrays(exec);
    visit_arrays(p, arrays);
    status = call(p, &exec, error);
    arrays.finish(exec.stream);
  } else {
    status = call(p, &exec, error);
  }
  if (status == QFUSE_OK) Ran::here().add(Op::kName, exec);
  return status;
}

}  // namespace qfuse::tests

#endif  // QFUSE_TESTS_SUPPORT_RUN_H
