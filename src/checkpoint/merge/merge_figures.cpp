#include "checkpoint/merge/merge_figures.h"

#include <algorithm>
#include <cmath>
#include <numeric>
#include <utility>
#include <vector>

#include "checkpoint/convert/element_loops.h"
#include "checkpoint/device/on_threads.h"

namespace qfuse::checkpoint {
namespace {

// Elements of a tensor that are measured at a time: few enough to stay in the caches.
constexpr std::int64_t kMeasuredElements = 1 << 18;

// Elements that one thread adds up. The bits of a sum depend on this number, and not on the number of threads.
constexpr std::int64_t kPartElements = 1 << 15;

MergeFigures figures_of(std::span<const float> base, std::span<const float> sums, std::span<const float> left) {
  const auto [weight, added, kept, kept_squares] = element_loops().sum_products(base, sums, left);
  return {.elements = std::ssize(sums), .added = added, .weight = weight, .kept = kept, .kept_squares = kept_squares};
}

class Measured {
 public:
  Measured(const Source& base, const Merging& merging, Dtype dtype, const RoundTrip& encoded,
           std::shared_ptr<MergeFigures> figures)
      : base_dtype_(base.dtype),
        sums_(merged(remembered(base), merging, Dtype::float32)),
        dtype_(dtype),
        encoded_unit_(encoded.unit),
        pass_(encoded.begin ? encoded.begin() : RoundTrip::Pass()),
        figures_(std::move(figures)) {}

  [[nodiscard]] std::int64_t unit() const { return std::lcm(sums_.unit_elements(), encoded_unit_); }  // elements

  // What pass_ made of the values of the last read(); none if there is no pass.
  [[nodiscard]] std::shared_ptr<const Encoded> encoded() const { return pass_ ? encoded_ : nullptr; }

  void read(std::int64_t begin, std::span<std::byte> out, Piece& piece) {
    encoded_->codes.clear();
    encoded_->scales.clear();
    const std::int64_t most = std::max<std::int64_t>(kMeasuredElements / unit(), 1) * unit() * size_of(dtype_);
    for (std::int64_t at = 0; at < std::ssize(out); at += most)
      read_part(
          begin + at,
          out.subspan(static_cast<std::size_t>(at), static_cast<std::size_t>(std::min(most, std::ssize(out) - at))),
          piece);
  }

 private:
  // Returns `base` as a source that also copies what was read last to base_, for comparison with the sums made from it.
  Source remembered(const Source& base) {
    Source source = base;
    source.made = Made::on_host;
    source.read = [base, kept = base_](std::int64_t begin, std::span<std::byte> out, Piece& piece) {
      read_now(base, begin, out, piece, array::kBase);
      kept->assign(out.begin(), out.end());
    };
    return source;
  }

  void read_part(std::int64_t begin, std::span<std::byte> out, Piece& piece) {
    const std::int64_t count = std::ssize(out) / size_of(dtype_);
    const auto bytes = piece.host(array::kMeasuredSums, static_cast<std::size_t>(count) * sizeof(float));
    read_now(sums_, begin / size_of(dtype_) * size_of(Dtype::float32), bytes, piece, array::kMeasuredSums);
    const std::span<const float> sums(reinterpret_cast<const float*>(bytes.data()), static_cast<std::size_t>(count));
    start_.resize(sums.size());
    in_parts(count, piece.host_exec(), [&](std::size_t at, std::size_t size) {
      const auto width = static_cast<std::size_t>(size_of(dtype_));
      const auto base_width = static_cast<std::size_t>(size_of(base_dtype_));
      round_to(dtype_, sums.subspan(at, size), out.subspan(at * width, size * width));
      widen(base_dtype_, std::span(*base_).subspan(at * base_width, size * base_width),
            std::span(start_).subspan(at, size));
    });
    if (pass_) {
      left_.resize(sums.size());
      pass_(begin / size_of(dtype_), out, dtype_, *encoded_, left_, piece.host_exec());
    }
    const std::span<const float> left = pass_ ? left_ : start_;
    std::vector<MergeFigures> parts(static_cast<std::size_t>(qfuse_block_count(count, kPartElements)));
    in_parts(count, piece.host_exec(), [&](std::size_t at, std::size_t size) {
      parts[at / kPartElements] =
          figures_of(std::span(start_).subspan(at, size), sums.subspan(at, size), left.subspan(at, size));
    });
    for (const MergeFigures& part : parts) *figures_ += part;
  }

  // Calls work(first element, elements) for each part of `count` elements, from several threads.
  template <class Work>
  static void in_parts(std::int64_t count, const Exec& exec, const Work& work) {
    on_threads(exec, qfuse_block_count(count, kPartElements), 1, [&](std::int64_t part, std::int64_t end) {
      for (; part < end; ++part)
        work(static_cast<std::size_t>(part * kPartElements),
             static_cast<std::size_t>(std::min(kPartElements, count - part * kPartElements)));
    });
  }

  std::shared_ptr<std::vector<std::byte>> base_ = std::make_shared<std::vector<std::byte>>();
  Dtype base_dtype_;
  Source sums_;
  Dtype dtype_;
  std::int64_t encoded_unit_;
  RoundTrip::Pass pass_;
  std::shared_ptr<Encoded> encoded_ = std::make_shared<Encoded>();
  std::shared_ptr<MergeFigures> figures_;
  // Buffers for the measured part, kept because allocating so much memory costs more than filling it.
  std::vector<float> start_;
  std::vector<float> left_;  // empty if the tensor is not encoded
};

}  // namespace

MergeFigures& MergeFigures::operator+=(const MergeFigures& other) {
  elements += other.elements;
  added += other.added;
  weight += other.weight;
  kept += other.kept;
  kept_squares += other.kept_squares;
  return *this;
}

void MergeFigures::put_into(MergedTensor& row, bool is_encoded) const {
  const auto n = static_cast<double>(std::max(elements, std::int64_t{1}));
  row.added_rms = std::sqrt(added / n);
  row.weight_rms = std::sqrt(weight / n);
  if (is_encoded && added > 0.0) row.survival = kept / added;
}

double MergeFigures::survival_error() const { return std::sqrt(kept_squares) / added; }

Source measured(const Source& base, const Merging& merging, Dtype dtype, const RoundTrip& encoded,
                std::shared_ptr<MergeFigures> figures) {
  const auto one = std::make_shared<Measured>(base, merging, dtype, encoded, std::move(figures));
  const std::int64_t unit = one->unit() * size_of(dtype);
  return {.dtype = dtype,
          .bytes = merging.shape.elements() * size_of(dtype),
          .unit = unit,
          .piece = std::max<std::int64_t>(kPieceBytes / unit, 1) * unit,
          .read = [one](std::int64_t begin, std::span<std::byte> out, Piece& piece) { one->read(begin, out, piece); },
          .encoded = one->encoded()};
}

}  // namespace qfuse::checkpoint
