// Each expert's rows must have the bytes of the oracle's single product with its part of the stack. Rows of no expert,
// and gaps, must keep their bytes.
#include "cases/matmul_4bit_grouped.h"

#include <gtest/gtest.h>
#include <qfuse/qfuse.h>

#include <algorithm>
#include <array>
#include <cstdint>
#include <cstdlib>
#include <functional>
#include <limits>
#include <memory>
#include <qfuse/qfuse.hpp>
#include <random>
#include <string>
#include <vector>

#include "support/buffer.h"
#include "support/compare.h"
#include "support/displaced.h"
#include "support/output.h"
#include "support/quick.h"
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
  return p.direction == QFUSE_FORWARD && p.lora_rank == 0 && c.cols % 64 == 0 && c.blocksize >= 64 &&
         !has_row_scales(c.quant_type);
}

// Expected out if experts end at `ends`, which may decrease: an expert begins at the greatest end before it.
std::vector<std::uint8_t> expected_outputs(Matmul4bitGrouped p, const GroupedCase& c, const GroupedInput& in,
                                           const std::vector<std::int64_t>& ends) {
  std::vector<std::uint8_t> out(output_bytes(p), kPoison);
  p.out = out.data();
  std::int64_t begin = 0;
  for (std::int64_t e = 0; e < p.experts; ++e) {
    const std::int64_t end = std::clamp(ends[static_cast<std::size_t>(e)], begin, p.m);
    if (end > begin) {
      const std::vector<float> absmax = decoded_absmax(c, in, e);
      qfuse_error error{};
      const qfuse_exec exec = oracle();
      EXPECT_EQ(call(single_product(p, c, absmax, e, begin, end), &exec, &error), QFUSE_OK) << error.message;
    }
    begin = end;
  }
  return out;
}

// Calls body(call, for_each) for each kind of sum that the dtype allows; for_each runs the devices that support it.
template <class Body>
void for_each_sum(const GroupedCase& c, Matmul4bitGrouped p, const Body& body) {
  using Ways = std::function<void(const std::function<void(const qfuse_exec&)>&)>;
  p.sum = QFUSE_SUM_FP32;
  body(p, Ways([](const auto& on) { for_each_way<Matmul4bitGrouped>(on); }));
  if (p.dtype == QFUSE_BFLOAT16)
    for (const qfuse_sum sum : {QFUSE_SUM_BF16_DOT, QFUSE_SUM_BF16_AMX}) {
      p.sum = sum;
      body(p, Ways([=](const auto& on) { for_each_cpu_way_with(sum, on); }));
    }
  if (p.dtype == QFUSE_FLOAT32 || !gpu_adds_as_the_oracle(p.dtype)) return;
  for (const qfuse_sum sum : {QFUSE_SUM_PLAIN, QFUSE_SUM_SPLIT, QFUSE_SUM_FACTORED}) {
    if (sum == QFUSE_SUM_FACTORED && !has_factored_order(c, p)) continue;
    SCOPED_TRACE("sum " + std::to_string(sum));
    p.sum = sum;
    body(p, Ways([](const auto& on) { for_each_gpu_way(on); }));
  }
}

class GroupedCases : public testing::TestWithParam<GroupedCase> {};

TEST_P(GroupedCases, every_way_gives_the_bytes_of_the_oracles_single_products) {
  const GroupedCase& c = GetParam();
  std::size_t turn = 0;
  for (const qfuse_direction direction : {QFUSE_FORWARD, QFUSE_BACKWARD})
    for (const qfuse_dtype dtype : {QFUSE_FLOAT32, QFUSE_FLOAT16, QFUSE_BFLOAT16}) {
      if (direction == QFUSE_BACKWARD && c.forward_only) continue;
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
      p.bias = turn % 3 == 1 ? nullptr : bias.as<void>();
      p.lora_in = lora_in.as<void>();
      p.lora_weight = lora_weight.as<void>();
      if (turn % 2 == 1) {
        p.expert_ends = in.ends64.data();
        p.ends_type = QFUSE_INDEX_INT64;
      }
      ++turn;
      for_each_sum(c, p, [&](const Matmul4bitGrouped& call, const auto& for_each) {
        const std::vector<std::uint8_t> expected = expected_outputs(call, c, in, in.ends64);
        for_each([&](const qfuse_exec& exec) { expect_output(call, expected, exec, misalignment); });
      });
    }
}

