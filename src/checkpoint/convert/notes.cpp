#include "checkpoint/convert/notes.h"

#include <fmt/format.h>

#include <system_error>

#include "checkpoint/files/adapter_config.h"
#include "checkpoint/files/config.h"
#include "checkpoint/files/errors.h"

namespace qfuse::checkpoint {

namespace fs = std::filesystem;

std::string not_copied(const fs::path& file) {
  std::error_code error;
  if (fs::is_directory(file, error))
    return fmt::format("{}: is a folder, and was not copied; what loads the model may need it", shown(file));
  if (fs::is_symlink(file) && !fs::exists(file, error))
    return fmt::format("{}: is a link that leads nowhere, and was not copied", shown(file));
  if (file.filename() == kAdapterConfigFile)
    return fmt::format(
        "{}: is an adapter's, which transformers would load, on that adapter's base, instead of the model; it was not "
        "copied",
        shown(file));
  return fmt::format("{}: is not part of the model, and was not copied", shown(file));
}

void note_no_config(const Model& model, const std::optional<Config>& config, std::vector<std::string>& notes) {
  if (model.is_directory() && !config)
    notes.push_back(fmt::format("{}: has no {}, without which transformers loads neither it nor what becomes of it",
                                model.name(), kConfigFile));
}

void note_families(const Families& families, const Model& model, std::vector<std::string>& notes) {
  if (!families.is_checked())
    notes.push_back(fmt::format("{}: no model of type '{}' was checked; tensors are told by their names", model.name(),
                                printable(families.name())));
}

void note_transposed(std::int64_t matrices, const Families& families, const Model& model,
                     std::vector<std::string>& notes) {
  if (matrices > 0 && !model.is_directory())
    notes.push_back(
        fmt::format("{}: {} matrices were transposed, because the {} beside it says '{}'; whoever converts the "
                    "output needs it beside that",
                    model.name(), matrices, kConfigFile, printable(families.name())));
}

void note_experts(const ExpertCount& experts, bool asked, const Model& model, std::vector<std::string>& notes) {
  const auto add = [&](const std::string& text) { notes.push_back(fmt::format("{}: {}", model.name(), text)); };
  if (experts.single_bytes > 0 && !asked)
    add(fmt::format("{} of experts stay as they are; `experts` quantizes them, for transformers 4 alone",
                    human_size(experts.single_bytes)));
  if (experts.stack_bytes > 0 && !asked)
    add(
        fmt::format("{} of experts, which are one tensor for all, stay as they are; `experts` quantizes them, and then "
                    "transformers does not load the model",
                    human_size(experts.stack_bytes)));
  if (experts.uneven_stacks > 0)
    add(
        fmt::format("{} tensors of experts stay as they are, because an expert in them is no whole number of blocks: a "
                    "smaller block size may divide it",
                    experts.uneven_stacks));
  if (experts.stacks_4bit > 0)
    add(
        fmt::format("{} tensors of experts are 4-bit weights of three dimensions, which transformers refuses to load; "
                    "qfuse dequantize, qfuse.load_checkpoint and bitsandbytes' replace_parameter_4bit_prequantized "
                    "read them",
                    experts.stacks_4bit));
}

}  // namespace qfuse::checkpoint
