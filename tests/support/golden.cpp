#include "support/golden.h"

#include <cstdlib>
#include <cstring>
#include <fstream>
#include <iterator>
#include <stdexcept>

namespace qfuse::tests {
namespace {

// The source tree of this build, or QFUSE_GOLDEN_DIR for programs that run on another machine.
std::string golden_directory() {
  const char* const elsewhere = std::getenv("QFUSE_GOLDEN_DIR");
  return elsewhere != nullptr ? elsewhere : QFUSE_GOLDEN_DIR;
}

std::string read_whole(const std::string& path) {
  const std::string full = golden_directory() + "/" + path;
  std::ifstream file(full, std::ios::binary);
  if (!file) throw std::runtime_error("golden file is missing: " + full);
  return {std::istreambuf_iterator<char>(file), {}};
}

}  // namespace

std::int64_t GoldenTensor::elements() const {
  std::int64_t product = 1;
  for (const std::int64_t dim : shape) product *= dim;
  return product;
}

GoldenFile read_golden(const std::string& path) {
  const std::string content = read_whole(path);
  std::uint64_t header_size = 0;
  std::memcpy(&header_size, content.data(), sizeof header_size);
  const auto header = nlohmann::json::parse(content.substr(sizeof header_size, header_size));
  const char* data = content.data() + sizeof header_size + header_size;
  GoldenFile file;
  for (const auto& [name, entry] : header.items()) {
    if (name == "__metadata__") continue;
    const auto begin = entry.at("data_offsets").at(0).get<std::size_t>();
    const auto end = entry.at("data_offsets").at(1).get<std::size_t>();
    file[name] = {entry.at("dtype"), entry.at("shape"), {data + begin, data + end}};
  }
  return file;
}

nlohmann::json read_golden_json(const std::string& path) { return nlohmann::json::parse(read_whole(path)); }

namespace {

// Python writes NaN and infinities as bare words, which JSON does not allow. Such an offset becomes a string.
nlohmann::json parse_python_json(std::string text) {
  for (const std::string word : {"-Infinity", "Infinity", "NaN"}) {
    const std::size_t at = text.find(": " + word);
    if (at != std::string::npos) text.replace(at, word.size() + 2, ": \"" + word + "\"");
  }
  return nlohmann::json::parse(text);
}

float offset_of(const nlohmann::json& value) {
  return value.is_string() ? std::stof(value.get<std::string>()) : static_cast<float>(value.get<double>());
}

}  // namespace

qfuse_dtype dtype_named(const std::string& name) {
  if (name == "float32") return QFUSE_FLOAT32;
  if (name == "float16") return QFUSE_FLOAT16;
  if (name == "bfloat16") return QFUSE_BFLOAT16;
  throw std::runtime_error("no such dtype: " + name);
}

contract::Dequantize4bit GoldenWeight::params() const {
  contract::Dequantize4bit p{};
  qfuse_weight_4bit& w = p.weight;
  w.rows = 1;
  w.cols = n;
  w.blocksize = blocksize;
  w.quant_type = quant_type;
  w.packed = packed->as<std::uint8_t>();
  if (nested) {
    w.absmax_8bit = absmax->as<std::uint8_t>();
    w.nested_absmax = nested_absmax->as<float>();
    w.nested_quant_map = nested_quant_map->as<float>();
    w.nested_offset = &nested_offset;
    w.nested_blocksize = 256;
  } else {
    w.absmax = absmax->as<float>();
  }
  return p;
}

GoldenWeight golden_weight(const GoldenFile& file, const std::string& name) {
  const std::string prefix = name + ".weight";
  const bool nf4 = file.contains(prefix + ".quant_state.bitsandbytes__nf4");
  const GoldenTensor& blob =
      file.at(prefix + (nf4 ? ".quant_state.bitsandbytes__nf4" : ".quant_state.bitsandbytes__fp4"));
  const auto state = parse_python_json({blob.bytes.begin(), blob.bytes.end()});
  GoldenWeight w{};
  w.name = name;
  w.quant_type = nf4 ? QFUSE_NF4 : QFUSE_FP4;
  w.n = 1;
  for (const auto& dim : state.at("shape")) w.n *= dim.get<std::int64_t>();
  w.blocksize = state.at("blocksize");
  w.nested = state.contains("nested_offset");
  w.packed = &file.at(prefix);
  w.absmax = &file.at(prefix + ".absmax");
  if (w.nested) {
    w.nested_offset = offset_of(state.at("nested_offset"));
    w.nested_absmax = &file.at(prefix + ".nested_absmax");
    w.nested_quant_map = &file.at(prefix + ".nested_quant_map");
  }
  return w;
}

}  // namespace qfuse::tests
