// `packed` is one byte shorter than the weight needs. AddressSanitizer must detect the overflow inside the kernel.
#include <cstdint>
#include <memory>
#include <vector>

#include "qfuse/qfuse.h"

int main() {
  constexpr std::int64_t kElements = 4096;
  const auto packed = std::make_unique<std::uint8_t[]>(kElements / 2 - 1);
  const std::vector<float> absmax(kElements / 64, 1.0F);
  std::vector<float> out(kElements);

  qfuse_weight_4bit weight{};
  weight.struct_size = sizeof weight;
  weight.rows = 1;
  weight.cols = kElements;
  weight.blocksize = 64;
  weight.quant_type = QFUSE_NF4;
  weight.packed = packed.get();
  weight.absmax = absmax.data();
  const qfuse_dequantize_4bit_params params{sizeof params, &weight, QFUSE_FLOAT32, out.data()};
  return qfuse_dequantize_4bit(&params, nullptr, nullptr);
}
