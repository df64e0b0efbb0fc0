// Products of one input by several weights must have the bytes of single products, which matmul_4bit_test.cpp compares
// with the oracle.
#include <gtest/gtest.h>
#include <qfuse/qfuse.h>

#include <algorithm>
#include <cstdint>
#include <functional>
#include <qfuse/qfuse.hpp>
#include <span>
#include <string>
#include <vector>

#include "cases/matmul_4bit.h"
#include "support/buffer.h"
#include "support/risk.h"
#include "support/run.h"
#include "support/ways.h"

namespace qfuse::tests {
namespace {

using contract::Matmul4bitMany;

struct ManyCase {
  const char* risk;
  std::vector<Matmul4bitCase> products;  // m, cols and the gap of `in` are taken from the first
};

const std::vector<ManyCase> kManyCases = {
    {"no product", {}},
    {"one product", {{"", 3, 40, 128}}},
    {"q k v", {{"", 1, 64, 192}, {"", 1, 24, 192}, {"", 1, 24, 192}}},
    {"many tokens", {{"", 19, 64, 128}, {"", 19, 72, 128}}},
    {"weights of other formats",
     {{"", 5, 40, 128},
      {"", 5, 33, 128, 32, QFUSE_FP4, 0},
      {.risk = "", .m = 5, .rows = 16, .cols = 128, .blocksize = 128, .nested_blocksize = 16}}},
    {"odd columns", {{"", 2, 19, 45, 64, QFUSE_NF4, 0}, {"", 2, 33, 45, 64, QFUSE_FP4, 0}}},
    {"rows apart",
     {{.risk = "", .m = 4, .rows = 40, .cols = 64, .gap = 24}, {.risk = "", .m = 4, .rows = 24, .cols = 64, .gap = 8}}},
    {"LoRA of some",
     {{.risk = "", .m = 3, .rows = 40, .cols = 64, .lora_rank = 8},
      {"", 3, 24, 64},
      {.risk = "", .m = 3, .rows = 24, .cols = 64, .lora_rank = 13}}},
    {"one launch", {{"", 3, 40, 512}, {"", 3, 24, 512}, {"", 3, 17, 512}}},
    {"more than one launch has, plain",
     {{"", 2, 16, 256, 64, QFUSE_FP4, 0},
      {"", 2, 8, 256, 64, QFUSE_FP4, 0},
      {"", 2, 33, 256, 64, QFUSE_FP4, 0},
      {"", 2, 16, 256, 64, QFUSE_FP4, 0},
      {"", 2, 24, 256, 64, QFUSE_FP4, 0}}},
    {"one launch, chains in several rounds", {{"", 1, 24, 4608}, {"", 1, 16, 4608}}},
    {"two formats, too many for a launch", {{"", 2, 16, 256}, {"", 2, 16, 256, 64, QFUSE_FP4}}},
    {"nested and plain, too many for a launch", {{"", 2, 16, 256}, {"", 2, 16, 256, 64, QFUSE_NF4, 0}}},
    {"MXFP4, one launch", {{"", 3, 40, 576, 32, QFUSE_E2M1}, {"", 3, 24, 576, 32, QFUSE_E2M1}}},
    {"NVFP4", {{"", 3, 40, 576, 16, QFUSE_E2M1}, {"", 3, 24, 576, 16, QFUSE_E2M1, kDivisor}}},
    {"INT4, one launch", {{"", 3, 40, 640, 128, QFUSE_INT4}, {"", 3, 24, 640, 128, QFUSE_INT4}}},
    {"INT4 and NF4, and two types of scales",
     {{"", 2, 16, 256, 64, QFUSE_INT4}, {"", 2, 16, 256}, {"", 2, 16, 256, 64, QFUSE_INT4, kFloat32Scales}}},
    {"MXFP4 and NF4 in blocks of 32", {{"", 2, 16, 256, 32, QFUSE_E2M1}, {"", 2, 16, 256, 32}}},
    {"a weight without rows", {{"", 3, 40, 64}, {"", 3, 0, 64}, {"", 3, 24, 64}}},
    {"no tokens", {{"", 0, 40, 64}, {"", 0, 24, 64}}},
};

// A call, and the single products, with other outputs, whose bytes it must have. The second product has no bias.
class Many {
 public:
  Many(const ManyCase& c, qfuse_dtype dtype) {
    params.dtype = dtype;
    for (const Matmul4bitCase& product : c.products) inputs_.push_back(make_input(product, QFUSE_FORWARD, dtype));
    for (std::size_t i = 0; i < c.products.size(); ++i) add(c.products[i], inputs_[i], i != 1);
    poison();
  }

