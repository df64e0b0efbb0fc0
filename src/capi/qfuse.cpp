// The C interface: translates between callers' structs and the library's own, never computes.
#include <qfuse/qfuse.h>

#include <algorithm>
#include <charconv>
#include <cstring>
#include <new>
#include <string>
#include <string_view>
#include <utility>

#include "format/dynamic8.h"
#include "format/layout.h"
#include "format/outcome.h"
#include "format/params.h"
#include "ops/ops.h"
#include "reference/reference.h"
#include "runtime/devices.h"

namespace {

using qfuse::format::invalid_argument;
using qfuse::format::Outcome;
using qfuse::format::unsupported;

// Whole UTF-8 characters, as many as fit before the final zero.
void copy_message(std::string_view message, char* to, std::size_t size) {
  std::size_t length = std::min(message.size(), size - 1);
  if (length < message.size())
    while (length > 0 && (static_cast<unsigned char>(message[length]) & 0xc0U) == 0x80U) --length;
  std::memcpy(to, message.data(), length);
  to[length] = '\0';
}

qfuse_status report(const Outcome& outcome, qfuse_error* error) {
  if (error != nullptr) {
    error->status = outcome.status;
    copy_message(outcome.message, error->message, sizeof error->message);
  }
  return outcome.status;
}

// No exception crosses the C boundary.
template <class Body>
qfuse_status guarded(qfuse_error* error, const Body& body) {
  try {
    return report(body(), error);
  } catch (const std::bad_alloc&) {
    return report({QFUSE_OUT_OF_MEMORY, "out of memory"}, error);
  } catch (const std::exception& e) {
    return report({QFUSE_INTERNAL_ERROR, e.what()}, error);
  }
}

// Takes a caller's struct of this version or a newer one, whose additions must be zero.
template <class Struct>
Outcome adopt(const Struct* from, const char* name, Struct& to) {
  if (from == nullptr) return invalid_argument(std::string(name) + " is NULL");
  const std::size_t size = from->struct_size;
  if (size < sizeof(Struct))
    return invalid_argument(std::string(name) + ".struct_size is " + std::to_string(size) +
                            ", it must be sizeof the struct, " + std::to_string(sizeof(Struct)));
  const auto* bytes = reinterpret_cast<const unsigned char*>(from);
  if (std::any_of(bytes + sizeof(Struct), bytes + size, [](unsigned char byte) { return byte != 0; }))
    return unsupported(std::string(name) + " uses fields that qfuse " QFUSE_VERSION_STRING " does not know");
  std::memcpy(&to, from, sizeof(Struct));
  to.struct_size = sizeof(Struct);
  return {};
}

// The device named "reference" is the oracle; all others are the ops' affair.
template <class Params, class Op, class Oracle>
qfuse_status run(const Params* caller_params, const qfuse_exec* caller_exec, qfuse_error* error, const Op& op,
                 const Oracle& oracle) {
  return guarded(error, [&]() -> Outcome {
    Params params{};
    qfuse_exec exec = QFUSE_EXEC_INIT;
    if (Outcome o = adopt(caller_params, "params", params); !o.ok()) return o;
    if (caller_exec != nullptr)
      if (Outcome o = adopt(caller_exec, "exec", exec); !o.ok()) return o;
    if (exec.device.type != QFUSE_REFERENCE) return op(params, exec);
    if (Outcome o = qfuse::format::check(params); !o.ok()) return o;
    if (Outcome o = qfuse::format::check(exec); !o.ok()) return o;
    if (Outcome o = qfuse::format::check_device(params, exec); !o.ok()) return o;
    if (!qfuse::format::is_empty(params)) oracle(params);
    return {};
  });
}

Outcome parse_device(const char* name, qfuse_device* device) {
  if (name == nullptr || device == nullptr) return invalid_argument("name or device is NULL");
  const std::string_view text = name;
  constexpr std::string_view kCudaIndex = "cuda:";
  if (text == "cpu") {
    *device = {QFUSE_CPU, 0};
  } else if (text == "reference") {
    *device = {QFUSE_REFERENCE, 0};
  } else if (text == "cuda") {
    *device = {QFUSE_CUDA, 0};
  } else if (text.starts_with(kCudaIndex)) {
    std::int32_t index = -1;
    const char* end = text.data() + text.size();
    const auto [stop, status] = std::from_chars(text.data() + kCudaIndex.size(), end, index);
    if (status != std::errc() || stop != end || index < 0)
      return invalid_argument("device '" + std::string(text) + "': the index after 'cuda:' must be a number from 0");
    *device = {QFUSE_CUDA, index};
  } else {
    return invalid_argument("device '" + std::string(text) + "' is unknown: cpu, cuda, cuda:N or reference");
  }
  return {};
}

Outcome describe_device(qfuse_device device, char* text, std::size_t size) {
  if (text == nullptr || size == 0) return invalid_argument("text is NULL or size is 0");
  const std::string line = qfuse::runtime::describe(device);
  if (line.empty()) return unsupported("no such device here");
  copy_message(line, text, size);
  return {};
}

}  // namespace

