// config.json of a model directory.
#ifndef QFUSE_CHECKPOINT_CONFIG_H
#define QFUSE_CHECKPOINT_CONFIG_H

#include <nlohmann/json.hpp>
#include <optional>
#include <qfuse/qfuse.hpp>
#include <string>
#include <string_view>

#include "checkpoint/model.h"

namespace qfuse::checkpoint {

class Config {
 public:
  // `where` begins the message of an invalid_data.
  Config(std::string_view text, const std::string& where);

  // The dtype that it states at its top level; none if it states none, or one that weights are not decoded to.
  [[nodiscard]] std::optional<Dtype> dtype() const;

  // The text of the decoded model's config: without `quantization_config`, at any depth; `dtype` and `torch_dtype`,
  // whichever it has (neither: `torch_dtype`), set to `dtype`, and so in nested configs that state one. Everything
  // else keeps its value and order. Formatted as transformers does: two spaces, a final newline.
  [[nodiscard]] std::string unquantized(Dtype dtype) const;

 private:
  nlohmann::ordered_json json_;
};

// None for a model that is a file, or a directory without config.json.
std::optional<Config> read_config(const Model& model);

// What LLM.int8 weights of a model with this config decode to: its dtype, or bfloat16.
Dtype int8_dtype(const std::optional<Config>& config);

}  // namespace qfuse::checkpoint

#endif  // QFUSE_CHECKPOINT_CONFIG_H
