// qfuse in C++20: spans, strong types and one exception class over qfuse.h, which stays the manual of every op.
#ifndef QFUSE_QFUSE_HPP
#define QFUSE_QFUSE_HPP

#include <qfuse/qfuse.h>

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <stdexcept>
#include <string>
#include <string_view>
#include <vector>

namespace qfuse {

enum class Status : int {
  ok = QFUSE_OK,
  invalid_argument = QFUSE_INVALID_ARGUMENT,
  invalid_data = QFUSE_INVALID_DATA,
  unsupported = QFUSE_UNSUPPORTED,
  io_error = QFUSE_IO_ERROR,
  out_of_memory = QFUSE_OUT_OF_MEMORY,
  cancelled = QFUSE_CANCELLED,
  internal_error = QFUSE_INTERNAL_ERROR,
  device_error = QFUSE_DEVICE_ERROR
};

enum class Dtype : int { float32 = QFUSE_FLOAT32, float16 = QFUSE_FLOAT16, bfloat16 = QFUSE_BFLOAT16 };

enum class QuantType : int { fp4 = QFUSE_FP4, nf4 = QFUSE_NF4 };

// The one exception class: what() is a single line naming the offending thing and its values.
class QFUSE_API Error : public std::runtime_error {
 public:
  Error(Status status, const std::string& message) : std::runtime_error(message), status_(status) {}
  [[nodiscard]] Status status() const noexcept { return status_; }

