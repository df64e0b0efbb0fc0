// Decodes one NF4 weight with nested absmax, in the form that a bitsandbytes checkpoint stores.
//   c++ -std=c++20 decode_one_weight.cpp $(pkg-config --cflags --libs qfuse)
#include <qfuse/qfuse.hpp>

#include <array>
#include <cstdint>
#include <cstdio>
#include <span>

int main() {
  constexpr std::size_t kRows = 8;
  constexpr std::size_t kCols = 8;
  constexpr std::int64_t kBlocksize = 32;

  // <name>: two codes per byte, the first in the high nibble. This example has every code from 0 to 15 four times.
  std::array<std::uint8_t, kRows * kCols / 2> packed;
  for (std::size_t i = 0; i < packed.size(); ++i) packed[i] = static_cast<std::uint8_t>(0x01 + i % 8 * 0x22);
  // <name>.absmax: the scale of each block of 32 elements, itself a code: 0 is the map's lowest value, 255 its highest.
  const std::array<std::uint8_t, kRows * kCols / kBlocksize> absmax_8bit{0, 255};
  // <name>.nested_absmax
  const std::array<float, 1> nested_absmax{0.25F};
  // <name>.nested_quant_map: computed in this example. A checkpoint has its own, which you must use.
  std::array<float, QFUSE_QUANT_MAP_SIZE> nested_quant_map;
  qfuse_nested_quant_map(nested_quant_map.data());

  // The field nested_offset of <name>.quant_state.bitsandbytes__nf4.
  const float nested_offset = 0.5F;

  const qfuse::Weight4bit weight{.rows = kRows,
                                 .cols = kCols,
                                 .blocksize = kBlocksize,
                                 .quant_type = qfuse::QuantType::nf4,
                                 .packed = packed,
                                 .absmax_8bit = absmax_8bit,
                                 .nested_absmax = nested_absmax,
                                 .nested_quant_map = nested_quant_map,
                                 .nested_offset = &nested_offset};
  std::array<float, kRows * kCols> decoded;
  try {
    qfuse::dequantize_4bit(weight, std::as_writable_bytes(std::span(decoded)), qfuse::Dtype::float32);
  } catch (const qfuse::Error& error) {
    std::fprintf(stderr, "%s\n", error.what());
    return 1;
  }

  for (std::size_t i = 0; i < decoded.size(); ++i)
    std::printf("%8.4f%s", static_cast<double>(decoded[i]), i % kCols == kCols - 1 ? "\n" : "");
}
