// Handmade files for tests. Nothing here uses the code under test but for the size of its pieces.
#ifndef QFUSE_TESTS_CHECKPOINT_SUPPORT_H
#define QFUSE_TESTS_CHECKPOINT_SUPPORT_H

#include <gtest/gtest.h>

#include <cstring>
#include <filesystem>
#include <map>
#include <nlohmann/json.hpp>
#include <qfuse/checkpoint.hpp>
#include <qfuse/qfuse.hpp>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "checkpoint/convert/source.h"

namespace qfuse::checkpoint {

namespace fs = std::filesystem;

using Names = std::vector<std::string>;
using Files = std::map<std::string, std::string>;  // bytes by name

// The square root of how much smaller a piece is than 16 MiB.
inline constexpr std::int64_t kSmallerSide = kPieceBytes < 16 << 20 ? 4 : 1;
static_assert(kSmallerSide * kSmallerSide * kPieceBytes == 16 << 20);

// Name of the file in which processes that share a conversion record what they agree on.
inline constexpr const char* kPlan = ".qfuse-plan.json";

// Sizes of weights of several pieces: the length of a side, and the number of elements or of rows of a fixed length.
// Where a piece has 16 MiB, what is given; where it has less, less, but odd or even as that is.
constexpr std::int64_t side_of_pieces(std::int64_t length) { return length / kSmallerSide / 2 * 2 + length % 2; }
constexpr std::int64_t count_of_pieces(std::int64_t count) {
  return count / (kSmallerSide * kSmallerSide) / 2 * 2 + count % 2;
}

// A unique directory for each test, removed in the destructor.
class TemporaryDirectory {
 public:
  TemporaryDirectory();
  ~TemporaryDirectory();
  TemporaryDirectory(const TemporaryDirectory&) = delete;
  TemporaryDirectory& operator=(const TemporaryDirectory&) = delete;
  [[nodiscard]] fs::path operator/(const std::string& name) const { return path_ / name; }
  [[nodiscard]] const fs::path& path() const { return path_; }

 private:
  fs::path path_;
};

std::string read_file(const fs::path& path);
void write_file(const fs::path& path, const std::string& bytes);
Names names_in(const fs::path& directory);  // sorted
Files files_in(const fs::path& directory);  // name -> bytes

// Returns the bytes of a .safetensors file: length, header, data.
std::string file_bytes(const std::string& header, const std::string& data = "");

struct RawTensor {
  std::string type;
  std::vector<std::int64_t> shape;
  std::string bytes;
  bool operator==(const RawTensor&) const = default;
};
using RawTensors = std::map<std::string, RawTensor>;

inline RawTensors with_part(RawTensors tensors, const std::string& name, const RawTensor& tensor) {
  tensors[name] = tensor;
  return tensors;
}
inline RawTensors without_part(RawTensors tensors, const std::string& name) {
  EXPECT_EQ(tensors.erase(name), 1U) << name;
  return tensors;
}

// Test data as tensors. A vector becomes a 1D tensor.
template <class T>
std::string bytes_of(const std::vector<T>& values) {
  std::string bytes(values.size() * sizeof(T), '\0');
  if (!values.empty()) std::memcpy(bytes.data(), values.data(), bytes.size());
  return bytes;
}
RawTensor f32(const std::vector<float>& values);
RawTensor u8(const std::vector<std::uint8_t>& values);
RawTensor text(const std::string& json);  // as U8
inline std::span<const std::byte> bytes_of_tensor(const RawTensor& tensor) {
  return std::as_bytes(std::span(tensor.bytes));
}
inline Dtype dtype_of_name(const std::string& type) {
  return type == "F32" ? Dtype::float32 : type == "F16" ? Dtype::float16 : Dtype::bfloat16;
}

// Returns a weight encoded by one call of the op.
inline Weight4bitArrays encoded_by_op(const RawTensor& weight, const QuantizeOptions& options) {
  const std::span<const std::byte> in = bytes_of_tensor(weight);
  const Dtype dtype = dtype_of_name(weight.type);
  Weight4bitArrays arrays(1, static_cast<std::int64_t>(in.size() / dtype_size(dtype)), options.blocksize,
                          options.quant_type, options.double_quant);
  quantize_4bit(in, dtype, arrays.out());
  return arrays;
}
std::string type_of_name(Dtype dtype);  // name in safetensors

std::size_t elements_of(const std::vector<std::int64_t>& shape);

// Repeats `noise` to `size` bytes, for a large tensor. kNoise elements of noise make the pieces of a tensor differ.
std::string repeated(const std::string& noise, std::size_t size);
inline constexpr std::size_t kNoise = 250'007;

// Random weights whose magnitudes differ from block to block. Every bit pattern is finite in each dtype.
RawTensor random_weight(std::vector<std::int64_t> shape, Dtype dtype = Dtype::bfloat16, unsigned seed = 1);

std::string safetensors(const RawTensors& tensors);
RawTensors parse_safetensors(const std::string& bytes);
RawTensors load(const fs::path& file_or_directory);  // all *.safetensors of a directory

// Writes a model directory: these tensors in one file, and a config.json unless `config` is empty.
void write_model(const fs::path& directory, const RawTensors& tensors, const std::string& config = "");

// A weight of 6 x 32 = 192 elements in three blocks of 64, as bitsandbytes saves it.
RawTensors small_nf4(const std::string& base);
RawTensors small_nested_nf4(const std::string& base);
inline const char* const kPlainState =
    R"({"quant_type": "nf4", "blocksize": 64, "dtype": "bfloat16", "shape": [6, 32]})";
inline const char* const kNestedState =
    R"({"quant_type": "nf4", "blocksize": 64, "dtype": "bfloat16", "shape": [6, 32], "nested_blocksize": 256, )"
    R"("nested_dtype": "float32", "nested_offset": 0.05230140686035156})";

// Returns the error message that `work` throws, or "" if it throws none. Also checks its status.
template <class Work>
std::string error_of(Status status, Work work) {
  try {
    work();
  } catch (const Error& error) {
    EXPECT_EQ(error.status(), status) << error.what();
    EXPECT_EQ(std::string(error.what()).find('\n'), std::string::npos) << "more than one line: " << error.what();
    return error.what();
  }
  return "";
}

// Whether `text` contains `part`, for messages that begin with a path.
testing::AssertionResult holds(const std::string& text, const std::string& part);

// Expects that the statement fails with this status and with a message that contains these words.
#define EXPECT_REFUSED(status, words, ...) EXPECT_TRUE(holds(error_of(status, [&] { __VA_ARGS__; }), words))

fs::path golden(const std::string& name);  // a path below tests/golden

}  // namespace qfuse::checkpoint

#endif  // QFUSE_TESTS_CHECKPOINT_SUPPORT_H