INSTANTIATE_TEST_SUITE_P(Risks, GroupedCases, testing::ValuesIn(kGroupedCases), risk_name<GroupedCase>);

// Writes NaN into all of an expert's own data, except its codes.
void fill_with_nan(const GroupedCase& c, const Matmul4bitGrouped& p, std::int64_t expert, GroupedInput& in) {
  const auto size = static_cast<std::int64_t>(qfuse_dtype_size(p.dtype));
  const auto fill = [&](std::vector<std::uint8_t>& values, std::int64_t begin, std::int64_t end) {
    std::fill(values.begin() + begin * size, values.begin() + end * size, std::uint8_t{0xff});
  };
  const auto fill_floats = [&](std::vector<float>& values, std::int64_t count) {
    std::fill_n(values.begin() + expert * count, count, std::numeric_limits<float>::quiet_NaN());
  };
  const std::int64_t outputs = output_count(any_product(p));
  const std::int64_t begin = expert == 0 ? 0 : in.ends64[static_cast<std::size_t>(expert) - 1];
  const std::int64_t end = in.ends64[static_cast<std::size_t>(expert)];
  fill(in.in, begin * in_stride(any_product(p)), end * in_stride(any_product(p)));
  fill(in.lora_in, begin * p.lora_rank, end * p.lora_rank);
  fill(in.lora_weight, expert * outputs * p.lora_rank, (expert + 1) * outputs * p.lora_rank);
  fill(in.bias, expert * outputs, (expert + 1) * outputs);
  if (c.nested_blocksize == 0) fill_floats(in.stack.absmax, block_count(c));
  if (!c.nested_each) return;
  if (has_row_scales(c.quant_type)) return fill_floats(in.stack.global, 1);
  fill_floats(in.stack.nested_absmax, qfuse_block_count(block_count(c), c.nested_blocksize));
  fill_floats(in.offsets, 1);
}

// Writes NaN into every second expert, the even ones and then the odd ones or only one of these. The rows of the
// others, between them, must not change.
void expect_nan_stays_where_it_is(const GroupedCase& c, const Matmul4bitGrouped& clean, const GroupedInput& in,
                                  const std::vector<std::uint8_t>& expected, const qfuse_exec& exec, int only = -1) {
  for (const std::int64_t parity : {0, 1}) {
    if (only >= 0 && parity != only) continue;
    GroupedInput spoiled = in;
    for (std::int64_t e = parity; e < clean.experts; e += 2) fill_with_nan(c, clean, e, spoiled);
    Matmul4bitGrouped p = make_params(c, clean.direction, clean.dtype, spoiled);
    p.sum = clean.sum;
    const Buffer out = output_of(p, exec);
    const auto row_bytes = static_cast<std::int64_t>(qfuse_dtype_size(p.dtype)) * out_stride(any_product(p));
    for (std::int64_t e = 1 - parity; e < p.experts; e += 2) {
      SCOPED_TRACE("expert " + std::to_string(e));
      const std::int64_t begin = e == 0 ? 0 : in.ends64[static_cast<std::size_t>(e) - 1];
      const std::int64_t rows = in.ends64[static_cast<std::size_t>(e)] - begin;
      ASSERT_TRUE(same_bytes(expected.data() + begin * row_bytes, out.data() + begin * row_bytes, rows * row_bytes));
    }
  }
}

TEST(Matmul4bitGrouped, an_experts_rows_see_nothing_of_others) {
  for (const GroupedCase& c :
       {GroupedCase{"LoRA", {2, 3, 1, 9}, 72, 192, 64, QFUSE_NF4, 0, false, 0, 0, 24},
        GroupedCase{"nested by itself", {3, 1, 2, 9}, 24, 256, 64, QFUSE_NF4, 8, true},
        GroupedCase{"NVFP4, a factor each", {3, 1, 2, 9}, 24, 256, 16, QFUSE_E2M1, kFactor, true},
        GroupedCase{"nested by itself, a nested block in part", {3, 1, 2, 9}, 24, 256, 64, QFUSE_NF4, 64, true}})
    for (const qfuse_direction direction : {QFUSE_FORWARD, QFUSE_BACKWARD}) {
      SCOPED_TRACE(std::string(c.risk) + ", " + title(direction, dtype_of_gpu()));
      const GroupedInput in = make_input(c, direction, dtype_of_gpu());
      for_each_sum(c, make_params(c, direction, dtype_of_gpu(), in), [&](const auto& call, const auto& for_each) {
        const std::vector<std::uint8_t> expected = expected_outputs(call, c, in, in.ends64);
        for_each([&](const qfuse_exec& exec) { expect_nan_stays_where_it_is(c, call, in, expected, exec); });
      });
    }
}

