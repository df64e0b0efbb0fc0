// A base and adapters in a directory, and the result of merging them. Tests compare it with a plain fp32 loop over the
// same values, rounded once (adapters.h).
#ifndef QFUSE_TESTS_CHECKPOINT_MERGING_H
#define QFUSE_TESTS_CHECKPOINT_MERGING_H

#include <filesystem>
#include <qfuse/checkpoint.hpp>
#include <string>
#include <vector>

#include "adapters.h"
#include "support.h"

namespace qfuse::checkpoint {

inline const std::string kUp = "model.layers.0.mlp.up_proj";
inline const std::string kDown = "model.layers.0.mlp.down_proj";
inline const std::string kEmbedding = "model.embed_tokens";
inline constexpr float kScale = 2.0F;  // alpha / rank of write_adapter()

// A directory with a base and adapters, and the results of the last merge.
class Merge : public testing::Test {
 protected:
  // Writes the base in one file. The default config has spacing that no JSON printer would reproduce.
  void write_base(const RawTensors& tensors, const std::string& config = kConfig) {
    write_model(base(), tensors, config);
  }
  [[nodiscard]] fs::path base() const { return directory / "base"; }
  [[nodiscard]] fs::path adapter(const std::string& name = "adapter") const { return directory / name; }

  // Merges these adapters, or adapter() if there are none, onto the base.
  MergeReport merge_to(const fs::path& out, const MergeOptions& options = {},
                       const std::vector<AdapterInput>& adapters = {}) {
    return merge(base(), adapters.empty() ? std::vector<AdapterInput>{{adapter()}} : adapters, out, options);
  }
  RawTensors merged(const MergeOptions& options = {}, const std::vector<AdapterInput>& adapters = {}) {
    const TemporaryDirectory elsewhere;
    report = merge_to(elsewhere / "out", options, adapters);
    files = names_in(elsewhere / "out");
    config = fs::exists(elsewhere / "out/config.json") ? read_file(elsewhere / "out/config.json") : "";
    return load(elsewhere / "out");
  }

  static constexpr const char* kConfig = "{\"model_type\":  \"llama\",\n\n\"tie_word_embeddings\":false}";
  TemporaryDirectory directory;
  MergeReport report;
  Names files;
  std::string config;
};

// Two linear layers, and tensors that no adapter changes.
inline RawTensors layers() {
  return {{kUp + ".weight", random_weight({33, 127})},
          {kDown + ".weight", random_weight({127, 33}, Dtype::bfloat16, 2)},
          {"model.norm.weight", random_weight({127}, Dtype::bfloat16, 3)},
          {"numbers", {"I64", {2}, std::string(16, '\7')}}};
}

}  // namespace qfuse::checkpoint

#endif  // QFUSE_TESTS_CHECKPOINT_MERGING_H
