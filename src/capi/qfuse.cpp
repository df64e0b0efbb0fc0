// The C interface: it translates between callers' structs and the library's own, and computes nothing itself.
#include <qfuse/qfuse.h>

#include <string>

#include "backend/cpu/targets.h"
#include "capi/run.h"
#include "contract/device_types.h"
#include "format/dynamic8.h"
#include "format/layout.h"
#include "ops/matmul_4bit_advice.h"
#include "ops/registry.h"
#include "runtime/devices.h"

namespace {

using qfuse::capi::guarded;
using qfuse::capi::with_params;
using qfuse::contract::invalid_argument;
using qfuse::contract::Outcome;

template <class Op, class Params>
qfuse_status run(const Params* params, const qfuse_exec* exec, qfuse_error* error) {
  return qfuse::capi::run<Op>(qfuse::ops::backends(), params, exec, error);
}

template <class Op, class Params>
qfuse_status find_workspace_size(const Params* params, const qfuse_exec* exec, std::int64_t* size, qfuse_error* error) {
  return with_params<Op>(params, exec, error, [&](const Op& p, const qfuse_exec& e) -> Outcome {
    if (size == nullptr) return invalid_argument("size is NULL");
    if (Outcome o = check_ranges(p); !o.ok()) return o;
    if (Outcome o = qfuse::contract::check(e); !o.ok()) return o;
    if (Outcome o = check_device(p, e.device); !o.ok()) return o;
    *size = workspace_size(p);
    return {};
  });
}

Outcome parse_device(const char* name, qfuse_device* device) {
  if (name == nullptr || device == nullptr) return invalid_argument("name or device is NULL");
  return qfuse::runtime::parse(name, *device);
}

Outcome find_format(const char* name, qfuse_group_format* format) {
  if (name == nullptr || format == nullptr) return invalid_argument("name or format is NULL");
  return qfuse::contract::find_format(name, *format);
}

Outcome find_output_sizes(const qfuse_swiglu_params* params, qfuse_swiglu_sizes* sizes) {
  if (sizes == nullptr) return invalid_argument("sizes is NULL");
  qfuse::contract::Swiglu p{};
  if (Outcome o = qfuse::capi::adopt_params(params, p); !o.ok()) return o;
  if (Outcome o = check_sizes(p); !o.ok()) return o;
  *sizes = output_sizes(p);
  return {};
}

Outcome describe_device(qfuse_device device, char* text, std::size_t size) {
  if (text == nullptr || size == 0) return invalid_argument("text is NULL or size is 0");
  std::string line;
  if (Outcome o = qfuse::runtime::describe(device, line); !o.ok()) return o;
  qfuse::capi::copy_message(line, text, size);
  return {};
}

Outcome find_matmul_4bit_advice(qfuse_device device, const qfuse::contract::Matmul4bit& p, qfuse_sum* few,
                                int64_t* few_rows, int64_t* fused_rows) {
  if (few == nullptr || few_rows == nullptr || fused_rows == nullptr)
    return invalid_argument("few, few_rows or fused_rows is NULL");
  qfuse::contract::Matmul4bitAdvice advice{};
  if (Outcome o = qfuse::ops::find_advice(p, device, advice); !o.ok()) return o;
  *few = advice.few;
  *few_rows = advice.few_rows;
  *fused_rows = advice.fused_rows;
  return {};
}

}  // namespace

const char* qfuse_version(void) { return QFUSE_VERSION_STRING; }

const char* qfuse_build_info(void) { return "version: " QFUSE_VERSION_STRING "\n" QFUSE_BUILD_INFO; }

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

int32_t qfuse_device_has_own_memory(qfuse_device_type type) { return qfuse::contract::has_own_memory(type) ? 1 : 0; }

qfuse_status qfuse_device_describe(qfuse_device device, char* text, size_t size, qfuse_error* error) {
  return guarded(error, [&] { return describe_device(device, text, size); });
}

qfuse_status qfuse_memory_allocate(qfuse_device device, qfuse_memory_kind kind, int64_t size, void** memory,
                                   qfuse_error* error) {
  return guarded(error, [&] { return qfuse::runtime::allocate(device, kind, size, memory); });
}

void qfuse_memory_release(qfuse_device device, qfuse_memory_kind kind, void* memory) {
  qfuse::runtime::release(device, kind, memory);
}

qfuse_status qfuse_stream_create(qfuse_device device, void** stream, qfuse_error* error) {
  return guarded(error, [&] { return qfuse::runtime::create_stream(device, stream); });
}

void qfuse_stream_destroy(qfuse_device device, void* stream) { qfuse::runtime::destroy_stream(device, stream); }

qfuse_status qfuse_stream_synchronize(qfuse_device device, void* stream, qfuse_error* error) {
  return guarded(error, [&] { return qfuse::runtime::synchronize(device, stream); });
}

qfuse_status qfuse_copy(qfuse_device device, void* to, const void* from, int64_t size, void* stream,
                        qfuse_error* error) {
  return guarded(error, [&] { return qfuse::runtime::copy(device, to, from, size, stream); });
}

const char* qfuse_cpu_target_name(int32_t index) { return qfuse::cpu::target_name(index); }

int64_t qfuse_packed_size(int64_t n) { return qfuse::format::packed_size(n); }

int64_t qfuse_block_count(int64_t n, int64_t blocksize) { return qfuse::format::block_count(n, blocksize); }

int64_t qfuse_expert_columns(int64_t m, int64_t experts) { return qfuse::format::expert_columns(m, experts); }

void qfuse_nested_quant_map(float map[QFUSE_QUANT_MAP_SIZE]) { qfuse::format::store_nested_quant_map(map); }