// Calls that every tile shape of stages supports; tests/software_gpu selects one shape after another.
const std::vector<GroupedCase> kStagedGroups = {
    {"stages of uneven experts", {5, 0, 70, 1, 0, 3}, 136, 192, 64, QFUSE_NF4, 16},
    {"stages with LoRA, nested by itself", {3, 66}, 264, 192, 64, QFUSE_FP4, 8, true, 0, 0, 24},
    {"several tiles of tokens", {130, 2, 257}, 40, 128, 64, QFUSE_NF4, 0, false, 3},
    {"more tiles than blocks, of experts who have none", one_each_but(40, 3), 72, 64, 128},
    {"more stages of LoRA than slots", {2, 0, 1}, 72, 64, 64, QFUSE_NF4, 256, false, 0, 8, 1104},
    {"stages of MXFP4, with LoRA", {5, 0, 67}, 72, 192, 32, QFUSE_E2M1, 256, false, 2, 0, 8},
    {"stages of MXFP4, scales of every kind", one_each_but(16, 5), 136, 64, 32, QFUSE_E2M1, 256, false, 0, 0, 0, false,
     AbsmaxKind::extreme},
    {"stages of MXFP4, the least scales",
     {2, 0, 3},
     136,
     192,
     32,
     QFUSE_E2M1,
     256,
     false,
     0,
     0,
     0,
     false,
     AbsmaxKind::subnormal},
    {"stages of INT4", {5, 0, 67}, 72, 384, 128, QFUSE_INT4, kBfloat16Scales},
};

// The kernel register_weights has no tables of these.
const std::vector<GroupedCase> kSmallBlockGroups = {
    {"stages of NVFP4, with LoRA", {5, 0, 67}, 72, 192, 16, QFUSE_E2M1, kFactor, false, 2, 0, 8},
    {"stages of NVFP4, a divisor each", {0, 5, 70, 0, 3}, 136, 192, 16, QFUSE_E2M1, kDivisor, true, 2, 0, 8},
    {"stages of NVFP4, many factors", one_each_but(40, 3), 72, 64, 16, QFUSE_E2M1, kFactor, true},
    {"stages of INT4 in groups of 32, with LoRA", {5, 0, 67}, 72, 192, 32, QFUSE_INT4, kFloat16Scales, false, 2, 0, 8},
};

const std::vector<GroupedCase> kMultistageGroups = {
    {"uneven experts, half a stage", {5, 0, 20, 1, 0, 3}, 40, 96, 32, QFUSE_NF4, 16},
    {"nested by itself with LoRA, a part of a nested block", {3, 18}, 72, 64, 64, QFUSE_FP4, 256, true, 2, 8, 9},
};

void expect_staged_groups(const std::vector<GroupedCase>& cases, qfuse_direction direction,
                          const std::vector<qfuse_dtype>& dtypes = {QFUSE_FLOAT16, QFUSE_BFLOAT16}) {
  for (const GroupedCase& c : cases)
    for (const qfuse_dtype dtype : dtypes) {
      if (kQuick ? dtype != dtype_of_gpu() : !gpu_adds_as_the_oracle(dtype)) continue;
      SCOPED_TRACE(std::string(c.risk) + ", " + title(direction, dtype));
      const GroupedInput in = make_input(c, direction, dtype);
      Matmul4bitGrouped p = make_params(c, direction, dtype, in);
      p.sum = QFUSE_SUM_PLAIN;
      const std::vector<std::uint8_t> expected = expected_outputs(p, c, in, in.ends64);
      for_each_gpu_way([&](const qfuse_exec& exec) {
        expect_output(p, expected, exec);
        if (c.nested_each && dtype == dtype_of_gpu())
          expect_nan_stays_where_it_is(c, p, in, expected, exec, kQuick ? static_cast<int>(direction) % 2 : -1);
      });
    }
}

