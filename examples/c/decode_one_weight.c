/* Decodes one NF4 weight with nested absmax, in the form that a bitsandbytes checkpoint stores.
 *   cc decode_one_weight.c $(pkg-config --cflags --libs qfuse) */
#include <qfuse/qfuse.h>
#include <stdio.h>

enum { kRows = 8, kCols = 8, kBlocksize = 32 };

int main(void) {
  /* <name>: two codes per byte, the first in the high nibble. This example has every code from 0 to 15 four times. */
  static const uint8_t packed[kRows * kCols / 2] = {
      0x01, 0x23, 0x45, 0x67, 0x89, 0xab, 0xcd, 0xef, 0x01, 0x23, 0x45, 0x67, 0x89, 0xab, 0xcd, 0xef,
      0x01, 0x23, 0x45, 0x67, 0x89, 0xab, 0xcd, 0xef, 0x01, 0x23, 0x45, 0x67, 0x89, 0xab, 0xcd, 0xef,
  };
  /* <name>.absmax: each 32-element block's scale, itself a code: 0 is the map's lowest value, 255 its highest. */
  static const uint8_t absmax_8bit[kRows * kCols / kBlocksize] = {0, 255};
  /* <name>.nested_absmax */
  static const float nested_absmax[1] = {0.25F};
  /* <name>.nested_quant_map: computed in this example. A checkpoint has its own, which you must use. */
  float nested_quant_map[QFUSE_QUANT_MAP_SIZE];
  /* The field nested_offset of <name>.quant_state.bitsandbytes__nf4. */
  const float nested_offset = 0.5F;
  float decoded[kRows][kCols];

  qfuse_nested_quant_map(nested_quant_map);
  const qfuse_weight_4bit weight = {
      .struct_size = sizeof weight,
      .rows = kRows,
      .cols = kCols,
      .blocksize = kBlocksize,
      .quant_type = QFUSE_NF4,
      .packed = packed,
      .absmax_8bit = absmax_8bit,
      .nested_absmax = nested_absmax,
      .nested_quant_map = nested_quant_map,
      .nested_offset = &nested_offset,
      .nested_blocksize = QFUSE_NESTED_BLOCKSIZE,
  };
  const qfuse_dequantize_4bit_params params = {
      .struct_size = sizeof params, .weight = &weight, .out_dtype = QFUSE_FLOAT32, .out = decoded};
  qfuse_error error;
  if (qfuse_dequantize_4bit(&params, NULL, &error) != QFUSE_OK) {
    fprintf(stderr, "%s\n", error.message);
    return 1;
  }

  for (int row = 0; row < kRows; ++row) {
    for (int col = 0; col < kCols; ++col) printf("%8.4f", decoded[row][col]);
    printf("\n");
  }
  return 0;
}
