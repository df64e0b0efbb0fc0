// Inspects and dequantizes a whole model directory. The input is a recipe (recipe.h). Only qfuse::Error may escape. An
// output exists if and only if the run succeeded, and equals what the scalar oracle decodes. No other file is ever left
// beside the output.
#include <array>
#include <qfuse/checkpoint.hpp>

#include "checkpoint/files/errors.h"
#include "checkpoint/files/model.h"
#include "expect.h"
#include "recipe.h"
#include "scratch.h"

namespace qfuse::fuzz {
namespace {

checkpoint::DequantizeOptions options_for(std::size_t size) {
  constexpr std::array<std::optional<Dtype>, 4> kDtypes{std::nullopt, Dtype::bfloat16, Dtype::float16, Dtype::float32};
  checkpoint::DequantizeOptions options;
  options.dtype = kDtypes[size % kDtypes.size()];  // derived from the size, which is as good as random
  options.max_shard_size = 500;                    // small, so that there is often more than one shard
  options.exec.threads = 1;
  return options;
}

// Returns whether the model could be opened.
bool run(std::string_view recipe, Scratch& scratch) {
  const fs::path in = scratch.path / "in";
  const fs::path out = scratch.path / "out";
  fs::create_directory(in);
  write_model(recipe, in);
  const bool inspected = succeeds([&] { checkpoint::to_json(checkpoint::inspect(in)); });
  checkpoint::ConversionReport report;
  const bool converted = succeeds([&] { report = checkpoint::dequantize(in, out, options_for(recipe.size())); });
  expect(inspected || !converted, "what can be converted can be inspected");
  expect(fs::exists(out) == converted, "there is an output if and only if it succeeded");
  expect(!fs::exists(out.native() + ".qfuse-partial"), "nothing partial is left");
  if (converted) {
    expect_whole(out, report);
    expect(checkpoint::compare(in, out).equal, "the output is what the oracle decodes");
  }
  const bool opened = inspected || succeeds([&] { checkpoint::with_qfuse_errors([&] { checkpoint::Model{in}; }); });
  for (const auto& [what, is] :
       {std::pair{"inputs", true}, {"opened", opened}, {"well-formed", inspected}, {"converted", converted}})
    scratch.counts[what] += is ? 1 : 0;
  fs::remove_all(in);
  fs::remove_all(out);
  return opened;
}

}  // namespace
}  // namespace qfuse::fuzz

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  static qfuse::fuzz::Scratch scratch;
  // Inputs that do not open are not kept in the corpus, because headers have their own target.
  return qfuse::fuzz::run({reinterpret_cast<const char*>(data), size}, scratch) ? 0 : -1;
}
