// Reads the golden files in tests/golden, made by the real bitsandbytes (see the README there). The tests have their
// own reader, so that the product's reader is not judged by itself.
#ifndef QFUSE_TESTS_SUPPORT_GOLDEN_H
#define QFUSE_TESTS_SUPPORT_GOLDEN_H

#include <qfuse/qfuse.h>

#include <cstdint>
#include <map>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "contract/dequantize_4bit.h"

namespace qfuse::tests {

struct GoldenTensor {
  std::string dtype;  // safetensors' name
  std::vector<std::int64_t> shape;
  std::vector<std::uint8_t> bytes;

  [[nodiscard]] std::int64_t elements() const;
  template <class T>
  [[nodiscard]] const T* as() const {
    return reinterpret_cast<const T*>(bytes.data());
  }
};

using GoldenFile = std::map<std::string, GoldenTensor>;

// Paths are relative to tests/golden. Both functions throw std::runtime_error if the file is missing.
GoldenFile read_golden(const std::string& path);
nlohmann::json read_golden_json(const std::string& path);

// Accepts "float32", "float16" and "bfloat16".
qfuse_dtype dtype_named(const std::string& name);

// A quantized weight of a golden file, in the form that Linear4bit saves, with the nested offset read from its state.
struct GoldenWeight {
  std::string name;
  qfuse_quant_type quant_type;
  std::int64_t n;
  std::int64_t blocksize;
  bool nested;
  float nested_offset;
  const GoldenTensor* packed;
  const GoldenTensor* absmax;            // F32 plain, U8 nested
  const GoldenTensor* nested_absmax;     // null when plain
  const GoldenTensor* nested_quant_map;  // null when plain

  // Parameters over these arrays and nested_offset. The caller sets out.
  [[nodiscard]] contract::Dequantize4bit params() const;
};

// Returns the weight `<name>.weight` of a file.
GoldenWeight golden_weight(const GoldenFile& file, const std::string& name);

}  // namespace qfuse::tests

#endif  // QFUSE_TESTS_SUPPORT_GOLDEN_H
