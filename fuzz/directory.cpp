// Inspects and dequantizes a whole model directory. The input is a recipe (recipe.h). Only qfuse::Error may escape. An
// output exists if and only if the run succeeded, and equals what the scalar oracle decodes. No other file is ever left
// beside the output.
#include <unistd.h>

#include <array>
#include <cstdio>
#include <qfuse/checkpoint.hpp>

#include "checkpoint/files/errors.h"
#include "checkpoint/files/model.h"
#include "expect.h"
#include "recipe.h"

namespace qfuse::fuzz {
namespace {

namespace fs = std::filesystem;

// A directory of this process, in memory if /dev/shm exists. A failed run leaves the directory for inspection. Also
// counts results of the inputs: most must get past the headers, or the code after that is not tested.
struct Scratch {
  Scratch() { fs::create_directory(path); }
  ~Scratch() {
    fs::remove_all(path);
    std::fprintf(stderr, "%ld inputs: %ld opened, %ld well-formed, %ld converted\n", inputs, opened, inspected,
                 converted);
  }
  fs::path path = (fs::exists("/dev/shm") ? "/dev/shm" : fs::temp_directory_path()) /
                  fs::path("qfuse-fuzz-" + std::to_string(::getpid()));
  long inputs = 0;
  long opened = 0;
  long inspected = 0;
  long converted = 0;
};

// Returns whether `work` succeeded.
template <typename Work>
bool succeeds(Work work) {
  try {
    work();
    return true;
  } catch (const Error& error) {
    expect_readable(error, "");
    return false;
  }
}

checkpoint::DequantizeOptions options_for(std::size_t size) {
  constexpr std::array<std::optional<Dtype>, 4> kDtypes{std::nullopt, Dtype::bfloat16, Dtype::float16, Dtype::float32};
  checkpoint::DequantizeOptions options;
  options.dtype = kDtypes[size % kDtypes.size()];  // derived from the size, which is as good as random
  options.max_shard_size = 500;                    // small, so that there is often more than one shard
  options.exec.threads = 1;
  return options;
}

void expect_faithful(const fs::path& in, const fs::path& out, const checkpoint::ConversionReport& report) {
  const checkpoint::Inventory inventory = checkpoint::inspect(out);
  expect(report.tensors == static_cast<std::int64_t>(inventory.tensors.size()), "the output has all tensors");
  expect(report.files == inventory.files, "the output has all files");
  expect(report.bytes_written == inventory.bytes, "the output has all bytes");
  expect(checkpoint::compare(in, out).equal, "the output is what the oracle decodes");
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
  if (converted) expect_faithful(in, out, report);
  const bool opened = inspected || succeeds([&] { checkpoint::with_qfuse_errors([&] { checkpoint::Model{in}; }); });
  scratch.inputs += 1;
  scratch.opened += opened ? 1 : 0;
  scratch.inspected += inspected ? 1 : 0;
  scratch.converted += converted ? 1 : 0;
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
