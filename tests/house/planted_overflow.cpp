// `packed` is one byte shorter than n asks for: AddressSanitizer has to see it inside the kernel.
#include <cstdint>
#include <memory>
#include <vector>

#include "qfuse/qfuse.h"

int main() {
  constexpr std::int64_t kElements = 4096;
  const auto packed = std::make_unique<std::uint8_t[]>(kElements / 2 - 1);
  const std::vector<float> absmax(kElements / 64, 1.0F);
  std::vector<float> out(kElements);

  qfuse_dequantize_4bit_params params{};
  params.struct_size = sizeof params;
  params.n = kElements;
  params.blocksize = 64;
  params.quant_type = QFUSE_NF4;
  params.out_dtype = QFUSE_FLOAT32;
  params.packed = packed.get();
  params.absmax = absmax.data();
  params.out = out.data();
  return qfuse_dequantize_4bit(&params, nullptr, nullptr);
}
