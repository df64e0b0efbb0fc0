// Steps that the kernels share: those of format/rounding.h under the same names, and accesses to any address. The
// constants are those of format/; program.cpp places them before this text.
#pragma OPENCL FP_CONTRACT OFF

// ---- rounding ----

float canonical(float x) { return x == x ? x : as_float(kNan32); }

float ftz(float x) {
  const uint bits = as_uint(x);
  return (bits & ~kSignBit) < kMinNormalBits ? as_float(bits & kSignBit) : x;
}

float mul_ftz(float a, float b) {
  a = ftz(a);
  b = ftz(b);
  const uint scaled = as_uint(a * kFlushScale * b);
  const float product = a * b;
  if ((scaled & ~kSignBit) >= kFlushedBits) return product;
  return as_float(as_uint(product) & kSignBit);
}

uint to_bfloat16(float x) {
  const uint bits = as_uint(x);
  if ((bits & ~kSignBit) > kInfBits) return kNan16;
  return (bits + 0x7fffu + ((bits >> 16) & 1u)) >> 16;
}

uint to_float16(float x) {
  const uint bits = as_uint(x);
  const uint magnitude = bits & ~kSignBit;
  if (magnitude > kInfBits) return kNan16;
  uint half_bits = (magnitude - kHalfRebias + 0xfffu + ((magnitude >> 13) & 1u)) >> 13;
  if (magnitude >= kHalfOverflowBits) half_bits = kHalfInf;
  if (magnitude < kHalfMinNormalBits)
    half_bits = as_uint(as_float(magnitude) + kHalfSubnormalMagic) - as_uint(kHalfSubnormalMagic);
  return half_bits | ((bits & kSignBit) >> 16);
}

// Rounds to an element of the output, as bits.
uint round_to(uint dtype, float x) {
  if (dtype == QFUSE_FLOAT16) return to_float16(x);
  if (dtype == QFUSE_BFLOAT16) return to_bfloat16(x);
  return as_uint(canonical(x));
}

// ---- memory: arrays are bytes, because any address is valid ----

bool is_aligned(__global const uchar* address, size_t bytes) { return ((size_t)address & (bytes - 1)) == 0; }

// Loads four bytes as one word; vload4 of bytes needs no alignment.
uint load_word(__global const uchar* at) {
  return is_aligned(at, 4) ? *(__global const uint*)at : as_uint(vload4(0, at));
}
float load_float(__global const uchar* array, long i) { return as_float(load_word(array + 4 * i)); }

void store_word(__global uchar* at, uint bits) {
  if (is_aligned(at, 4))
    *(__global uint*)at = bits;
  else
    vstore4(as_uchar4(bits), 0, at);
}

void store_half(__global uchar* at, uint bits) {
  if (is_aligned(at, 2))
    *(__global ushort*)at = (ushort)bits;
  else
    vstore2(as_uchar2((ushort)bits), 0, at);
}

// ---- groups: the elements of one work-item ----

long first_of_group() { return (long)get_global_id(0) * kGroup; }
int count_in_group(long n, long first) { return (int)min(n - first, (long)kGroup); }

// Stores the first `count` values as elements from `first` on; a full group as 16-byte stores, if aligned.
void store_group(__global uchar* out, uint dtype, long first, int count, const float* values) {
  const long size = dtype == QFUSE_FLOAT32 ? 4 : 2;
  __global uchar* const at = out + first * size;
  uint b[kGroup];
  for (int e = 0; e < kGroup; ++e) b[e] = round_to(dtype, values[e]);
  if (count == kGroup && is_aligned(at, 16)) {
    __global uint4* const vectors = (__global uint4*)at;
    if (size == 4) {
      vectors[0] = (uint4)(b[0], b[1], b[2], b[3]);
      vectors[1] = (uint4)(b[4], b[5], b[6], b[7]);
    } else {
      vectors[0] = (uint4)(b[0] | b[1] << 16, b[2] | b[3] << 16, b[4] | b[5] << 16, b[6] | b[7] << 16);
    }
    return;
  }
  for (int e = 0; e < count; ++e)
    if (size == 4)
      store_word(at + 4 * e, b[e]);
    else
      store_half(at + 2 * e, b[e]);
}

// Loads an fp32 table for all work-items. Called by all of a work-group, which must then meet at a barrier.
void load_table(__local float* table, __global const uchar* array, int entries) {
  for (int i = get_local_id(0); i < entries; i += get_local_size(0)) table[i] = load_float(array, i);
}

// ---- for program.cpp: the steps on values for which a device that is not exact gives other bits ----

__kernel void check_arithmetic(int count, __global const float* operands, __global uint* results) {
  const int i = get_global_id(0);
  if (i >= count) return;
  const float a = operands[3 * i], b = operands[3 * i + 1], c = operands[3 * i + 2];
  const float sum = mul_ftz(a, b) + c;
  results[4 * i] = as_uint(canonical(sum));
  results[4 * i + 1] = as_uint(canonical(a * b * kInt8Scale));
  results[4 * i + 2] = to_float16(sum);
  results[4 * i + 3] = to_bfloat16(sum);
}
