#include "checkpoint/convert/notes.h"

#include <fmt/format.h>

#include <system_error>

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
  return fmt::format("{}: is not part of the model, and was not copied", shown(file));
}

void note_families(const Families& families, const Model& model, std::vector<std::string>& notes) {
  if (!families.is_checked())
    notes.push_back(fmt::format("{}: no model of type '{}' was checked; tensors are told by their names", model.name(),
                                printable(families.name())));
}

void note_turned(std::int64_t matrices, const Families& families, const Model& model, std::vector<std::string>& notes) {
  if (matrices > 0 && !model.is_directory())
    notes.push_back(
        fmt::format("{}: {} matrices were turned, because the {} beside it says '{}'; whoever converts the "
                    "output needs it beside that",
                    model.name(), matrices, kConfigFile, printable(families.name())));
}

}  // namespace qfuse::checkpoint
