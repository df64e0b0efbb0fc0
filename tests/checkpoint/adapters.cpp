#include "adapters.h"

#include <cmath>

#include "format/elements.h"

namespace qfuse::checkpoint {

RawTensors lora(const std::string& module, std::int64_t rows, std::int64_t columns, std::int64_t rank, unsigned seed,
                Dtype dtype) {
  return {{kPeft + module + ".lora_A.weight", random_weight({rank, columns}, dtype, 2 * seed)},
          {kPeft + module + ".lora_B.weight", random_weight({rows, rank}, dtype, 2 * seed + 1)}};
}

void write_adapter(const fs::path& path, const RawTensors& tensors, const nlohmann::json& config) {
  fs::create_directories(path);
  nlohmann::json all{{"peft_type", "LORA"}, {"r", 4}, {"lora_alpha", 8}, {"target_modules", {"up_proj"}}};
  all.update(config);
  write_file(path / "adapter_config.json", all.dump(2));
  write_file(path / "adapter_model.safetensors", safetensors(tensors));
}

std::vector<float> values_of(const RawTensor& tensor) {
  const Dtype dtype = dtype_of_name(tensor.type);
  std::vector<float> values(tensor.bytes.size() / dtype_size(dtype));
  for (std::size_t i = 0; i < values.size(); ++i)
    values[i] =
        format::load_as_float(tensor.bytes.data(), static_cast<std::int64_t>(i), static_cast<qfuse_dtype>(dtype));
  return values;
}

RawTensor tensor_of(const std::vector<float>& values, std::vector<std::int64_t> shape, Dtype dtype) {
  std::string bytes(values.size() * dtype_size(dtype), '\0');
  for (std::size_t i = 0; i < values.size(); ++i)
    format::store_rounded(bytes.data(), static_cast<std::int64_t>(i), static_cast<qfuse_dtype>(dtype), values[i]);
  return {type_of_name(dtype), std::move(shape), bytes};
}

Matrix matrix_of(const RawTensor& tensor) { return {tensor.shape.at(0), tensor.shape.at(1), values_of(tensor)}; }

Matrix transpose_of(const Matrix& matrix) {
  Matrix turned{matrix.columns, matrix.rows, {}};
  for (std::int64_t row = 0; row < turned.rows; ++row)
    for (std::int64_t column = 0; column < turned.columns; ++column) turned.values.push_back(matrix.at(column, row));
  return turned;
}

std::vector<float> sum_of(const std::vector<float>& weight, const Matrix& b, const Matrix& a, float scale) {
  std::vector<float> sums = weight;
  for (std::int64_t row = 0; row < b.rows; ++row)
    for (std::int64_t column = 0; column < a.columns; ++column) {
      float product = 0.0F;
      for (std::int64_t k = 0; k < a.rows; ++k) product = std::fmaf(b.at(row, k), a.at(k, column), product);
      const float scaled = product * scale;
      sums.at(static_cast<std::size_t>(row * a.columns + column)) += scaled;
    }
  return sums;
}

RawTensor with_lora(const RawTensor& weight, const RawTensors& adapter, const std::string& module, float scale,
                    Dtype dtype) {
  const Matrix a = matrix_of(adapter.at(kPeft + module + ".lora_A.weight"));
  const Matrix b = matrix_of(adapter.at(kPeft + module + ".lora_B.weight"));
  return tensor_of(sum_of(values_of(weight), b, a, scale), weight.shape, dtype);
}

}  // namespace qfuse::checkpoint
