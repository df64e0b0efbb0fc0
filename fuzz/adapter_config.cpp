// Fuzzes adapter_config.json. An accepted config must give every module a rank and a scale, whatever its patterns are.
#include "checkpoint/files/adapter_config.h"

#include <cmath>

#include "expect.h"

namespace qfuse::fuzz {
namespace {

void expect_usable(const checkpoint::AdapterConfig& config) {
  for (const std::string& module : {std::string("model.layers.0.mlp.up_proj"), std::string(), std::string(300, 'a'),
                                    std::string("a\xff\n.up_proj"), std::string(2000, '.')}) {
    const std::int64_t rank = config.rank_of(module);
    expect(rank >= 1 && rank <= checkpoint::kLargestRank, "a rank is a count");
    expect(std::isfinite(config.scale_of(module)), "a scale is a number");
  }
  for (const auto& [name, rows] : config.token_indices())
    for (const std::int64_t row : rows) expect(row >= 0, "tokens have numbers from 0");
}

void run(std::string_view text) {
  try {
    expect_usable(checkpoint::AdapterConfig(text, "f"));
  } catch (const Error& error) {
    expect(error.status() == Status::invalid_data || error.status() == Status::unsupported, "a bad config is that");
    expect_readable(error, "f: ");
  }
}

}  // namespace
}  // namespace qfuse::fuzz

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  qfuse::fuzz::run({reinterpret_cast<const char*>(data), size});
  return 0;
}
