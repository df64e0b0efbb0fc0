// in:     in [rows, cols] i8, scb [rows] fp32; any address
// out:    [rows, cols] fp32, fp16 or bf16; 16-byte stores if out is aligned to 16 bytes; otherwise any address
// math:   out = round((in * scb) * 1/127), each step rounded in fp32
// cost:   n bytes read, 2n or 4n written
// oracle: reference/dequantize_int8.cpp

float decode_code(char code, float scale) { return (float)code * scale * kInt8Scale; }

__kernel void dequantize_int8(long n, long cols, __global const char* in, __global const uchar* scb, uint dtype,
                              __global uchar* out) {
  const long first = first_of_group();
  if (first >= n) return;
  const int count = count_in_group(n, first);
  long row = first / cols;
  long left_in_row = (row + 1) * cols - first;
  float scale = load_float(scb, row);
  float values[kGroup] = {0};
  if (count == kGroup && left_in_row >= kGroup) {
    for (int e = 0; e < kGroup; ++e) values[e] = decode_code(in[first + e], scale);
  } else {
    for (int e = 0; e < count; ++e, --left_in_row) {
      if (left_in_row == 0) {
        scale = load_float(scb, ++row);
        left_in_row = cols;
      }
      values[e] = decode_code(in[first + e], scale);
    }
  }
  store_group(out, dtype, first, count, values);
}
