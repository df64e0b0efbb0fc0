// A checkpoint on disk: which files belong to the model, and which directories are no model.
#include "checkpoint/files/model.h"

#include <fmt/format.h>
#include <sys/resource.h>

#include <functional>

#include "support.h"

namespace qfuse::checkpoint {
namespace {

constexpr const char* kIndex = "model.safetensors.index.json";

std::string one(const std::string& name) { return safetensors({{name, u8({1})}}); }

std::string index(const std::string& weight_map) { return R"({"metadata":{},"weight_map":)" + weight_map + "}"; }

struct RefusedDirectory {
  const char* name;
  std::map<std::string, std::string> files;
  const char* message;
  Status status = Status::invalid_data;
};

TEST(Model, refuses_directories_that_are_no_model) {
  const std::vector<RefusedDirectory> cases{
      {"empty", {}, "has no .safetensors file"},
      {"two_without_index",
       {{"a.safetensors", one("a")}, {"b.safetensors", one("b")}},
       "has 2 .safetensors files ('a.safetensors', 'b.safetensors') but no model.safetensors.index.json"},
      {"pickle", {{"pytorch_model.bin", "x"}}, "is a pickle checkpoint", Status::unsupported},
      {"pickle_pth", {{"consolidated.00.pth", "x"}}, "save_pretrained", Status::unsupported},
      {"index_not_json", {{kIndex, "{"}}, "is not valid JSON"},
      {"index_without_map", {{kIndex, "{}"}}, "has no object 'weight_map'"},
      {"index_map_is_array", {{kIndex, index("[]")}}, "has no object 'weight_map'"},
      {"index_file_is_number", {{kIndex, index(R"({"a":1})")}}, "tensor 'a': its file is no string"},
      {"index_path", {{kIndex, index(R"({"a":"sub/a.safetensors"})")}}, "'sub/a.safetensors' is not a plain file name"},
      {"index_absolute", {{kIndex, index(R"({"a":"/etc/passwd"})")}}, "is not a plain file name"},
      {"index_parent", {{kIndex, index(R"({"a":".."})")}}, "'..' is not a plain file name"},
      {"index_empty_name", {{kIndex, index(R"({"a":""})")}}, "'' is not a plain file name"},
      {"index_of_pickles", {{kIndex, index(R"({"a":"a.bin"})")}, {"a.bin", "x"}}, "pickle", Status::unsupported},
      {"shard_missing",
       {{kIndex, index(R"({"a":"a.safetensors"})")}},
       "a.safetensors: is not there, but model.safetensors.index.json names it",
       Status::io_error},
      {"tensor_missing",
       {{kIndex, index(R"({"a":"a.safetensors","b":"a.safetensors"})")}, {"a.safetensors", one("a")}},
       "tensor 'b': is not in 'a.safetensors'"},
      {"tensor_not_in_index",
       {{kIndex, index(R"({"a":"a.safetensors"})")}, {"a.safetensors", safetensors({{"a", u8({1})}, {"c", u8({1})}})}},
       "tensor 'c': is not in"},
      {"tensor_elsewhere",
       {{kIndex, index(R"({"a":"a.safetensors","b":"a.safetensors","c":"b.safetensors"})")},
        {"a.safetensors", safetensors({{"a", u8({1})}, {"c", u8({1})}})},
        {"b.safetensors", one("b")}},
       "says it is in"},
      {"tensor_twice",
       {{kIndex, index(R"({"a":"a.safetensors","b":"b.safetensors"})")},
        {"a.safetensors", one("a")},
        {"b.safetensors", safetensors({{"a", u8({1})}, {"b", u8({1})}})}},
       "tensor 'a': is also in"},
  };
  for (const RefusedDirectory& refused : cases) {
    SCOPED_TRACE(refused.name);
    const TemporaryDirectory directory;
    for (const auto& [name, bytes] : refused.files) write_file(directory / name, bytes);
    const std::string error = error_of(refused.status, [&] { Model{directory.path()}; });
    EXPECT_TRUE(holds(error, refused.message));
    EXPECT_TRUE(error.starts_with(directory.path().native())) << error;
  }
}

TEST(Model, refuses_files_that_are_no_model) {
  const TemporaryDirectory directory;
  write_file(directory / "x.pt", "x");
  EXPECT_REFUSED(Status::unsupported, "pickle", Model{directory / "x.pt"});
  EXPECT_REFUSED(Status::io_error, "No such file", Model{directory / "none"});
}

TEST(Model, opens_what_a_directory_offers) {
  const TemporaryDirectory directory;
  write_file(directory / "only.safetensors", one("a"));
  EXPECT_NE(Model(directory.path()).find("a"), nullptr);

  write_file(directory / "b.safetensors", one("b"));
  write_file(directory / "c.safetensors", one("c"));
  write_file(directory / kIndex, index(R"({"b":"b.safetensors","c":"c.safetensors"})"));
  const Model sharded(directory.path());
  EXPECT_EQ(sharded.files().size(), 2U);
  EXPECT_EQ(sharded.find("a"), nullptr) << "only.safetensors is not in the index";
  EXPECT_EQ(sharded.data_bytes(), 2);

  fs::rename(directory / kIndex, directory / "model.safetensors.index.fp16.json");
  EXPECT_EQ(Model(directory.path()).files().size(), 2U) << "a variant, as diffusers and transformers name its index";
  write_file(directory / "model.safetensors.index.fp32.json", index(R"({"a":"only.safetensors"})"));
  EXPECT_REFUSED(Status::invalid_data, "has 3 .safetensors files", Model{directory.path()});

  write_file(directory / "model.safetensors", one("d"));
  const Model single(directory.path());
  EXPECT_NE(single.find("d"), nullptr);
  EXPECT_EQ(single.find("b"), nullptr) << "model.safetensors comes before an index, as in transformers";
}

TEST(Model, follows_links_as_hub_caches_use_them) {
  const TemporaryDirectory directory;
  fs::create_directory(directory / "blobs");
  fs::create_directory(directory / "snapshot");
  write_file(directory / "blobs/0123", one("a"));
  fs::create_symlink("../blobs/0123", directory / "snapshot/model.safetensors");
  EXPECT_NE(Model(directory / "snapshot").find("a"), nullptr);
}

TEST(Model, may_have_more_files_than_the_soft_limit_allows) {
  struct rlimit before {};
  ASSERT_EQ(::getrlimit(RLIMIT_NOFILE, &before), 0);
  if (before.rlim_max < 400) GTEST_SKIP() << "the hard limit is " << before.rlim_max;
  const TemporaryDirectory directory;
  constexpr int kFiles = 300;
  std::string map;
  for (int i = 0; i < kFiles; ++i) {
    const std::string name = "t" + std::to_string(i);
    write_file(directory / (name + ".safetensors"), one(name));
    map += (i == 0 ? "" : ",") + fmt::format(R"("{0}":"{0}.safetensors")", name);
  }
  write_file(directory / kIndex, index("{" + map + "}"));
  struct rlimit few = before;
  few.rlim_cur = 256;
  ASSERT_EQ(::setrlimit(RLIMIT_NOFILE, &few), 0);
  EXPECT_EQ(Model(directory.path()).files().size(), kFiles);
  ASSERT_EQ(::setrlimit(RLIMIT_NOFILE, &before), 0);
}

}  // namespace
}  // namespace qfuse::checkpoint
