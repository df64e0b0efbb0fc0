// The error for a model that qfuse cannot read names its format and what to do.
#include "checkpoint/files/foreign.h"

#include "support.h"

namespace qfuse::checkpoint {
namespace {

// Expects that both conversions refuse a model of these tensors with a message that contains `part`.
void expect_refused(const RawTensors& tensors, const std::string& config, const std::string& part,
                    Status dequantize_status = Status::unsupported) {
  SCOPED_TRACE(part);
  const TemporaryDirectory directory;
  write_model(directory / "in", tensors, config);
  EXPECT_REFUSED(dequantize_status, part, dequantize(directory / "in", directory / "out"));
  EXPECT_REFUSED(Status::unsupported, part, quantize(directory / "in", directory / "out"));
  EXPECT_EQ(names_in(directory.path()), Names{"in"});
}

TEST(Foreign, methods_are_told_by_config) {
  for (const auto& [method, name] : std::map<std::string, std::string>{{"gptq", "GPTQ"},
                                                                       {"awq", "AWQ"},
                                                                       {"hqq", "HQQ"},
                                                                       {"compressed-tensors", "compressed-tensors"},
                                                                       {"mxfp4", "MXFP4"},
                                                                       {"quark", "'quark'"}})
    expect_refused({{"a.weight", random_weight({8, 64})}},
                   R"({"quantization_config": {"quant_method": ")" + method + R"("}})",
                   "is quantized by " + name + ", as its config.json says");
}

TEST(Foreign, methods_are_told_by_tensors) {
  const auto tensor = [](const std::string& type, std::size_t size) {
    return RawTensor{type, {8}, std::string(8 * size, '\0')};
  };
  const RawTensor plain = random_weight({8, 64});
  const RawTensors gptq{{"q.qweight", tensor("I32", 4)}, {"q.qzeros", tensor("I32", 4)}, {"q.g_idx", tensor("I32", 4)}};
  for (const auto& [name, tensors] : std::map<std::string, RawTensors>{
           {"GPTQ", gptq},
           {"AWQ", {{"q.qweight", tensor("I32", 4)}, {"q.qzeros", tensor("I32", 4)}, {"k.weight", plain}}},
           {"HQQ", {{"q.W_q", tensor("U8", 1)}, {"k.weight", plain}}},
           {"compressed-tensors", {{"q.bitmask", tensor("U8", 1)}, {"k.weight", plain}}},
           {"MLX", {{"q.weight", tensor("U32", 4)}, {"q.scales", plain}, {"q.biases", plain}, {"k.weight", plain}}},
           {"MXFP4", {{"experts.up_proj_blocks", tensor("U8", 1)}, {"k.weight", plain}}}})
    expect_refused(tensors, "", "is quantized by " + name + ", as the ");
  expect_refused({{"q.weight", {"F8_E4M3", {2, 4}, "01234567"}}, {"k.weight", plain}}, "",
                 "has 'q.weight' in F8_E4M3, and qfuse reads F8_E4M3 with scales");
}

TEST(Foreign, adapters_are_not_converted) {
  expect_refused({{"base_model.model.q_proj.lora_A.weight", random_weight({8, 64})}}, "", "is a LoRA adapter",
                 Status::invalid_data);
  const TemporaryDirectory directory;  // Phi-4-multimodal contains adapters
  write_model(
      directory / "in",
      {{"q_proj.base_layer.weight", random_weight({8, 64})}, {"q_proj.lora_A.speech.weight", random_weight({8, 64})}},
      R"({"model_type": "phi4mm"})");
  EXPECT_GT(quantize(directory / "in", directory / "out").converted, 0);
}

TEST(Foreign, files_are_told_by_their_first_bytes) {
  const TemporaryDirectory directory;
  for (const auto& [content, part] : std::map<std::string, std::string>{
           {"version https://git-lfs.github.com/spec/v1\noid sha256:4d7a\nsize 1\n", "is a git-lfs pointer"},
           {"<!DOCTYPE html><html></html>", "is a web page"},
           {"<html>", "is a web page"},
           {"<HTML>", "is a web page"},
           {std::string("GGUF\x03\0\0\0\0\0\0\0", 12), "is a GGUF file"},
           {std::string("PK\x03\x04\x14\0\0\0", 8), "perhaps a pickle checkpoint"}}) {
    write_file(directory / "x.safetensors", content);
    EXPECT_REFUSED(Status::unsupported, part, inspect(directory / "x.safetensors"));
  }
  EXPECT_EQ(known_content(""), "");
  EXPECT_EQ(known_content("GGU"), "");
  EXPECT_EQ(known_content(std::string_view("PK\x03\x04\0\0\0\0", 8)), "") << "a header of 67 MB";
}

TEST(Foreign, a_name_on_the_hub_is_no_path) {
  const auto error = [](const char* path) { return error_of(Status::io_error, [&] { inspect(path); }); };
  EXPECT_TRUE(holds(error("unsloth/Llama-3-8B-bnb-4bit"), "`hf download unsloth/Llama-3-8B-bnb-4bit`"));
  EXPECT_FALSE(holds(error("./none"), "hf download"));
  EXPECT_FALSE(holds(error("/none/none"), "hf download"));
}

TEST(Foreign, what_was_not_copied_is_named) {
  const TemporaryDirectory directory;
  fs::copy(golden("tiny_llama/bnb4"), directory / "in");
  write_file(directory / "in/consolidated.safetensors", safetensors({}));
  fs::create_directory(directory / "in/original");
  fs::create_directory(directory / "in/.cache");
  fs::create_symlink("nowhere", directory / "in/tokenizer.model");
  const Names notes = dequantize(directory / "in", directory / "out").notes;
  ASSERT_EQ(notes.size(), 3U);
  EXPECT_TRUE(holds(notes[0], "consolidated.safetensors: is not part of the model, and was not copied"));
  EXPECT_TRUE(holds(notes[1], "original: is a folder, and was not copied"));
  EXPECT_TRUE(holds(notes[2], "tokenizer.model: is a link that leads nowhere, and was not copied"));
}

}  // namespace
}  // namespace qfuse::checkpoint
