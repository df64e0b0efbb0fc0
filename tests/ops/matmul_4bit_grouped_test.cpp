// The rows of each expert have the bytes of a single product with its part of the stack, by the oracle; rows of nobody,
// and gaps, keep theirs.
#include "cases/matmul_4bit_grouped.h"

#include <gtest/gtest.h>
#include <qfuse/qfuse.h>

#include <array>
#include <cstdint>
#include <functional>
#include <qfuse/qfuse.hpp>
#include <span>
#include <string>
#include <vector>

#include "support/buffer.h"
#include "support/compare.h"
#include "support/displaced.h"
#include "support/risk.h"
#include "support/run.h"
#include "support/ways.h"

namespace qfuse::tests {
namespace {

using contract::Matmul4bitGrouped;

std::string title(qfuse_direction direction, qfuse_dtype dtype) {
  return std::string(direction == QFUSE_FORWARD ? "forward" : "backward") + " in dtype " + std::to_string(dtype);
}

bool has_factored_order(const GroupedCase& c, const Matmul4bitGrouped& p) {
  return p.direction == QFUSE_FORWARD && p.lora_rank == 0 && c.cols % 64 == 0 && c.blocksize >= 64;
}

// What out has if experts end at `ends`, which may run backwards: an expert begins at the greatest end before it.
std::vector<std::uint8_t> expected_outputs(Matmul4bitGrouped p, const GroupedCase& c, const GroupedInput& in,
                                           const std::vector<std::int64_t>& ends) {
  std::vector<std::uint8_t> out(output_bytes(p), kPoison);
  p.out = out.data();
  std::int64_t begin = 0;
  for (std::int64_t e = 0; e < p.experts; ++e) {
    const std::int64_t end = std::clamp(ends[static_cast<std::size_t>(e)], begin, p.m);
    const std::vector<float> absmax = decoded_absmax(c, in, e);
    qfuse_error error{};
    const qfuse_exec exec = oracle();
    if (end > begin) {
      EXPECT_EQ(call(single_product(p, c, absmax, e, begin, end), &exec, &error), QFUSE_OK) << error.message;
    }
    begin = end;
  }
  return out;
}

void expect_outputs(Matmul4bitGrouped p, const std::vector<std::uint8_t>& expected, const qfuse_exec& exec,
                    std::size_t misalignment = 0) {
  Buffer out(expected.size(), misalignment);
  p.out = out.as<void>();
  qfuse_error error{};
  ASSERT_EQ(run(p, exec, &error), QFUSE_OK) << error.message;
  ASSERT_TRUE(same_bytes(expected.data(), out.data(), static_cast<std::int64_t>(out.size())));
  ASSERT_TRUE(out.front_is_intact());
}

// Calls body(call, for_each way) with the sums that calls in the dtype can have, and where.
template <class Body>
void for_each_accumulation(const GroupedCase& c, Matmul4bitGrouped p, const Body& body) {
  using Ways = std::function<void(const std::function<void(const qfuse_exec&)>&)>;
  p.accumulation = QFUSE_ACCUMULATION_FP32;
  body(p, Ways([](const auto& on) { for_each_way<Matmul4bitGrouped>(on); }));
  if (p.dtype == QFUSE_BFLOAT16)
    for (const qfuse_accumulation accumulation : {QFUSE_ACCUMULATION_BF16_DOT, QFUSE_ACCUMULATION_BF16_AMX}) {
      p.accumulation = accumulation;
      body(p, Ways([=](const auto& on) { for_each_cpu_way_with(accumulation, on); }));
    }
  if (p.dtype == QFUSE_FLOAT32 || !gpu_adds_as_the_oracle()) return;
  p.accumulation = QFUSE_ACCUMULATION_TENSOR_CORE;
  for (const qfuse_sum_order order : {QFUSE_ORDER_PLAIN, QFUSE_ORDER_SPLIT, QFUSE_ORDER_FACTORED}) {
    if (order == QFUSE_ORDER_FACTORED && !has_factored_order(c, p)) continue;
    SCOPED_TRACE("order " + std::to_string(order));
    p.order = order;
    body(p, Ways([](const auto& on) { for_each_gpu_way(on); }));
  }
}

class GroupedCases : public testing::TestWithParam<GroupedCase> {};

TEST_P(GroupedCases, every_way_gives_the_bytes_of_the_oracles_single_products) {
  const GroupedCase& c = GetParam();
  std::size_t turn = 0;
  for (const qfuse_direction direction : {QFUSE_FORWARD, QFUSE_BACKWARD})
    for (const qfuse_dtype dtype : {QFUSE_FLOAT32, QFUSE_FLOAT16, QFUSE_BFLOAT16}) {
      SCOPED_TRACE(title(direction, dtype));
      const std::size_t misalignment = turn % 2 == 0 ? 0 : kMisalignments.back();
      const GroupedInput in = make_input(c, direction, dtype);
      Matmul4bitGrouped p = make_params(c, direction, dtype, in);
      DisplacedWeight weight(in.stack, misalignment, misalignment);
      Buffer offsets = copy_of(in.offsets, misalignment);
      weight.point(p.weight);
      if (c.nested_each) p.weight.nested_offset = offsets.as<float>();
      Buffer x = copy_of(in.in, misalignment);
      Buffer bias = copy_of(in.bias, misalignment);
      Buffer lora_in = copy_of(in.lora_in, misalignment);
      Buffer lora_weight = copy_of(in.lora_weight, misalignment);
      p.in = x.as<void>();
      p.bias = turn % 3 == 2 ? nullptr : bias.as<void>();
      p.lora_in = lora_in.as<void>();
      p.lora_weight = lora_weight.as<void>();
      if (turn % 2 == 1) {
        p.expert_ends = in.ends64.data();
        p.ends_type = QFUSE_INDEX_INT64;
      }
      ++turn;
      for_each_accumulation(c, p, [&](const Matmul4bitGrouped& call, const auto& for_each) {
        const std::vector<std::uint8_t> expected = expected_outputs(call, c, in, in.ends64);
        for_each([&](const qfuse_exec& exec) { expect_outputs(call, expected, exec, misalignment); });
      });
    }
}

INSTANTIATE_TEST_SUITE_P(Risks, GroupedCases, testing::ValuesIn(kGroupedCases), risk_name<GroupedCase>);

// Calls that every shape of the tiles of stages is for: tests/software_gpu asks for one after the other.
const std::vector<GroupedCase> kStagedGroups = {
    {"stages of uneven experts", {5, 0, 70, 1, 0, 3}, 136, 192, 64, QFUSE_NF4, 16},
    {"stages with LoRA, nested by itself", {3, 66}, 264, 192, 64, QFUSE_FP4, 8, true, 0, 0, 24},
    {"several tiles of tokens", {130, 2, 257}, 40, 128, 64, QFUSE_NF4, 0, false, 3},
    {"more tiles than blocks, of experts who have none", one_each_but(40, 3), 72, 64, 128},
    {"more stages of LoRA than slots", {2, 0, 1}, 72, 64, 64, QFUSE_NF4, 256, false, 0, 8, 1104},
};

void expect_staged_groups(qfuse_direction direction) {
  for (const GroupedCase& c : kStagedGroups)
    for (const qfuse_dtype dtype : {QFUSE_FLOAT16, QFUSE_BFLOAT16}) {
      if (kQuick && dtype == QFUSE_FLOAT16) continue;
      SCOPED_TRACE(std::string(c.risk) + ", " + title(direction, dtype));
      const GroupedInput in = make_input(c, direction, dtype);
      Matmul4bitGrouped p = make_params(c, direction, dtype, in);
      p.accumulation = QFUSE_ACCUMULATION_TENSOR_CORE;
      const std::vector<std::uint8_t> expected = expected_outputs(p, c, in, in.ends64);
      for_each_gpu_way([&](const qfuse_exec& exec) { expect_outputs(p, expected, exec); });
    }
}

TEST(Matmul4bitGroupedStages, forward) {
  if (!gpu_adds_as_the_oracle()) GTEST_SKIP() << "there is no Hopper here";
  expect_staged_groups(QFUSE_FORWARD);
}
TEST(Matmul4bitGroupedStages, backward) {
  if (!gpu_adds_as_the_oracle()) GTEST_SKIP() << "there is no Hopper here";
  expect_staged_groups(QFUSE_BACKWARD);
}

// Nobody can refuse ends that lie on a GPU.
TEST(Matmul4bitGrouped, ends_that_run_backwards_are_harmless_on_a_gpu) {
  const GroupedCase c{"backwards", {3, 4, 2, 5}, 24, 128, 64, QFUSE_NF4, 16};
  for (const qfuse_dtype dtype : {QFUSE_FLOAT32, QFUSE_BFLOAT16})
    for (std::vector<std::int64_t> ends :
         {std::vector<std::int64_t>{7, 3, 9, 14}, {-5, 2, 2, 1}, {20, 0, 3, 14}, {0, 0, 0, std::int64_t{1} << 40}}) {
      SCOPED_TRACE(title(QFUSE_FORWARD, dtype));
      const GroupedInput in = make_input(c, QFUSE_FORWARD, dtype);
      Matmul4bitGrouped p = make_params(c, QFUSE_FORWARD, dtype, in);
      if (dtype != QFUSE_FLOAT32 && !gpu_adds_as_the_oracle()) continue;
      p.accumulation = dtype == QFUSE_FLOAT32 ? QFUSE_ACCUMULATION_FP32 : QFUSE_ACCUMULATION_TENSOR_CORE;
      const std::vector<std::uint8_t> expected = expected_outputs(p, c, in, ends);
      p.expert_ends = ends.data();
      p.ends_type = QFUSE_INDEX_INT64;
      for_each_gpu_way([&](const qfuse_exec& exec) { expect_outputs(p, expected, exec); });
    }
}

TEST(Matmul4bitGrouped, refuses_what_the_manual_refuses) {
  const GroupedCase c{"refused", {2, 3}, 16, 128};
  const auto expect_refused = [&](const std::function<void(Matmul4bitGrouped&)>& spoil, const std::string& message,
                                  qfuse_status status = QFUSE_INVALID_ARGUMENT) {
    const GroupedInput in = make_input(c, QFUSE_FORWARD, QFUSE_BFLOAT16);
    Matmul4bitGrouped p = make_params(c, QFUSE_FORWARD, QFUSE_BFLOAT16, in);
    std::vector<std::uint8_t> out(output_bytes(p), kPoison);
    p.out = out.data();
    spoil(p);
    qfuse_error error{};
    EXPECT_EQ(call(p, nullptr, &error), status) << message;
    EXPECT_TRUE(std::string(error.message).find(message) != std::string::npos)
        << error.message << "\nis not: " << message;
    EXPECT_EQ(out, std::vector<std::uint8_t>(out.size(), kPoison)) << "something was written";
  };
  using P = Matmul4bitGrouped;
  expect_refused([](P& p) { p.experts = -1; }, "experts is -1, it must be 0 to 1048576");
  expect_refused([](P& p) { p.experts = 3; }, "rows is 32, it must be a multiple of experts, 3");
  expect_refused([](P& p) { p.experts = 0; }, "experts is 0, but expert_ends is given");
  expect_refused([](P& p) { p.expert_ends = nullptr; }, "expert_ends is NULL");
  expect_refused([](P& p) { p.expert_ends = static_cast<const std::uint8_t*>(p.expert_ends) + 1; },
                 "expert_ends must be aligned to its elements, 4 bytes");
  expect_refused([](P& p) { p.ends_type = static_cast<qfuse_index_type>(2); }, "ends_type is 2");
  expect_refused([](P& p) { p.m = 4; },
                 "expert_ends[1] is 5, it must be at least 2, where the expert begins, and at most m, 4");
  expect_refused([](P& p) { p.nested_each = 2; }, "nested_each is 2, it must be 0 or 1");
  expect_refused([](P& p) { p.weight.nested_begin = 1; }, "nested_begin is 1, it must be 0 of a stack");
  expect_refused([](P& p) { p.weight.blocksize = 4096; },
                 "an expert has 2048 elements, which are not whole blocks of 4096");
  expect_refused([](P& p) { p.dtype = static_cast<qfuse_dtype>(7); }, "dtype is 7");
  expect_refused([](P& p) { p.in_stride = 5; }, "in_stride is 5");
  expect_refused([](P& p) { p.m = -1; }, "m is -1");
  expect_refused([](P& p) { p.in = nullptr; }, "in is NULL");
  expect_refused([](P& p) { p.out = const_cast<void*>(p.in); }, "overlap");
  expect_refused([](P& p) { p.lora_rank = INT64_MAX / 4; }, "more than memory can hold");
  expect_refused([](P& p) { p.accumulation = QFUSE_ACCUMULATION_TENSOR_CORE; }, "accumulation is", QFUSE_UNSUPPORTED);
}

TEST(Matmul4bitGrouped, nothing_is_done_without_experts_or_rows) {
  Matmul4bitGrouped p{};
  p.weight = flat_weight(0, 64, QFUSE_NF4);
  p.weight.rows = 0;
  p.weight.cols = 64;
  p.dtype = QFUSE_BFLOAT16;
  p.m = 3;
  for_each_way<Matmul4bitGrouped>([&](const qfuse_exec& exec) { EXPECT_EQ(run(p, exec, nullptr), QFUSE_OK); });
}

// A part of a nested weight, for which a single product has nested_begin.
TEST(Matmul4bit, a_part_of_a_nested_weight_has_the_bytes_of_the_whole) {
  const Matmul4bitCase whole{"whole", 3, 48, 320, 64, QFUSE_NF4, 16};
  for (const qfuse_dtype dtype : {QFUSE_FLOAT32, QFUSE_FLOAT16, QFUSE_BFLOAT16}) {
    const Matmul4bitInput in = make_input(whole, QFUSE_FORWARD, dtype);
    contract::Matmul4bit p = make_params(whole, QFUSE_FORWARD, dtype, in);
    p.accumulation = QFUSE_ACCUMULATION_FP32;
    std::vector<std::uint8_t> all(output_bytes(p));
    p.out = all.data();
    for_each_way<contract::Matmul4bit>([&](const qfuse_exec& exec) {
      ASSERT_EQ(run(p, exec, nullptr), QFUSE_OK);
      for (const std::int64_t first : {1, 7, 20}) {
        contract::Matmul4bit part = p;
        const std::int64_t blocks = first * whole.cols / whole.blocksize;
        part.weight.rows = whole.rows - first;
        part.weight.packed += first * whole.cols / 2;
        part.weight.absmax_8bit += blocks;
        part.weight.nested_absmax += blocks / whole.nested_blocksize;
        part.weight.nested_begin = blocks % whole.nested_blocksize;
        std::vector<std::uint8_t> out(output_bytes(part));
        part.out = out.data();
        ASSERT_EQ(run(part, exec, nullptr), QFUSE_OK);
        const std::size_t size = qfuse_dtype_size(dtype);
        for (std::int64_t i = 0; i < whole.m; ++i)
          ASSERT_TRUE(same_bytes(all.data() + static_cast<std::size_t>(i * whole.rows + first) * size,
                                 out.data() + static_cast<std::size_t>(i * part.weight.rows) * size,
                                 part.weight.rows * static_cast<std::int64_t>(size)));
      }
    });
  }
}

}  // namespace
}  // namespace qfuse::tests
