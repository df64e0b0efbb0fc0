// Fuzzes the header of a safetensors file. The input is two bytes, the size of the data, then the JSON. An accepted
// header must cover the data, match a parser of the whole document, and survive being written again.
#include <cstring>
#include <nlohmann/json.hpp>

#include "checkpoint/files/safetensors.h"
#include "expect.h"

namespace qfuse::fuzz {
namespace {

using checkpoint::TensorEntry;
using nlohmann::json;

void expect_covers(const std::vector<TensorEntry>& entries, std::int64_t data_bytes) {
  std::int64_t end = 0;
  for (const TensorEntry& entry : entries) {
    expect(entry.begin == end && entry.end >= end, "ranges follow each other: " + entry.name);
    end = entry.end;
  }
  expect(end == data_bytes, "ranges end where the data ends");
}

void expect_as_document(const std::vector<TensorEntry>& entries, std::string_view text) {
  const json document = json::parse(text);
  expect(entries.size() + document.count("__metadata__") == document.size(), "every tensor has an entry");
  for (const TensorEntry& entry : entries) {
    const json& seen = document.at(entry.name);
    expect(seen.at("dtype") == type_name(entry.type), "dtype of " + entry.name);
    expect(seen.at("shape") == json(entry.shape), "shape of " + entry.name);
    expect(seen.at("data_offsets") == json({entry.begin, entry.end}), "data_offsets of " + entry.name);
  }
}

void expect_writable(std::vector<TensorEntry> entries, std::int64_t data_bytes) {
  checkpoint::order_entries(entries);
  checkpoint::place_entries(entries);
  const std::string header = checkpoint::print_header(entries);
  expect(checkpoint::parse_header(header.substr(8), data_bytes, "f").size() == entries.size(),
         "what is written is read");
}

void run(std::string_view text, std::int64_t data_bytes) {
  try {
    const std::vector<TensorEntry> entries = checkpoint::parse_header(text, data_bytes, "f");
    expect_covers(entries, data_bytes);
    expect_as_document(entries, text);
    expect_writable(entries, data_bytes);
  } catch (const Error& error) {
    expect(error.status() == Status::invalid_data, "a bad header is invalid_data");
    expect_readable(error, "f: ");
  }
}

}  // namespace
}  // namespace qfuse::fuzz

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  std::uint16_t data_bytes = 0;
  if (size < sizeof data_bytes) return -1;  // too short to keep
  std::memcpy(&data_bytes, data, sizeof data_bytes);
  qfuse::fuzz::run({reinterpret_cast<const char*>(data) + sizeof data_bytes, size - sizeof data_bytes}, data_bytes);
  return 0;
}
