// Tests structs of callers built with other versions of qfuse.h: older structs are shorter, newer ones longer.
#include <gtest/gtest.h>
#include <qfuse/qfuse.h>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <functional>
#include <string>
#include <vector>

#include "capi/adopt.h"
#include "capi/call.h"
#include "support/buffer.h"
#include "support/samples.h"

namespace qfuse::tests {
namespace {

using capi::kLeastSize;

// The promised minimum sizes. A number here never changes after its release. All supported machines are 64-bit.
TEST(Structs, least_sizes_are_the_recorded_ones) {
  EXPECT_EQ(kLeastSize<qfuse_exec>, 40U);
  EXPECT_EQ(kLeastSize<qfuse_weight_4bit>, 56U);
  EXPECT_EQ(kLeastSize<qfuse_weight_4bit_out>, 56U);
  EXPECT_EQ(kLeastSize<qfuse_dequantize_4bit_params>, 32U);
  EXPECT_EQ(kLeastSize<qfuse_quantize_4bit_params>, 32U);
  EXPECT_EQ(kLeastSize<qfuse_quantize_blockwise_params>, 56U);
  EXPECT_EQ(kLeastSize<qfuse_dequantize_blockwise_params>, 64U);
  EXPECT_EQ(kLeastSize<qfuse_dequantize_int8_params>, 56U);
  EXPECT_EQ(kLeastSize<qfuse_lora_merge_params>, 80U);
  EXPECT_EQ(kLeastSize<qfuse_swiglu_params>, 152U);
  EXPECT_EQ(kLeastSize<qfuse_matmul_4bit_params>, 48U);
  EXPECT_EQ(kLeastSize<qfuse_matmul_4bit_many_params>, 48U);
  EXPECT_EQ(kLeastSize<qfuse_matmul_4bit_grouped_params>, 68U);
  EXPECT_EQ(kLeastSize<qfuse_rotated_int8_quantize_params>, 56U);
  EXPECT_EQ(kLeastSize<qfuse_rotated_int8_weight_scales_params>, 32U);
  EXPECT_EQ(kLeastSize<qfuse_rotated_int8_weight_params>, 40U);
  EXPECT_EQ(kLeastSize<qfuse_rotated_int8_matmul_params>, 80U);
  EXPECT_EQ(kLeastSize<qfuse_dequantize_fp8_params>, 72U);
  EXPECT_EQ(kLeastSize<qfuse_rotated_int8_swiglu_params>, 64U);
}

// ---- versions of one struct, through each function that takes it ----

// Calls the C interface with one struct of another version.
template <class Struct>
using Call = std::function<qfuse_status(const Struct*, qfuse_error*)>;

// Copies `value` into `size` bytes, truncated or zero-extended with `added` as the last byte; struct_size = `size`.
template <class Struct>
Buffer versioned(Struct value, std::size_t size, std::uint8_t added = 0) {
  value.struct_size = size;
  std::vector<std::uint8_t> bytes(std::max(size, sizeof(std::size_t)));
  std::memcpy(bytes.data(), &value, std::min(bytes.size(), sizeof value));
  if (size > sizeof value) bytes.back() = added;
  return copy_of(bytes, 0);
}

// Like versioned(), but poison follows the cut struct, where the fields are that an older struct lacks.
template <class Struct>
Buffer poisoned(Struct value, std::size_t size) {
  Buffer memory(sizeof value);
  value.struct_size = size;
  std::memcpy(memory.as<void>(), &value, size);
  return memory;
}

template <class Struct>
qfuse_status passed(const Call<Struct>& call, Buffer memory, std::string* message = nullptr) {
  qfuse_error error{};
  const qfuse_status status = call(memory.as<Struct>(), &error);
  if (message != nullptr) *message = error.message;
  return status;
}

// `value` is a valid struct whose optional fields are zero. The calls write to `arena`.
template <class Struct>
void expect_versions(const char* name, const Struct& value, Arena& arena, const Call<Struct>& call) {
  SCOPED_TRACE(name);
  std::string message;
  const std::vector<std::uint8_t> before = arena.bytes();
  ASSERT_EQ(passed(call, versioned(value, sizeof value), &message), QFUSE_OK) << message;
  const std::vector<std::uint8_t> expected = arena.bytes();
  ASSERT_NE(before, expected) << "nothing was written";

  // Every older version, and sizes that end within a field or its padding, which no version has.
  for (std::size_t size = kLeastSize<Struct>; size <= sizeof value; size += 4) {
    SCOPED_TRACE(size);
    arena.clear();
    EXPECT_EQ(passed(call, versioned(value, size), &message), QFUSE_OK) << message;
    EXPECT_EQ(arena.bytes(), expected);
    arena.clear();
    EXPECT_EQ(passed(call, poisoned(value, size), &message), QFUSE_OK) << message;
    EXPECT_EQ(arena.bytes(), expected) << "bytes behind the struct were read";
  }
  for (const std::size_t size : {std::size_t{0}, std::size_t{8}, kLeastSize<Struct> - 1}) {
    EXPECT_EQ(passed(call, versioned(value, size), &message), QFUSE_INVALID_ARGUMENT);
    EXPECT_EQ(message, std::string(name) + ".struct_size is " + std::to_string(size) +
                           ", it must be sizeof the struct, " + std::to_string(sizeof value));
  }

  // Newer versions.
  for (const std::size_t more : {1, 8, 200}) {
    arena.clear();
    EXPECT_EQ(passed(call, versioned(value, sizeof value + more), &message), QFUSE_OK) << message;
    EXPECT_EQ(arena.bytes(), expected);
    EXPECT_EQ(passed(call, versioned(value, sizeof value + more, 1), &message), QFUSE_UNSUPPORTED);
    EXPECT_EQ(message, std::string(name) + " uses fields that qfuse " + qfuse_version() + " does not know");
  }
}

template <class Struct>
void expect_versions_of_params(const Struct& params, Arena& arena,
                               qfuse_status (*function)(const Struct*, const qfuse_exec*, qfuse_error*)) {
  expect_versions<Struct>("params", params, arena,
                          [&](const Struct* c, qfuse_error* error) { return function(c, nullptr, error); });
}

// `function` is the C function that takes the sample's params.
template <class Struct, class Op>
void expect_versions_of(const Op& sample, qfuse_status (*function)(const Struct*, const qfuse_exec*, qfuse_error*)) {
  SCOPED_TRACE(Op::kName);
  Arena arena;
  Op p = placed(sample, arena);
  expect_versions_of_params(capi::as_caller<Struct>(p), arena, function);
}

TEST(Structs, versions_of_params) {
  expect_versions_of(dequantize_4bit_sample(false), qfuse_dequantize_4bit);
  expect_versions_of(quantize_4bit_sample(false), qfuse_quantize_4bit);
  expect_versions_of(quantize_blockwise_sample(), qfuse_quantize_blockwise);
  expect_versions_of(dequantize_blockwise_sample(), qfuse_dequantize_blockwise);
  expect_versions_of(dequantize_int8_sample(), qfuse_dequantize_int8);
  expect_versions_of(lora_merge_sample(3), qfuse_lora_merge);
  expect_versions_of(swiglu_sample(true, true), qfuse_swiglu);
  expect_versions_of(matmul_4bit_sample(QFUSE_FORWARD, false), qfuse_matmul_4bit);
  expect_versions_of(matmul_4bit_grouped_sample(QFUSE_FORWARD), qfuse_matmul_4bit_grouped);
  expect_versions_of(rotated_int8_quantize_sample(), qfuse_rotated_int8_quantize);
  expect_versions_of(rotated_int8_weight_sample<contract::RotatedInt8WeightScales>(QFUSE_FORWARD),
                     qfuse_rotated_int8_weight_scales);
  expect_versions_of(rotated_int8_weight_sample<contract::RotatedInt8Weight>(QFUSE_BACKWARD),
                     qfuse_rotated_int8_weight);
  expect_versions_of(rotated_int8_matmul_sample(0), qfuse_rotated_int8_matmul);
  expect_versions_of(dequantize_fp8_sample(), qfuse_dequantize_fp8);
  expect_versions_of(rotated_int8_swiglu_sample(QFUSE_FORWARD), qfuse_rotated_int8_swiglu);
  Arena arena;
  const capi::Products many(placed(matmul_4bit_many_sample(), arena));
  expect_versions_of_params(many.params, arena, qfuse_matmul_4bit_many);
}

TEST(Structs, versions_of_a_weight) {
  Arena arena;
  const contract::Dequantize4bit p = placed(dequantize_4bit_sample(false), arena);
  expect_versions<qfuse_weight_4bit>("params.weight", p.weight, arena,
                                     [&](const qfuse_weight_4bit* weight, qfuse_error* error) {
                                       const qfuse_dequantize_4bit_params c{sizeof c, weight, p.out_dtype, p.out};
                                       return qfuse_dequantize_4bit(&c, nullptr, error);
                                     });
}

TEST(Structs, versions_of_a_weight_to_be_written) {
  Arena arena;
  const contract::Quantize4bit p = placed(quantize_4bit_sample(false), arena);
  expect_versions<qfuse_weight_4bit_out>("params.weight", p.weight, arena,
                                         [&](const qfuse_weight_4bit_out* weight, qfuse_error* error) {
                                           qfuse_quantize_4bit_params c{};
                                           c.struct_size = sizeof c;
                                           c.in_dtype = p.in_dtype;
                                           c.in = p.in;
                                           c.weight = weight;
                                           return qfuse_quantize_4bit(&c, nullptr, error);
                                         });
}

TEST(Structs, versions_of_exec) {
  Arena arena;
  const contract::DequantizeInt8 p = placed(dequantize_int8_sample(), arena);
  qfuse_dequantize_int8_params c = p;
  c.struct_size = sizeof c;
  expect_versions<qfuse_exec>("exec", QFUSE_EXEC_INIT, arena, [&](const qfuse_exec* exec, qfuse_error* error) {
    return qfuse_dequantize_int8(&c, exec, error);
  });
}

// Fields beyond struct_size read as zero, even if the caller's memory holds a full struct.
TEST(Structs, a_cut_weight_is_plain) {
  Arena arena;
  contract::Dequantize4bit p = placed(dequantize_4bit_sample(true), arena);
  p.weight.struct_size = kLeastSize<qfuse_weight_4bit>;
  const qfuse_dequantize_4bit_params c{sizeof c, &p.weight, p.out_dtype, p.out};
  qfuse_error error{};
  EXPECT_EQ(qfuse_dequantize_4bit(&c, nullptr, &error), QFUSE_INVALID_ARGUMENT);
  EXPECT_STREQ(error.message, "absmax and absmax_8bit are both NULL: one of them must hold the scales");
}

TEST(Structs, null_ones_are_refused) {
  qfuse_error error{};
  EXPECT_EQ(qfuse_dequantize_4bit(nullptr, nullptr, &error), QFUSE_INVALID_ARGUMENT);
  EXPECT_STREQ(error.message, "params is NULL");
  qfuse_dequantize_4bit_params d{};
  d.struct_size = sizeof d;
  EXPECT_EQ(qfuse_dequantize_4bit(&d, nullptr, &error), QFUSE_INVALID_ARGUMENT);
  EXPECT_STREQ(error.message, "params.weight is NULL");
  qfuse_quantize_4bit_params q{};
  q.struct_size = sizeof q;
  EXPECT_EQ(qfuse_quantize_4bit(&q, nullptr, &error), QFUSE_INVALID_ARGUMENT);
  EXPECT_STREQ(error.message, "params.weight is NULL");
  Arena arena;
  capi::Products m(placed(matmul_4bit_many_sample(), arena));
  m.products[0].weight = nullptr;
  EXPECT_EQ(qfuse_matmul_4bit_many(&m.params, nullptr, &error), QFUSE_INVALID_ARGUMENT);
  EXPECT_STREQ(error.message, "products[0]: weight is NULL");
  m.params.products = nullptr;
  EXPECT_EQ(qfuse_matmul_4bit_many(&m.params, nullptr, &error), QFUSE_INVALID_ARGUMENT);
  EXPECT_STREQ(error.message, "products is NULL, it must hold 1");
}

}  // namespace
}  // namespace qfuse::tests
