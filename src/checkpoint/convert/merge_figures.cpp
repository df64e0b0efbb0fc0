#include "checkpoint/convert/merge_figures.h"

#include <algorithm>
#include <cmath>
#include <utility>
#include <vector>

#include "format/elements.h"

namespace qfuse::checkpoint {
namespace {

// Of a tensor at a time, when it is measured: what a core's caches hold.
constexpr std::int64_t kMeasuredElements = 1 << 20;

float element(std::span<const std::byte> values, std::int64_t i, Dtype dtype) {
  return format::load_as_float(values.data(), i, static_cast<qfuse_dtype>(dtype));
}

// `values` as they are when they were encoded to 4 bits and decoded, in fp32; absmax that are not nested.
std::vector<std::byte> through_4bit(std::span<const std::byte> values, Dtype dtype, const QuantState& state,
                                    const Exec& exec) {
  const std::int64_t count = std::ssize(values) / size_of(dtype);
  Weight4bitArrays encoded(1, count, state.blocksize, state.quant_type, false);
  quantize_4bit(values, dtype, encoded.out(), exec);
  std::vector<std::byte> decoded(static_cast<std::size_t>(count) * sizeof(float));
  dequantize_4bit(encoded.view(), decoded, Dtype::float32, exec);
  return decoded;
}

class Measured {
 public:
  Measured(const Source& base, const Merging& merging, Dtype dtype, std::optional<QuantState> encoded,
           std::shared_ptr<MergeFigures> figures)
      : base_dtype_(base.dtype),
        sums_(merged(remembered(base), merging, Dtype::float32)),
        dtype_(dtype),
        encoded_(std::move(encoded)),
        figures_(std::move(figures)) {}

  void read(std::int64_t begin, std::span<std::byte> out, Piece& piece) {
    const std::int64_t most = std::max(kMeasuredElements, sums_.unit_elements()) * size_of(dtype_);
    for (std::int64_t at = 0; at < std::ssize(out); at += most)
      read_part(
          begin + at,
          out.subspan(static_cast<std::size_t>(at), static_cast<std::size_t>(std::min(most, std::ssize(out) - at))),
          piece);
  }

 private:
  // `base`, of which base_ keeps what was read last: what the latest sums rest on.
  Source remembered(const Source& base) {
    Source source = base;
    source.made = Made::on_host;
    source.read = [base, kept = base_](std::int64_t begin, std::span<std::byte> out, Piece& piece) {
      read_now(base, begin, out, piece, array::base);
      kept->assign(out.begin(), out.end());
    };
    return source;
  }

  void read_part(std::int64_t begin, std::span<std::byte> out, Piece& piece) {
    const std::int64_t count = std::ssize(out) / size_of(dtype_);
    const auto sums = piece.host(array::measured_sums, static_cast<std::size_t>(count) * sizeof(float));
    read_now(sums_, begin / size_of(dtype_) * size_of(Dtype::float32), sums, piece, array::measured_sums);
    for (std::int64_t i = 0; i < count; ++i)
      format::store_rounded(out.data(), i, static_cast<qfuse_dtype>(dtype_), element(sums, i, Dtype::float32));
    std::vector<std::byte> left;
    if (encoded_) left = through_4bit(out, dtype_, *encoded_, piece.host_exec());
    add(*base_, sums, left);
  }

  void add(std::span<const std::byte> base, std::span<const std::byte> sums, std::span<const std::byte> left) {
    MergeFigures to = *figures_;  // in registers
    const std::int64_t count = std::ssize(sums) / size_of(Dtype::float32);
    for (std::int64_t i = 0; i < count; ++i) {
      const double w = element(base, i, base_dtype_);
      const double d = element(sums, i, Dtype::float32) - w;
      to.weight += w * w;
      to.added += d * d;
      if (!left.empty()) to.kept += (element(left, i, Dtype::float32) - w) * d;
    }
    to.elements += count;
    *figures_ = to;
  }

  std::shared_ptr<std::vector<std::byte>> base_ = std::make_shared<std::vector<std::byte>>();
  Dtype base_dtype_;
  Source sums_;
  Dtype dtype_;
  std::optional<QuantState> encoded_;
  std::shared_ptr<MergeFigures> figures_;
};

}  // namespace

void MergeFigures::put_into(MergedTensor& row, bool is_encoded) const {
  const auto n = static_cast<double>(std::max(elements, std::int64_t{1}));
  row.added_rms = std::sqrt(added / n);
  row.weight_rms = std::sqrt(weight / n);
  if (is_encoded && added > 0.0) row.survival = kept / added;
}

Source measured(const Source& base, const Merging& merging, Dtype dtype, const std::optional<QuantState>& encoded,
                std::shared_ptr<MergeFigures> figures) {
  const std::int64_t unit =
      std::max(base.unit_elements(), encoded ? encoded->blocksize : std::int64_t{1}) * size_of(dtype);
  return {.dtype = dtype,
          .bytes = merging.shape.elements() * size_of(dtype),
          .unit = unit,
          .piece = std::max(kPieceBytes, unit),
          .read = [one = std::make_shared<Measured>(base, merging, dtype, encoded, std::move(figures))](
                      std::int64_t begin, std::span<std::byte> out, Piece& piece) { one->read(begin, out, piece); }};
}

}  // namespace qfuse::checkpoint
