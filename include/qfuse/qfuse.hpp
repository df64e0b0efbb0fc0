// C++20 interface of qfuse: spans, strong types and one exception class over qfuse.h, which documents every op.
#ifndef QFUSE_QFUSE_HPP
#define QFUSE_QFUSE_HPP

#if __cplusplus <= 201703L
#error "qfuse.hpp needs C++20: -std=c++20"
#endif

#include <qfuse/qfuse.h>

#include <algorithm>
#include <array>
#include <bit>
#include <cstddef>
#include <cstdint>
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

enum class Payload : int { int8 = QFUSE_INT8, e4m3 = QFUSE_E4M3 };

enum class ScaleType : int {
  float32 = QFUSE_SCALES_FLOAT32,
  ue8m0 = QFUSE_SCALES_UE8M0,
  float16 = QFUSE_SCALES_FLOAT16,
  bfloat16 = QFUSE_SCALES_BFLOAT16,
  e4m3 = QFUSE_SCALES_E4M3
};

enum class ScaleRule : int { power_of_two = QFUSE_SCALES_POWER_OF_TWO, torchao = QFUSE_SCALES_TORCHAO };

enum class ZeroRule : int {
  at_floor = QFUSE_ZERO_AT_FLOOR,
  scale_one = QFUSE_ZERO_SCALE_ONE,
  scale_least = QFUSE_ZERO_SCALE_LEAST
};

enum class ScaleLayout : int { row_major = QFUSE_SCALES_ROW_MAJOR, mn_major = QFUSE_SCALES_MN_MAJOR };

enum class ExpertLayout : int { apart = QFUSE_EXPERTS_APART, side_by_side = QFUSE_EXPERTS_SIDE_BY_SIDE };

enum class Direction : int { forward = QFUSE_FORWARD, backward = QFUSE_BACKWARD };

enum class Sum : int {
  of_device = QFUSE_SUM_OF_DEVICE,
  fp32 = QFUSE_SUM_FP32,
  plain = QFUSE_SUM_PLAIN,
  split = QFUSE_SUM_SPLIT,
  factored = QFUSE_SUM_FACTORED,
  bf16_dot = QFUSE_SUM_BF16_DOT,
  bf16_amx = QFUSE_SUM_BF16_AMX
};

enum class MxScales : int { up = QFUSE_MX_UP, nearest = QFUSE_MX_NEAREST };

enum class Reciprocal : int { ieee = QFUSE_RECIPROCAL_IEEE, approx = QFUSE_RECIPROCAL_APPROX };

enum class QuantType : int { fp4 = QFUSE_FP4, nf4 = QFUSE_NF4, e2m1 = QFUSE_E2M1, int4 = QFUSE_INT4 };

// The only exception class of this header: what() is one line that names the offending field and its values.
class QFUSE_API Error : public std::runtime_error {
 public:
  Error(Status status, const std::string& message) : std::runtime_error(message), status_(status) {}
  [[nodiscard]] Status status() const noexcept { return status_; }

 private:
  Status status_;
};

// Where and how an op runs. The default is the CPU with its best SIMD target and all cores.
struct Exec {
  qfuse_device device{QFUSE_CPU, 0};
  int threads = 0;                            // CPU: maximum number of threads; 0: one per core
  std::string cpu_target{};                   // CPU: a name from cpu_targets(), or empty for the best one
  void* stream = nullptr;                     // CUDA: a cudaStream_t of `device`
  qfuse_parallel_for parallel_for = nullptr;  // CPU: runs the op on the caller's threads
  void* parallel_context = nullptr;           // first argument of parallel_for
};

namespace detail {

inline void throw_if(qfuse_status status, const qfuse_error& error) {
  if (status != QFUSE_OK) throw Error(static_cast<Status>(status), error.message);
}

inline void require_length(const char* field, std::size_t has, std::int64_t needs) {
  if (has != static_cast<std::size_t>(needs))
    throw Error(Status::invalid_argument, std::string(field) + " has " + std::to_string(has) +
                                              (has == 1 ? " entry" : " entries") + ", needs " + std::to_string(needs));
}

inline qfuse_exec to_c(const Exec& exec) {
  qfuse_exec c = QFUSE_EXEC_INIT;
  c.device = exec.device;
  c.threads = exec.threads;
  c.cpu_target = exec.cpu_target.empty() ? nullptr : exec.cpu_target.c_str();
  c.stream = exec.stream;
  c.parallel_for = exec.parallel_for;
  c.parallel_context = exec.parallel_context;
  return c;
}

}  // namespace detail

// Bytes per element. Throws Error for an unknown dtype.
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

// Names of the SIMD targets that this machine's CPU can run, best first.
inline std::vector<std::string> cpu_targets() {
  std::vector<std::string> names;
  for (std::int32_t i = 0; const char* name = qfuse_cpu_target_name(i); ++i) names.emplace_back(name);
  return names;
}

// One-line human-readable description of a device. Throws Error, UNSUPPORTED with the reason, if the device is missing.
inline std::string describe_device(qfuse_device device) {
  std::array<char, 256> line{};
  qfuse_error error{};
  detail::throw_if(qfuse_device_describe(device, line.data(), line.size(), &error), error);
  return line.data();
}

// Owns memory for a GPU: device memory or pinned host memory (qfuse_memory_allocate).
template <qfuse_memory_kind kKind>
class GpuMemory {
 public:
  GpuMemory(qfuse_device device, std::size_t size) : device_(device), size_(size) {
    qfuse_error error{};
    detail::throw_if(qfuse_memory_allocate(device, kKind, static_cast<std::int64_t>(size), &data_, &error), error);
  }
  GpuMemory(const GpuMemory&) = delete;
  GpuMemory& operator=(const GpuMemory&) = delete;
  ~GpuMemory() { qfuse_memory_release(device_, kKind, data_); }

  [[nodiscard]] std::byte* data() const { return static_cast<std::byte*>(data_); }
  [[nodiscard]] std::size_t size() const { return size_; }

 private:
  qfuse_device device_;
  std::size_t size_;
  void* data_ = nullptr;
};
using DeviceMemory = GpuMemory<QFUSE_MEMORY_DEVICE>;
using PinnedMemory = GpuMemory<QFUSE_MEMORY_PINNED>;

