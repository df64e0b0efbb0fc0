// Which base an adapter's config names, and what is said of another one.
#include <cstdlib>

#include "merging.h"

namespace qfuse::checkpoint {
namespace {

class FindBase : public Merge {
 protected:
  FindBase() { ::setenv("HF_HUB_CACHE", (directory / "cache").c_str(), 1); }
  ~FindBase() override { ::unsetenv("HF_HUB_CACHE"); }

  void name_base(const std::string& name, const nlohmann::json& revision = nullptr) {
    write_adapter(adapter(), lora(kUp, 33, 127, 4), {{"base_model_name_or_path", name}, {"revision", revision}});
  }
  fs::path download(const std::string& commit, const std::string& reference) {
    const fs::path repository = directory / "cache/models--org--base";
    fs::create_directories(repository / "refs");
    write_file(repository / "refs" / reference, commit);
    fs::create_directories(repository / "snapshots");
    fs::copy(base(), repository / "snapshots" / commit);
    return repository / "snapshots" / commit;
  }
  std::string refusal(Status status = Status::io_error) {
    return error_of(status, [&] { static_cast<void>(find_base(adapter())); });
  }
  // Those of a merge onto base().
  std::string notes() {
    merged();
    std::string all;
    for (const std::string& note : report.notes) all += note + "\n";
    return all;
  }
};

TEST_F(FindBase, a_directory_beside_the_adapter_or_in_it) {
  write_base(layers());
  name_base("base");
  EXPECT_EQ(find_base(adapter()), directory / "base");
  fs::create_directories(adapter() / "base");
  EXPECT_EQ(find_base(adapter()), adapter() / "base");
}

TEST_F(FindBase, a_model_of_the_hub_at_its_revision) {
  write_base(layers());
  name_base("org/base");
  EXPECT_TRUE(holds(refusal(), "its base 'org/base' is neither a directory here nor in the Hub's cache, " +
                                   (directory / "cache").native() + ": `hf download org/base` puts it there"));
  const fs::path main = download("abc", "main");
  EXPECT_EQ(find_base(adapter()), main);
  name_base("org/base", "v2");
  EXPECT_TRUE(holds(refusal(), "`hf download org/base --revision v2`"));
  const fs::path second = download("def", "v2");
  EXPECT_EQ(find_base(adapter()), second);
  const RawTensors expected = merged();
  const std::vector<AdapterInput> adapters{{adapter()}};
  report = merge("", adapters, directory / "out");
  EXPECT_TRUE(load(directory / "out") == expected);
  EXPECT_EQ(report.notes.at(0), second.native() + ": is the base, as the adapter says");
  EXPECT_TRUE(holds(read_file(directory / "out/README.md"), "base_model: org/base\n"));
  EXPECT_TRUE(holds(read_file(directory / "out/README.md"), "| base | org/base | |"));
}

// An adapter may be anybody's: what it names leads nowhere that its user did not name.
TEST_F(FindBase, no_path_that_leads_elsewhere) {
  write_base(layers());
  for (const std::string& name : std::vector<std::string>{"../base", "base/../base", base().native(), "./base", "~"}) {
    name_base(name);
    EXPECT_TRUE(
        holds(refusal(), "which is no name of a directory here or on the Hub: name the base before the adapter"))
        << name;
  }
  name_base("org/base", "x; rm -rf /");
  EXPECT_FALSE(holds(refusal(), "rm -rf"));
  name_base("");
  EXPECT_TRUE(holds(refusal(Status::invalid_argument), "names no base (base_model_name_or_path)"));
  fs::remove(adapter() / "adapter_config.json");
  EXPECT_TRUE(holds(refusal(Status::invalid_argument), "has no adapter_config.json to say what it was trained on"));
}

TEST_F(FindBase, another_base_is_noted) {
  write_base(layers());
  for (const char* same : {"base", "org/Base", "unsloth/base-bnb-4bit", "org/base-NF4"}) {
    name_base(same);
    EXPECT_FALSE(holds(notes(), "is another model")) << same;
  }
  name_base("org/base-Instruct");
  EXPECT_TRUE(holds(notes(), "was trained on 'org/base-Instruct'; by its name, base is another model"));
  write_base(layers(), R"({"model_type": "llama", "_name_or_path": "elsewhere/base-instruct"})");
  EXPECT_FALSE(holds(notes(), "is another model"));
}

TEST_F(FindBase, an_adapter_that_the_base_has_is_noted) {
  write_base(layers());
  name_base("base");
  EXPECT_FALSE(holds(notes(), "already"));
  const std::vector<AdapterInput> adapters{{adapter()}};
  merge(base(), adapters, directory / "again");
  const auto noted = [&](const fs::path& onto, const fs::path& from) {
    const std::vector<AdapterInput> given{{from}};
    MergeOptions options;
    options.dry_run = true;
    for (const std::string& note : merge(onto, given, directory / "none", options).notes)
      if (note == onto.native() + ": says that an adapter called adapter is merged into it already") return true;
    return false;
  };
  EXPECT_TRUE(noted(directory / "again", adapter())) << "by the metadata";
  EXPECT_FALSE(noted(directory / "again", [&] {
    fs::copy(adapter(), directory / "other");
    return directory / "other";
  }()));
  write_file(directory / "again/model.safetensors", safetensors(load(directory / "again")));
  EXPECT_TRUE(noted(directory / "again", adapter())) << "by README.md";
}

}  // namespace
}  // namespace qfuse::checkpoint
