// Proves that these builds find what they look for: an overflow behind an error that no input of the corpus makes.
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
