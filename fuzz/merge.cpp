// Merges an adapter onto a model. The input is a recipe (recipe.h) of the base, a line "@adapter <number>", whose
// number selects the options, and a recipe of the adapter. Only qfuse::Error may escape. An output exists if and only
// if the run succeeded. A dry run predicts the success, and the scalar oracle makes the same bytes. No other file is
// ever left beside the output.
#include <array>
#include <charconv>
#include <qfuse/checkpoint.hpp>

#include "checkpoint/files/adapter.h"
#include "checkpoint/files/errors.h"
#include "expect.h"
#include "recipe.h"
#include "scratch.h"

namespace qfuse::fuzz {
namespace {

checkpoint::MergeOptions options_for(unsigned number) {
  using checkpoint::Head;
  constexpr std::array<std::optional<Dtype>, 3> kDtypes{std::nullopt, Dtype::float16, Dtype::float32};
  constexpr std::array<std::optional<QuantType>, 3> kTypes{std::nullopt, std::nullopt, QuantType::nf4};
  using checkpoint::BlockFormat;
  constexpr std::array<std::optional<BlockFormat>, 4> kBlocks{std::nullopt, BlockFormat::fp8, BlockFormat::mxfp4,
                                                              BlockFormat::nvfp4};
  constexpr std::array kHeads{Head::as_trained, Head::as_trained, Head::tie, Head::untie};
  checkpoint::MergeOptions options;
  options.dtype = kDtypes[number % kDtypes.size()];
  options.to_4bit = kTypes[number / 3 % kTypes.size()];
  options.base_as = kTypes[number / 9 % kTypes.size()];
  options.head = kHeads[number / 27 % kHeads.size()];
  options.allow_nonfinite = number / 108 % 2 == 0;
  options.fail_below = 0.0;
  options.to_blocks = kBlocks[number / 432 % kBlocks.size()];
  if (options.to_blocks) {  // dtype, to_4bit and to_blocks exclude each other
    options.dtype.reset();
    options.to_4bit.reset();
  }
  options.keep_scales = (options.to_4bit || options.to_blocks) && number / 1728 % 2 == 1;
  options.max_shard_size = 500;  // small, so that there is often more than one shard
  options.exec.threads = 1;
  return options;
}

// Returns whether base and adapter could be opened.
bool run(std::string_view recipe, Scratch& scratch) {
  constexpr std::string_view kBetween = "\n@adapter ";
  const std::size_t between = recipe.find(kBetween);
  if (between == recipe.npos) return false;
  const std::string_view number_and_adapter = recipe.substr(between + kBetween.size());
  unsigned number = 0;
  std::from_chars(number_and_adapter.data(), number_and_adapter.data() + number_and_adapter.size(), number);
  const fs::path base = scratch.path / "base";
  const std::vector<checkpoint::AdapterInput> adapters{{scratch.path / "adapter", number / 216 % 2 == 0 ? 1.0 : -0.5}};
  const fs::path out = scratch.path / "out";
  const fs::path again = scratch.path / "again";
  fs::create_directory(base);
  fs::create_directory(adapters[0].path);
  write_model(recipe.substr(0, between), base);
  write_model(number_and_adapter, adapters[0].path);
  checkpoint::MergeOptions options = options_for(number);
  checkpoint::MergeReport report;
  const bool merged = succeeds([&] { report = checkpoint::merge(base, adapters, out, options); });
  expect(fs::exists(out) == merged, "there is an output if and only if it succeeded");
  expect(!fs::exists(out.native() + ".qfuse-partial"), "nothing partial is left");
  checkpoint::to_json(report);
  options.dry_run = true;
  expect(succeeds([&] { checkpoint::merge(base, adapters, again, options); }) == merged, "a dry run says it before");
  expect(!fs::exists(again), "a dry run writes nothing");
  if (merged) {
    expect_whole(out, report);
    options.dry_run = false;
    options.exec.device = {QFUSE_REFERENCE, 0};
    checkpoint::merge(base, adapters, again, options);
    expect(checkpoint::compare(out, again).equal, "the scalar oracle makes the same");
  }
  const bool opened = merged || succeeds([&] {
                        checkpoint::with_qfuse_errors([&] {
                          checkpoint::Model{base};
                          checkpoint::Adapter{adapters[0].path};
                        });
                      });
  for (const auto& [what, is] : {std::pair{"inputs", true}, {"opened", opened}, {"merged", merged}})
    scratch.counts[what] += is ? 1 : 0;
  for (const fs::path& path : {base, adapters[0].path, out, again}) fs::remove_all(path);
  return opened;
}

}  // namespace
}  // namespace qfuse::fuzz

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  static qfuse::fuzz::Scratch scratch;
  // Inputs that do not open are not kept in the corpus, because headers have their own target.
  return qfuse::fuzz::run({reinterpret_cast<const char*>(data), size}, scratch) ? 0 : -1;
}