  void poison() {
    for (auto* all : {&outs, &expected})
      for (auto& out : *all) std::ranges::fill(out, kPoison);
  }

  Matmul4bitMany params{};
  std::vector<contract::Matmul4bit> singles;
  std::vector<std::vector<std::uint8_t>> outs;
  std::vector<std::vector<std::uint8_t>> expected;  // outputs of the single products

 private:
  void add(const Matmul4bitCase& c, const Matmul4bitInput& in, bool has_bias) {
    contract::Matmul4bit& one = singles.emplace_back(make_params(c, QFUSE_FORWARD, params.dtype, in));
    one.in = singles.front().in;
    one.in_stride = singles.front().in_stride;
    one.bias = has_bias ? in.bias.data() : nullptr;
    one.out = expected.emplace_back(output_bytes(one)).data();
    params.m = one.m;
    params.in = one.in;
    params.in_stride = one.in_stride;
    contract::Matmul4bitProduct& product = params.products.emplace_back();
    product.weight = one.weight;
    product.out = outs.emplace_back(output_bytes(one)).data();
    product.out_stride = one.out_stride;
    product.bias = one.bias;
    product.lora_rank = one.lora_rank;
    product.lora_in = one.lora_in;
    product.lora_weight = one.lora_weight;
  }

  std::vector<Matmul4bitInput> inputs_;
};

class Matmul4bitManyCases : public testing::TestWithParam<ManyCase> {};

// Compares one call. If it is refused, a single product must be refused too, and nothing may be written.
void expect_singles_bytes(Many& many, const qfuse_exec& exec) {
  many.poison();
  const auto untouched = many.outs;
  qfuse_error error{};
  const qfuse_status status = run(many.params, exec, &error);
  bool is_one_refused = many.singles.empty();
  for (contract::Matmul4bit& one : many.singles) {
    one.sum = many.params.sum;
    const qfuse_status single_status = run(one, exec, nullptr);
    is_one_refused = is_one_refused || single_status == status;
    if (status == QFUSE_OK) {
      ASSERT_EQ(single_status, QFUSE_OK);
    }
  }
  if (status == QFUSE_OK) {
    ASSERT_EQ(many.outs, many.expected);
  } else {
    ASSERT_TRUE(is_one_refused) << error.message;
    ASSERT_EQ(many.outs, untouched) << error.message;
  }
}

TEST_P(Matmul4bitManyCases, every_way_gives_the_bytes_of_single_products) {
  for (const qfuse_dtype dtype : {QFUSE_FLOAT32, QFUSE_FLOAT16, QFUSE_BFLOAT16}) {
    Many many(GetParam(), dtype);
    for_each_way([&](const qfuse_exec& exec) {
      for (int sum = QFUSE_SUM_OF_DEVICE; sum <= QFUSE_SUM_BF16_AMX; ++sum) {
        SCOPED_TRACE("dtype " + std::to_string(dtype) + ", sum " + std::to_string(sum));
        many.params.sum = static_cast<qfuse_sum>(sum);
        expect_singles_bytes(many, exec);
        if (HasFatalFailure()) return;
      }
    });
  }
}

INSTANTIATE_TEST_SUITE_P(Risks, Matmul4bitManyCases, testing::ValuesIn(kManyCases), risk_name<ManyCase>);

TEST(Matmul4bitMany, refuses_what_the_manual_refuses_and_begins_nothing) {
  const ManyCase c{"refused", {{"", 3, 40, 128}, {"", 3, 24, 128}, {"", 3, 16, 128, 64, QFUSE_NF4, 0}}};
  const auto expect_refused = [&](const std::function<void(Matmul4bitMany&)>& spoil, const std::string& message,
                                  qfuse_status expected = QFUSE_INVALID_ARGUMENT) {
    Many many(c, QFUSE_BFLOAT16);
    const std::vector<std::uint8_t> before = many.outs[0];
    spoil(many.params);
    qfuse_error error{};
    EXPECT_EQ(call(many.params, nullptr, &error), expected) << message;
    EXPECT_TRUE(std::string(error.message).starts_with(message)) << error.message << "\nis not: " << message;
    EXPECT_EQ(many.outs[0], before) << "something was written";
  };
  using P = Matmul4bitMany;
  // fields shared by all products
  expect_refused([](P& p) { p.dtype = static_cast<qfuse_dtype>(3); }, "dtype is 3");
  expect_refused([](P& p) { p.m = -1; }, "m is -1");
  expect_refused([](P& p) { p.sum = static_cast<qfuse_sum>(9); }, "sum is 9");
  expect_refused([](P& p) { p.sum = QFUSE_SUM_PLAIN; }, "sum is QFUSE_SUM_PLAIN, which CUDA alone has",
                 QFUSE_UNSUPPORTED);
  // fields of one product
  expect_refused([](P& p) { p.in = nullptr; }, "products[0]: in is NULL");
  expect_refused([](P& p) { p.in_stride = 127; }, "products[0]: in_stride is 127");
  expect_refused([](P& p) { p.products[2].weight.rows = -1; }, "products[2]: rows is -1");
  expect_refused([](P& p) { p.products[2].weight.packed = nullptr; }, "products[2]: packed is NULL");
  expect_refused([](P& p) { p.products[1].out = nullptr; }, "products[1]: out is NULL");
  expect_refused([](P& p) { p.products[1].out_stride = 23; }, "products[1]: out_stride is 23");
  expect_refused([](P& p) { p.products[1].lora_rank = -2; }, "products[1]: lora_rank is -2");
  expect_refused(
      [](P& p) {
        p.products[1].lora_rank = 2;
        p.products[1].lora_in = nullptr;
      },
      "products[1]: lora_in is NULL");
  expect_refused([](P& p) { p.products[2].out = const_cast<void*>(p.in); },
                 "products[2]: output out overlaps input in");
  // two products together
  expect_refused([](P& p) { p.products[1].weight.cols = 64; },
                 "products[1]: cols is 64, it must be that of products[0], 128");
  expect_refused([](P& p) { p.products[2].out = p.products[0].out; },
                 "products[0]: output out overlaps output out of products[2]");
  expect_refused([](P& p) { p.products[1].out = const_cast<std::uint8_t*>(p.products[2].weight.packed); },
                 "products[1]: output out overlaps input packed of products[2]");
}

TEST(Matmul4bitMany, a_negative_count_is_refused) {
  qfuse_matmul_4bit_many_params p{};
  p.struct_size = sizeof p;
  p.count = -1;
  qfuse_error error{};
  EXPECT_EQ(qfuse_matmul_4bit_many(&p, nullptr, &error), QFUSE_INVALID_ARGUMENT);
  EXPECT_STREQ(error.message, "count is -1, it must not be negative");
}

// Some models share a weight between layers.
TEST(Matmul4bitMany, products_may_share_a_weight) {
  const ManyCase c{"shared", {{"", 3, 40, 128}, {"", 3, 40, 128}}};
  Many many(c, QFUSE_FLOAT32);
  many.params.products[1].weight = many.params.products[0].weight;
  many.params.products[1].bias = many.params.products[0].bias;
  ASSERT_EQ(call(many.params), QFUSE_OK);
  EXPECT_EQ(many.outs[0], many.outs[1]);
}

TEST(Matmul4bitMany, the_cpp_interface_gives_the_same_bytes) {
  const ManyCase c{"cpp", {{"", 3, 40, 128, 64, QFUSE_NF4, 0}, {"", 3, 24, 128, 64, QFUSE_NF4, 0}}};
  Many many(c, QFUSE_BFLOAT16);
  ASSERT_EQ(call(many.params), QFUSE_OK);
  std::vector<std::vector<std::uint8_t>> outs;
  std::vector<MatmulProduct> products;
  for (std::size_t i = 0; i < 2; ++i) {
    const qfuse_weight_4bit& w = many.params.products[i].weight;
    const auto n = static_cast<std::size_t>(w.rows * w.cols);
    outs.emplace_back(many.outs[i].size());
    products.push_back(
        {.weight = {.rows = w.rows, .cols = w.cols, .packed = {w.packed, n / 2}, .absmax = {w.absmax, n / 64}},
         .out = {}});
    if (i == 0) products[i].bias = {static_cast<const std::byte*>(many.params.products[i].bias), 2 * 40};
  }
  for (std::size_t i = 0; i < 2; ++i) products[i].out = std::as_writable_bytes(std::span(outs[i]));
  const std::span<const std::byte> in(static_cast<const std::byte*>(many.params.in), 3 * 128 * 2);
  matmul_4bit_many(3, in, products, Dtype::bfloat16);
  EXPECT_EQ(outs[0], many.outs[0]);
  EXPECT_EQ(outs[1], many.outs[1]);
}

}  // namespace
}  // namespace qfuse::tests
