#include "checkpoint/names/kohya_names.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <charconv>
#include <optional>

#include "checkpoint/files/errors.h"
#include "checkpoint/files/lora_file.h"
#include "checkpoint/names/names.h"

namespace qfuse::checkpoint {
namespace {

// Optional prefix of layer names in CLIP's text models, depending on the version that saved them.
constexpr std::string_view kTextModel = "text_model_";

std::string with_underscores(std::string_view name) {
  std::string layer(name);
  std::ranges::replace(layer, '.', '_');
  return layer;
}

struct Renamed {
  std::string_view stability;
  std::string_view diffusers;
};
constexpr std::array kOutsideOfBlocks{
    Renamed{"input_blocks_0_0", "conv_in"},
    Renamed{"time_embed_0", "time_embedding_linear_1"},
    Renamed{"time_embed_2", "time_embedding_linear_2"},
    Renamed{"label_emb_0_0", "add_embedding_linear_1"},
    Renamed{"label_emb_0_2", "add_embedding_linear_2"},
    Renamed{"out_2", "conv_out"},
};
constexpr std::array kOfResnets{
    Renamed{"in_layers_2", "conv1"},
    Renamed{"out_layers_3", "conv2"},
    Renamed{"emb_layers_1", "time_emb_proj"},
    Renamed{"skip_connection", "conv_shortcut"},
};

template <class Table>
std::string_view renamed(const Table& table, std::string_view name) {
  const auto* const found = std::ranges::find(table, name, &Renamed::stability);
  return found == table.end() ? name : found->diffusers;
}

// Takes a number and "_", such as "12_", off the front; returns a negative value if there is none.
int take_number(std::string_view& text) {
  constexpr std::size_t kMostDigits = 3;
  int number = -1;
  const std::size_t end = text.find('_');
  if (end == text.npos || end > kMostDigits) return -1;
  const auto [stop, error] = std::from_chars(text.data(), text.data() + end, number);
  if (error != std::errc() || stop != text.data() + end) return -1;
  text.remove_prefix(end + 1);
  return number;
}

// Returns diffusers' name for block number `at` in Stability's names; diffusers' blocks have `resnets` layers and a
// resampler. `part`: 0 for a resnet, 1 for an attention. Returns "" if there is no such layer.
std::string in_block(std::string_view blocks, int at, int resnets, int part, std::string_view rest) {
  const int block = at / (resnets + 1);
  const int layer = at % (resnets + 1);
  const bool down = blocks == "down_blocks";
  if (down ? rest == "op" : rest == "conv")
    return layer == resnets ? fmt::format("{}_{}_{}samplers_0_conv", blocks, block, down ? "down" : "up") : "";
  if (part == 0) return fmt::format("{}_{}_resnets_{}_{}", blocks, block, layer, renamed(kOfResnets, rest));
  if (part == 1) return fmt::format("{}_{}_attentions_{}_{}", blocks, block, layer, rest);
  return "";
}

}  // namespace

void KohyaNames::add(const std::string& name, const Tensor& tensor) {
  constexpr std::string_view kFirstBlock = "down_blocks_0_resnets_";
  if (!name.ends_with(kWeightSuffix)) return;
  const std::string layer = with_underscores(module_of(name));
  by_layer_[layer].push_back(&tensor);
  if (layer.starts_with(kTextModel)) by_layer_[layer.substr(kTextModel.size())].push_back(&tensor);
  if (!layer.starts_with(kFirstBlock)) return;
  std::string_view rest = std::string_view(layer).substr(kFirstBlock.size());
  resnets_ = std::max(resnets_, take_number(rest) + 1);
}

std::string KohyaNames::without_stability_names(std::string_view layer) const {
  if (const std::string_view other = renamed(kOutsideOfBlocks, layer); other != layer) return std::string(other);
  const auto takes = [&layer](std::string_view beginning) {
    const bool begins = layer.starts_with(beginning);
    if (begins) layer.remove_prefix(beginning.size());
    return begins;
  };
  if (takes("middle_block_")) {
    const int part = take_number(layer);
    if (part == 1) return fmt::format("mid_block_attentions_0_{}", layer);
    return fmt::format("mid_block_resnets_{}_{}", part / 2, renamed(kOfResnets, layer));
  }
  const bool down = takes("input_blocks_");
  if (!down && !takes("output_blocks_")) return std::string(layer);
  const int at = take_number(layer) - (down ? 1 : 0);  // the first is conv_in
  const int part = take_number(layer);
  if (at < 0 || part < 0 || resnets_ == 0) return "";
  return in_block(down ? "down_blocks" : "up_blocks", at, resnets_, part, layer);
}

std::vector<const Tensor*> KohyaNames::find(std::string_view name) const {
  if (!name.ends_with(kWeightSuffix)) return {};
  const std::string layer = without_stability_names(kohya_layer(module_of(name)));
  for (const std::string& one : {layer, layer.starts_with(kTextModel) ? layer.substr(kTextModel.size()) : ""})
    if (const auto found = by_layer_.find(one); found != by_layer_.end()) return found->second;
  return {};
}

}  // namespace qfuse::checkpoint
