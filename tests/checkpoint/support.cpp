#include "support.h"

#include <unistd.h>

#include <algorithm>
#include <array>
#include <bit>
#include <cstdlib>
#include <fstream>
#include <iterator>
#include <random>

namespace qfuse::checkpoint {

TemporaryDirectory::TemporaryDirectory() {
  std::string pattern = (fs::temp_directory_path() / "qfuse-test-XXXXXX").native();
  if (::mkdtemp(pattern.data()) == nullptr) throw std::runtime_error("cannot make a temporary directory");
  path_ = fs::canonical(pattern);
}

TemporaryDirectory::~TemporaryDirectory() { fs::remove_all(path_); }

std::string read_file(const fs::path& path) {
  std::ifstream file(path, std::ios::binary);
  std::string bytes(fs::file_size(path), '\0');
  if (!file.read(bytes.data(), std::ssize(bytes))) throw std::runtime_error("cannot read " + path.native());
  return bytes;
}

void write_file(const fs::path& path, const std::string& bytes) {
  std::ofstream file(path, std::ios::binary);
  file << bytes;
  if (!file.flush()) throw std::runtime_error("cannot write " + path.native());
}

Names names_in(const fs::path& directory) {
  Names names;
  for (const auto& entry : fs::directory_iterator(directory)) names.push_back(entry.path().filename());
  std::sort(names.begin(), names.end());
  return names;
}

Files files_in(const fs::path& directory) {
  Files files;
  for (const std::string& name : names_in(directory)) files[name] = read_file(directory / name);
  return files;
}

std::string file_bytes(const std::string& header, const std::string& data) {
  const auto length = std::bit_cast<std::array<char, 8>>(static_cast<std::uint64_t>(header.size()));
  return std::string(length.data(), length.size()) + header + data;
}

RawTensor f32(const std::vector<float>& values) {
  return {"F32", {static_cast<std::int64_t>(values.size())}, bytes_of(values)};
}

RawTensor u8(const std::vector<std::uint8_t>& values) {
  return {"U8", {static_cast<std::int64_t>(values.size())}, bytes_of(values)};
}

RawTensor text(const std::string& json) { return {"U8", {static_cast<std::int64_t>(json.size())}, json}; }

std::string safetensors(const RawTensors& tensors) {
  nlohmann::json header = nlohmann::json::object();
  std::string data;
  for (const auto& [name, tensor] : tensors) {
    header[name] = {{"dtype", tensor.type},
                    {"shape", tensor.shape},
                    {"data_offsets", {data.size(), data.size() + tensor.bytes.size()}}};
    data += tensor.bytes;
  }
  return file_bytes(header.dump(), data);
}

RawTensors parse_safetensors(const std::string& bytes) {
  std::uint64_t length = 0;
  std::memcpy(&length, bytes.data(), sizeof length);
  const auto header = nlohmann::json::parse(bytes.substr(8, length));
  RawTensors tensors;
  for (const auto& [name, entry] : header.items()) {
    if (name == "__metadata__") continue;
    const std::size_t begin = entry["data_offsets"][0];
    const std::size_t end = entry["data_offsets"][1];
    tensors[name] = {entry["dtype"], entry["shape"], bytes.substr(8 + length + begin, end - begin)};
  }
  return tensors;
}

RawTensors load(const fs::path& path) {
  if (!fs::is_directory(path)) return parse_safetensors(read_file(path));
  RawTensors tensors;
  for (const std::string& name : names_in(path))
    if (name.ends_with(".safetensors")) tensors.merge(parse_safetensors(read_file(path / name)));
  return tensors;
}

void write_model(const fs::path& directory, const RawTensors& tensors, const std::string& config) {
  fs::create_directories(directory);
  write_file(directory / "model.safetensors", safetensors(tensors));
  if (!config.empty()) write_file(directory / "config.json", config);
}

RawTensors small_nf4(const std::string& base) {
  RawTensors tensors;
  std::string codes(96, '\0');
  for (std::size_t i = 0; i < codes.size(); ++i) codes[i] = static_cast<char>(i * 37);
  tensors[base] = {"U8", {96, 1}, codes};
  tensors[base + ".absmax"] = f32({0.5F, 2.0F, 0.25F});
  tensors[base + ".quant_map"] = f32(std::vector<float>(16));
  tensors[base + ".quant_state.bitsandbytes__nf4"] = text(kPlainState);
  return tensors;
}

RawTensors small_nested_nf4(const std::string& base) {
  RawTensors tensors = small_nf4(base);
  std::vector<float> map(256);
  qfuse_nested_quant_map(map.data());
  tensors[base + ".absmax"] = u8({3, 200, 255});
  tensors[base + ".nested_absmax"] = f32({0.125F});
  tensors[base + ".nested_quant_map"] = f32(map);
  tensors[base + ".quant_state.bitsandbytes__nf4"] = text(kNestedState);
  return tensors;
}

// Uses the source tree of the build, or QFUSE_GOLDEN_DIR for programs that run on another machine.
fs::path golden(const std::string& name) {
  const char* const elsewhere = std::getenv("QFUSE_GOLDEN_DIR");
  return fs::path(elsewhere != nullptr ? elsewhere : QFUSE_GOLDEN_DIR) / name;
}

testing::AssertionResult holds(const std::string& text, const std::string& part) {
  if (text.find(part) != std::string::npos) return testing::AssertionSuccess();
  return testing::AssertionFailure() << "'" << text << "' does not hold '" << part << "'";
}

std::string type_of_name(Dtype dtype) {
  return dtype == Dtype::float32 ? "F32" : dtype == Dtype::float16 ? "F16" : "BF16";
}

std::size_t elements_of(const std::vector<std::int64_t>& shape) {
  std::size_t n = 1;
  for (const std::int64_t dimension : shape) n *= static_cast<std::size_t>(dimension);
  return n;
}

std::string repeated(const std::string& noise, std::size_t size) {
  std::string bytes;
  bytes.reserve(size);
  while (bytes.size() < size) bytes.append(noise, 0, size - bytes.size());
  return bytes;
}

RawTensor random_weight(std::vector<std::int64_t> shape, Dtype dtype, unsigned seed) {
  std::mt19937 random(seed);
  const std::size_t n = elements_of(shape);
  std::string bytes(std::min(n, kNoise) * dtype_size(dtype), '\0');
  for (std::size_t i = 0; i < std::min(n, kNoise); ++i) {
    const auto bits = static_cast<std::uint32_t>(random());
    // sign, an exponent near that of 1/16, and all mantissa bits
    const std::uint32_t value = dtype == Dtype::float32    ? (bits & 0x83FFFFFFU) | 0x3C000000U
                                : dtype == Dtype::bfloat16 ? ((bits & 0x83FFU) | 0x3C00U)
                                                           : ((bits & 0x8FFFU) | 0x2000U);
    std::memcpy(&bytes[i * dtype_size(dtype)], &value, dtype_size(dtype));
  }
  return {type_of_name(dtype), std::move(shape), repeated(bytes, n * dtype_size(dtype))};
}

}  // namespace qfuse::checkpoint