TEST(Matmul4bitGroupedStages, forward) {
  if (!gpu_adds_as_the_oracle()) GTEST_SKIP() << "there is no Hopper here";
  expect_staged_groups(kStagedGroups, QFUSE_FORWARD);
}
TEST(Matmul4bitGroupedStages, backward) {
  if (!gpu_adds_as_the_oracle()) GTEST_SKIP() << "there is no Hopper here";
  expect_staged_groups(kStagedGroups, QFUSE_BACKWARD);
  expect_staged_groups(kSmallBlockGroups, QFUSE_BACKWARD);
}
TEST(Matmul4bitGroupedStages, of_small_blocks) {
  if (!gpu_adds_as_the_oracle()) GTEST_SKIP() << "there is no Hopper here";
  expect_staged_groups(kSmallBlockGroups, QFUSE_FORWARD);
}
// For the tile of few tokens.
TEST(Matmul4bitGroupedBf16Stages, forward) {
  if (!gpu_adds_as_the_oracle()) GTEST_SKIP() << "there is no Hopper here";
  expect_staged_groups(kStagedGroups, QFUSE_FORWARD, {QFUSE_BFLOAT16});
  expect_staged_groups(kSmallBlockGroups, QFUSE_FORWARD, {QFUSE_BFLOAT16});
}
TEST(Matmul4bitGroupedMultistage, forward) {
  if (!gpu_adds_as_the_oracle()) GTEST_SKIP() << "there is no Hopper here";
  expect_staged_groups(kMultistageGroups, QFUSE_FORWARD);
}
TEST(Matmul4bitGroupedMultistage, backward) {
  if (!gpu_adds_as_the_oracle()) GTEST_SKIP() << "there is no Hopper here";
  expect_staged_groups(kMultistageGroups, QFUSE_BACKWARD);
}

// Ends in GPU memory cannot be checked. Each lane of the warp that scans them has four.
std::vector<std::vector<std::int64_t>> ends_that_run_backwards() {
  std::vector<std::int64_t> of_several_scans(140, 3);
  of_several_scans[2] = 9;
  of_several_scans[130] = 11;
  of_several_scans[139] = 14;
  return {{7, 3, 9, 14},
          {-5, 2, 2, 1},
          {20, 0, 3, 14},
          {0, 0, 0, std::int64_t{1} << 40},
          {9, 9, 1, 9, 3, 3, 0, 3, 6, 12, 2, 14},
          of_several_scans};
}

