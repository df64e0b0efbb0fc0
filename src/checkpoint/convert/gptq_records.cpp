#include "checkpoint/convert/gptq_records.h"

#include <fmt/format.h>

#include <filesystem>

#include "checkpoint/files/packing.h"

namespace qfuse::checkpoint {

void drop_gptq_records(const Layout& layout, const Model& model, ConversionPlan& plan) {
  if (!layout.has_gptq() || !model.is_directory()) return;
  for (const char* name : kPackingFiles) {
    if (!std::filesystem::exists(model.path() / name)) continue;
    plan.left_out.insert(name);
    plan.notes.push_back(fmt::format("{}: {} is left out: it says that the model is quantized", model.name(), name));
  }
}

}  // namespace qfuse::checkpoint
