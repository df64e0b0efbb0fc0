// in:     codes [n] u8, absmax [blocks] fp32, quant_map [256] fp32; any address
// out:    [n] fp32, fp16 or bf16; 16-byte stores if out is aligned to 16 bytes; otherwise any address
// math:   out = round(ftz(quant_map[code] * absmax)), each step rounded in fp32
// cost:   n bytes read, 2n or 4n written
// oracle: reference/dequantize_blockwise.cpp

__kernel void dequantize_blockwise(long n, int block_shift, __global const uchar* codes, __global const uchar* absmax,
                                   __global const uchar* quant_map, uint dtype, __global uchar* out) {
  __local float map[kCodes8];
  load_table(map, quant_map, kCodes8);
  barrier(CLK_LOCAL_MEM_FENCE);
  const long first = first_of_group();
  if (first >= n) return;
  const int count = count_in_group(n, first);
  float values[kGroup] = {0};
  for (int e = 0; e < count; ++e) {  // blocks may be shorter than a group
    const long i = first + e;
    values[e] = mul_ftz(map[codes[i]], load_float(absmax, i >> block_shift));
  }
  store_group(out, dtype, first, count, values);
}