// A GPU stream: its work runs in order and may overlap with the work of other streams.
class Stream {
 public:
  explicit Stream(qfuse_device device) : device_(device) {
    qfuse_error error{};
    detail::throw_if(qfuse_stream_create(device, &handle_, &error), error);
  }
  Stream(const Stream&) = delete;
  Stream& operator=(const Stream&) = delete;
  ~Stream() { qfuse_stream_destroy(device_, handle_); }  // does not wait for the stream's work

  void copy(void* to, const void* from, std::size_t size) {
    qfuse_error error{};
    detail::throw_if(qfuse_copy(device_, to, from, static_cast<std::int64_t>(size), handle_, &error), error);
  }
  // Waits for all work enqueued so far. Throws Error if any of it failed.
  void synchronize() {
    qfuse_error error{};
    detail::throw_if(qfuse_stream_synchronize(device_, handle_, &error), error);
  }
  [[nodiscard]] void* handle() const { return handle_; }

 private:
  qfuse_device device_;
  void* handle_ = nullptr;
};

// View of a 4-bit weight in the caller's arrays: qfuse_weight_4bit with lengths. Without absmax_8bit, absmax is plain.
struct Weight4bit {
  std::int64_t rows = 1;
  std::int64_t cols = 0;
  std::int64_t blocksize = 64;
  QuantType quant_type = QuantType::nf4;
  std::span<const std::uint8_t> packed{};
  std::span<const float> absmax{};              // plain absmax
  std::span<const std::uint8_t> absmax_8bit{};  // this field and those down to nested_begin: nested absmax
  std::span<const float> nested_absmax{};
  std::span<const float> nested_quant_map{};
  const float* nested_offset = nullptr;
  std::int64_t nested_blocksize = QFUSE_NESTED_BLOCKSIZE;
  std::int64_t nested_begin = 0;                // nonzero only for a part of a larger weight
  ScaleType scale_type = ScaleType::float32;    // this field and those below: e2m1 and int4
  std::span<const std::byte> scales{};          // rows * ceil(cols/blocksize) elements of scale_type
  std::span<const float> global_scale{};        // empty or 1 value; of a stack also one for each expert
  std::span<const float> global_divisor{};      // likewise
  std::span<const std::uint8_t> zero_points{};  // int4: one per scale, or empty: 8 for all
};

// View of a 4-bit weight to write: qfuse_weight_4bit_out with array lengths.
struct Weight4bitOut {
  std::int64_t rows = 1;
  std::int64_t cols = 0;
  std::int64_t blocksize = 64;
  QuantType quant_type = QuantType::nf4;
  std::span<std::uint8_t> packed{};
  std::span<float> absmax{};
  std::span<std::uint8_t> absmax_8bit{};
  std::span<float> nested_absmax{};
  std::span<float> nested_quant_map{};  // optional
  float* nested_offset = nullptr;
  std::int64_t nested_blocksize = QFUSE_NESTED_BLOCKSIZE;
  std::span<std::uint8_t> scales{};  // MXFP4, which is e2m1 here
  MxScales mx_scales = MxScales::up;
};

namespace detail {

// Returns rows * cols, or -1 if either is negative or the product is too large for any memory. Callers skip their
// length checks at -1 because the op itself refuses such rows and cols.
inline std::int64_t element_count(std::int64_t rows, std::int64_t cols) {
  return rows >= 0 && cols >= 0 && (cols == 0 || rows <= INT64_MAX / 4 / cols) ? rows * cols : -1;
}

}  // namespace detail

// A 4-bit weight that owns its arrays, on the host. They are empty for invalid or too large sizes, which the op
// refuses.
class Weight4bitArrays {
 public:
  Weight4bitArrays(std::int64_t rows, std::int64_t cols, std::int64_t blocksize = 64,
                   QuantType quant_type = QuantType::nf4, bool nested = true)
      : rows_(rows), cols_(cols), blocksize_(blocksize), quant_type_(quant_type) {
    const std::int64_t n = std::max<std::int64_t>(detail::element_count(rows, cols), 0);
    const std::int64_t blocks = blocksize > 0 ? qfuse_block_count(n, blocksize) : 0;
    packed.resize(static_cast<std::size_t>(qfuse_packed_size(n)));
    if (!nested) {
      absmax.resize(static_cast<std::size_t>(blocks));
      return;
    }
    absmax_8bit.resize(static_cast<std::size_t>(blocks));
    nested_absmax.resize(static_cast<std::size_t>(qfuse_block_count(blocks, QFUSE_NESTED_BLOCKSIZE)));
    nested_quant_map.resize(QFUSE_QUANT_MAP_SIZE);
  }

  // Views for the ops. They are valid until this object is moved or destroyed.
  [[nodiscard]] Weight4bit view() const { return view_of<Weight4bit>(*this); }
  [[nodiscard]] Weight4bitOut out() { return view_of<Weight4bitOut>(*this); }

  std::vector<std::uint8_t> packed;
  std::vector<float> absmax;              // plain; empty when nested
  std::vector<std::uint8_t> absmax_8bit;  // nested; empty when plain
  std::vector<float> nested_absmax;
  std::vector<float> nested_quant_map;
  float nested_offset = 0.0F;

 private:
  template <class View, class Self>
  static View view_of(Self& self) {
    return {self.rows_,
            self.cols_,
            self.blocksize_,
            self.quant_type_,
            self.packed,
            self.absmax,
            self.absmax_8bit,
            self.nested_absmax,
            self.nested_quant_map,
            &self.nested_offset,
            QFUSE_NESTED_BLOCKSIZE};
  }

  std::int64_t rows_;
  std::int64_t cols_;
  std::int64_t blocksize_;
  QuantType quant_type_;
};

