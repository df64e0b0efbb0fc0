// Tests the lists of a call's arrays, and the checks for missing and overlapping arrays that use these lists.
#include "contract/arrays.h"

#include <gtest/gtest.h>

#include <cstdint>
#include <limits>
#include <ostream>
#include <string>
#include <utility>
#include <vector>

#include "contract/ops.h"
#include "support/samples.h"

namespace qfuse::contract {

bool operator==(const Array& a, const Array& b) {
  return std::string(a.name) == b.name && a.size == b.size && a.direction == b.direction;
}
void PrintTo(const Array& array, std::ostream* out) {
  *out << array.name << " of " << array.size << " bytes, direction " << static_cast<int>(array.direction);
}

namespace {

using namespace tests;

constexpr Direction kIn = Direction::input;
constexpr Direction kOut = Direction::output;

// Returns the arrays of a call that have a size. The comparison ignores their addresses.
template <class Op>
std::vector<Array> arrays_of(const Op& p) {
  std::vector<Array> arrays;
  const ArrayList all(p);
  for (const Array& array : all.all())
    if (array.size > 0) arrays.push_back(array);
  return arrays;
}

Array array(const char* name, std::int64_t size, Direction direction) { return {name, nullptr, size, direction}; }

TEST(Arrays, of_dequantize_4bit) {
  EXPECT_EQ(arrays_of(dequantize_4bit_sample(false)),
            (std::vector{array("packed", 65, kIn), array("absmax", 12, kIn), array("out", 260, kOut)}));
  EXPECT_EQ(
      arrays_of(dequantize_4bit_sample(true)),
      (std::vector{array("packed", 65, kIn), array("absmax_8bit", 3, kIn), array("nested_absmax", 8, kIn),
                   array("nested_quant_map", 1024, kIn), array("nested_offset", 4, kIn), array("out", 260, kOut)}));
}

// 3 rows of 33 elements in blocks of 16: 17 bytes and 3 scales per row.
TEST(Arrays, of_dequantize_4bit_with_scales_of_rows) {
  Dequantize4bit p = dequantize_4bit_rows_sample();
  EXPECT_EQ(arrays_of(p),
            (std::vector{array("packed", 51, kIn), array("scales", 18, kIn), array("global_scale", 4, kIn),
                         array("zero_points", 9, kIn), array("out", 396, kOut)}));
  p.weight.zero_points = nullptr;
  std::swap(p.weight.global_scale, p.weight.global_divisor);
  for (const auto& [type, size] : {std::pair{QFUSE_SCALES_FLOAT32, 4},
                                   {QFUSE_SCALES_UE8M0, 1},
                                   {QFUSE_SCALES_FLOAT16, 2},
                                   {QFUSE_SCALES_BFLOAT16, 2},
                                   {QFUSE_SCALES_E4M3, 1}}) {
    p.weight.scale_type = type;
    EXPECT_EQ(arrays_of(p), (std::vector{array("packed", 51, kIn), array("scales", 9 * size, kIn),
                                         array("global_divisor", 4, kIn), array("out", 396, kOut)}));
  }
  p.weight.blocksize = std::numeric_limits<std::int64_t>::max();
  EXPECT_EQ(arrays_of(p).at(1), array("scales", 3, kIn));
}

TEST(Arrays, of_quantize_4bit) {
  Quantize4bit p = quantize_4bit_sample(false);
  EXPECT_EQ(arrays_of(p), (std::vector{array("in", 520, kIn), array("packed", 65, kOut), array("absmax", 12, kOut)}));
  const float importance = 0;
  p.importance = &importance;
  EXPECT_EQ(arrays_of(p), (std::vector{array("in", 520, kIn), array("importance", 260, kIn), array("packed", 65, kOut),
                                       array("absmax", 12, kOut)}));
  p = quantize_4bit_sample(true);
  std::vector nested = {array("in", 520, kIn),
                        array("packed", 65, kOut),
                        array("absmax_8bit", 3, kOut),
                        array("nested_absmax", 8, kOut),
                        array("nested_quant_map", 1024, kOut),
                        array("nested_offset", 4, kOut),
                        array("workspace", 20, Direction::workspace)};
  EXPECT_EQ(arrays_of(p), nested);
  float offset = 0;
  p.given_offset = &offset;
  nested.insert(nested.begin() + 1, array("given_offset", 4, kIn));
  EXPECT_EQ(arrays_of(p), nested);
  p.weight.nested_quant_map = nullptr;
  nested.erase(nested.begin() + 5);
  EXPECT_EQ(arrays_of(p), nested) << "nobody asked for the map";
  EXPECT_EQ(arrays_of(quantize_4bit_sample_that_keeps(false)),
            (std::vector{array("in", 520, kIn), array("packed", 65, kOut), array("absmax", 12, kIn)}));
  p = quantize_mxfp4_sample();
  EXPECT_EQ(arrays_of(p), (std::vector{array("in", 512, kIn), array("packed", 64, kOut), array("scales", 4, kOut)}));
  p = quantize_4bit_sample_that_keeps(true);
  p.given_offset = &offset;
  p.weight.absmax_8bit = p.weight.packed;
  EXPECT_EQ(workspace_size(p), 0);
  EXPECT_EQ(arrays_of(p), (std::vector{array("in", 520, kIn), array("packed", 65, kOut), array("absmax_8bit", 3, kIn),
                                       array("nested_absmax", 8, kIn), array("nested_quant_map", 1024, kIn),
                                       array("nested_offset", 4, kIn)}));
}

TEST(Arrays, of_the_8_bit_ops) {
  EXPECT_EQ(arrays_of(quantize_blockwise_sample()),
            (std::vector{array("in", 200, kIn), array("codes", 100, kOut), array("absmax", 16, kOut)}));
  EXPECT_EQ(arrays_of(dequantize_blockwise_sample()),
            (std::vector{array("codes", 100, kIn), array("absmax", 16, kIn), array("quant_map", 1024, kIn),
                         array("out", 400, kOut)}));
  EXPECT_EQ(arrays_of(dequantize_int8_sample()),
            (std::vector{array("in", 132, kIn), array("scb", 16, kIn), array("out", 528, kOut)}));
  EXPECT_EQ(arrays_of(dequantize_fp8_sample()),
            (std::vector{array("codes", 132, kIn), array("scales", 24, kIn), array("out", 528, kOut)}));
  DequantizeFp8 p = dequantize_fp8_sample();
  p.rows = 576;  // the last row of scales covers 64 rows
  p.cols = 7168;
  p.block_rows = p.block_cols = 128;
  for (const auto& [type, size] : {std::pair{QFUSE_SCALES_FLOAT32, 4},
                                   {QFUSE_SCALES_UE8M0, 1},
                                   {QFUSE_SCALES_FLOAT16, 2},
                                   {QFUSE_SCALES_BFLOAT16, 2}}) {
    p.scale_type = type;
    EXPECT_EQ(arrays_of(p).at(1), array("scales", std::int64_t{5} * 56 * size, kIn));
  }
  p.block_rows = p.block_cols = std::numeric_limits<std::int64_t>::max();
  EXPECT_EQ(arrays_of(p).at(1), array("scales", 2, kIn));
}

TEST(Arrays, of_lora_merge) {
  EXPECT_EQ(arrays_of(lora_merge_sample(3)),
            (std::vector{array("in", 264, kIn), array("a", 396, kIn), array("b", 48, kIn), array("out", 528, kOut)}));
  EXPECT_EQ(arrays_of(lora_merge_sample(0)), (std::vector{array("in", 264, kIn), array("out", 528, kOut)}));
  EXPECT_EQ(arrays_of(lora_merge_4bit_sample()),
            (std::vector{array("a", 768, kIn), array("b", 48, kIn), array("out", 512, kOut), array("packed", 128, kIn),
                         array("absmax", 16, kIn), array("packed", 128, kOut), array("absmax_8bit", 4, kOut),
                         array("nested_absmax", 4, kOut), array("nested_quant_map", 1024, kOut),
                         array("nested_offset", 4, kOut), array("workspace", 24, Direction::workspace)}));
  LoraMerge p = lora_merge_4bit_sample();
  p.keep_absmax = 1;
  EXPECT_EQ(arrays_of(p),
            (std::vector{array("a", 768, kIn), array("b", 48, kIn), array("out", 512, kOut), array("packed", 128, kIn),
                         array("absmax", 16, kIn), array("packed", 128, kOut)}));
}

TEST(Arrays, of_rotated_int8) {
  EXPECT_EQ(arrays_of(rotated_int8_quantize_sample()),
            (std::vector{array("in", 384, kIn), array("q", 192, kOut), array("scale", 12, kOut)}));
  std::vector weight = {array("packed", 64, kIn),       array("absmax_8bit", 2, kIn),
                        array("nested_absmax", 4, kIn), array("nested_quant_map", 1024, kIn),
                        array("nested_offset", 4, kIn), array("scale", 8, kOut)};
  EXPECT_EQ(arrays_of(rotated_int8_weight_sample<RotatedInt8WeightScales>(QFUSE_FORWARD)), weight);
  weight.back() = array("scale", 8, kIn);
  weight.push_back(array("q", 128, kOut));
  EXPECT_EQ(arrays_of(rotated_int8_weight_sample<RotatedInt8Weight>(QFUSE_FORWARD)), weight);
  RotatedInt8Matmul p = rotated_int8_matmul_sample(7);
  p.out_stride = 6;
  p.addend = detail::asked<void>();
  EXPECT_EQ(arrays_of(p),
            (std::vector{array("in_q", 192, kIn), array("in_scale", 12, kIn), array("weight_q", 320, kIn),
                         array("weight_scale", 20, kIn), array("lora_in", 42, kIn), array("lora_weight", 70, kIn),
                         array("addend", 30, kIn), array("out", 34, kOut)}));
}

TEST(Arrays, of_rotated_int8_swiglu) {
  RotatedInt8Swiglu p = rotated_int8_swiglu_sample(QFUSE_FORWARD);
  p.gate_stride = 72;
  EXPECT_EQ(arrays_of(p), (std::vector{array("gate", 416, kIn), array("up", 384, kIn), array("q", 192, kOut),
                                       array("scale", 12, kOut)}));
  p = rotated_int8_swiglu_sample(QFUSE_BACKWARD);
  p.out = detail::asked<void>();
  EXPECT_EQ(arrays_of(p), (std::vector{array("gate", 384, kIn), array("up", 384, kIn), array("grad_y", 384, kIn),
                                       array("q", 384, kOut), array("scale", 24, kOut), array("out", 768, kOut)}));
}

TEST(Arrays, of_swiglu) {
  EXPECT_EQ(arrays_of(swiglu_sample(true, true)),
            (std::vector{array("x", 1024, kIn), array("grad_y", 512, kIn), array("grad_input.q", 512, kOut),
                         array("grad_input.s", 16, kOut), array("y_t.q", 256, kOut), array("y_t.s", 512, kOut)}));
  EXPECT_EQ(arrays_of(swiglu_sample(true, false)),
            (std::vector{array("x", 1024, kIn), array("grad_y", 512, kIn), array("grad_input.q", 512, kOut),
                         array("grad_input.s", 16, kOut)}));
  EXPECT_EQ(arrays_of(swiglu_sample(false, true)),
            (std::vector{array("x", 1024, kIn), array("y_t.q", 256, kOut), array("y_t.s", 512, kOut)}));
  EXPECT_EQ(arrays_of(swiglu_sample(false, false, true)),
            (std::vector{array("x", 1024, kIn), array("grad_y", 512, kIn), array("grad_input_t.q", 512, kOut),
                         array("grad_input_t.s", 1024, kOut)}));
  EXPECT_EQ(arrays_of(swiglu_forward_sample()),
            (std::vector{array("x", 1024, kIn), array("y_t.q", 256, kOut), array("y_t.s", 512, kOut),
                         array("y.q", 256, kOut), array("y.s", 8, kOut)}));
  const std::vector<Array> weighted = arrays_of(swiglu_weighted_sample());
  EXPECT_EQ((std::vector(weighted.end() - 3, weighted.end())),
            (std::vector{array("weights", 8, kIn), array("grad_weights", 8, kOut),
                         array("workspace", 8, Direction::workspace)}));
  Swiglu mn_major = swiglu_sample(true, false);
  mn_major.format.scale_layout = QFUSE_SCALES_MN_MAJOR;
  EXPECT_EQ(arrays_of(mn_major)[3].size, 2 * 4 * 4) << "two groups of two tokens, rounded up to four";
  Swiglu apart = swiglu_sample(true, false);
  apart.x_stride = 300;
  apart.grad_y_stride = 129;
  EXPECT_EQ(arrays_of(apart)[0].size, (300 + 256) * 2) << "the gap between the rows, and none after the last";
  EXPECT_EQ(arrays_of(apart)[1].size, (129 + 128) * 2);
}

// ---- empty calls ----

template <class Op>
void expect_empty(Op p, const char* what) {
  SCOPED_TRACE(std::string(Op::kName) + ", " + what);
  EXPECT_TRUE(is_empty(p));
  EXPECT_EQ(arrays_of(p), std::vector<Array>{});
  EXPECT_EQ(bytes(p), 0);
  EXPECT_TRUE(check(p).ok()) << check(p).message;
}

TEST(Arrays, of_nothing_are_none) {
  for (const bool nested : {false, true}) {
    Dequantize4bit d = dequantize_4bit_sample(nested);
    d.weight.rows = 0;
    expect_empty(d, "no rows");
    Quantize4bit q = quantize_4bit_sample(nested);
    q.weight.cols = 0;
    float offset = 0;
    q.given_offset = &offset;
    q.importance = nested ? nullptr : &offset;
    expect_empty(q, "no columns");
  }
  QuantizeBlockwise q = quantize_blockwise_sample();
  q.n = 0;
  expect_empty(q, "no values");
  DequantizeBlockwise d = dequantize_blockwise_sample();
  d.n = 0;
  expect_empty(d, "no codes");
  DequantizeInt8 i = dequantize_int8_sample();
  i.rows = 0;
  expect_empty(i, "no rows");
  i = dequantize_int8_sample();
  i.cols = 0;
  expect_empty(i, "no columns");
  Dequantize4bit rows = dequantize_4bit_rows_sample();
  rows.weight.rows = 0;
  expect_empty(rows, "no rows");
  rows = dequantize_4bit_rows_sample();
  rows.weight.cols = 0;
  expect_empty(rows, "no columns");
  DequantizeFp8 f = dequantize_fp8_sample();
  f.rows = 0;
  expect_empty(f, "no rows");
  f = dequantize_fp8_sample();
  f.cols = 0;
  expect_empty(f, "no columns");
  LoraMerge l = lora_merge_sample(3);
  l.rows = 0;
  expect_empty(l, "no rows");
  l = lora_merge_sample(3);
  l.cols = 0;
  expect_empty(l, "no columns");
  RotatedInt8Quantize r = rotated_int8_quantize_sample();
  r.rows = 0;
  expect_empty(r, "no rows");
  r = rotated_int8_quantize_sample();
  r.cols = 0;
  expect_empty(r, "no columns");
  RotatedInt8Matmul m = rotated_int8_matmul_sample(5);
  m.m = 0;
  expect_empty(m, "no tokens");
  m = rotated_int8_matmul_sample(5);
  m.n = 0;
  expect_empty(m, "no outputs");
  Swiglu s = swiglu_sample(true, true);
  s.m = 0;
  expect_empty(s, "no tokens");
  s = swiglu_sample(true, true);
  s.h = 0;
  expect_empty(s, "no channels");
}

// ---- missing and overlapping arrays of every op ----

// Sets the pointer of the array `name` to `to`.
class Move {
 public:
  Move(std::string name, const void* to) : name_(std::move(name)), to_(to) {}
  template <class T>
  void operator()(const char* name, T*& array, std::int64_t /*size*/) {
    if (name_ == name) array = static_cast<T*>(const_cast<void*>(to_));
  }
  void operator()(const char* name, void*& array, std::int64_t size, Workspace /*marks it*/) {
    (*this)(name, array, size);
  }

