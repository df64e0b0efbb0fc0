#include <fmt/format.h>
#include <fnmatch.h>

#include <algorithm>
#include <map>
#include <memory>
#include <qfuse/checkpoint.hpp>
#include <string>
#include <vector>

#include "alike.h"
#include "command.h"
#include "text.h"

namespace qfuse::cli {
namespace {

struct InspectArguments {
  std::string in;
  std::vector<std::string> filter;
  bool summary = false;
  bool all = false;
  bool json = false;
};

// Keeps only the tensors whose names match one of the patterns, and sums their bytes.
checkpoint::Inventory filtered(checkpoint::Inventory inventory, const std::vector<std::string>& patterns) {
  if (patterns.empty()) return inventory;
  std::erase_if(inventory.tensors, [&](const checkpoint::TensorInfo& tensor) {
    return std::none_of(patterns.begin(), patterns.end(), [&](const std::string& pattern) {
      return ::fnmatch(pattern.c_str(), tensor.name.c_str(), 0) == 0;
    });
  });
  if (inventory.tensors.empty())
    throw Error(Status::invalid_argument, fmt::format("--filter '{}' matches no tensor", printable(patterns.front())));
  inventory.bytes = inventory.decoded_bytes = 0;
  for (const checkpoint::TensorInfo& tensor : inventory.tensors) {
    inventory.bytes += tensor.bytes;
    inventory.decoded_bytes += tensor.decoded_bytes;
  }
  return inventory;
}

// Describes how a tensor is stored: "nf4, blocks of 64, nested", or "BF16".
std::string storage_of(const checkpoint::TensorInfo& tensor) {
  if (!tensor.block.empty()) return fmt::format("{}, {}", tensor.format, scaling_of(tensor));
  if (tensor.blocksize == 0) return tensor.format;
  return fmt::format("{}, blocks of {}{}", tensor.format, tensor.blocksize, tensor.nested ? ", nested" : "");
}

std::string compression(std::int64_t decoded, std::int64_t stored) {
  return stored == 0 || decoded == 0
             ? ""
             : fmt::format("{:.2f}x", static_cast<double>(decoded) / static_cast<double>(stored));
}

void print_by_storage(const checkpoint::Inventory& inventory) {
  struct Sum {
    std::int64_t tensors = 0;
    std::int64_t bytes = 0;
    std::int64_t decoded_bytes = 0;
  };
  std::map<std::string, Sum> sums;
  for (const checkpoint::TensorInfo& tensor : inventory.tensors) {
    Sum& sum = sums[storage_of(tensor)];
    ++sum.tensors;
    sum.bytes += tensor.bytes;
    sum.decoded_bytes += tensor.decoded_bytes;
  }
  Table table({"stored as", "tensors", "bytes", "decoded", "compression"});
  for (const auto& [storage, sum] : sums)
    table.add({storage, std::to_string(sum.tensors), human_size(static_cast<double>(sum.bytes)),
               human_size(static_cast<double>(sum.decoded_bytes)), compression(sum.decoded_bytes, sum.bytes)});
  table.print();
}

void print_tensors(const checkpoint::Inventory& inventory, bool apart) {
  Table table({"name", "shape", "stored as", "bytes"});
  for (const AlikeTensors& alike : alike_tensors(inventory, apart))
    table.add({alike.name, alike.shape, alike.stored, std::to_string(alike.bytes)});
  table.print();
}

void print_total(const checkpoint::Inventory& inventory) {
  say(stdout, fmt::format("{} tensor{} in {} file{}: {}, decoded {} ({})", inventory.tensors.size(),
                          inventory.tensors.size() == 1 ? "" : "s", inventory.files, inventory.files == 1 ? "" : "s",
                          human_size(static_cast<double>(inventory.bytes)),
                          human_size(static_cast<double>(inventory.decoded_bytes)),
                          compression(inventory.decoded_bytes, inventory.bytes)));
}

int run(const InspectArguments& args) {
  const checkpoint::Inventory inventory = filtered(checkpoint::inspect(args.in), args.filter);
  if (args.json) {
    fmt::print("{}\n", checkpoint::to_json(inventory));
    return kSuccess;
  }
  for (const std::string& note : inventory.notes) say(stderr, fmt::format("qfuse: note: {}", note));
  args.summary ? print_by_storage(inventory) : print_tensors(inventory, args.all);
  print_total(inventory);
  return kSuccess;
}

}  // namespace

Command add_inspect(CLI::App& app) {
  CLI::App* parser = app.add_subcommand("inspect", "List the tensors of a checkpoint and how they are stored");
  auto args = std::make_shared<InspectArguments>();
  parser->add_option("IN", args->in, "A .safetensors file, a model directory or a diffusers pipeline")
      ->type_name(kPath)
      ->required();
  parser
      ->add_option("--filter", args->filter,
                   "List only the tensors whose names match this shell pattern; may be repeated")
      ->type_name("PATTERN")
      ->allow_extra_args(false);
  CLI::Option* summary =
      parser->add_flag("--summary", args->summary, "Print totals for each way of storing, instead of each tensor");
  parser->add_flag("--all", args->all, "List each tensor by itself, also where layers are stored alike")
      ->excludes(summary);
  parser->add_flag("--json", args->json, "Print JSON, which also says where in which file each array lies");
  parser->footer(
      "Reads only the headers. The parts of a quantized weight count as one tensor. Tensors whose names differ in "
      "numbers alone, and which are stored alike, are a line: layers.{0..31} are layers 0 to 31, and bytes are those "
      "of all. \"nf4 64 nested -> BF16\": NF4 in blocks of 64 with double quantization, which decodes to BF16. "
      "\"fp8 128x128 F32 -> BF16\": a scale of F32 for each block of 128 rows by 128 columns; so of int4, mxfp4, "
      "nvfp4, gptq and awq.");
  return {parser, [args] { return run(*args); }};
}

}  // namespace qfuse::cli