 private:
  Status status_;
};

// Where and how an op runs; the default is the CPU with its best SIMD target and all cores.
struct Exec {
  qfuse_device device{QFUSE_CPU, 0};
  int threads = 0;         // CPU: at most this many; 0 = one per core
  std::string cpu_target;  // CPU: a name from cpu_targets(), or empty for the best one
  void* stream = nullptr;  // CUDA: a cudaStream_t of `device`
};

namespace detail {

inline void throw_if(qfuse_status status, const qfuse_error& error) {
  if (status != QFUSE_OK) throw Error(static_cast<Status>(status), error.message);
}

inline void require_length(const char* field, std::size_t has, std::int64_t needs) {
  if (has != static_cast<std::size_t>(needs))
    throw Error(Status::invalid_argument,
                std::string(field) + " has " + std::to_string(has) + " entries, needs " + std::to_string(needs));
}

inline qfuse_exec to_c(const Exec& exec) {
  qfuse_exec c = QFUSE_EXEC_INIT;
  c.device = exec.device;
  c.threads = exec.threads;
  c.cpu_target = exec.cpu_target.empty() ? nullptr : exec.cpu_target.c_str();
  c.stream = exec.stream;
  return c;
}

}  // namespace detail

// Bytes of one element.
inline std::size_t dtype_size(Dtype dtype) {
  const std::size_t size = qfuse_dtype_size(static_cast<qfuse_dtype>(dtype));
  if (size == 0) throw Error(Status::invalid_argument, "dtype " + std::to_string(static_cast<int>(dtype)) + " is none");
  return size;
}

inline qfuse_device parse_device(const std::string& name) {
  qfuse_device device{};
  qfuse_error error{};
  detail::throw_if(qfuse_device_parse(name.c_str(), &device, &error), error);
  return device;
}

// The CPU's SIMD targets on this machine, best first.
inline std::vector<std::string> cpu_targets() {
  std::vector<std::string> names;
  for (std::int32_t i = 0; const char* name = qfuse_cpu_target_name(i); ++i) names.emplace_back(name);
  return names;
}

// The scales of a 4-bit weight: plain fp32, or 8-bit codes with scales of their own (double quantization).
// Views only: the arrays stay the caller's.
struct Absmax {
  std::span<const float> plain{};             // [blocks]; empty when nested
  std::span<const std::uint8_t> nested{};     // [blocks]; empty when plain
  std::span<const float> nested_absmax{};     // [ceil(blocks/nested_blocksize)]
  std::span<const float> nested_quant_map{};  // [256]
  std::int64_t nested_blocksize = 256;        // blocks
  float nested_offset = 0.0F;
  const float* nested_offset_at = nullptr;  // [1] where the op runs, read instead of nested_offset
};

// Decodes n = out.size() / dtype_size(dtype) elements. Throws Error; every length is checked against n.
inline void dequantize_4bit(std::span<const std::uint8_t> packed, const Absmax& absmax, QuantType quant_type,
                            std::int64_t blocksize, std::span<std::byte> out, Dtype dtype, const Exec& exec = {}) {
  const auto n = static_cast<std::int64_t>(out.size() / dtype_size(dtype));
  detail::require_length("packed", packed.size(), qfuse_packed_size(n));
  qfuse_dequantize_4bit_params p{};
  p.struct_size = sizeof p;
  p.n = n;
  p.blocksize = blocksize;
  p.quant_type = static_cast<qfuse_quant_type>(quant_type);
  p.out_dtype = static_cast<qfuse_dtype>(dtype);
  p.packed = packed.data();
  p.out = out.data();
  if (blocksize > 0) {
    const std::int64_t blocks = qfuse_block_count(n, blocksize);
    if (absmax.nested.empty()) {
      detail::require_length("absmax", absmax.plain.size(), blocks);
    } else {
      detail::require_length("nested absmax", absmax.nested.size(), blocks);
      detail::require_length("nested_quant_map", absmax.nested_quant_map.size(), 256);
      if (absmax.nested_blocksize > 0)
        detail::require_length("nested_absmax", absmax.nested_absmax.size(),
                               qfuse_block_count(blocks, absmax.nested_blocksize));
    }
  }
  p.absmax = absmax.plain.empty() ? nullptr : absmax.plain.data();
  p.absmax_8bit = absmax.nested.empty() ? nullptr : absmax.nested.data();
  p.nested_absmax = absmax.nested_absmax.data();
  p.nested_quant_map = absmax.nested_quant_map.data();
  p.nested_blocksize = absmax.nested.empty() ? 0 : absmax.nested_blocksize;
  p.nested_offset = absmax.nested_offset;
  p.nested_offset_at = absmax.nested_offset_at;
  const qfuse_exec e = detail::to_c(exec);
  qfuse_error error{};
  detail::throw_if(qfuse_dequantize_4bit(&p, &e, &error), error);
}

// A 4-bit weight that owns its arrays; what quantize_4bit returns.
struct Quantized4bit {
  std::int64_t n = 0;
  std::int64_t blocksize = 64;
  QuantType quant_type = QuantType::nf4;
  std::vector<std::uint8_t> packed;       // [ceil(n/2)]
  std::vector<float> absmax;              // [blocks], also when nested
  std::vector<std::uint8_t> absmax_8bit;  // [blocks], empty when plain
  std::vector<float> nested_absmax;       // [ceil(blocks/256)]
  std::vector<float> nested_quant_map;    // [256], empty when plain
  float nested_offset = 0.0F;

