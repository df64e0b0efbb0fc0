// in:     packed [ceil(n/2)] u8, absmax [blocks] fp32, or absmax_8bit [blocks] u8 with nested_absmax, map and offset
// out:    [n] fp32, fp16 or bf16; 16-byte stores where it is aligned to 16 bytes; else any address
// math:   A = ftz(map[q] * nested_absmax) + offset; out = round(ftz(code[nibble] * A)), each step rounded in fp32;
//         of rows: A = scale, scale * global or scale / divisor; out = round((code[nibble] - zero) * A)
// cost:   n/2 + n/blocksize bytes read, 2n or 4n written: bound by the device's memory
// oracle: reference/dequantize_4bit.cpp

// Of a group that begins with a whole byte; nothing is read past its last code.
uint load_codes(__global const uchar* at, int count) {
  if (count == kGroup) return load_word(at);
  uint codes = 0;
  for (int j = 0; 2 * j < count; ++j) codes |= (uint)at[j] << (8 * j);
  return codes;
}

// Element e of a group: the high nibble of byte e/2 comes first.
uint nibble(uint codes, int e) { return codes >> (8 * (e / 2) + (e % 2 == 0 ? 4 : 0)) & 0xfu; }

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
