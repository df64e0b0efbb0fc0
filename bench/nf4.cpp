// NF4 decode and encode on the CPU, beside the roof of the same bytes: every target, one thread and all.
// Each row asserts the result against the oracle before it times, then runs roof and kernel in turn.
#include "nf4.h"

#include <benchmark/benchmark.h>
#include <qfuse/qfuse.h>

#include <algorithm>
#include <cstdint>
#include <memory>
#include <random>
#include <string>
#include <utility>
#include <vector>

#include "format/elements.h"
#include "format/layout.h"
#include "format/params.h"
#include "in_turn.h"

namespace qfuse::bench {
namespace {

constexpr std::int64_t kRows = 4096;  // the MLP of a 7B to 8B Llama
constexpr std::int64_t kColumns = 14336;
constexpr std::int64_t kCount = kRows * kColumns;
constexpr std::int64_t kBlocksize = 64;

const char* name_of(qfuse_dtype dtype) {
  switch (dtype) {
    case QFUSE_FLOAT32: return "fp32";
    case QFUSE_FLOAT16: return "fp16";
    case QFUSE_BFLOAT16: return "bf16";
  }
  return "";
}

// One weight of trained-like values, encoded by the op itself and decoded again.
struct Weight {
  explicit Weight(qfuse_dtype weight_dtype)
      : dtype(weight_dtype),
        values(kCount * format::dtype_size(dtype)),
        packed(format::packed_size(kCount)),
        absmax(blocks * 4),
        absmax_8bit(blocks),
        nested_absmax(format::block_count(blocks, format::kNestedBlocksize) * 4),
        map(std::int64_t{format::kCodes8} * 4) {
    std::mt19937 random(1);
    std::normal_distribution<float> normal(0.0F, 0.02F);
    for (std::int64_t i = 0; i < kCount; ++i) format::store_rounded(values.data(), i, dtype, normal(random));
    qfuse_nested_quant_map(map.as<float>());
  }

  [[nodiscard]] format::Quantize4bit encode_params() {
    format::Quantize4bit p{};
    p.struct_size = sizeof p;
    p.n = kCount;
    p.blocksize = kBlocksize;
    p.quant_type = QFUSE_NF4;
    p.in_dtype = dtype;
    p.in = values.data();
    p.packed = packed.data();
    p.absmax = absmax.as<float>();
    p.absmax_8bit = absmax_8bit.data();
    p.nested_absmax = nested_absmax.as<float>();
    p.nested_offset = &nested_offset;
    p.nested_blocksize = format::kNestedBlocksize;
    return p;
  }

  [[nodiscard]] format::Dequantize4bit decode_params(void* out) const {
    format::Dequantize4bit p{};
    p.struct_size = sizeof p;
    p.n = kCount;
    p.blocksize = kBlocksize;
    p.quant_type = QFUSE_NF4;
    p.out_dtype = dtype;
    p.packed = packed.data();
    p.absmax_8bit = absmax_8bit.data();
    p.nested_absmax = nested_absmax.as<float>();
    p.nested_quant_map = map.as<float>();
    p.nested_blocksize = format::kNestedBlocksize;
    p.nested_offset = nested_offset;
    p.out = out;
    return p;
  }

  static constexpr std::int64_t blocks = kCount / kBlocksize;
  qfuse_dtype dtype;
  Memory values;
  Memory packed;
  Memory absmax;
  Memory absmax_8bit;
  Memory nested_absmax;
  Memory map;
  float nested_offset = 0.0F;
};

// The weight and the oracle's answers, made once for each dtype.
struct Fixture {
  explicit Fixture(qfuse_dtype dtype) : weight(dtype), decoded(kCount * format::dtype_size(dtype)) {
    qfuse_exec oracle = QFUSE_EXEC_INIT;
    oracle.device = {QFUSE_REFERENCE, 0};
    const format::Quantize4bit encode = weight.encode_params();
    ok = qfuse_quantize_4bit(&encode, &oracle, nullptr) == QFUSE_OK;
    expected_packed.assign(weight.packed.span().begin(), weight.packed.span().end());
    expected_nested.assign(weight.absmax_8bit.span().begin(), weight.absmax_8bit.span().end());
    const format::Dequantize4bit decode = weight.decode_params(decoded.data());
    ok = ok && qfuse_dequantize_4bit(&decode, &oracle, nullptr) == QFUSE_OK;
  }

  Weight weight;
  Memory decoded;
  std::vector<std::uint8_t> expected_packed;
  std::vector<std::uint8_t> expected_nested;
  bool ok = false;
};

Fixture& fixture(qfuse_dtype dtype) {
  static std::unique_ptr<Fixture> current;
  if (!current || current->weight.dtype != dtype) {
    current.reset();
    current = std::make_unique<Fixture>(dtype);
  }
  return *current;
}

void decode(benchmark::State& state, qfuse_dtype dtype, const char* target, int threads) {
  Fixture& f = fixture(dtype);
  Memory out(kCount * format::dtype_size(dtype));
  const format::Dequantize4bit p = f.weight.decode_params(out.data());
  const qfuse_exec exec = exec_for(target, threads);
  if (!f.ok || qfuse_dequantize_4bit(&p, &exec, nullptr) != QFUSE_OK ||
      !std::ranges::equal(out.span(), f.decoded.span()))
    return state.SkipWithError("the decoded weight differs from the oracle's");
  const Memory roof_in(format::bytes(p) - static_cast<std::int64_t>(out.span().size()));
  std::ranges::generate(roof_in.span(), std::mt19937(2));
  time_in_turn(state, format::bytes(p), roof_in.span(), out.span(), threads,
               [&] { qfuse_dequantize_4bit(&p, &exec, nullptr); });
}

void encode(benchmark::State& state, qfuse_dtype dtype, const char* target, int threads) {
  Fixture& f = fixture(dtype);
  const format::Quantize4bit p = f.weight.encode_params();
  const qfuse_exec exec = exec_for(target, threads);
  std::ranges::fill(f.weight.packed.span(), 0);
  if (!f.ok || qfuse_quantize_4bit(&p, &exec, nullptr) != QFUSE_OK ||
      !std::ranges::equal(f.weight.packed.span(), f.expected_packed) ||
      !std::ranges::equal(f.weight.absmax_8bit.span(), f.expected_nested))
    return state.SkipWithError("the encoded weight differs from the oracle's");
  const auto input = static_cast<std::int64_t>(f.weight.values.span().size());
  const Memory roof_out(format::bytes(p) - input);
  time_in_turn(state, format::bytes(p), f.weight.values.span(), roof_out.span(), threads,
               [&] { qfuse_quantize_4bit(&p, &exec, nullptr); });
  state.counters["input_GB/s"] = static_cast<double>(input) / 1e6 / state.counters["median_ms"];
}

}  // namespace

void register_nf4() {
  for (const qfuse_dtype dtype : {QFUSE_BFLOAT16, QFUSE_FLOAT16, QFUSE_FLOAT32}) {
    for (const auto& [op_name, op] : {std::pair{"decode", &decode}, std::pair{"encode", &encode}}) {
      for (int i = 0; const char* target = qfuse_cpu_target_name(i); ++i) {
        for (const int threads : thread_counts()) {
          const std::string name = std::string("nf4/") + op_name + "/" + name_of(dtype) + "/" + target +
                                   "/threads:" + std::to_string(threads);
          benchmark::RegisterBenchmark(name.c_str(), op, dtype, target, threads)->UseManualTime()->Iterations(kRuns);
        }
      }
    }
  }
}

}  // namespace qfuse::bench
