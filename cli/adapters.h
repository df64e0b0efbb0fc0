// Command-line options of merge and compare that describe adapters and their base model.
#ifndef QFUSE_CLI_ADAPTERS_H
#define QFUSE_CLI_ADAPTERS_H

#include <CLI/CLI.hpp>
#include <cmath>
#include <cstdint>
#include <cstdlib>
#include <filesystem>
#include <qfuse/checkpoint.hpp>
#include <stdexcept>
#include <string>
#include <system_error>
#include <vector>

#include "options.h"

namespace qfuse::cli {

struct AdapterArguments {
  std::vector<std::string> adapters;
  std::string base_as;
  std::int64_t block_size = 64;
  bool no_double_quant = false;
  std::vector<std::string> include;
  std::vector<std::string> exclude;
  bool tie = false;
  bool untie = false;
  std::string prefix;
  std::string lora_b_layout;
};

// Values of --lora-b-layout, in the order of LoraBLayout after as_said.
inline const std::vector<std::string> kLoraBLayouts{"peft", "grouped_by_expert"};

// Parses "PATH" or "PATH@WEIGHT". If the whole text names an existing path, it is a path, even if it ends in "@WEIGHT".
inline checkpoint::AdapterInput parse_adapter(const std::string& text) {
  const std::size_t at = text.rfind('@');
  std::error_code unknown;
  if (at == text.npos || std::filesystem::exists(text, unknown)) return {text};
  const std::string weight = text.substr(at + 1);
  char* end = nullptr;
  const double value = std::strtod(weight.c_str(), &end);
  if (weight.empty() || *end != '\0' || !std::isfinite(value))
    throw std::invalid_argument(
        fmt::format("'{}' is not a weight: ADAPTER@WEIGHT needs a number, as in lora@0.5", weight));
  return {text.substr(0, at), value};
}

inline std::vector<checkpoint::AdapterInput> adapters_of(const AdapterArguments& args) {
  std::vector<checkpoint::AdapterInput> adapters;
  for (const std::string& adapter : args.adapters) adapters.push_back(parse_adapter(adapter));
  return adapters;
}

// Adds the options for quantizing the base before the merge, its output head, and the names and layout of adapters.
inline void add_merge_options(CLI::App& parser, AdapterArguments& args) {
  parser
      .add_option("--base-as", args.base_as,
                  "Quantize a 16-bit base to 4 bits and decode it before the merge, so that it is what a QLoRA adapter "
                  "was trained on")
      ->type_name("TYPE")
      ->transform(one_of(kQuantTypes));
  parser
      .add_option("--block-size", args.block_size,
                  "How many weights share a scale where they become 4-bit: a power of two from 32 to 4096")
      ->type_name("N")
      ->transform(one_of(kBlockSizes))
      ->capture_default_str();
  parser.add_flag("--no-double-quant", args.no_double_quant, "Keep the scales in fp32 where weights become 4-bit");
  parser
      .add_option("--include", args.include,
                  "Where a 16-bit base is quantized (--base-as, or --to of merge), also quantize the tensors whose "
                  "names match this pattern; may be repeated")
      ->type_name("PATTERN")
      ->allow_extra_args(false);
  parser
      .add_option("--exclude", args.exclude,
                  "Likewise, do not quantize the tensors whose names match this pattern; may be repeated")
      ->type_name("PATTERN")
      ->allow_extra_args(false);
  CLI::Option* tie = parser.add_flag("--tie", args.tie, "Keep an output head tied to the embedding, as peft does");
  parser.add_flag("--untie", args.untie, "Write an output head that was tied to the embedding as a tensor of its own")
      ->excludes(tie);
  parser
      .add_option("--prefix", args.prefix,
                  "The module of the base in which the names of the adapters lie, such as model.vision_tower, if it is "
                  "not the whole model")
      ->type_name("NAME");
  parser
      .add_option("--lora-b-layout", args.lora_b_layout,
                  "How lora_B of a layer's experts is ordered, if adapter_config.json does not say it: as peft has it, "
                  "[rank][expert], or as unsloth had it until September 2026, [expert][rank]")
      ->type_name("ORDER")
      ->transform(one_of(kLoraBLayouts));
}

// Copies the arguments into MergeOptions or CompareOptions.
template <class Options>
void set_adapter_options(const AdapterArguments& args, Options& options) {
  if (!args.base_as.empty()) options.base_as = quant_type_of(args.base_as);
  options.blocksize = args.block_size;
  options.double_quant = !args.no_double_quant;
  options.include = args.include;
  options.exclude = args.exclude;
  options.prefix = args.prefix;
  if (args.lora_b_layout == kLoraBLayouts[0]) options.lora_b_layout = checkpoint::LoraBLayout::peft;
  if (args.lora_b_layout == kLoraBLayouts[1]) options.lora_b_layout = checkpoint::LoraBLayout::grouped_by_expert;
  if (args.tie) options.head = checkpoint::Head::tie;
  if (args.untie) options.head = checkpoint::Head::untie;
}

}  // namespace qfuse::cli

#endif  // QFUSE_CLI_ADAPTERS_H
