// The notes on an adapter's directory that contains more than the adapter.
#include <algorithm>
#include <qfuse/checkpoint.hpp>
#include <string>

#include "adapters.h"
#include "merging.h"
#include "support.h"

namespace qfuse::checkpoint {
namespace {

class LeftBehind : public Merge {
 protected:
  LeftBehind() {
    write_base(layers());
    write_adapter(adapter(), lora(kUp, 33, 127, 4));
  }

  void write(const std::string& name, const std::string& text = "x") const {
    fs::create_directories((adapter() / name).parent_path());
    write_file(adapter() / name, text);
  }
  std::string notes() {
    merged();
    std::string all;
    for (const std::string& note : report.notes) all += note + "\n";
    return all;
  }
};

TEST_F(LeftBehind, weights_beside_the_adapter_are_named) {
  for (const char* name :
       {"non_lora_trainables.bin", "non_lora_state_dict.bin", "value_head.safetensors", "value_head.bin",
        "vit.safetensors", "mm_projector.bin", "scoring_head.pt", "tower.pth", "head.npz", "head.ckpt",
        "projector/model.safetensors", "model-00001-of-00002.safetensors"}) {
    write(name);
    EXPECT_TRUE(holds(notes(), name));
    fs::remove(adapter() / name);
  }
}

TEST_F(LeftBehind, of_many_the_first_are_named) {
  for (const char* name : {"a.bin", "b.bin", "c.bin", "d.bin", "e.bin", "f.bin", "g.bin"}) write(name);
  EXPECT_TRUE(holds(notes(), "a.bin, b.bin, c.bin, d.bin, e.bin and 2 more"));
}

// These files are not part of a trained model, or are the adapter itself.
TEST_F(LeftBehind, nothing_is_said_of_a_trainers_own_files) {
  for (const char* name :
       {"optimizer.pt", "optimizer.bin", "scheduler.pt", "rng_state.pth", "rng_state_0.pth", "training_args.bin",
        "scaler.pt", "random_states_0.pkl", "checkpoint-10/value_head.safetensors", "global_step10/mp_rank_00.pt",
        "pytorch_model_fsdp_0/__0_0.distcp", "recipe_state.pt", "adapter_model.bin", "adapter_0.pt", "adapter.gguf",
        "other/adapter_config.json", "other/adapter_model.safetensors", "README.md", ".cache/a.bin"})
    write(name);
  EXPECT_EQ(notes(), "");
}

// A trainer may copy these files there.
TEST_F(LeftBehind, nothing_is_said_of_what_the_base_has_too) {
  write_file(base() / "speakers.pt", "speakers");
  write("speakers.pt", "speakers");
  EXPECT_FALSE(holds(notes(), "weights beside the adapter"));
  write("speakers.pt", "Speakers");
  EXPECT_TRUE(holds(notes(), "weights beside the adapter, which are not merged: speakers.pt"));
}

TEST_F(LeftBehind, another_class_is_named) {
  const auto class_note = [&](const std::string& config) {
    write("config.json", config);
    return notes();
  };
  fs::remove(base() / "config.json");
  write_file(base() / "config.json", R"({"architectures": ["LlamaForCausalLM"], "tie_word_embeddings": false})");
  EXPECT_EQ(class_note(R"({"architectures": ["LlamaForCausalLM"]})"), "");
  EXPECT_EQ(class_note(R"({"architectures": ["FSDPLlamaForCausalLM"]})"), "");
  for (const char* config : {"{}", "[]", "", R"({"architectures": []})", R"({"architectures": [1]})"})
    EXPECT_EQ(class_note(config), "") << config;
  EXPECT_TRUE(holds(class_note(R"({"architectures": ["LlamaForSequenceClassification"]})"),
                    "was trained as a LlamaForSequenceClassification, by its config.json; the output is a "
                    "LlamaForCausalLM"));
}

}  // namespace
}  // namespace qfuse::checkpoint
