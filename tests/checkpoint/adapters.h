// LoRA adapters to test with, made by hand, and what a weight becomes with them, in plain loops: nothing here uses the
// code under test.
#ifndef QFUSE_TESTS_CHECKPOINT_ADAPTERS_H
#define QFUSE_TESTS_CHECKPOINT_ADAPTERS_H

#include <cstdint>
#include <nlohmann/json.hpp>
#include <qfuse/checkpoint.hpp>
#include <string>
#include <vector>

#include "support.h"

namespace qfuse::checkpoint {

// What peft writes before every name.
inline const std::string kPeft = "base_model.model.";

// Two matrices for a layer of [rows, columns], as peft names them.
RawTensors lora(const std::string& module, std::int64_t rows, std::int64_t columns, std::int64_t rank,
                unsigned seed = 1, Dtype dtype = Dtype::float32);

// A directory with both files. `config` is put over rank 4 and alpha 8.
void write_adapter(const fs::path& path, const RawTensors& tensors,
                   const nlohmann::json& config = nlohmann::json::object());

// Widened, and rounded to a type.
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
Matrix matrix_of(const RawTensor& tensor);  // of two dimensions
Matrix transpose_of(const Matrix& matrix);

// weight + scale * b * a, in fp32; the products of an element are added in ascending order.
std::vector<float> sum_of(const std::vector<float>& weight, const Matrix& b, const Matrix& a, float scale);

// What merge() is to make of `weight` with the two matrices of `adapter` that lora() named so.
RawTensor with_lora(const RawTensor& weight, const RawTensors& adapter, const std::string& module, float scale,
                    Dtype dtype);

}  // namespace qfuse::checkpoint

#endif  // QFUSE_TESTS_CHECKPOINT_ADAPTERS_H
