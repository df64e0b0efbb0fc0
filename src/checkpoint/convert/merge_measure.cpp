#include "checkpoint/convert/merge_measure.h"

#include <algorithm>
#include <cmath>

#include "format/elements.h"

namespace qfuse::checkpoint {
namespace {

// Sums over a tensor's elements, in fp64.
struct Measured {
  double added = 0.0;   // of squares
  double weight = 0.0;  // of squares
  double kept = 0.0;    // of what was added times what is left of it
};

float element(std::span<const std::byte> values, std::int64_t i, Dtype dtype) {
  return format::load_as_float(values.data(), i, static_cast<qfuse_dtype>(dtype));
}

// `values` as they are when they were encoded to 4 bits and decoded, in fp32; absmax that are not nested.
std::vector<std::byte> through_4bit(std::span<const std::byte> values, Dtype dtype, const QuantState& state) {
  const auto count = static_cast<std::int64_t>(values.size() / dtype_size(dtype));
  Weight4bitArrays encoded(1, count, state.blocksize, state.quant_type, false);
  quantize_4bit(values, dtype, encoded.out());
  std::vector<std::byte> decoded(static_cast<std::size_t>(count) * sizeof(float));
  dequantize_4bit(encoded.view(), decoded, Dtype::float32);
  return decoded;
}

void measure_piece(std::span<const std::byte> base, Dtype base_dtype, std::span<const std::byte> sums,
                   std::span<const std::byte> left, Measured& to) {
  for (std::int64_t i = 0; i < static_cast<std::int64_t>(sums.size() / sizeof(float)); ++i) {
    const double w = element(base, i, base_dtype);
    const double d = element(sums, i, Dtype::float32) - w;
    to.weight += w * w;
    to.added += d * d;
    if (!left.empty()) to.kept += (element(left, i, Dtype::float32) - w) * d;
  }
}

}  // namespace

MergedTensor measured(MergedTensor row, const MergeTask& task, const std::optional<QuantState>& encoded,
                      ScratchFile* scratch, ProgressMeter& meter) {
  constexpr std::int64_t kPiece = 1 << 20;  // elements: whole blocks
  const std::int64_t elements = task.merging.shape.elements();
  const PlainWeight base = task.base(scratch, 0);
  const PlainWeight start = task.base(scratch, 0);  // that the sum reads: each goes its own way through the tensor
  const PlainWeight sums = merged_weight(start, task.merging, Dtype::float32, task.exec);
  Measured m;
  std::vector<std::byte> base_bytes;
  std::vector<std::byte> sum_bytes;
  std::vector<std::byte> rounded;
  for (std::int64_t at = 0; at < elements; at += kPiece) {
    const std::int64_t count = std::min(kPiece, elements - at);
    base_bytes.resize(static_cast<std::size_t>(count) * dtype_size(base.dtype));
    sum_bytes.resize(static_cast<std::size_t>(count) * sizeof(float));
    base.read(at * static_cast<std::int64_t>(dtype_size(base.dtype)), base_bytes);
    sums.read(at * static_cast<std::int64_t>(sizeof(float)), sum_bytes);
    std::vector<std::byte> left;
    if (encoded) {
      rounded.resize(static_cast<std::size_t>(count) * dtype_size(task.dtype));
      for (std::int64_t i = 0; i < count; ++i)
        format::store_rounded(rounded.data(), i, static_cast<qfuse_dtype>(task.dtype),
                              element(sum_bytes, i, Dtype::float32));
      left = through_4bit(rounded, task.dtype, *encoded);
    }
    measure_piece(base_bytes, base.dtype, sum_bytes, left, m);
    meter.advance(row.name, count);
  }
  const auto n = static_cast<double>(std::max(elements, std::int64_t{1}));
  row.added_rms = std::sqrt(m.added / n);
  row.weight_rms = std::sqrt(m.weight / n);
  if (encoded && m.added > 0.0) row.survival = m.kept / m.added;
  return row;
}

}  // namespace qfuse::checkpoint
