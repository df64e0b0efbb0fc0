// Decodes one NF4 weight with nested absmax, as it lies in a bitsandbytes checkpoint.
//   c++ -std=c++20 decode_one_weight.cpp $(pkg-config --cflags --libs qfuse)
#include <qfuse/qfuse.hpp>

#include <array>
#include <cstdint>
#include <cstdio>
#include <span>

int main() {
  constexpr std::size_t kRows = 8;
  constexpr std::size_t kCols = 8;
  constexpr std::size_t kBlocksize = 32;

  // <name>: two codes a byte, the first in the high nibble. Here every code from 0 to 15, four times over.
  std::array<std::uint8_t, kRows * kCols / 2> packed;
  for (std::size_t i = 0; i < packed.size(); ++i) packed[i] = static_cast<std::uint8_t>(0x01 + i % 8 * 0x22);
  // <name>.absmax: the scale of each block of 32 elements, itself a code: index 0 is the map's least value, 255 its
  // greatest.
  const std::array<std::uint8_t, kRows * kCols / kBlocksize> absmax_8bit{0, 255};
  // <name>.nested_absmax
  const std::array<float, 1> nested_absmax{0.25F};
  // <name>.nested_quant_map: this example makes it; a checkpoint holds its own, which is the one to use.
  std::array<float, 256> nested_quant_map;
  qfuse_nested_quant_map(nested_quant_map.data());

  const qfuse::Absmax absmax{.nested = absmax_8bit,
                             .nested_absmax = nested_absmax,
                             .nested_quant_map = nested_quant_map,
                             .nested_offset = 0.5F};
  std::array<float, kRows * kCols> weight;
  try {
    qfuse::dequantize_4bit(packed, absmax, qfuse::QuantType::nf4, kBlocksize, std::as_writable_bytes(std::span(weight)),
                           qfuse::Dtype::float32);
  } catch (const qfuse::Error& error) {
    std::fprintf(stderr, "%s\n", error.what());
    return 1;
  }

  for (std::size_t i = 0; i < weight.size(); ++i)
    std::printf("%8.4f%s", static_cast<double>(weight[i]), i % kCols == kCols - 1 ? "\n" : "");
}