const char* qfuse_version(void) { return QFUSE_VERSION_STRING; }

const char* qfuse_status_string(qfuse_status status) {
  switch (status) {
    case QFUSE_OK: return "ok";
    case QFUSE_INVALID_ARGUMENT: return "invalid argument";
    case QFUSE_INVALID_DATA: return "invalid data";
    case QFUSE_UNSUPPORTED: return "unsupported";
    case QFUSE_IO_ERROR: return "input/output error";
    case QFUSE_OUT_OF_MEMORY: return "out of memory";
    case QFUSE_CANCELLED: return "cancelled";
    case QFUSE_INTERNAL_ERROR: return "internal error";
    case QFUSE_DEVICE_ERROR: return "device error";
  }
  return "unknown status";
}

size_t qfuse_dtype_size(qfuse_dtype dtype) { return static_cast<size_t>(qfuse::format::dtype_size(dtype)); }

qfuse_status qfuse_device_parse(const char* name, qfuse_device* device, qfuse_error* error) {
  return guarded(error, [&] { return parse_device(name, device); });
}

int32_t qfuse_device_count(qfuse_device_type type) { return qfuse::runtime::device_count(type); }

qfuse_status qfuse_device_describe(qfuse_device device, char* text, size_t size, qfuse_error* error) {
  return guarded(error, [&] { return describe_device(device, text, size); });
}

const char* qfuse_cpu_target_name(int32_t index) { return qfuse::ops::cpu_target_name(index); }

int64_t qfuse_packed_size(int64_t n) { return qfuse::format::packed_size(n); }

int64_t qfuse_block_count(int64_t n, int64_t blocksize) { return qfuse::format::block_count(n, blocksize); }

void qfuse_nested_quant_map(float map[256]) { std::ranges::copy(qfuse::format::kDynamic8, map); }

qfuse_status qfuse_dequantize_4bit(const qfuse_dequantize_4bit_params* params, const qfuse_exec* exec,
                                   qfuse_error* error) {
  return run(params, exec, error, qfuse::ops::dequantize_4bit, qfuse::reference::dequantize_4bit);
}

qfuse_status qfuse_quantize_4bit(const qfuse_quantize_4bit_params* params, const qfuse_exec* exec, qfuse_error* error) {
  return run(params, exec, error, qfuse::ops::quantize_4bit, qfuse::reference::quantize_4bit);
}

qfuse_status qfuse_quantize_blockwise(const qfuse_quantize_blockwise_params* params, const qfuse_exec* exec,
                                      qfuse_error* error) {
  return run(params, exec, error, qfuse::ops::quantize_blockwise, qfuse::reference::quantize_blockwise);
}

qfuse_status qfuse_dequantize_blockwise(const qfuse_dequantize_blockwise_params* params, const qfuse_exec* exec,
                                        qfuse_error* error) {
  return run(params, exec, error, qfuse::ops::dequantize_blockwise, qfuse::reference::dequantize_blockwise);
}

qfuse_status qfuse_dequantize_int8(const qfuse_dequantize_int8_params* params, const qfuse_exec* exec,
                                   qfuse_error* error) {
  return run(params, exec, error, qfuse::ops::dequantize_int8, qfuse::reference::dequantize_int8);
}

qfuse_status qfuse_silu_dot_fwd_bwd_quant_fuse(const qfuse_silu_dot_fwd_bwd_quant_fuse_params* params,
                                               const qfuse_exec* exec, qfuse_error* error) {
  return run(params, exec, error, qfuse::ops::silu_dot_fwd_bwd_quant_fuse,
             qfuse::reference::silu_dot_fwd_bwd_quant_fuse);
}
