// The plan file of a sharded conversion, which anyone may have written.
#include "checkpoint/output/shards_plan.h"

#include <qfuse/checkpoint.hpp>
#include <set>
#include <utility>

#include "support.h"

namespace qfuse::checkpoint {
namespace {

std::string plan_with(const std::string& files, const std::string& others = "[]", const std::string& shards = "2",
                      const std::string& folders = "[]") {
  return R"({"qfuse":")" + std::string(qfuse_version()) + R"(","shards":)" + shards + R"(,"files":)" + files +
         R"(,"folders":)" + folders + R"(,"others":)" + others + "}";
}

std::string plan_file(const std::string& name, const std::string& tensors = "{}") {
  return R"([{"name":")" + name + R"(","tensors":)" + tensors + "}]";
}

TEST(ShardsPlan, is_read_as_it_was_written) {
  const ShardsPlan plan =
      parse_shards_plan(plan_with(plan_file("a.safetensors", R"({"w":{"dtype":"BF16","shape":[2,3]}})"),
                                  R"(["b","c/d/e"])", "2", R"(["c","c/d"])"),
                        "plan");
  EXPECT_EQ(plan.shards, 2);
  ASSERT_EQ(plan.files.size(), 1U);
  EXPECT_EQ(plan.files[0].name, "a.safetensors");
  ASSERT_EQ(plan.files[0].tensors.size(), 1U);
  EXPECT_EQ(plan.files[0].tensors[0].name, "w");
  EXPECT_EQ(plan.files[0].tensors[0].type, TensorType::bf16);
  EXPECT_EQ(plan.files[0].tensors[0].shape, (std::vector<std::int64_t>{2, 3}));
  EXPECT_EQ(plan.others, (std::set<std::string>{"b", "c/d/e"}));
  EXPECT_EQ(plan.folders, (std::set<std::string>{"c", "c/d"}));
}

TEST(ShardsPlan, of_a_stranger_is_refused) {
  const std::string good = plan_file("a");
  const std::vector<std::pair<std::string, std::string>> cases{
      {"", "is not valid JSON"},
      {"[]", "'qfuse' is missing or wrong"},
      {"{}", "'qfuse' is missing or wrong"},
      {std::string(200, '['), "nested more than"},
      {R"({"qfuse":"0.0.0"})", "is of qfuse 0.0.0, and this is"},
      {R"({"qfuse":1})", "'qfuse' is missing or wrong"},
      {plan_with(good, "[]", "0"), "has no shards"},
      {plan_with(good, "[]", "-1"), "'shards' is missing or wrong"},
      {plan_with(good, "[]", "1.5"), "'shards' is missing or wrong"},
      {plan_with(good, "[]", "9223372036854775808"), "too large"},
      {plan_with("{}"), "'files' is missing or wrong"},
      {plan_with("[]"), "has no files"},
      {plan_with("[1]"), "'name' is missing or wrong"},
      {plan_with(R"([{"name":1,"tensors":{}}])"), "'name' is missing or wrong"},
      {plan_with(R"([{"name":"a"}])"), "'tensors' is missing or wrong"},
      {plan_with(plan_file("../a")), "'../a' is no name for a file"},
      {plan_with(plan_file("/etc/passwd")), "is no name for a file"},
      {plan_with(plan_file("..")), "is no name for a file"},
      {plan_with(plan_file("")), "is no name for a file"},
      {plan_with(plan_file(".qfuse-lock")), "is no name for a file"},
      {plan_with(R"([{"name":NaN,"tensors":{}}])"), "is no name for a file"},
      {plan_with(plan_file("model.safetensors.index.json")), "twice"},
      {plan_with(R"([{"name":"a","tensors":{}},{"name":"a","tensors":{}}])"), "has 'a' twice"},
      {plan_with(good, R"(["a"])"), "has 'a' twice"},
      {plan_with(good, R"(["../b"])"), "is no name for a file"},
      {plan_with(good, "[1]"), "a name is no string"},
      {plan_with(good, R"(["b/../../c"])", "2", R"(["b"])"), "is no name for a file"},
      {plan_with(good, R"(["b//c"])", "2", R"(["b"])"), "is no name for a file"},
      {plan_with(good, R"(["b/"])", "2", R"(["b"])"), "is no name for a file"},
      {plan_with(good, R"(["b\\u0000/c"])", "2", R"(["b"])"), "is no name for a file"},
      {plan_with(good, R"(["b/c"])"), "'b/c' lies in a folder that it does not name"},
      {plan_with(good, "[]", "2", R"(["b/c"])"), "'b/c' lies in a folder that it does not name"},
      {plan_with(good, R"(["b"])", "2", R"(["b"])"), "has 'b' twice"},
      {plan_with(good, "[]", "2", R"(["/b"])"), "is no name for a file"},
      {plan_with(good, "[]", "2", R"([".."])"), "is no name for a file"},
      {plan_with(good, "[]", "2", R"([".qfuse-shard-00001"])"), "is no name for a file"},
      {plan_with(good, "[]", "2", "{}"), "'folders' is missing or wrong"},
      {plan_with(plan_file("b/c"), "[]", "2", R"(["b"])"), "'b/c' is no name for a file of weights"},
      {plan_with(good, "{}"), "'others' is missing or wrong"},
      {plan_with(plan_file("a", R"({"w":1})")), "tensor 'w': is no plan"},
      {plan_with(plan_file("a", R"({"w":{"shape":[]}})")), "'dtype' is missing or wrong"},
      {plan_with(plan_file("a", R"({"w":{"dtype":"X","shape":[]}})")), "dtype 'X' is unknown"},
      {plan_with(plan_file("a", R"({"w":{"dtype":"U8","shape":1}})")), "'shape' is missing or wrong"},
      {plan_with(plan_file("a", R"({"w":{"dtype":"U8","shape":[-1]}})")), "a number is none"},
      {plan_with(plan_file("a", R"({"w":{"dtype":"U8","shape":["1"]}})")), "a number is none"},
  };
  for (const auto& [text, message] : cases) {
    SCOPED_TRACE(text);
    const TemporaryDirectory directory;
    fs::create_directory(directory / "out.qfuse-shards");
    write_file(directory / "out.qfuse-shards" / kPlan, text);
    const std::string error = error_of(Status::invalid_data, [&] { finish(directory / "out"); });
    EXPECT_TRUE(holds(error, message));
    EXPECT_TRUE(holds(error, kPlan));
    EXPECT_TRUE(holds(error, "remove " + (directory / "out.qfuse-shards").native() + " and run all shards again"));
    EXPECT_EQ(names_in(directory.path()), Names{"out.qfuse-shards"});
  }
}

TEST(ShardsPlan, its_shards_are_named_as_ranges) {
  EXPECT_EQ(shards_name({0}, 1), "shard 0 of 1");
  EXPECT_EQ(shards_name({0, 1}, 3), "shards 0 and 1 of 3");
  EXPECT_EQ(shards_name({0, 1, 2, 3, 7, 9}, 16), "shards 0-3, 7 and 9 of 16");
  EXPECT_EQ(shards_name({1, 5, 6, 7}, 8), "shards 1 and 5-7 of 8");
  EXPECT_EQ(shards_name({0, 1, 2}, 3), "shards 0-2 of 3");
}

TEST(ShardsPlan, that_is_too_long_is_not_read) {
  const TemporaryDirectory directory;
  fs::create_directory(directory / "out.qfuse-shards");
  write_file(directory / "out.qfuse-shards" / kPlan, "");
  fs::resize_file(directory / "out.qfuse-shards" / kPlan, 64'000'001);
  EXPECT_REFUSED(Status::invalid_data, "more than 64000000", finish(directory / "out"));
}

}  // namespace
}  // namespace qfuse::checkpoint