TEST(Matmul4bitGrouped, ends_that_run_backwards_are_harmless_on_a_gpu) {
  for (const qfuse_dtype dtype : {QFUSE_FLOAT32, dtype_of_gpu()})
    for (const std::vector<std::int64_t>& ends : ends_that_run_backwards()) {
      SCOPED_TRACE(title(QFUSE_FORWARD, dtype));
      const GroupedCase c{"backwards", std::vector<std::int64_t>(ends.size()), 24, 128, 64, QFUSE_NF4, 16, false, 14};
      const GroupedInput in = make_input(c, QFUSE_FORWARD, dtype);
      Matmul4bitGrouped p = make_params(c, QFUSE_FORWARD, dtype, in);
      if (dtype != QFUSE_FLOAT32 && !gpu_adds_as_the_oracle()) continue;
      p.sum = dtype == QFUSE_FLOAT32 ? QFUSE_SUM_FP32 : QFUSE_SUM_PLAIN;
      const std::vector<std::uint8_t> expected = expected_outputs(p, c, in, ends);
      p.expert_ends = ends.data();
      p.ends_type = QFUSE_INDEX_INT64;
      for_each_gpu_way([&](const qfuse_exec& exec) { expect_output(p, expected, exec); });
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
  expect_refused([](P& p) { p.lora_rank = INT64_MAX / 4; }, "more than memory can hold");
  expect_refused([](P& p) { p.sum = QFUSE_SUM_PLAIN; }, "sum is", QFUSE_UNSUPPORTED);
}

TEST(Matmul4bitGrouped, nothing_is_done_without_experts_or_rows) {
  Matmul4bitGrouped p{};
  p.weight = plain_weight(0, 64, nullptr, nullptr);
  p.dtype = QFUSE_BFLOAT16;
  p.m = 3;
  for_each_way<Matmul4bitGrouped>([&](const qfuse_exec& exec) { EXPECT_EQ(run(p, exec, nullptr), QFUSE_OK); });
}

// The largest allowed number of experts, or fewer in builds where that takes long. On a GPU the kernel is one whose
// blocks search for their experts once.
TEST(Matmul4bitGrouped, a_million_experts) {
  constexpr std::int64_t kExperts = std::int64_t{1} << (kQuick ? 17 : 20);
  GroupedCase c{"a million experts", std::vector<std::int64_t>(kExperts), 1, 64, 64, QFUSE_NF4, 0};
  for (const std::int64_t e : {kExperts / 2 + 3, kExperts - 1}) c.tokens[static_cast<std::size_t>(e)] = 2;
  const GroupedInput in = make_input(c, QFUSE_FORWARD, dtype_of_gpu());
  Matmul4bitGrouped p = make_params(c, QFUSE_FORWARD, dtype_of_gpu(), in);
  p.sum = QFUSE_SUM_FP32;
  qfuse_exec exec = QFUSE_EXEC_INIT;
  expect_output(p, expected_outputs(p, c, in, in.ends64), exec);
  if (!gpu_adds_as_the_oracle()) return;
  p.sum = QFUSE_SUM_PLAIN;
  exec.device = {QFUSE_CUDA, 0};
  expect_output(p, expected_outputs(p, c, in, in.ends64), exec);
}

// Zeros that use no memory until they are written.
struct Free {
  void operator()(void* memory) const { std::free(memory); }
};
template <class T>
std::unique_ptr<T[], Free> zeros(std::int64_t count) {
  return std::unique_ptr<T[], Free>(static_cast<T*>(std::calloc(static_cast<std::size_t>(count), sizeof(T))));
}

// A stack in which only expert 1, those around element 2^31, and the last have nonzero weights, and two tokens each.
struct HugeStack {
  static constexpr std::int64_t kRows = 512;
  static constexpr std::int64_t kCols = 256;
  static constexpr std::int64_t kEach = kRows * kCols;
  static constexpr std::int64_t kExperts = (std::int64_t{1} << 31) / kEach + 5;
  static constexpr std::int64_t kBlocksize = 64;
  static constexpr std::array kOwners = {std::int64_t{1}, kExperts - 6, kExperts - 5, kExperts - 1};

  HugeStack() {
    for (const std::int64_t e : kOwners) {
      for (std::int64_t i = e * kEach / 2; i < (e + 1) * kEach / 2; ++i)
        packed[static_cast<std::size_t>(i)] = static_cast<std::uint8_t>(random());
      for (std::int64_t i = e * kEach / kBlocksize; i < (e + 1) * kEach / kBlocksize; ++i)
        absmax[static_cast<std::size_t>(i)] = 1.0F + static_cast<float>(i % 7);
      for (std::int64_t after = e; after < kExperts; ++after) ends[static_cast<std::size_t>(after)] += 2;
    }
  }
  [[nodiscard]] Matmul4bitGrouped params(qfuse_direction direction) const {
    Matmul4bitGrouped p{};
    p.weight = plain_weight(kExperts * kRows, kCols, packed.get(), absmax.get());
    p.direction = direction;
    p.dtype = dtype_of_gpu();
    p.m = ends.back();
    p.experts = kExperts;
    p.expert_ends = ends.data();
    return p;
  }
  [[nodiscard]] std::vector<std::uint8_t> expected(const Matmul4bitGrouped& p) const {
    std::vector<std::uint8_t> out(output_bytes(p));
    contract::Matmul4bit one = any_product(p);
    one.m = 2;
    for (std::size_t i = 0; i < kOwners.size(); ++i) {
      one.weight.packed = packed.get() + kOwners[i] * kEach / 2;
      one.weight.absmax = absmax.get() + kOwners[i] * kEach / kBlocksize;
      one.in = static_cast<const std::uint16_t*>(p.in) + 2 * static_cast<std::int64_t>(i) * term_count(one);
      one.out = out.data() + i * out.size() / kOwners.size();
      EXPECT_EQ(run(one, oracle(), nullptr), QFUSE_OK);
    }
    return out;
  }

  std::mt19937 random{31};
  std::unique_ptr<std::uint8_t[], Free> packed = zeros<std::uint8_t>(kExperts * kEach / 2);
  std::unique_ptr<float[], Free> absmax = zeros<float>(kExperts * kEach / kBlocksize);
  std::vector<std::int32_t> ends = std::vector<std::int32_t>(kExperts);
};

TEST(Matmul4bitGrouped, a_stack_of_more_than_two_to_the_31_elements) {
  HugeStack stack;
  for (const qfuse_direction direction : {QFUSE_FORWARD, QFUSE_BACKWARD}) {
    Matmul4bitGrouped p = stack.params(direction);
    const std::vector<std::uint8_t> in =
        random_values(p.m * term_count(any_product(p)), p.dtype, InputKind::normal, stack.random);
    p.in = in.data();
    const GroupedCase c{"huge", {}, HugeStack::kRows, HugeStack::kCols};
    for_each_sum(c, p, [&](Matmul4bitGrouped call, const auto& for_each) {
      const std::vector<std::uint8_t> expected = stack.expected(call);
      for_each([&](const qfuse_exec& exec) {
        const bool is_in_fp32 = call.sum == QFUSE_SUM_FP32;
        if (is_in_fp32 == (exec.device.type == QFUSE_CUDA)) return;  // one kind of sum per device
        std::vector<std::uint8_t> out(expected.size());
        call.out = out.data();
        const bool has_own_memory = exec.device.type == QFUSE_CUDA && !has_software_gpu();
        ASSERT_EQ(has_own_memory ? run(call, exec, nullptr) : tests::call(call, &exec), QFUSE_OK);
        ASSERT_EQ(out, expected);
      });
    });
  }
}

// Nested blocks have more blocks than the kernel counts, and the part begins at the end of one.
TEST(Matmul4bit, a_part_at_the_end_of_a_large_nested_block) {
  const Matmul4bitCase whole{"part", 3, 2, 4096, 4096, QFUSE_NF4, 16};
  for (const qfuse_direction direction : {QFUSE_FORWARD, QFUSE_BACKWARD}) {
    const Matmul4bitInput in = make_input(whole, direction, dtype_of_gpu());
    contract::Matmul4bit p = make_params(whole, direction, dtype_of_gpu(), in);
    for (const std::int64_t blocks_before : {(std::int64_t{1} << 25) - 1, (std::int64_t{1} << 40) - 2}) {
      p.weight.nested_begin = blocks_before;
      p.weight.nested_blocksize = std::int64_t{1} << 41;
      const std::vector<float> scales = {in.weight.nested_absmax[0], std::numeric_limits<float>::quiet_NaN()};
      p.weight.nested_absmax = scales.data();
      contract::Matmul4bit alone = p;
      alone.weight.nested_begin = 0;
      for (const qfuse_sum sum : {QFUSE_SUM_FP32, QFUSE_SUM_PLAIN}) {
        if (sum == QFUSE_SUM_PLAIN && !gpu_adds_as_the_oracle()) continue;
        alone.sum = p.sum = sum;
        const Buffer expected = output_of(alone, oracle());
        const auto expect = [&](const qfuse_exec& exec) { expect_output(p, expected, exec); };
        sum == QFUSE_SUM_FP32 ? for_each_way<contract::Matmul4bit>(expect) : for_each_gpu_way(expect);
      }
    }
  }
}

// A single product supports parts of a nested weight by nested_begin.
TEST(Matmul4bit, a_part_of_a_nested_weight_has_the_bytes_of_the_whole) {
  const Matmul4bitCase whole{"whole", 3, 48, 320, 64, QFUSE_NF4, 16};
  for (const qfuse_dtype dtype : {QFUSE_FLOAT32, QFUSE_FLOAT16, QFUSE_BFLOAT16}) {
    const Matmul4bitInput in = make_input(whole, QFUSE_FORWARD, dtype);
    contract::Matmul4bit p = make_params(whole, QFUSE_FORWARD, dtype, in);
    p.sum = QFUSE_SUM_FP32;
    for_each_way<contract::Matmul4bit>([&](const qfuse_exec& exec) {
      const Buffer all = output_of(p, exec);
      for (const std::int64_t first : {1, 7, 20}) {
        contract::Matmul4bit part = p;
        const std::int64_t blocks = first * whole.cols / whole.blocksize;
        part.weight.rows = whole.rows - first;
        part.weight.packed += first * whole.cols / 2;
        part.weight.absmax_8bit += blocks;
        part.weight.nested_absmax += blocks / whole.nested_blocksize;
        part.weight.nested_begin = blocks % whole.nested_blocksize;
        const Buffer out = output_of(part, exec);
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
