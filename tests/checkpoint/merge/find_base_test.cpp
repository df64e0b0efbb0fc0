// How the base that an adapter's config names is found, and the notes if the given base is another one.
#include <fmt/format.h>

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
  // The notes of a merge onto base().
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

// Shells complete names like this.
TEST_F(FindBase, a_directory_as_it_was_typed) {
  write_base(layers());
  for (const char* name : {"./base", "base/", "./base//", "././base/."}) {
    name_base(name);
    EXPECT_EQ(find_base(adapter()), directory / "base") << name;
  }
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

// Anybody may have written an adapter, so the path that it names must not lead where the user did not point.
TEST_F(FindBase, no_path_that_leads_elsewhere) {
  write_base(layers());
  for (const std::string& name : Names{"../base", "base/../base", "/no/base", "~"}) {
    name_base(name);
    EXPECT_TRUE(
        holds(refusal(), "which is no name of a directory here or on the Hub: name the base before the adapter"))
        << name;
  }
  name_base(base().native());
  EXPECT_TRUE(holds(
      refusal(), fmt::format("if that is the one: `qfuse merge {} {} -o OUT`", base().native(), adapter().native())));
  const fs::path harmful = directory / "a; rm -rf b";
  fs::create_directory(harmful);
  name_base(harmful.native());
  EXPECT_FALSE(holds(refusal(), "`qfuse merge"));
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
  EXPECT_TRUE(holds(notes(),
                    "was trained on 'org/base-Instruct'; by its name, base is another model; if that was this "
                    "one in 4 bits, `base_as` nf4 merges it onto what it saw"));
  write_base(layers(), R"({"model_type": "llama", "_name_or_path": "elsewhere/base-instruct"})");
  EXPECT_FALSE(holds(notes(), "is another model"));
}

TEST_F(FindBase, a_base_in_16_bits_in_the_place_of_one_in_4_is_noted) {
  write_base(layers());
  const std::string said = "which is in 4 bits: `base_as` ";
  name_base("unsloth/base-bnb-4bit");
  EXPECT_TRUE(holds(notes(), said + "nf4"));
  QuantizeOptions options;
  options.quant_type = QuantType::fp4;
  options.include = {"*"};
  quantize(base(), directory / "codes", options);
  name_base("codes/");
  EXPECT_TRUE(holds(notes(), said + "fp4")) << "its files say it";
  fs::remove_all(base());
  fs::copy(directory / "codes", base());
  EXPECT_FALSE(holds(notes(), "in 4 bits"));
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
