// environment <decode | decode_scalar | plan>: runs the step that qfuse.h's environment variables affect and prints the
// result. `plan` needs no GPU.
#include <qfuse/qfuse.h>

#include <array>
#include <cstdint>
#include <cstdio>
#include <string>

#include "backend/cuda/dequantize_4bit/plan.h"

namespace {

constexpr std::int64_t kCount = 4096;
alignas(16) std::array<std::uint8_t, kCount / 2> packed{};
std::array<float, kCount / 64> absmax{};
alignas(16) std::array<float, kCount> out{};

qfuse_weight_4bit weight() {
  qfuse_weight_4bit w{};
  w.struct_size = sizeof w;
  w.rows = 1;
  w.cols = kCount;
  w.blocksize = 64;
  w.quant_type = QFUSE_NF4;
  w.packed = packed.data();
  w.absmax = absmax.data();
  return w;
}

int decode(const char* cpu_target) {
  const qfuse_weight_4bit w = weight();
  const qfuse_dequantize_4bit_params p{sizeof p, &w, QFUSE_FLOAT32, out.data()};
  qfuse_exec exec = QFUSE_EXEC_INIT;
  exec.cpu_target = cpu_target;
  qfuse_error error{};
  const qfuse_status status = qfuse_dequantize_4bit(&p, &exec, &error);
  std::printf("%s\n", status == QFUSE_OK ? "decoded" : error.message);
  return status;
}

int plan() {
  using namespace qfuse;
  contract::Dequantize4bit p{};
  p.weight = weight();
  p.out_dtype = QFUSE_FLOAT32;
  p.out = out.data();
  cuda::dequantize_4bit::Plan chosen = cuda::dequantize_4bit::plan(p, cuda::kH100);
  const contract::Outcome outcome =
      contract::settle("cuda:0", chosen, [&] { return cuda::dequantize_4bit::candidates(p, cuda::kH100); });
  std::printf("%s\n", outcome.ok() ? ("chosen " + contract::print(chosen.fields())).c_str() : outcome.message.c_str());
  return outcome.status;
}

}  // namespace

int main(int argc, char** argv) {
  const std::string what = argc > 1 ? argv[1] : "";
  if (what == "decode") return decode(nullptr);
  if (what == "decode_scalar") return decode("scalar");
  return plan();
}
