// in:     packed [ceil(n/2)] u8, absmax [blocks] fp32, or absmax_8bit [blocks] u8 with nested_absmax, map and offset;
//         with row scales: packed [rows, ceil(cols/2)] u8, scales [rows, blocks], global scale or divisor, zero points
// out:    [n] fp32, fp16 or bf16; 16-byte stores if out is aligned to 16 bytes; otherwise any address
// math:   A = ftz(map[q] * nested_absmax) + offset; out = round(ftz(code[nibble] * A)), each step rounded in fp32;
//         row scales: A = scale, scale * global or scale / divisor; out = round((code[nibble] - zero) * A)
// cost:   n/2 + n/blocksize bytes read, 2n or 4n written: bound by device memory bandwidth
// oracle: reference/dequantize_4bit.cpp

// Loads the codes of a group that begins at a whole byte; reads nothing past its last code.
uint load_codes(__global const uchar* at, int count) {
  if (count == kGroup) return load_word(at);
  uint codes = 0;
  for (int j = 0; 2 * j < count; ++j) codes |= (uint)at[j] << (8 * j);
  return codes;
}

// Code of element e of a group. NF4 and FP4 have a byte's high nibble first, formats with row scales the low one.
uint nibble(uint codes, int e) { return codes >> (8 * (e / 2) + (e % 2 == 0 ? 4 : 0)) & 0xfu; }
uint nibble_of_row(uint byte, long col) { return byte >> (col % 2 == 0 ? 0 : 4) & 0xfu; }

void decode_group(long n, long first, __global const uchar* packed, float absmax, __local const float* codebook,
                  uint dtype, __global uchar* out) {
  const int count = count_in_group(n, first);
  const uint codes = load_codes(packed + first / 2, count);
  float weights[kGroup];
  for (int e = 0; e < kGroup; ++e) weights[e] = mul_ftz(codebook[nibble(codes, e)], absmax);
  store_group(out, dtype, first, count, weights);
}

__kernel void dequantize_4bit_plain(long n, float16 values, int block_shift, __global const uchar* packed,
                                    __global const uchar* absmax, uint dtype, __global uchar* out) {
  __local float codebook[kCodes4];
  if (get_local_id(0) == 0) vstore16(values, 0, codebook);
  barrier(CLK_LOCAL_MEM_FENCE);
  const long first = first_of_group();
  if (first < n) decode_group(n, first, packed, load_float(absmax, first >> block_shift), codebook, dtype, out);
}

__kernel void dequantize_4bit_nested(long n, float16 values, int block_shift, int nested_shift,
                                     __global const uchar* packed, __global const uchar* absmax_8bit,
                                     __global const uchar* nested_absmax, __global const uchar* nested_quant_map,
                                     __global const uchar* nested_offset, uint dtype, __global uchar* out) {
  __local float codebook[kCodes4];
  __local float map[kCodes8];
  if (get_local_id(0) == 0) vstore16(values, 0, codebook);
  load_table(map, nested_quant_map, kCodes8);
  barrier(CLK_LOCAL_MEM_FENCE);
  const long first = first_of_group();
  if (first >= n) return;
  const long block = first >> block_shift;
  const float scale = load_float(nested_absmax, block >> nested_shift);
  const float absmax = mul_ftz(map[absmax_8bit[block]], scale) + load_float(nested_offset, 0);
  decode_group(n, first, packed, absmax, codebook, dtype, out);
}

// As in format/quotient.h: the fraction has 24 bits, and exponents have fp32's bias.
uint fraction_of(uint magnitude, int* exponent) {
  *exponent = max((int)(magnitude >> 23), 1);
  if (magnitude >= kMinNormalBits) return (magnitude & (kMinNormalBits - 1)) | kMinNormalBits;
  const int shift = (int)clz(magnitude) - 8;
  *exponent -= shift;
  return magnitude << shift;
}

uint rounded_quotient(uint q, int exponent) {
  if (exponent >= 255) return kInfBits;
  const int drop = min((q >> kQuotientBits != 0 ? 4 : 3) + max(1 - exponent, 0), 31);
  const uint kept = q >> drop;
  const uint rest = q & ((1u << drop) - 1);
  const uint half_of_last = 1u << (drop - 1);
  const uint up = rest > half_of_last || (rest == half_of_last && (kept & 1) != 0) ? 1 : 0;
  return ((uint)max(exponent - 1, 0) << 23) + kept + up;
}

float quotient(float a, float b) {
  const uint sign = (as_uint(a) ^ as_uint(b)) & kSignBit;
  const uint x = as_uint(a) & ~kSignBit;
  const uint y = as_uint(b) & ~kSignBit;
  if (x > kInfBits || y > kInfBits || (x == y && (x == 0 || x == kInfBits))) return as_float(kNan32);
  if (x == kInfBits || y == 0) return as_float(kInfBits | sign);
  if (x == 0 || y == kInfBits) return as_float(sign);
  int of_x, of_y;
  const ulong shifted = (ulong)fraction_of(x, &of_x) << kQuotientBits;
  const ulong divisor = fraction_of(y, &of_y);
  const uint q = (uint)(shifted / divisor);
  const uint cut = q * divisor != shifted ? 1 : 0;  // the product has 64 bits
  return as_float(rounded_quotient(q | cut, of_x - of_y + (q >> kQuotientBits != 0 ? 127 : 126)) | sign);
}

__kernel void dequantize_4bit_rows(long n, long cols, long blocksize, float16 codebook, float zero_point,
                                   __global const uchar* packed, __global const uchar* scales, uint scale_type, int has,
                                   __global const uchar* global_scale, __global const uchar* zero_points, uint dtype,
                                   __global uchar* out) {
  __local float table[kCodes4];
  if (get_local_id(0) == 0) vstore16(codebook, 0, table);
  barrier(CLK_LOCAL_MEM_FENCE);
  const long first = first_of_group();
  if (first >= n) return;
  const int count = count_in_group(n, first);
  const long row_bytes = (cols + 1) / 2;
  const long row_blocks = cols / blocksize + (cols % blocksize != 0 ? 1 : 0);
  long row = first / cols;
  long col = first % cols;
  long left = 0;  // remaining columns of the row that the scale is for
  float scale = 0;
  float zero = zero_point;
  float values[kGroup] = {0};
  for (int e = 0; e < count; ++e, ++col, --left) {
    if (col == cols) {
      col = left = 0;
      ++row;
    }
    if (left == 0) {
      const long block = row * row_blocks + col / blocksize;
      scale = load_scale(scales, block, scale_type);
      if (has & kHasFactor) scale *= load_float(global_scale, 0);
      if (has & kHasDivisor) scale = quotient(scale, load_float(global_scale, 0));
      if (has & kHasZeroPoints) zero = (float)zero_points[block];
      left = blocksize - col % blocksize;
    }
    values[e] = (table[nibble_of_row(packed[row * row_bytes + col / 2], col)] - zero) * scale;
  }
  store_group(out, dtype, first, count, values);
}