 private:
  std::string name_;
  const void* to_;
};

template <class Op>
Outcome check_with_moved(Op p, const char* name, const void* to) {
  Move move(name, to);
  visit_arrays(p, move);
  return check(p);
}

TEST(Arrays, of_matmul_4bit_grouped) {
  Matmul4bitGrouped p{};
  p.weight = dequantize_4bit_sample(true).weight;
  p.weight.rows = 3;
  p.weight.cols = 96;
  p.weight.blocksize = 64;
  p.weight.nested_blocksize = 4;
  p.dtype = QFUSE_BFLOAT16;
  p.m = 2;
  p.experts = 1;
  p.nested_each = 1;  // an expert has four and a half blocks
  EXPECT_EQ(arrays_of(p),
            (std::vector{array("packed", 144, kIn), array("absmax_8bit", 5, kIn), array("nested_absmax", 8, kIn),
                         array("nested_quant_map", 1024, kIn), array("nested_offset", 4, kIn), array("in", 384, kIn),
                         array("expert_ends", 4, kIn), array("out", 12, kOut)}));
}

// Arrays that may be NULL: optional ones, and those whose presence selects the kind of call.
bool is_optional(const std::string& op_name, const std::string& name) {
  if (name == "bias") return op_name.find("matmul") != std::string::npos;
  if (name == "out") return op_name.find("swiglu") != std::string::npos;
  if (name.starts_with("global_") || name == "zero_points" || name == "addend") return true;
  return name == "given_offset" || name == "importance" || name == "weights" || name == "grad_weights";
}

template <class Op>
void expect_missing_arrays_refused(const std::string& op_name, const Op& p) {
  for (const Array& array : arrays_of(p)) {
    const Outcome outcome = check_with_moved(p, array.name, nullptr);
    const bool is_map_out = std::string(array.name) == "nested_quant_map" && array.direction == kOut;
    if (is_optional(op_name, array.name) || is_map_out) {
      EXPECT_TRUE(outcome.ok()) << op_name << ", " << array.name << ": " << outcome.message;
      continue;
    }
    EXPECT_EQ(outcome.status, QFUSE_INVALID_ARGUMENT) << op_name << ", " << array.name;
    const std::string name = array.name;
    const bool scales = (name == "absmax" || name == "absmax_8bit") && op_name.find("blockwise") == std::string::npos;
    const std::string product = op_name.starts_with(Matmul4bitMany::kName) ? "products[0]: " : "";
    EXPECT_EQ(outcome.message,
              product + (scales ? "absmax and absmax_8bit are both NULL: one of them must hold the scales"
                                : name + " is NULL, it must hold " + std::to_string(array.size) + " bytes"));
  }
}

TEST(Arrays, missing_ones_are_refused) {
  for_each_sample(
      [](const std::string& name, const auto& p, const Arena& /*arena*/) { expect_missing_arrays_refused(name, p); });
}

// Places the first byte of each output on the last byte of each other array, which fails, and just behind it.
template <class Op>
void expect_overlap_refused(const std::string& op_name, const Op& p) {
  const std::vector<Array> arrays = arrays_of(p);
  for (const Array& written : arrays) {
    if (written.direction == kIn) continue;
    for (const Array& other : arrays) {
      if (other == written) continue;
      const std::string pair = op_name + ", " + written.name + " on " + other.name;
      const auto* const end = static_cast<const std::uint8_t*>(other.data) + other.size;
      const Outcome outcome = check_with_moved(p, written.name, end - 1);
      EXPECT_EQ(outcome.status, QFUSE_INVALID_ARGUMENT) << pair;
      EXPECT_NE(outcome.message.find(" overlaps "), std::string::npos) << pair << ": " << outcome.message;
      for (const char* name : {written.name, other.name})
        EXPECT_NE((outcome.message + " ").find(std::string(" ") + name + " "), std::string::npos)
            << pair << ": " << outcome.message;
      EXPECT_TRUE(check_with_moved(p, written.name, end).ok()) << pair << ": arrays that touch do not overlap";
    }
  }
}

TEST(Arrays, what_is_written_may_overlap_nothing) {
  for_each_sample(
      [](const std::string& name, const auto& p, const Arena& /*arena*/) { expect_overlap_refused(name, p); });
}

TEST(Arrays, inputs_may_overlap) {
  for_each_sample([](const std::string& name, const auto& p, const Arena& /*arena*/) {
    const std::vector<Array> arrays = arrays_of(p);
    for (const Array& a : arrays) {
      for (const Array& b : arrays) {
        if (a.direction != kIn || b.direction != kIn) continue;
        EXPECT_TRUE(check_with_moved(p, a.name, b.data).ok()) << name << ", " << a.name << " on " << b.name;
      }
    }
  });
}

TEST(Arrays, overlap_is_told_by_direction_and_name) {
  Arena arena;
  const Quantize4bit q = placed(quantize_4bit_sample(true), arena);
  EXPECT_EQ(check_with_moved(q, "packed", q.in).message, "output packed overlaps input in");
  EXPECT_EQ(check_with_moved(q, "nested_offset", q.weight.packed).message,
            "output packed overlaps output nested_offset");
  EXPECT_EQ(check_with_moved(q, "workspace", q.in).message, "scratch memory workspace overlaps input in");
  EXPECT_EQ(check_with_moved(q, "workspace", q.weight.packed).message,
            "output packed overlaps scratch memory workspace");
}

TEST(Arrays, lora_merge_alone_may_write_over_its_input) {
  Arena arena;
  LoraMerge p = placed(lora_merge_sample(3), arena);
  EXPECT_EQ(check_with_moved(p, "out", p.in).message, "output out overlaps input in") << "fp32 over bf16";
  for (const qfuse_dtype dtype : {QFUSE_BFLOAT16, QFUSE_FLOAT16}) {
    p.out_dtype = dtype;
    EXPECT_TRUE(check_with_moved(p, "out", p.in).ok());
    EXPECT_EQ(check_with_moved(p, "out", static_cast<const char*>(p.in) + 2).message, "output out overlaps input in");
    EXPECT_EQ(check_with_moved(p, "out", p.a).message, "output out overlaps input a");
  }
  Matmul4bit m = matmul_4bit_sample(QFUSE_FORWARD, false);
  m.weight.rows = m.weight.cols;
  m = placed(m, arena);
  EXPECT_EQ(check_with_moved(m, "out", m.in).message, "output out overlaps input in");
}

TEST(Arrays, the_gaps_between_strided_rows_belong_to_the_array) {
  Arena arena;
  Swiglu p = placed(swiglu_sample(true, true), arena);
  p.x_stride = Arena::kSlot / 2;  // the second row is in the slot of the next array, which is an input
  EXPECT_TRUE(check(p).ok()) << check(p).message;
  p.x_stride = Arena::kSlot;  // here in the slot of an output
  EXPECT_EQ(check(p).message, "output grad_input.q overlaps input x");
}

TEST(Arrays, bytes_count_each_array_once) {
  // Read: 65 packed + 3 codes + 2 nested scales + 256 map entries + the offset. Written: 130 bf16.
  EXPECT_EQ(bytes(dequantize_4bit_sample(true)), 65 + 3 + 8 + 1024 + 4 + 260);
  EXPECT_EQ(bytes(dequantize_4bit_sample(false)), 65 + 3 * 4 + 260);
  // Read: 130 fp32. Written: 65 packed, 3 codes, 2 nested scales, 256 map entries, the offset. The workspace does not
  // count.
  EXPECT_EQ(bytes(quantize_4bit_sample(true)), 520 + 65 + 3 + 8 + 1024 + 4);
  EXPECT_EQ(bytes(dequantize_int8_sample()), 132 + 16 + 528);
  EXPECT_EQ(bytes(lora_merge_sample(3)), 264 + 396 + 48 + 528);
  Swiglu p = swiglu_sample(true, true);
  EXPECT_EQ(bytes(p), 1024 + 512 + 512 + 16 + 256 + 512);
  p.x_stride = 512;
  p.grad_y_stride = 512;
  EXPECT_EQ(bytes(p), 1024 + 512 + 512 + 16 + 256 + 512) << "gaps are not read";
  EXPECT_EQ(bytes(swiglu_sample(false, true)), 1024 + 256 + 512);
}

}  // namespace
}  // namespace qfuse::contract