namespace detail {

// Bytes per scale, or 0 for an unknown type, which the op refuses.
inline std::int64_t scale_size(ScaleType type) {
  switch (type) {
    case ScaleType::float32: return 4;
    case ScaleType::ue8m0:
    case ScaleType::e4m3: return 1;
    case ScaleType::float16:
    case ScaleType::bfloat16: return 2;
  }
  return 0;
}

inline void require_elements(const char* field, std::size_t has, std::int64_t count, Dtype dtype) {
  if (count >= 0) require_length(field, has, count * static_cast<std::int64_t>(dtype_size(dtype)));
}

template <class T>
const T* data_or_null(std::span<const T> span) {
  return span.empty() ? nullptr : span.data();
}

// Copies the fields that only E2M1 and INT4 use, and checks the lengths of the global scales.
inline void give_scales_of_rows(const Weight4bit& view, qfuse_weight_4bit& c) {
  c.scale_type = static_cast<qfuse_scale_type>(view.scale_type);
  c.scales = data_or_null(view.scales);
  c.global_scale = data_or_null(view.global_scale);
  c.global_divisor = data_or_null(view.global_divisor);
  c.zero_points = data_or_null(view.zero_points);
  if (c.global_scale != nullptr) require_length("global_scale", view.global_scale.size(), 1);
  if (c.global_divisor != nullptr) require_length("global_divisor", view.global_divisor.size(), 1);
}

inline bool is_along_rows(QuantType type) { return type == QuantType::e2m1 || type == QuantType::int4; }

inline void require_lengths_of_rows(const Weight4bitOut& view) {
  if (element_count(view.rows, view.cols) < 0 || view.blocksize < 1) return;  // the op says what is wrong
  require_length("packed", view.packed.size(), view.rows * qfuse_packed_size(view.cols));
  require_length("scales", view.scales.size(), view.rows * (view.cols / view.blocksize));
}

inline void require_lengths_of_rows(const Weight4bit& view) {
  if (element_count(view.rows, view.cols) < 0 || view.blocksize < 1) return;  // the op says what is wrong
  const std::int64_t blocks = view.rows * qfuse_block_count(view.cols, view.blocksize);
  require_length("packed", view.packed.size(), view.rows * qfuse_packed_size(view.cols));
  if (const std::int64_t size = scale_size(view.scale_type); size > 0)
    require_length("scales", view.scales.size(), blocks * size);
  if (!view.zero_points.empty()) require_length("zero_points", view.zero_points.size(), blocks);
}

// Converts a view to its C struct, without scales.
template <class C, class View>
C codes_to_c(const View& view) {
  C c{};
  c.struct_size = sizeof c;
  c.rows = view.rows;
  c.cols = view.cols;
  c.blocksize = view.blocksize;
  c.quant_type = static_cast<qfuse_quant_type>(view.quant_type);
  c.packed = view.packed.data();
  if constexpr (requires { view.mx_scales; }) c.mx_scales = static_cast<qfuse_mx_scales>(view.mx_scales);
  return c;
}

// Converts a view to its C struct. Throws Error if an array's length does not match rows, cols and blocksize.
template <class C, class View>
C to_c(const View& view) {
  C c = codes_to_c<C>(view);
  c.absmax = view.absmax.empty() ? nullptr : view.absmax.data();
  c.absmax_8bit = view.absmax_8bit.empty() ? nullptr : view.absmax_8bit.data();
  c.nested_absmax = view.nested_absmax.data();
  c.nested_quant_map = view.nested_quant_map.empty() ? nullptr : view.nested_quant_map.data();
  c.nested_offset = view.nested_offset;
  c.nested_blocksize = view.nested_blocksize;
  std::int64_t blocks_before = 0;
  if constexpr (requires { view.nested_begin; }) {
    blocks_before = c.nested_begin = view.nested_begin;
    give_scales_of_rows(view, c);
  } else {
    c.scales = view.scales.data();
  }
  if (is_along_rows(view.quant_type)) {
    require_lengths_of_rows(view);
    return c;
  }
  const std::int64_t n = element_count(view.rows, view.cols);
  if (n < 0 || view.blocksize < 1 || !std::has_single_bit(static_cast<std::uint64_t>(view.blocksize)))
    return c;  // the op says what is wrong
  const std::int64_t blocks = qfuse_block_count(n, view.blocksize);
  require_length("packed", view.packed.size(), qfuse_packed_size(n));
  if (view.absmax_8bit.empty()) {
    require_length("absmax", view.absmax.size(), blocks);
  } else {
    require_length("absmax_8bit", view.absmax_8bit.size(), blocks);
    if (view.nested_blocksize > 0)
      require_length("nested_absmax", view.nested_absmax.size(),
                     qfuse_block_count(blocks_before + blocks, view.nested_blocksize));
    if (!view.nested_quant_map.empty())
      require_length("nested_quant_map", view.nested_quant_map.size(), QFUSE_QUANT_MAP_SIZE);
  }
  return c;
}

}  // namespace detail

// Decodes all elements into `out`, rows*cols elements of dtype. Throws Error if a length is wrong or the op fails.
inline void dequantize_4bit(const Weight4bit& weight, std::span<std::byte> out, Dtype dtype, const Exec& exec = {}) {
  const auto w = detail::to_c<qfuse_weight_4bit>(weight);
  detail::require_elements("out", out.size(), detail::element_count(w.rows, w.cols), dtype);
  qfuse_dequantize_4bit_params p{sizeof p, &w, static_cast<qfuse_dtype>(dtype), out.data()};
  const qfuse_exec e = detail::to_c(exec);
  qfuse_error error{};
  detail::throw_if(qfuse_dequantize_4bit(&p, &e, &error), error);
}

// Optional arguments of quantize_4bit.
struct QuantizeOptions {
  const float* given_offset = nullptr;  // nested: [1] in the op's device's memory; replaces the mean of absmax
  Reciprocal reciprocal = Reciprocal::ieee;
  std::span<std::byte> workspace{};     // in the op's device's memory; if empty on the host, the call allocates it
  std::span<const float> importance{};  // plain: [cols], the mean square of each input; empty: absmax is the scale
  const Weight4bit* kept = nullptr;     // has the scales: only weight.packed is written. Its codes are not read
};

namespace detail {

inline qfuse_quantize_4bit_params to_c(std::span<const std::byte> in, Dtype dtype, const qfuse_weight_4bit_out& weight,
                                       const QuantizeOptions& options) {
  qfuse_quantize_4bit_params p{};
  p.struct_size = sizeof p;
  p.in_dtype = static_cast<qfuse_dtype>(dtype);
  p.in = in.data();
  p.weight = &weight;
  p.given_offset = options.given_offset;
  p.reciprocal = static_cast<qfuse_reciprocal>(options.reciprocal);
  p.workspace = options.workspace.data();
  p.workspace_size = static_cast<std::int64_t>(options.workspace.size());
  if (!options.importance.empty()) require_length("importance", options.importance.size(), weight.cols);
  p.importance = options.importance.data();
  return p;
}

}  // namespace detail

