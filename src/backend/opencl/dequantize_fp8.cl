// in:     codes [rows, cols] e4m3, scales [row blocks, column blocks] fp32, fp16, bf16 or UE8M0; any address
// out:    [rows, cols] fp32, fp16 or bf16; 16-byte stores if out is aligned to 16 bytes; otherwise any address
// math:   out = round(e4m3(code) * scale), the product rounded in fp32
// cost:   n bytes read, 2n or 4n written
// oracle: reference/dequantize_fp8.cpp

float from_e4m3(uint code) {
  const uint sign = (code & 0x80u) << 24;
  const uint magnitude = code & 0x7fu;
  uint bits = (magnitude + kE4m3Rebias) << kE4m3Shift;
  if (magnitude == kFp8Nan) bits = kNan32;
  if (magnitude < kE4m3MinNormal) bits = as_uint((float)magnitude * kE4m3SubnormalUnit);
  return as_float(bits | sign);
}

float from_ue8m0(uint exponent) {
  if (exponent == kUe8m0Nan) return as_float(kNan32);
  return as_float(exponent == 0 ? kUe8m0Least : exponent << 23);
}

float from_float16(uint x) {
  const uint sign = (x & 0x8000u) << 16;
  const uint magnitude = x & 0x7fffu;
  uint bits = (magnitude << 13) + kHalfRebias;
  if (magnitude >= kHalfInf) bits = (magnitude << 13) | kInfBits;
  if (magnitude < kHalfMinNormal) bits = as_uint((float)magnitude * kHalfSubnormalUnit);
  return as_float(bits | sign);
}

float load_scale(__global const uchar* scales, long i, uint type) {
  if (type == QFUSE_SCALES_FLOAT32) return load_float(scales, i);
  if (type == QFUSE_SCALES_UE8M0) return from_ue8m0(scales[i]);
  if (type == QFUSE_SCALES_E4M3) return from_e4m3(scales[i]);
  const uint half_bits = scales[2 * i] | (uint)scales[2 * i + 1] << 8;
  return type == QFUSE_SCALES_FLOAT16 ? from_float16(half_bits) : as_float(half_bits << 16);
}

__kernel void dequantize_fp8(long n, long cols, long block_rows, long block_cols, long scale_cols,
                             __global const uchar* codes, __global const uchar* scales, uint scale_type, uint dtype,
                             __global uchar* out) {
  const long first = first_of_group();
  if (first >= n) return;
  const int count = count_in_group(n, first);
  long row = first / cols;
  long col = first % cols;
  long left = 0;  // remaining columns of the row that the scale is for
  float scale = 0;
  float values[kGroup] = {0};
  for (int e = 0; e < count; ++e, ++col, --left) {
    if (col == cols) {
      col = left = 0;
      ++row;
    }
    if (left == 0) {
      scale = load_scale(scales, row / block_rows * scale_cols + col / block_cols, scale_type);
      left = block_cols - col % block_cols;
    }
    values[e] = from_e4m3(codes[first + e]) * scale;
  }
  store_group(out, dtype, first, count, values);
}
