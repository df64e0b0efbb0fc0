#include "checkpoint/convert/quantization_records.h"

#include <fmt/format.h>

#include <algorithm>
#include <cctype>
#include <filesystem>
#include <set>

#include "checkpoint/files/errors.h"
#include "checkpoint/files/name_pattern.h"
#include "checkpoint/files/packing.h"
#include "checkpoint/names/names.h"
#include "checkpoint/names/patterns.h"

namespace qfuse::checkpoint {
namespace {

constexpr const char* kModeloptRecord = "hf_quant_config.json";

// Modules that a config lists as not quantized.
class PlainModules {
 public:
  explicit PlainModules(const Config& config) {
    constexpr std::string_view kExpression = "re:";  // marks compressed-tensors' regular expressions
    for (const std::string& pattern : config.plain_modules())
      if (pattern.starts_with(kExpression))
        expressions_.emplace_back(pattern.substr(kExpression.size()), fmt::format("'{}'", printable(pattern)));
      else
        (pattern.find('*') == pattern.npos ? names_ : patterns_).push_back(pattern);  // those with '*' are modelopt's
  }

  [[nodiscard]] bool hold(const std::string& module) const {
    const auto is_in = [&](const std::string& name) {  // matches as transformers' fp8 integration does
      return module.ends_with(name) || (module.starts_with(name) && module[name.size()] == '.');
    };
    return std::ranges::any_of(names_, is_in) || matches_any(module, patterns_) ||
           std::ranges::any_of(expressions_, [&](const NamePattern& it) { return it.fits_beginning_of(module); });
  }

 private:
  std::vector<std::string> names_;
  std::vector<std::string> patterns_;
  std::vector<NamePattern> expressions_;
};

// Returns the module's name without digits, which is the same for this layer in every block.
std::string kind_of_module(std::string module) {
  std::erase_if(module, [](unsigned char c) { return std::isdigit(c) != 0; });
  return module;
}

// Adds "2 weights are quantized, as that of 'a', ...", unless `modules` is empty.
void add_counted(const std::vector<std::string>& modules, const char* what, std::vector<std::string>& lines) {
  if (!modules.empty()) lines.push_back(fmt::format(fmt::runtime(what), modules.size(), printable(modules.front())));
}

// `names_targets`: the config also lists what is quantized (compressed-tensors), or gives rules for that (GPTQ).
void add_lists(const PlainModules& plain, bool names_targets, std::span<const Tensor> tensors,
               std::vector<std::string>& lines) {
  std::set<std::string> quantized_kinds;
  for (const Tensor& tensor : tensors)
    if (tensor.is_of_other_methods()) quantized_kinds.insert(kind_of_module(std::string(module_of(tensor.name))));
  std::vector<std::string> listed;
  std::vector<std::string> unlisted;
  for (const Tensor& tensor : tensors) {
    const std::string module(module_of(tensor.name));
    const bool is_quantized = tensor.is_of_other_methods();
    const bool is_alike =
        !names_targets && tensor.shape.size() == 2 && quantized_kinds.contains(kind_of_module(module));
    if (!is_quantized && !is_alike) continue;
    if (plain.hold(module) == is_quantized) (is_quantized ? listed : unlisted).push_back(module);
  }
  add_counted(listed, "{} weights are quantized, as that of '{}', which config.json lists as not quantized", lines);
  add_counted(
      unlisted,
      "{} weights are not quantized, as that of '{}', where the same layers of other blocks are, and config.json does "
      "not list it as not quantized",
      lines);
}

}  // namespace

std::vector<std::string> quantization_disagreements(const Config& config, std::span<const Tensor> tensors) {
  std::vector<std::string> lines;
  if (std::ranges::none_of(tensors, &Tensor::is_of_other_methods)) return lines;
  if (config.word("quantization_config.quant_method") == "bitsandbytes")
    lines.emplace_back("config.json says that bitsandbytes quantized it, and its weights say another method");
  try {
    const std::string method = config.foreign_quant_method();
    add_lists(PlainModules(config), method == "compressed-tensors" || method == "gptq", tensors, lines);
  } catch (const Error& error) {  // an invalid regular expression
    lines.push_back(fmt::format("config.json's list of what is not quantized was not compared: {}", error.what()));
  }
  return lines;
}

void drop_quantization_records(const Layout& layout, const Model& model, const std::optional<Config>& config,
                               ConversionPlan& plan) {
  if (!layout.has_other_methods()) return;
  const auto note = [&](const std::string& text) { plan.notes.push_back(fmt::format("{}: {}", model.name(), text)); };
  if (const std::vector<StoredTensor>& scales = layout.activation_scales; !scales.empty())
    note(fmt::format("scales of activations, which only a model that quantizes them has, are left out: {}, as '{}'",
                     scales.size(), printable(scales.front().entry->name)));
  std::vector<std::string> files{kModeloptRecord};
  if (layout.has_gptq()) files.insert(files.end(), kPackingFiles.begin(), kPackingFiles.end());
  for (const std::string& file : files) {
    if (!model.is_directory() || !std::filesystem::exists(model.path() / file)) continue;
    plan.left_out.insert(file);
    note(fmt::format("{} is left out: it says that the model is quantized", file));
  }
  if (!config) return;
  for (const std::string& line : quantization_disagreements(*config, layout.tensors)) note(line);
}

}  // namespace qfuse::checkpoint