// Bytes of workspace that quantize_4bit needs for a weight of these sizes.
inline std::size_t quantize_4bit_workspace_size(const Weight4bitOut& weight, Dtype dtype, const Exec& exec = {}) {
  const auto w = detail::to_c<qfuse_weight_4bit_out>(weight);
  const qfuse_quantize_4bit_params p = detail::to_c({}, dtype, w, {});
  const qfuse_exec e = detail::to_c(exec);
  std::int64_t size = 0;
  qfuse_error error{};
  detail::throw_if(qfuse_quantize_4bit_workspace_size(&p, &e, &size, &error), error);
  return static_cast<std::size_t>(size);
}

// Encodes `in`, rows*cols elements of dtype. Throws Error if a length is wrong or the op fails.
inline void quantize_4bit(std::span<const std::byte> in, Dtype dtype, const Weight4bitOut& weight,
                          const Exec& exec = {}, const QuantizeOptions& options = {}) {
  const bool keeps = options.kept != nullptr;
  const auto w =
      keeps ? detail::codes_to_c<qfuse_weight_4bit_out>(weight) : detail::to_c<qfuse_weight_4bit_out>(weight);
  detail::require_elements("in", in.size(), detail::element_count(w.rows, w.cols), dtype);
  qfuse_quantize_4bit_params p = detail::to_c(in, dtype, w, options);
  qfuse_weight_4bit kept{};
  if (keeps) {
    Weight4bit view = *options.kept;
    view.packed = weight.packed;
    kept = detail::to_c<qfuse_weight_4bit>(view);
    p.kept = &kept;
  }
  std::vector<std::byte> workspace;
  if (!keeps && options.workspace.empty() && qfuse_device_has_own_memory(exec.device.type) == 0) {
    workspace.resize(quantize_4bit_workspace_size(weight, dtype, exec));
    p.workspace = workspace.data();
    p.workspace_size = static_cast<std::int64_t>(workspace.size());
  }
  const qfuse_exec e = detail::to_c(exec);
  qfuse_error error{};
  detail::throw_if(qfuse_quantize_4bit(&p, &e, &error), error);
}

// Subtracts `offset` from fp32 values and encodes them by the signed dynamic 8-bit code. Fills codes and absmax.
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