qfuse_status qfuse_dequantize_4bit(const qfuse_dequantize_4bit_params* params, const qfuse_exec* exec,
                                   qfuse_error* error) {
  return run<qfuse::contract::Dequantize4bit>(params, exec, error);
}

qfuse_status qfuse_quantize_4bit(const qfuse_quantize_4bit_params* params, const qfuse_exec* exec, qfuse_error* error) {
  return run<qfuse::contract::Quantize4bit>(params, exec, error);
}

qfuse_status qfuse_quantize_blockwise(const qfuse_quantize_blockwise_params* params, const qfuse_exec* exec,
                                      qfuse_error* error) {
  return run<qfuse::contract::QuantizeBlockwise>(params, exec, error);
}

qfuse_status qfuse_dequantize_blockwise(const qfuse_dequantize_blockwise_params* params, const qfuse_exec* exec,
                                        qfuse_error* error) {
  return run<qfuse::contract::DequantizeBlockwise>(params, exec, error);
}

qfuse_status qfuse_dequantize_int8(const qfuse_dequantize_int8_params* params, const qfuse_exec* exec,
                                   qfuse_error* error) {
  return run<qfuse::contract::DequantizeInt8>(params, exec, error);
}

qfuse_status qfuse_swiglu(const qfuse_swiglu_params* params, const qfuse_exec* exec, qfuse_error* error) {
  return run<qfuse::contract::Swiglu>(params, exec, error);
}

qfuse_status qfuse_matmul_4bit(const qfuse_matmul_4bit_params* params, const qfuse_exec* exec, qfuse_error* error) {
  return run<qfuse::contract::Matmul4bit>(params, exec, error);
}

qfuse_status qfuse_matmul_4bit_many(const qfuse_matmul_4bit_many_params* params, const qfuse_exec* exec,
                                    qfuse_error* error) {
  return run<qfuse::contract::Matmul4bitMany>(params, exec, error);
}

qfuse_status qfuse_matmul_4bit_grouped(const qfuse_matmul_4bit_grouped_params* params, const qfuse_exec* exec,
                                       qfuse_error* error) {
  return run<qfuse::contract::Matmul4bitGrouped>(params, exec, error);
}

qfuse_status qfuse_matmul_4bit_advice(qfuse_device device, qfuse_dtype dtype, qfuse_direction direction, int64_t rows,
                                      int64_t cols, int64_t blocksize, qfuse_sum* few, int64_t* few_rows,
                                      int64_t* fused_rows, qfuse_error* error) {
  const auto p = qfuse::contract::matmul_for_advice(dtype, direction, rows, cols, blocksize);
  return guarded(error, [&] { return find_matmul_4bit_advice(device, p, few, few_rows, fused_rows); });
}

qfuse_status qfuse_lora_merge_workspace_size(const qfuse_lora_merge_params* params, const qfuse_exec* exec,
                                             int64_t* size, qfuse_error* error) {
  return find_workspace_size<qfuse::contract::LoraMerge>(params, exec, size, error);
}

qfuse_status qfuse_lora_merge(const qfuse_lora_merge_params* params, const qfuse_exec* exec, qfuse_error* error) {
  return run<qfuse::contract::LoraMerge>(params, exec, error);
}

qfuse_status qfuse_rotated_int8_quantize(const qfuse_rotated_int8_quantize_params* params, const qfuse_exec* exec,
                                         qfuse_error* error) {
  return run<qfuse::contract::RotatedInt8Quantize>(params, exec, error);
}

qfuse_status qfuse_rotated_int8_weight_scales(const qfuse_rotated_int8_weight_scales_params* params,
                                              const qfuse_exec* exec, qfuse_error* error) {
  return run<qfuse::contract::RotatedInt8WeightScales>(params, exec, error);
}

qfuse_status qfuse_rotated_int8_weight(const qfuse_rotated_int8_weight_params* params, const qfuse_exec* exec,
                                       qfuse_error* error) {
  return run<qfuse::contract::RotatedInt8Weight>(params, exec, error);
}

qfuse_status qfuse_rotated_int8_matmul(const qfuse_rotated_int8_matmul_params* params, const qfuse_exec* exec,
                                       qfuse_error* error) {
  return run<qfuse::contract::RotatedInt8Matmul>(params, exec, error);
}

qfuse_status qfuse_dequantize_fp8(const qfuse_dequantize_fp8_params* params, const qfuse_exec* exec,
                                  qfuse_error* error) {
  return run<qfuse::contract::DequantizeFp8>(params, exec, error);
}

qfuse_status qfuse_rotated_int8_swiglu(const qfuse_rotated_int8_swiglu_params* params, const qfuse_exec* exec,
                                       qfuse_error* error) {
  return run<qfuse::contract::RotatedInt8Swiglu>(params, exec, error);
}

qfuse_status qfuse_quantize_4bit_workspace_size(const qfuse_quantize_4bit_params* params, const qfuse_exec* exec,
                                                int64_t* size, qfuse_error* error) {
  return find_workspace_size<qfuse::contract::Quantize4bit>(params, exec, size, error);
}

qfuse_status qfuse_swiglu_format(const char* name, qfuse_group_format* format, qfuse_error* error) {
  return guarded(error, [&] { return find_format(name, format); });
}

qfuse_status qfuse_swiglu_output_sizes(const qfuse_swiglu_params* params, qfuse_swiglu_sizes* sizes,
                                       qfuse_error* error) {
  return guarded(error, [&] { return find_output_sizes(params, sizes); });
}

qfuse_status qfuse_swiglu_workspace_size(const qfuse_swiglu_params* params, const qfuse_exec* exec, int64_t* size,
                                         qfuse_error* error) {
  return find_workspace_size<qfuse::contract::Swiglu>(params, exec, size, error);
}
