// Fuzzes the JSON beside a 4-bit weight. An accepted state must be within the bounds that the decoder relies on.
#include "checkpoint/files/quant_state.h"

#include "checkpoint/files/json.h"
#include "expect.h"

namespace qfuse::fuzz {
namespace {

bool is_power_of_two(std::int64_t number, std::int64_t low, std::int64_t high) {
  return number >= low && number <= high && (number & (number - 1)) == 0;
}

void expect_usable(const checkpoint::QuantState& state) {
  expect(state.quant_type == QuantType::nf4 || state.quant_type == QuantType::fp4, "quant_type is known");
  expect(dtype_size(state.dtype) == 2 || dtype_size(state.dtype) == 4, "dtype is known");
  expect(is_power_of_two(state.blocksize, 32, 4096), "blocksize is in bounds");
  for (const std::int64_t dimension : state.shape) expect(dimension >= 0, "dimensions are counts");
  if (state.nested) expect(is_power_of_two(state.nested->blocksize, 64, 4096), "nested_blocksize is in bounds");
}

void run(std::string_view text) {
  try {
    expect_usable(checkpoint::parse_quant_state(text, "f"));
  } catch (const Error& error) {
    expect(error.status() == Status::invalid_data || error.status() == Status::unsupported, "a bad state is that");
    expect_readable(error, "f: ");
  }
  if (text.find("\\u0000") == std::string_view::npos)  // parse_json refuses these
    expect(checkpoint::restore_special_numbers(checkpoint::hide_special_numbers(text)) == text, "NaN comes back");
}

}  // namespace
}  // namespace qfuse::fuzz

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  qfuse::fuzz::run({reinterpret_cast<const char*>(data), size});
  return 0;
}
