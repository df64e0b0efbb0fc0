// Proves that fuzzing finds faults: plants an overflow that needs an error which no input of the corpus causes.
#include <cstddef>
#include <cstdint>
#include <string>

#include "checkpoint/files/quant_state.h"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  try {
    qfuse::checkpoint::parse_quant_state({reinterpret_cast<const char*>(data), size}, "f");
  } catch (const qfuse::Error& error) {
    const std::string message = error.what();
    const volatile char* text = message.data();
    if (message.starts_with("f: quant_type is")) static_cast<void>(text[message.capacity() + 1]);
  }
  return 0;
}
