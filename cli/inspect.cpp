#include <fmt/format.h>

#include <memory>
#include <qfuse/checkpoint.hpp>

#include "command.h"
#include "text.h"

namespace qfuse::cli {
namespace {

struct InspectArguments {
  std::string in;
  bool json = false;
};

std::string compression(std::int64_t decoded, std::int64_t stored) {
  return stored == 0 ? "" : fmt::format("{:.2f}x", static_cast<double>(decoded) / static_cast<double>(stored));
}

void print_table(const checkpoint::Inventory& inventory) {
  Table table({"name", "shape", "format", "block", "nested", "decodes to", "bytes", "compression"});
  for (const checkpoint::TensorInfo& tensor : inventory.tensors)
    table.add({printable(tensor.name), shape_text(tensor.shape), tensor.format,
               tensor.blocksize == 0 ? "" : std::to_string(tensor.blocksize), tensor.nested ? "yes" : "", tensor.dtype,
               std::to_string(tensor.bytes), compression(tensor.decoded_bytes, tensor.bytes)});
  table.print();
  fmt::print("{} tensors in {} file{}: {}, decoded {} ({})\n", inventory.tensors.size(), inventory.files,
             inventory.files == 1 ? "" : "s", human_size(static_cast<double>(inventory.bytes)),
             human_size(static_cast<double>(inventory.decoded_bytes)),
             compression(inventory.decoded_bytes, inventory.bytes));
}

int run(const InspectArguments& args) {
  const checkpoint::Inventory inventory = checkpoint::inspect(args.in);
  if (args.json)
    fmt::print("{}\n", checkpoint::to_json(inventory));
  else
    print_table(inventory);
  return kSuccess;
}

}  // namespace

Command add_inspect(CLI::App& app) {
  CLI::App* parser = app.add_subcommand("inspect", "List the tensors of a checkpoint and how they are quantized");
  auto args = std::make_shared<InspectArguments>();
  parser->add_option("IN", args->in, "A .safetensors file or a model directory")->type_name(kPath)->required();
  parser->add_flag("--json", args->json, "Print JSON, with where each array lies in which file");
  parser->footer("Reads the headers only. The parts of a quantized weight count as one tensor.");
  return {parser, [args] { return run(*args); }};
}

}  // namespace qfuse::cli
