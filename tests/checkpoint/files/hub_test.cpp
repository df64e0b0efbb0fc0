// Finds models by their names on the Hub, in a cache laid out like huggingface_hub's. tests/libraries tests against
// that library itself.
#include "checkpoint/files/hub.h"

#include <cstdlib>

#include "support.h"

namespace qfuse::checkpoint {
namespace {

// Sets an environment variable for the lifetime of the object.
class Variable {
 public:
  Variable(const char* name, const std::string& value) : name_(name) {
    if (const char* old = std::getenv(name)) old_ = old;
    value.empty() ? ::unsetenv(name) : ::setenv(name, value.c_str(), 1);
  }
  ~Variable() { old_.empty() ? ::unsetenv(name_) : ::setenv(name_, old_.c_str(), 1); }
  Variable(const Variable&) = delete;
  Variable& operator=(const Variable&) = delete;

 private:
  const char* name_;
  std::string old_;
};

class Hub : public testing::Test {
 protected:
  // Makes a snapshot whose files are links to blobs.
  fs::path download(const std::string& folder, const std::string& commit, const std::string& reference = "main") {
    const fs::path repository = directory_ / folder;
    const fs::path snapshot = repository / "snapshots" / commit;
    fs::create_directories(snapshot);
    fs::create_directories((repository / "refs" / reference).parent_path());
    fs::create_directories(repository / "blobs");
    write_file(repository / "refs" / reference, commit);
    for (const std::string& name : names_in(golden("tiny_llama/full"))) {
      fs::copy_file(golden("tiny_llama/full/" + name), repository / "blobs" / (commit + name));
      fs::create_symlink("../../blobs/" + commit + name, snapshot / name);
    }
    return snapshot;
  }

  static std::string id(const std::string& text) {
    const std::optional<HubModel> model = hub_model(text);
    return model ? model->id + "@" + model->revision : "";
  }

  TemporaryDirectory directory_;
  Variable cache_{"HF_HUB_CACHE", directory_.path()};
};

TEST_F(Hub, names_and_addresses) {
  EXPECT_EQ(id("org/name"), "org/name@");
  EXPECT_EQ(id("gpt2"), "gpt2@");
  EXPECT_EQ(id("https://huggingface.co/org/na-me_1.5"), "org/na-me_1.5@");
  EXPECT_EQ(id("https://huggingface.co/org/name/"), "org/name@");
  EXPECT_EQ(id("http://hf.co/org/name/tree/refs/pr/1?x=y#z"), "org/name@refs/pr/1");
  for (const char* none :
       {"", ".", "..", "/", "a/", "/a", "a/b/c", "../b", "a/..", "a..b/c", "a--b/c", "-a/b", "a/b.git", "a b/c",
        "a/b;c", "https://huggingface.co/", "https://huggingface.co/a/b/blob/main/c",
        "https://huggingface.co/a/b/tree/../c", "https://elsewhere.org/a/b"})
    EXPECT_EQ(id(none), "") << none;
  EXPECT_EQ(hub_model("a/b", "v1")->download(), "hf download a/b --revision v1");
  EXPECT_FALSE(hub_model("a/b", "v1; rm -rf ~"));
  EXPECT_FALSE(hub_model("a/b", "../../c"));
}

TEST_F(Hub, where_its_cache_is) {
  EXPECT_EQ(hub_cache(), directory_.path());
  const Variable none("HF_HUB_CACHE", "");
  {
    const Variable home("HF_HOME", "/x");
    EXPECT_EQ(hub_cache(), "/x/hub");
  }
  const Variable no_home("HF_HOME", "");
  const Variable home("HOME", "/home/me");
  {
    const Variable caches("XDG_CACHE_HOME", "/caches");
    EXPECT_EQ(hub_cache(), "/caches/huggingface/hub");
  }
  const Variable no_caches("XDG_CACHE_HOME", "");
  EXPECT_EQ(hub_cache(), "/home/me/.cache/huggingface/hub");
  const Variable hub("HF_HUB_CACHE", "~/models");
  EXPECT_EQ(hub_cache(), "/home/me/models");
}

TEST_F(Hub, a_model_is_found_by_its_name) {
  const fs::path snapshot = download("models--org--name", "c0ffee");
  EXPECT_EQ(located("org/name"), snapshot);
  EXPECT_EQ(located("https://huggingface.co/org/name"), snapshot);
  EXPECT_EQ(inspect("org/name").tensors.size(), 21U);
  EXPECT_TRUE(compare("org/name", golden("tiny_llama/full")).equal);
  EXPECT_EQ(check("org/name").files, 6);
  EXPECT_EQ(cached_model(snapshot / "config.json")->id, "org/name");
  const fs::path old = download("models--org--name", "beef", "refs/pr/7");
  EXPECT_EQ(cached({"org/name", "refs/pr/7"}), old);
  EXPECT_EQ(cached({"org/name", "beef"}), old) << "by its commit";
  EXPECT_EQ(cached({"org/name", "v2"}), std::nullopt);
  EXPECT_EQ(cached({"org/other", ""}), std::nullopt);
  EXPECT_EQ(located(directory_.path()), directory_.path()) << "what exists is itself";
}

TEST_F(Hub, a_conversion_takes_it_and_says_whence_it_came) {
  download("models--org--name", "c0ffee");
  const TemporaryDirectory out;
  quantize("org/name", out / "4bit");
  const RawTensors tensors = load(out / "4bit");
  EXPECT_FALSE(fs::is_symlink(out / "4bit/config.json"));
  quantize(golden("tiny_llama/full"), out / "same");
  EXPECT_TRUE(tensors == load(out / "same"));
  EXPECT_EQ(read_file(out / "4bit/README.md"),
            "---\nbase_model: org/name\nbase_model_relation: quantized\nlibrary_name: transformers\ntags:\n- 4-bit\n"
            "- bitsandbytes\n- qfuse\n---\n");
  EXPECT_FALSE(fs::exists(out / "same/README.md")) << "nothing is known";
}

// Anybody may have written the cache, so no name may lead out of it.
TEST_F(Hub, references_that_lead_elsewhere_are_none) {
  download("models--org--name", "c0ffee");
  for (const char* commit : {"../../../models--org--name/snapshots/c0ffee", "/etc", "..", "", "a\nb", "\xFF"}) {
    write_file(directory_ / "models--org--name/refs/main", commit);
    EXPECT_EQ(cached({"org/name", ""}), std::nullopt) << commit;
  }
}

TEST_F(Hub, what_is_missing_is_named_with_its_command) {
  const auto error = [](const fs::path& path) { return error_of(Status::io_error, [&] { inspect(path); }); };
  EXPECT_TRUE(holds(error("org/name"), "if it is a model on the Hub, `hf download org/name` puts it into the cache"));
  EXPECT_EQ(
      error("https://huggingface.co/org/name/tree/v1"),
      "https://huggingface.co/org/name/tree/v1: is an address, and qfuse downloads nothing: `hf download org/name "
      "--revision v1` puts the model where qfuse finds it, as org/name");
  EXPECT_EQ(error("https://huggingface.co/a/b/c"),
            "https://huggingface.co/a/b/c: is an address, and qfuse downloads nothing");
  const fs::path snapshot = download("models--org--name", "c0ffee");
  for (const std::string& name : names_in(snapshot))
    if (name != "config.json") fs::remove(snapshot / name);
  EXPECT_REFUSED(Status::invalid_data, "has no .safetensors file; `hf download org/name` downloads what is missing",
                 inspect("org/name"));
}

}  // namespace
}  // namespace qfuse::checkpoint
