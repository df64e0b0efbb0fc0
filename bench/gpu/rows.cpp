// Decoding of MXFP4, NVFP4, INT4 and FP8 on a GPU, compared with a copy of the same number of bytes.
#include <array>
#include <stdexcept>
#include <vector>

#include "gpu/device.h"
#include "gpu/gpu.h"
#include "gpu/timing.h"
#include "rows_oracle.h"

namespace qfuse::bench {
namespace {

// Bytes of which the roof copies a multiple. CUDA copies some other lengths more slowly: on an H200, 88087552 bytes in
// 66.7 us, and 88109056 in 43.3.
constexpr std::int64_t kCopyUnit = 1 << 16;
constexpr std::array kRowsShapes = {Shape{1024, 4096}, Shape{14336, 4096}, Shape{8192, 8192}, Shape{8192, 28672}};

struct RowsBuffers {
  DeviceArray packed;
  DeviceArray scales;
  DeviceArray global;
  DeviceArray zero_points;
  DeviceArray out;
};

// Several sets of buffers with the same content.
template <class Format>
class RowsWeights {
 public:
  RowsWeights(const Card& card, const Format& format, Shape shape)
      : format_(format), shape_(shape), codes_(rows_codes(format, shape)) {
    const std::int64_t out = kElementBytes * shape.count();
    const int sets = sets_for(static_cast<std::int64_t>(codes_.packed.size()) + out, card.l2_bytes);
    const auto copy = [&](const Bytes& bytes) {
      return DeviceArray(card.index, bytes.data(), static_cast<std::int64_t>(bytes.size()));
    };
    for (int i = 0; i < sets; ++i)
      sets_.push_back({copy(codes_.packed), copy(codes_.scales), copy(codes_.global), copy(codes_.zero_points),
                       DeviceArray(card.index, out)});
  }

  [[nodiscard]] int sets() const { return static_cast<int>(sets_.size()); }
  [[nodiscard]] const DeviceArray& out(int i) const { return sets_[static_cast<std::size_t>(i)].out; }
  [[nodiscard]] auto params(int i) const {
    const RowsBuffers& set = sets_[static_cast<std::size_t>(i)];
    return rows_params(
        format_, shape_, QFUSE_BFLOAT16,
        {set.packed.as<void>(), set.scales.as<void>(), set.global.as<void>(), set.zero_points.as<void>()},
        set.out.as<void>());
  }
  void require_decoded(const Enqueue& enqueue) const {
    const Bytes oracle = decode_rows_by_oracle(format_, shape_, QFUSE_BFLOAT16, codes_);
    enqueue(0, nullptr);
    const Bytes decoded = out(0).template read<std::uint8_t>();
    const std::string wrong = difference(oracle.data(), decoded.data(), out(0).size(), kElementBytes);
    if (!wrong.empty()) throw std::runtime_error(wrong);
  }

 private:
  const Format& format_;
  Shape shape_;
  RowsCodes codes_;
  std::vector<RowsBuffers> sets_;
};

template <class Format>
void time_rows(Report& report, const Card& card, const Format& format, Shape shape) {
  const RowsWeights weights(card, format, shape);
  const Enqueue decode = [&](int set, void* stream) { run(weights.params(set), exec_on(card, stream)); };
  weights.require_decoded(decode);
  const std::int64_t bytes = contract::bytes(weights.params(0));
  const std::int64_t copied = bytes / 2 / kCopyUnit * kCopyUnit;
  const Enqueue copy = [&](int set, void* stream) {
    void* const to = weights.out(set).template as<void>();
    const void* const from = weights.out((set + 1) % weights.sets()).template as<void>();
    require(cudaMemcpyAsync(to, from, static_cast<std::size_t>(copied), cudaMemcpyDeviceToDevice,
                            static_cast<cudaStream_t>(stream)),
            "cudaMemcpyAsync");
  };
  const std::vector<Candidate> candidates = {{"decode bf16", decode}, {"decode bf16, in L2", decode, Cache::warm}};
  const BesideRoof times =
      time_beside_roof(report, {{"a copy that moves the same bytes", copy}}, candidates, weights.sets(), bytes);
  report.add({.op = "decode", .name = times.roof_name, .shape = shape, .timing = times.roof, .bytes = bytes});
  for (std::size_t i = 0; i < candidates.size(); ++i)
    report.add({.op = "decode",
                .name = candidates[i].name,
                .shape = shape,
                .timing = times.timings[i],
                .bytes = bytes,
                .roof_us = i == 0 ? times.roof.median : 0.0});
}

template <class Formats>
void time_all(const Options& options, Report& report, const Card& card, const Formats& formats) {
  for (const auto& format : formats)
    for (const Shape shape : shapes_to_time(options, kRowsShapes)) {
      const std::string name = std::string("decode ") + format.name + ", " + text_of(shape);
      report.attempt_if_wanted(name, [&] {
        report.begin_table(name);
        time_rows(report, card, format, shape);
      });
    }
}

}  // namespace

void time_rows_on_gpu(const Options& options, Report& report, const Card& card) {
  time_all(options, report, card, kRowsFormats);
}

void time_fp8_on_gpu(const Options& options, Report& report, const Card& card) {
  time_all(options, report, card, kFp8Formats);
}

}  // namespace qfuse::bench