// Decodes n = codes.size() values of any 8-bit code, which quant_map [QFUSE_QUANT_MAP_SIZE] defines.
inline void dequantize_blockwise(std::span<const std::uint8_t> codes, std::span<const float> absmax,
                                 std::span<const float> quant_map, std::int64_t blocksize, std::span<std::byte> out,
                                 Dtype dtype, const Exec& exec = {}) {
  const auto n = static_cast<std::int64_t>(codes.size());
  if (blocksize > 0) detail::require_length("absmax", absmax.size(), qfuse_block_count(n, blocksize));
  detail::require_length("quant_map", quant_map.size(), QFUSE_QUANT_MAP_SIZE);
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

// Decodes LLM.int8 rows: `in` is [rows, cols], scb [rows], `out` rows*cols elements of dtype.
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

// View of an FP8 (e4m3) weight with one scale per block of block_rows rows and block_cols columns.
struct WeightFp8 {
  std::int64_t rows = 0;
  std::int64_t cols = 0;
  std::int64_t block_rows = 128;
  std::int64_t block_cols = 128;
  ScaleType scale_type = ScaleType::float32;
  std::span<const std::uint8_t> codes{};  // rows*cols
  std::span<const std::byte> scales{};    // ceil(rows/block_rows) * ceil(cols/block_cols) elements of scale_type
};

// Decodes all elements into `out`, rows*cols elements of dtype. Throws Error if a length is wrong or the op fails.
inline void dequantize_fp8(const WeightFp8& weight, std::span<std::byte> out, Dtype dtype, const Exec& exec = {}) {
  qfuse_dequantize_fp8_params p{};
  p.struct_size = sizeof p;
  p.rows = weight.rows;
  p.cols = weight.cols;
  p.block_rows = weight.block_rows;
  p.block_cols = weight.block_cols;
  p.scale_type = static_cast<qfuse_scale_type>(weight.scale_type);
  p.out_dtype = static_cast<qfuse_dtype>(dtype);
  p.codes = weight.codes.data();
  p.scales = weight.scales.data();
  p.out = out.data();
  const std::int64_t count = detail::element_count(p.rows, p.cols);
  const std::int64_t scale_size = detail::scale_size(weight.scale_type);
  if (count >= 0) detail::require_length("codes", weight.codes.size(), count);
  if (count >= 0 && p.block_rows > 0 && p.block_cols > 0 && scale_size > 0)
    detail::require_length(
        "scales", weight.scales.size(),
        qfuse_block_count(p.rows, p.block_rows) * qfuse_block_count(p.cols, p.block_cols) * scale_size);
  detail::require_elements("out", out.size(), count, dtype);
  const qfuse_exec e = detail::to_c(exec);
  qfuse_error error{};
  detail::throw_if(qfuse_dequantize_fp8(&p, &e, &error), error);
}

// The product that a LoRA adapter adds to a weight [rows, cols]: scale * (b * a).
struct LoraProduct {
  std::span<const float> a{};  // lora_A, rank*cols
  std::span<const float> b{};  // lora_B, rows*rank
  std::int64_t rank = 0;
  float scale = 1.0F;  // usually alpha / rank
};

// Adds the product to a weight or a tile [rows, cols]; out may be in. Throws Error if a length is wrong or it fails.
inline void lora_merge(std::span<const std::byte> in, Dtype in_dtype, std::int64_t rows, std::int64_t cols,
                       const LoraProduct& product, std::span<std::byte> out, Dtype out_dtype, const Exec& exec = {}) {
  detail::require_elements("in", in.size(), detail::element_count(rows, cols), in_dtype);
  detail::require_elements("out", out.size(), detail::element_count(rows, cols), out_dtype);
  const std::int64_t a_count = detail::element_count(product.rank, cols);
  const std::int64_t b_count = detail::element_count(rows, product.rank);
  if (a_count >= 0) detail::require_length("a", product.a.size(), a_count);
  if (b_count >= 0) detail::require_length("b", product.b.size(), b_count);
  qfuse_lora_merge_params p{};
  p.struct_size = sizeof p;
  p.rows = rows;
  p.cols = cols;
  p.rank = product.rank;
  p.scale = product.scale;
  p.in_dtype = static_cast<qfuse_dtype>(in_dtype);
  p.in = in.data();
  p.a = product.a.data();
  p.b = product.b.data();
  p.out_dtype = static_cast<qfuse_dtype>(out_dtype);
  p.out = out.data();
  const qfuse_exec e = detail::to_c(exec);
  qfuse_error error{};
  detail::throw_if(qfuse_lora_merge(&p, &e, &error), error);
}

// Optional arguments of matmul_4bit and matmul_4bit_grouped.
struct MatmulOptions {
  Direction direction = Direction::forward;
  std::span<const std::byte> bias{};  // one value of dtype per output (a row of the weight if forward), or empty
  Sum sum = Sum::of_device;
  std::int64_t lora_rank = 0;                // rank of the LoRA product; 0: no LoRA
  std::span<const std::byte> lora_in{};      // m * lora_rank values of dtype
  std::span<const std::byte> lora_weight{};  // lora_rank values of dtype per output
  bool nested_each = false;  // matmul_4bit_grouped: each expert has its own nested absmax or global scale
};

namespace detail {

// Checks the lengths of a product's output, bias and LoRA arrays.
template <class Given>
void require_terms(const Given& given, std::span<std::byte> out, std::int64_t m, std::int64_t outputs, Dtype dtype) {
  require_elements("out", out.size(), element_count(m, outputs), dtype);
  if (!given.bias.empty()) require_elements("bias", given.bias.size(), element_count(1, outputs), dtype);
  require_elements("lora_in", given.lora_in.size(), element_count(m, given.lora_rank), dtype);
  require_elements("lora_weight", given.lora_weight.size(), element_count(outputs, given.lora_rank), dtype);
}

// C parameters of a product with one weight or with a stack of experts. The caller has checked the lengths.
template <class Params>
Params product_params(std::int64_t m, std::span<const std::byte> in, const qfuse_weight_4bit& w,
                      std::span<std::byte> out, Dtype dtype, const MatmulOptions& options) {
  Params p{};
  p.struct_size = sizeof p;
  p.weight = &w;
  p.direction = static_cast<qfuse_direction>(options.direction);
  p.dtype = static_cast<qfuse_dtype>(dtype);
  p.m = m;
  p.in = in.data();
  p.out = out.data();
  p.bias = options.bias.empty() ? nullptr : options.bias.data();
  p.sum = static_cast<qfuse_sum>(options.sum);
  p.lora_rank = options.lora_rank;
  p.lora_in = options.lora_in.data();
  p.lora_weight = options.lora_weight.data();
  return p;
}

}  // namespace detail

// Multiplies m contiguous rows by a 4-bit weight. Forward, a row of `in` has weight.cols values of dtype and a row of
// `out` weight.rows; backward the reverse. Throws Error if a length is wrong or the op fails.
inline void matmul_4bit(std::int64_t m, std::span<const std::byte> in, const Weight4bit& weight,
                        std::span<std::byte> out, Dtype dtype, const Exec& exec = {},
                        const MatmulOptions& options = {}) {
  const auto w = detail::to_c<qfuse_weight_4bit>(weight);
  const bool forward = options.direction == Direction::forward;
  const std::int64_t outputs = forward ? w.rows : w.cols;
  detail::require_elements("in", in.size(), detail::element_count(m, forward ? w.cols : w.rows), dtype);
  detail::require_terms(options, out, m, outputs, dtype);
  auto p = detail::product_params<qfuse_matmul_4bit_params>(m, in, w, out, dtype, options);
  const qfuse_exec e = detail::to_c(exec);
  qfuse_error error{};
  detail::throw_if(qfuse_matmul_4bit(&p, &e, &error), error);
}

// Assigns rows to experts by their end rows (int32 or int64). The default: no experts. `layout` is for swiglu's
// outputs.
struct Experts {
  Experts() = default;
  explicit Experts(std::span<const std::int32_t> ends, ExpertLayout where = ExpertLayout::apart)
      : data(ends.data()), count(std::ssize(ends)), layout(where) {}
  explicit Experts(std::span<const std::int64_t> ends, ExpertLayout where = ExpertLayout::apart)
      : data(ends.data()), count(std::ssize(ends)), type(QFUSE_INDEX_INT64), layout(where) {}
  const void* data = nullptr;
  std::int64_t count = 0;
  qfuse_index_type type = QFUSE_INDEX_INT32;
  ExpertLayout layout = ExpertLayout::apart;
};

namespace detail {

// Takes a value for each expert, if there is any, as the one of a weight.
inline void check_each(const char* name, std::span<const float>& values, std::int64_t experts) {
  if (values.empty()) return;
  require_length(name, values.size(), experts);
  values = values.first(1);
}

// Converts a stack of experts as one weight. With nested_each, every expert starts a new entry of nested_absmax, so the
// array may be longer than the stack as a whole needs: checks that length, then passes the shorter one on.
inline qfuse_weight_4bit to_c(Weight4bit stack, std::int64_t experts, bool nested_each) {
  const std::int64_t blocks = qfuse_block_count(std::max<std::int64_t>(element_count(stack.rows, stack.cols), 0),
                                                std::max<std::int64_t>(stack.blocksize, 1));
  if (nested_each && is_along_rows(stack.quant_type)) {
    check_each("global_scale", stack.global_scale, experts);
    check_each("global_divisor", stack.global_divisor, experts);
  } else if (nested_each && experts > 0 && stack.nested_blocksize > 0) {
    require_length("nested_absmax", stack.nested_absmax.size(),
                   experts * qfuse_block_count(blocks / experts, stack.nested_blocksize));
    const auto together = static_cast<std::size_t>(qfuse_block_count(blocks, stack.nested_blocksize));
    stack.nested_absmax = stack.nested_absmax.first(std::min(together, stack.nested_absmax.size()));
  }
  return to_c<qfuse_weight_4bit>(stack);
}

}  // namespace detail

// Multiplies m contiguous rows, sorted by expert, by their experts' weights in a stack [experts * rows, cols]. The bias
// and lora_weight of the options hold the arrays of all experts, one after another. With nested_each, nested_offset has
// one value per expert, which is not checked. Throws Error if another length is wrong or the op fails.
inline void matmul_4bit_grouped(std::int64_t m, std::span<const std::byte> in, const Weight4bit& stack,
                                const Experts& experts, std::span<std::byte> out, Dtype dtype, const Exec& exec = {},
                                const MatmulOptions& options = {}) {
  const qfuse_weight_4bit w = detail::to_c(stack, experts.count, options.nested_each);
  const bool forward = options.direction == Direction::forward;
  const std::int64_t rows = experts.count > 0 ? w.rows / experts.count : 0;
  const std::int64_t outputs = forward ? rows : w.cols;
  detail::require_elements("in", in.size(), detail::element_count(m, forward ? w.cols : rows), dtype);
  detail::require_elements("out", out.size(), detail::element_count(m, outputs), dtype);
  const std::int64_t all_outputs = detail::element_count(experts.count, outputs);
  if (!options.bias.empty()) detail::require_elements("bias", options.bias.size(), all_outputs, dtype);
  detail::require_elements("lora_in", options.lora_in.size(), detail::element_count(m, options.lora_rank), dtype);
  detail::require_elements("lora_weight", options.lora_weight.size(),
                           detail::element_count(all_outputs, options.lora_rank), dtype);
  auto p = detail::product_params<qfuse_matmul_4bit_grouped_params>(m, in, w, out, dtype, options);
  p.experts = experts.count;
  p.expert_ends = experts.data;
  p.ends_type = experts.type;
  p.nested_each = options.nested_each ? 1 : 0;
  const qfuse_exec e = detail::to_c(exec);
  qfuse_error error{};
  detail::throw_if(qfuse_matmul_4bit_grouped(&p, &e, &error), error);
}

// One product of matmul_4bit_many; its fields are as in matmul_4bit.
struct MatmulProduct {
  Weight4bit weight;
  std::span<std::byte> out;
  std::span<const std::byte> bias{};
  std::int64_t lora_rank = 0;
  std::span<const std::byte> lora_in{};
  std::span<const std::byte> lora_weight{};
};

// Multiplies m contiguous rows by each weight, forward. Throws Error if a length is wrong or the op fails.
inline void matmul_4bit_many(std::int64_t m, std::span<const std::byte> in, std::span<const MatmulProduct> products,
                             Dtype dtype, const Exec& exec = {}, Sum sum = Sum::of_device) {
  std::vector<qfuse_weight_4bit> weights(products.size());
  std::vector<qfuse_matmul_4bit_product> c(products.size());
  for (std::size_t i = 0; i < products.size(); ++i) {
    const MatmulProduct& product = products[i];
    const qfuse_weight_4bit& w = weights[i] = detail::to_c<qfuse_weight_4bit>(product.weight);
    detail::require_elements("in", in.size(), detail::element_count(m, w.cols), dtype);
    detail::require_terms(product, product.out, m, w.rows, dtype);
    c[i].weight = &w;
    c[i].out = product.out.data();
    c[i].bias = product.bias.empty() ? nullptr : product.bias.data();
    c[i].lora_rank = product.lora_rank;
    c[i].lora_in = product.lora_in.data();
    c[i].lora_weight = product.lora_weight.data();
  }
  qfuse_matmul_4bit_many_params p{};
  p.struct_size = sizeof p;
  p.dtype = static_cast<qfuse_dtype>(dtype);
  p.m = m;
  p.in = in.data();
  p.count = static_cast<std::int64_t>(c.size());
  p.products = c.data();
  p.sum = static_cast<qfuse_sum>(sum);
  const qfuse_exec e = detail::to_c(exec);
  qfuse_error error{};
  detail::throw_if(qfuse_matmul_4bit_many(&p, &e, &error), error);
}

// See qfuse_matmul_4bit_advice.
struct MatmulAdvice {
  Sum few = Sum::of_device;
  std::int64_t few_rows = 0;
  std::int64_t fused_rows = 0;
};
inline MatmulAdvice matmul_4bit_advice(std::int64_t rows, std::int64_t cols, std::int64_t blocksize, Dtype dtype,
                                       Direction direction = Direction::forward, const Exec& exec = {}) {
  MatmulAdvice advice;
  qfuse_sum few{};
  qfuse_error error{};
  detail::throw_if(
      qfuse_matmul_4bit_advice(exec.device, static_cast<qfuse_dtype>(dtype), static_cast<qfuse_direction>(direction),
                               rows, cols, blocksize, &few, &advice.few_rows, &advice.fused_rows, &error),
      error);
  advice.few = static_cast<Sum>(few);
  return advice;
}

// View of rotated INT8 rows and their scales, one per row.
struct RotatedInt8 {
  std::span<const std::int8_t> q{};
  std::span<const float> scale{};
};
struct RotatedInt8Out {
  std::span<std::int8_t> q{};
  std::span<float> scale{};
};

// Rotates and quantizes x or dy, rows*cols elements. Like those below, throws Error if a length is wrong or it fails.
inline void rotated_int8_quantize(std::int64_t rows, std::int64_t cols, std::span<const std::byte> in, Dtype dtype,
                                  const RotatedInt8Out& out, const Exec& exec = {}) {
  const std::int64_t count = detail::element_count(rows, cols);
  detail::require_elements("in", in.size(), count, dtype);
  if (count >= 0) detail::require_length("q", out.q.size(), count);
  if (count >= 0) detail::require_length("scale", out.scale.size(), rows);
  qfuse_rotated_int8_quantize_params p{};
  p.struct_size = sizeof p;
  p.rows = rows;
  p.cols = cols;
  p.in_dtype = static_cast<qfuse_dtype>(dtype);
  p.in = in.data();
  p.q = out.q.data();
  p.scale = out.scale.data();
  const qfuse_exec e = detail::to_c(exec);
  qfuse_error error{};
  detail::throw_if(qfuse_rotated_int8_quantize(&p, &e, &error), error);
}

// Computes a weight's scales, which the caller keeps: one per row or, backward, one per column.
inline void rotated_int8_weight_scales(const Weight4bit& weight, Direction direction, std::span<float> scale,
                                       const Exec& exec = {}) {
  const auto w = detail::to_c<qfuse_weight_4bit>(weight);
  const std::int64_t outputs = direction == Direction::forward ? w.rows : w.cols;
  if (outputs >= 0) detail::require_length("scale", scale.size(), outputs);
  qfuse_rotated_int8_weight_scales_params p{};
  p.struct_size = sizeof p;
  p.weight = &w;
  p.direction = static_cast<qfuse_direction>(direction);
  p.scale = scale.data();
  const qfuse_exec e = detail::to_c(exec);
  qfuse_error error{};
  detail::throw_if(qfuse_rotated_int8_weight_scales(&p, &e, &error), error);
}

// Converts a weight to rotated INT8 by its scales; backward, q is the transpose.
inline void rotated_int8_weight(const Weight4bit& weight, Direction direction, std::span<const float> scale,
                                std::span<std::int8_t> q, const Exec& exec = {}) {
  const auto w = detail::to_c<qfuse_weight_4bit>(weight);
  const std::int64_t outputs = direction == Direction::forward ? w.rows : w.cols;
  const std::int64_t count = detail::element_count(w.rows, w.cols);
  if (outputs >= 0) detail::require_length("scale", scale.size(), outputs);
  if (count >= 0) detail::require_length("q", q.size(), count);
  qfuse_rotated_int8_weight_params p{};
  p.struct_size = sizeof p;
  p.weight = &w;
  p.direction = static_cast<qfuse_direction>(direction);
  p.scale = scale.data();
  p.q = q.data();
  const qfuse_exec e = detail::to_c(exec);
  qfuse_error error{};
  detail::throw_if(qfuse_rotated_int8_weight(&p, &e, &error), error);
}

// Rotated INT8 result of a SwiGLU block between its products: y, or, backward, d_gate followed by d_up. gate, up and,
// backward, grad_y are m*h bf16 values. `out`, if not empty, gets the bf16 values that q is made from: m*h, or,
// backward, 2*m*h.
inline void rotated_int8_swiglu(std::int64_t m, std::int64_t h, std::span<const std::byte> gate,
                                std::span<const std::byte> up, Direction direction, const RotatedInt8Out& made,
                                const Exec& exec = {}, std::span<const std::byte> grad_y = {},
                                std::span<std::byte> out = {}) {
  const std::int64_t parts = direction == Direction::backward ? 2 : 1;
  const std::int64_t count = detail::element_count(m, h);
  const std::int64_t scales = detail::element_count(m, parts);
  detail::require_elements("gate", gate.size(), count, Dtype::bfloat16);
  detail::require_elements("up", up.size(), count, Dtype::bfloat16);
  if (parts == 2) detail::require_elements("grad_y", grad_y.size(), count, Dtype::bfloat16);
  if (!out.empty()) detail::require_elements("out", out.size(), parts * count, Dtype::bfloat16);
  if (count >= 0) detail::require_length("q", made.q.size(), parts * count);
  if (scales >= 0) detail::require_length("scale", made.scale.size(), scales);
  qfuse_rotated_int8_swiglu_params p{};
  p.struct_size = sizeof p;
  p.m = m;
  p.h = h;
  p.gate = gate.data();
  p.up = up.data();
  p.direction = static_cast<qfuse_direction>(direction);
  p.q = made.q.data();
  p.scale = made.scale.data();
  p.grad_y = grad_y.data();
  p.out = out.data();
  const qfuse_exec e = detail::to_c(exec);
  qfuse_error error{};
  detail::throw_if(qfuse_rotated_int8_swiglu(&p, &e, &error), error);
}

// Optional arguments of rotated_int8_matmul.
struct RotatedInt8Options {
  std::span<const std::byte> bias{};         // n values of dtype, or empty
  Direction direction = Direction::forward;  // layout of lora_weight: [n, lora_rank]; backward: [lora_rank, n]
  std::int64_t lora_rank = 0;                // rank of the LoRA product; 0: no LoRA
  std::span<const std::byte> lora_in{};      // m * lora_rank values of dtype
  std::span<const std::byte> lora_weight{};  // n * lora_rank values of dtype
  std::span<const std::byte> addend{};       // m * n values of dtype, or empty
};

// Multiplies `in` [m, k] by the transpose of `weight` [n, k]: `out` is m*n elements of dtype.
inline void rotated_int8_matmul(std::int64_t m, std::int64_t n, std::int64_t k, const RotatedInt8& in,
                                const RotatedInt8& weight, std::span<std::byte> out, Dtype dtype, const Exec& exec = {},
                                const RotatedInt8Options& options = {}) {
  const auto require = [](const char* field, std::size_t has, std::int64_t needs) {
    if (needs >= 0) detail::require_length(field, has, needs);
  };
  require("in_q", in.q.size(), detail::element_count(m, k));
  require("in_scale", in.scale.size(), detail::element_count(m, 1));
  require("weight_q", weight.q.size(), detail::element_count(n, k));
  require("weight_scale", weight.scale.size(), detail::element_count(n, 1));
  detail::require_terms(options, out, m, n, dtype);
  if (!options.addend.empty())
    detail::require_elements("addend", options.addend.size(), detail::element_count(m, n), dtype);
  qfuse_rotated_int8_matmul_params p{};
  p.struct_size = sizeof p;
  p.m = m;
  p.n = n;
  p.k = k;
  p.dtype = static_cast<qfuse_dtype>(dtype);
  p.in_q = in.q.data();
  p.in_scale = in.scale.data();
  p.weight_q = weight.q.data();
  p.weight_scale = weight.scale.data();
  p.out = out.data();
  p.bias = options.bias.empty() ? nullptr : options.bias.data();
  p.direction = static_cast<qfuse_direction>(options.direction);
  p.lora_rank = options.lora_rank;
  p.lora_in = options.lora_in.data();
  p.lora_weight = options.lora_weight.data();
  p.addend = options.addend.empty() ? nullptr : options.addend.data();
  const qfuse_exec e = detail::to_c(exec);
  qfuse_error error{};
  detail::throw_if(qfuse_rotated_int8_matmul(&p, &e, &error), error);
}

// One output of swiglu: q holds an INT8 or FP8 code per byte, s the scale of each group.
struct Quantized {
  std::span<std::int8_t> q{};
  std::span<float> s{};
  std::span<std::uint8_t> s_ue8m0{};  // replaces s if the format's scales are UE8M0
  [[nodiscard]] bool is_wanted() const { return !q.empty() || !s.empty() || !s_ue8m0.empty(); }
};

// qfuse_group_format. The default is the published operator's INT8 format.
struct GroupFormat {
  std::int64_t group_size = QFUSE_SWIGLU_GROUP_SIZE;
  Payload payload_type = Payload::int8;
  ScaleType scale_type = ScaleType::float32;
  ScaleRule scale_rule = ScaleRule::power_of_two;
  ZeroRule zero_rule = ZeroRule::at_floor;
  float amax_floor = 0.0F;
  ScaleLayout scale_layout = ScaleLayout::row_major;
};

// Returns a format by its name in qfuse.h: "int8", "deepseek", "transformer_engine", "torchao" or "mx".
inline GroupFormat swiglu_format(const char* name) {
  qfuse_group_format found{};
  qfuse_error error{};
  detail::throw_if(qfuse_swiglu_format(name, &found, &error), error);
  return {.group_size = found.group_size,
          .payload_type = static_cast<Payload>(found.payload_type),
          .scale_type = static_cast<ScaleType>(found.scale_type),
          .scale_rule = static_cast<ScaleRule>(found.scale_rule),
          .zero_rule = static_cast<ZeroRule>(found.zero_rule),
          .amax_floor = found.amax_floor,
          .scale_layout = static_cast<ScaleLayout>(found.scale_layout)};
}

// Outputs of swiglu; empty ones are not written. With experts, the transposed outputs have
// qfuse_expert_columns(m, experts.count) columns instead of m.
struct SwigluOutputs {
  Quantized y{};                    // [m, h]; forward only
  Quantized y_t{};                  // [h, m]
  Quantized grad_input{};           // [m, 2h]
  Quantized grad_input_t{};         // [2h, m]
  std::span<float> grad_weights{};  // [m]
};

struct SwigluOptions {
  std::span<const std::byte> grad_y{};  // m*h bf16 values; required if a gradient is an output
  std::span<const float> weights{};     // [m], the router's weights; empty: all 1
  Experts experts{};
  GroupFormat format{};
  float limit = 0.0F;  // 0: no limit
  float alpha = 1.0F;  // 0 means 1
  float up_offset = 0.0F;
  std::span<std::byte> workspace{};  // qfuse_swiglu_workspace_size bytes in the op's device's memory; if empty on the
                                     // host, the call allocates it
};

namespace detail {

inline qfuse_group_format to_c(const GroupFormat& format) {
  return {format.group_size,
          static_cast<qfuse_payload>(format.payload_type),
          static_cast<qfuse_scale_type>(format.scale_type),
          static_cast<qfuse_scale_rule>(format.scale_rule),
          static_cast<qfuse_zero_rule>(format.zero_rule),
          format.amax_floor,
          static_cast<qfuse_scale_layout>(format.scale_layout)};
}

// Checks the length of every array. Skips the checks if m or h is 0 or the library refuses the sizes: the op then
// reports what is wrong.
inline void require_lengths(std::span<const std::byte> x, const SwigluOutputs& outputs, const SwigluOptions& options,
                            const qfuse_swiglu_params& p) {
  qfuse_swiglu_sizes sizes{};
  if (p.m == 0 || p.h == 0 || qfuse_swiglu_output_sizes(&p, &sizes, nullptr) != QFUSE_OK) return;
  const bool is_ue8m0 = options.format.scale_type == ScaleType::ue8m0;
  const auto require = [&](const char* q, const char* s, const Quantized& output, const qfuse_quantized_size& size) {
    if (!output.is_wanted()) return;
    require_length(q, output.q.size(), size.q);
    require_length(s, is_ue8m0 ? output.s_ue8m0.size() : output.s.size(), is_ue8m0 ? size.s : size.s / 4);
  };
  require_length("x", x.size(), p.m * 2 * p.h * 2);
  require("y.q", "y.s", outputs.y, sizes.y);
  require("y_t.q", "y_t.s", outputs.y_t, sizes.y_t);
  require("grad_input.q", "grad_input.s", outputs.grad_input, sizes.grad_input);
  require("grad_input_t.q", "grad_input_t.s", outputs.grad_input_t, sizes.grad_input_t);
  if (outputs.grad_input.is_wanted() || outputs.grad_input_t.is_wanted())
    require_length("grad_y", options.grad_y.size(), p.m * p.h * 2);
  if (!options.weights.empty()) require_length("weights", options.weights.size(), p.m);
  if (!outputs.grad_weights.empty()) require_length("grad_weights", outputs.grad_weights.size(), p.m);
}

}  // namespace detail

// Runs a SwiGLU block's forward or backward on m tokens and h channels in contiguous rows: x is m*2h bf16 values. The
// outputs decide the direction: a gradient among them makes it the backward. qfuse.h documents the options.
inline void swiglu(std::int64_t m, std::int64_t h, std::span<const std::byte> x, const SwigluOutputs& outputs,
                   const SwigluOptions& options = {}, const Exec& exec = {}) {
  const auto to_c = [&](const Quantized& output) {
    void* const bytes = output.s_ue8m0.data();
    const bool is_ue8m0 = options.format.scale_type == ScaleType::ue8m0;
    return qfuse_quantized{output.q.data(), is_ue8m0 ? bytes : output.s.data()};
  };
  qfuse_swiglu_params p{};
  p.struct_size = sizeof p;
  p.m = m;
  p.h = h;
  p.x = x.data();
  p.grad_y = options.grad_y.data();
  p.format = detail::to_c(options.format);
  p.y = to_c(outputs.y);
  p.y_t = to_c(outputs.y_t);
  p.grad_input = to_c(outputs.grad_input);
  p.grad_input_t = to_c(outputs.grad_input_t);
  p.experts = {options.experts.data, options.experts.count, options.experts.type,
               static_cast<qfuse_expert_layout>(options.experts.layout)};
  p.weights = options.weights.empty() ? nullptr : options.weights.data();
  p.grad_weights = outputs.grad_weights.empty() ? nullptr : outputs.grad_weights.data();
  p.limit = options.limit;
  p.alpha = options.alpha;
  p.up_offset = options.up_offset;
  p.workspace = options.workspace.data();
  p.workspace_size = static_cast<std::int64_t>(options.workspace.size());
  detail::require_lengths(x, outputs, options, p);
  const qfuse_exec e = detail::to_c(exec);
  qfuse_error error{};
  std::vector<std::byte> workspace;
  if (p.grad_weights != nullptr && p.workspace == nullptr && qfuse_device_has_own_memory(exec.device.type) == 0) {
    std::int64_t size = 0;
    detail::throw_if(qfuse_swiglu_workspace_size(&p, &e, &size, &error), error);
    workspace.resize(static_cast<std::size_t>(size));
    p.workspace = workspace.data();
    p.workspace_size = size;
  }
  detail::throw_if(qfuse_swiglu(&p, &e, &error), error);
}

}  // namespace qfuse

#endif  // QFUSE_QFUSE_HPP