  // A view for dequantize_4bit; valid as long as this object is.
  [[nodiscard]] Absmax view() const {
    if (absmax_8bit.empty()) return {.plain = absmax};
    return {.nested = absmax_8bit,
            .nested_absmax = nested_absmax,
            .nested_quant_map = nested_quant_map,
            .nested_offset = nested_offset};
  }
};

// Encodes in.size() / dtype_size(dtype) elements. `given_offset` replaces the mean of absmax as the nested offset. What
// it returns lies on the host, so exec must not name a CUDA device: for that there is qfuse_quantize_4bit.
inline Quantized4bit quantize_4bit(std::span<const std::byte> in, Dtype dtype, QuantType quant_type,
                                   std::int64_t blocksize = 64, bool nested = true, const Exec& exec = {},
                                   std::optional<float> given_offset = std::nullopt) {
  constexpr std::int64_t kNestedBlocksize = 256;
  if (exec.device.type == QFUSE_CUDA)
    throw Error(Status::unsupported, "quantize_4bit returns arrays of the host; on CUDA call qfuse_quantize_4bit");
  Quantized4bit q;
  q.n = static_cast<std::int64_t>(in.size() / dtype_size(dtype));
  q.blocksize = blocksize;
  q.quant_type = quant_type;
  const std::int64_t blocks = blocksize > 0 ? qfuse_block_count(q.n, blocksize) : 0;
  q.packed.resize(static_cast<std::size_t>(qfuse_packed_size(q.n)));
  q.absmax.resize(static_cast<std::size_t>(blocks));
  qfuse_quantize_4bit_params p{};
  p.struct_size = sizeof p;
  if (nested) {
    q.absmax_8bit.resize(static_cast<std::size_t>(blocks));
    q.nested_absmax.resize(static_cast<std::size_t>(qfuse_block_count(blocks, kNestedBlocksize)));
    q.nested_quant_map.resize(256);
    qfuse_nested_quant_map(q.nested_quant_map.data());
    p.absmax_8bit = q.absmax_8bit.data();
    p.nested_absmax = q.nested_absmax.data();
    p.nested_offset = &q.nested_offset;
    p.nested_blocksize = kNestedBlocksize;
    p.given_offset = given_offset ? &*given_offset : nullptr;
  }
  p.n = q.n;
  p.blocksize = blocksize;
  p.quant_type = static_cast<qfuse_quant_type>(quant_type);
  p.in_dtype = static_cast<qfuse_dtype>(dtype);
  p.in = in.data();
  p.packed = q.packed.data();
  p.absmax = q.absmax.data();
  const qfuse_exec e = detail::to_c(exec);
  qfuse_error error{};
  detail::throw_if(qfuse_quantize_4bit(&p, &e, &error), error);
  return q;
}

// Encodes fp32 values, less `offset`, to 8-bit codes of the signed dynamic code; codes and absmax are filled.
inline void quantize_blockwise(std::span<const float> in, std::int64_t blocksize, float offset,
                               std::span<std::uint8_t> codes, std::span<float> absmax, const Exec& exec = {}) {
  const auto n = static_cast<std::int64_t>(in.size());
  detail::require_length("codes", codes.size(), n);
  if (blocksize > 0) detail::require_length("absmax", absmax.size(), qfuse_block_count(n, blocksize));
  qfuse_quantize_blockwise_params p{};
  p.struct_size = sizeof p;
  p.n = n;
  p.blocksize = blocksize;
  p.in = in.data();
  p.offset = offset;
  p.codes = codes.data();
  p.absmax = absmax.data();
  const qfuse_exec e = detail::to_c(exec);
  qfuse_error error{};
  detail::throw_if(qfuse_quantize_blockwise(&p, &e, &error), error);
}

// Decodes n = codes.size() values of any 8-bit code; quant_map is [256].
inline void dequantize_blockwise(std::span<const std::uint8_t> codes, std::span<const float> absmax,
                                 std::span<const float> quant_map, std::int64_t blocksize, std::span<std::byte> out,
                                 Dtype dtype, const Exec& exec = {}) {
  const auto n = static_cast<std::int64_t>(codes.size());
  if (blocksize > 0) detail::require_length("absmax", absmax.size(), qfuse_block_count(n, blocksize));
  detail::require_length("quant_map", quant_map.size(), 256);
  detail::require_length("out", out.size(), n * static_cast<std::int64_t>(dtype_size(dtype)));
  qfuse_dequantize_blockwise_params p{};
  p.struct_size = sizeof p;
  p.n = n;
  p.blocksize = blocksize;
  p.out_dtype = static_cast<qfuse_dtype>(dtype);
  p.codes = codes.data();
  p.absmax = absmax.data();
  p.quant_map = quant_map.data();
  p.out = out.data();
  const qfuse_exec e = detail::to_c(exec);
  qfuse_error error{};
  detail::throw_if(qfuse_dequantize_blockwise(&p, &e, &error), error);
}

// Decodes LLM.int8 rows: in is [rows, cols], scb [rows], out rows*cols elements of dtype.
inline void dequantize_int8(std::span<const std::int8_t> in, std::span<const float> scb, std::span<std::byte> out,
                            Dtype dtype, const Exec& exec = {}) {
  const auto rows = static_cast<std::int64_t>(scb.size());
  if (rows == 0 ? !in.empty() : in.size() % scb.size() != 0)
    throw Error(Status::invalid_argument, "in has " + std::to_string(in.size()) + " elements, not a multiple of the " +
                                              std::to_string(rows) + " rows of scb");
  detail::require_length("out", out.size(), static_cast<std::int64_t>(in.size() * dtype_size(dtype)));
  qfuse_dequantize_int8_params p{};
  p.struct_size = sizeof p;
  p.rows = rows;
  p.cols = rows == 0 ? 0 : static_cast<std::int64_t>(in.size()) / rows;
  p.out_dtype = static_cast<qfuse_dtype>(dtype);
  p.in = in.data();
  p.scb = scb.data();
  p.out = out.data();
  const qfuse_exec e = detail::to_c(exec);
  qfuse_error error{};
  detail::throw_if(qfuse_dequantize_int8(&p, &e, &error), error);
}

// The SwiGLU backward with INT8 outputs, of m tokens and h channels in rows without gaps: x is m*2h, grad_y m*h bf16
// values. An empty pair of outputs is left out; without the gradients, grad_y may be empty.
inline void silu_dot_fwd_bwd_quant_fuse(std::int64_t m, std::int64_t h, std::span<const std::byte> x,
                                        std::span<const std::byte> grad_y, std::span<std::int8_t> grad_input_q,
                                        std::span<float> grad_input_s, std::span<std::int8_t> y_q_t,
                                        std::span<float> y_s_t, const Exec& exec = {}) {
  constexpr std::int64_t kGroupSize = 128;
  qfuse_silu_dot_fwd_bwd_quant_fuse_params p{};
  p.struct_size = sizeof p;
  p.m = m;
  p.h = h;
  p.group_size = kGroupSize;
  p.x = x.data();
  p.grad_y = grad_y.data();
  const bool gradients = !grad_input_q.empty() || !grad_input_s.empty();
  const bool y = !y_q_t.empty() || !y_s_t.empty();
  if (m > 0 && h > 0 && h <= INT64_MAX / 8 / m) {  // others are refused, or need no arrays
    detail::require_length("x", x.size(), m * 2 * h * 2);
    if (gradients) {
      detail::require_length("grad_y", grad_y.size(), m * h * 2);
      detail::require_length("grad_input_q", grad_input_q.size(), m * 2 * h);
      detail::require_length("grad_input_s", grad_input_s.size(), m * (2 * h / kGroupSize));
    }
    if (y) {
      detail::require_length("y_q_t", y_q_t.size(), h * m);
      detail::require_length("y_s_t", y_s_t.size(), h * qfuse_block_count(m, kGroupSize));
    }
  }
  p.grad_input_q = gradients ? grad_input_q.data() : nullptr;
  p.grad_input_s = gradients ? grad_input_s.data() : nullptr;
  p.y_q_t = y ? y_q_t.data() : nullptr;
  p.y_s_t = y ? y_s_t.data() : nullptr;
  const qfuse_exec e = detail::to_c(exec);
  qfuse_error error{};
  detail::throw_if(qfuse_silu_dot_fwd_bwd_quant_fuse(&p, &e, &error), error);
}

}  // namespace qfuse

#endif  // QFUSE_QFUSE_HPP
