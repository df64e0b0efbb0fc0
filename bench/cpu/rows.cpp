// Decoding of MXFP4, NVFP4, INT4 and FP8 on the CPU.
#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <memory>
#include <stdexcept>
#include <utility>

#include "cpu/cpu.h"
#include "ops.h"
#include "rows_oracle.h"

namespace qfuse::bench {
namespace {

constexpr Shape kRowsShape{4096, 14336};
constexpr Shape kQuickRowsShape{512, 1024};

template <class Format>
struct RowsWeight {
  RowsWeight(const Format& of, Shape its_shape, qfuse_dtype dtype)
      : codes(rows_codes(of, its_shape)),
        decoded(decode_rows_by_oracle(of, its_shape, dtype, codes)),
        packed(codes.packed),
        out(static_cast<std::int64_t>(decoded.size())),
        params(rows_params(of, its_shape, dtype,
                           {packed.data(), codes.scales.data(), codes.global.data(), codes.zero_points.data()},
                           out.data())) {}

  RowsCodes codes;
  Bytes decoded;
  Memory packed;
  Memory out;
  decltype(rows_params(std::declval<Format>(), {}, {}, {}, nullptr)) params;
};

template <class Format>
void time_rows(Report& report, Row row, RowsWeight<Format>& weight, const qfuse_exec& exec) {
  std::ranges::fill(weight.out.span(), 0);
  run(weight.params, exec);
  if (!std::ranges::equal(weight.out.span(), weight.decoded))
    throw std::runtime_error("the decoded weight differs from the oracle's");
  row.bytes = contract::bytes(weight.params);
  const Memory roof_in(row.bytes - weight.out.size());
  report.add(time_beside_roof(std::move(row), roof_in.span(), weight.out.span(), exec, report.rounds(kCpuRounds),
                              [&] { run(weight.params, exec); }));
}

template <class Format, std::size_t kCount>
void time_all(const Options& options, Report& report, const std::array<Format, kCount>& formats) {
  const Shape shape = options.quick ? kQuickRowsShape : kRowsShape;
  for (const Format& format : formats)
    for (const qfuse_dtype dtype : {QFUSE_BFLOAT16, QFUSE_FLOAT32}) {
      std::unique_ptr<RowsWeight<Format>> weight;  // made for the first row selected to run
      for_targets([&](const qfuse_exec& exec, const std::string& target) {
        const std::string name = fmt::format("{}/{}/{}", format.name, name_of(dtype), target);
        report.attempt_if_wanted(name, [&] {
          if (!weight) weight = std::make_unique<RowsWeight<Format>>(format, shape, dtype);
          time_rows(report, {.op = "decode", .name = name, .shape = shape}, *weight, exec);
        });
      });
    }
}

}  // namespace

void time_rows_on_cpu(const Options& options, Report& report) { time_all(options, report, kRowsFormats); }
void time_fp8_on_cpu(const Options& options, Report& report) { time_all(options, report, kFp8Formats); }

}  // namespace qfuse::bench
