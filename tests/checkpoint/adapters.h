// Handmade LoRA adapters for tests, and the weights expected after a merge, computed in plain loops. Nothing here uses
// the code under test.
#ifndef QFUSE_TESTS_CHECKPOINT_ADAPTERS_H
#define QFUSE_TESTS_CHECKPOINT_ADAPTERS_H

#include <cstdint>
#include <nlohmann/json.hpp>
#include <qfuse/checkpoint.hpp>
#include <string>
#include <vector>

#include "support.h"

namespace qfuse::checkpoint {

// Prefix that peft writes before every tensor name.
inline const std::string kPeft = "base_model.model.";

// Returns the matrices A and B for a layer of shape [rows, columns], under the names that peft gives them.
RawTensors lora(const std::string& module, std::int64_t rows, std::int64_t columns, std::int64_t rank,
                unsigned seed = 1, Dtype dtype = Dtype::float32);

// Writes an adapter directory with both files. `config` overrides the defaults, rank 4 and alpha 8.
void write_adapter(const fs::path& path, const RawTensors& tensors,
                   const nlohmann::json& config = nlohmann::json::object());

// Widen a tensor's elements to fp32, and round fp32 values to `dtype`.
std::vector<float> values_of(const RawTensor& tensor);
RawTensor tensor_of(const std::vector<float>& values, std::vector<std::int64_t> shape, Dtype dtype);

struct Matrix {
  std::int64_t rows = 0;
  std::int64_t columns = 0;
  std::vector<float> values;
  [[nodiscard]] float at(std::int64_t row, std::int64_t column) const {
    return values[static_cast<std::size_t>(row * columns + column)];
  }
};
Matrix matrix_of(const RawTensor& tensor);  // requires two dimensions
Matrix transpose_of(const Matrix& matrix);

// weight + scale * b * a in fp32. The products of an element are added in ascending order of k.
std::vector<float> sum_of(const std::vector<float>& weight, const Matrix& b, const Matrix& a, float scale);

// Returns what merge() must make of `weight` with the two matrices in `adapter` that lora() named after `module`.
RawTensor with_lora(const RawTensor& weight, const RawTensors& adapter, const std::string& module, float scale,
                    Dtype dtype);

}  // namespace qfuse::checkpoint

#endif  // QFUSE_TESTS_CHECKPOINT_ADAPTERS_H
