// Tests plans as values: printed, listed as candidates, and forced by text.
#include "contract/plan.h"

#include <gtest/gtest.h>

#include <array>
#include <string>
#include <vector>

namespace qfuse::contract {
namespace {

struct TestPlan {
  static constexpr const char* kOp = "test_op";
  int threads;
  bool wide;
  [[nodiscard]] std::array<Field, 2> fields() const { return {{field("threads", threads), field("wide", wide)}}; }
};

const std::vector<TestPlan> kCandidates = {{256, false}, {256, true}, {512, true}};

TEST(Plan, prints_its_fields) {
  EXPECT_EQ(print(TestPlan{512, true}.fields()), "threads=512 wide=1");
  EXPECT_EQ(print(std::vector<Field>{}), "");
}

// Forces the chosen plan (256 threads, wide) by `text`; returns the resulting plan or the message.
std::string forced(const std::string& text) {
  TestPlan plan = kCandidates[1];
  const Outcome outcome = force(text, kCandidates, plan);
  EXPECT_EQ(outcome.ok(), outcome.message.empty());
  return outcome.ok() ? print(plan.fields()) : outcome.message;
}

TEST(Plan, is_forced_by_its_fields) {
  EXPECT_EQ(forced("test_op:threads=512"), "threads=512 wide=1");
  EXPECT_EQ(forced("test_op:wide=0"), "threads=256 wide=0");
  EXPECT_EQ(forced("test_op:wide=1"), "threads=256 wide=1") << "the first of those";
  EXPECT_EQ(forced("test_op:wide=1,threads=512"), "threads=512 wide=1");
  EXPECT_EQ(forced("other:threads=7;test_op:threads=512;more:x=y"), "threads=512 wide=1");
  EXPECT_EQ(forced("test_op:wide=1;test_op:threads=512"), "threads=512 wide=1") << "both entries count";
}

TEST(Plan, stays_where_nothing_is_asked_of_it) {
  EXPECT_EQ(forced(""), "threads=256 wide=1");
  EXPECT_EQ(forced("other:threads=7"), "threads=256 wide=1");
}

TEST(Plan, that_no_call_can_have_is_refused_with_those_that_it_can) {
  TestPlan plan = kCandidates[1];
  const Outcome outcome = force("test_op:threads=512,wide=0", kCandidates, plan);
  EXPECT_EQ(outcome.status, QFUSE_UNSUPPORTED);
  EXPECT_EQ(outcome.message,
            "QFUSE_PLAN asks for threads=512 wide=0, this call can have: threads=256 wide=0; threads=256 wide=1; "
            "threads=512 wide=1");
  EXPECT_EQ(print(plan.fields()), "threads=256 wide=1") << "the plan stays as it was";
  EXPECT_EQ(force("test_op:width=1", kCandidates, plan).status, QFUSE_UNSUPPORTED) << "no such field";
}

TEST(Plan, texts_of_another_form_are_refused) {
  for (const std::string text : {"test_op", "threads=512", ";", "test_op:threads=512;;", "test_op:", "test_op:threads",
                                 "test_op:threads=512,", "test_op:=512", ":threads=512", "test_op:threads="}) {
    std::vector<Field> asked;
    const Outcome outcome = parse_forced(text, "test_op", asked);
    EXPECT_EQ(outcome.status, QFUSE_INVALID_ARGUMENT) << text;
    EXPECT_NE(outcome.message.find("it must be <op>:<field>=<value>,..."), std::string::npos) << outcome.message;
  }
}

}  // namespace
}  // namespace qfuse::contract
