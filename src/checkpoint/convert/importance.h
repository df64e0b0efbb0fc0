// A file with the importance of each weight's inputs, by which quantize() chooses scales.
#ifndef QFUSE_CHECKPOINT_CONVERT_IMPORTANCE_H
#define QFUSE_CHECKPOINT_CONVERT_IMPORTANCE_H

#include <cstdint>
#include <filesystem>
#include <memory>
#include <nlohmann/json.hpp>
#include <optional>
#include <string>
#include <vector>

#include "checkpoint/files/model.h"
#include "checkpoint/files/safetensors.h"

namespace qfuse::checkpoint {

using Vector = std::shared_ptr<const std::vector<float>>;

// Counts what it gave, so that one object serves one plan.
class Importance {
 public:
  explicit Importance(const std::filesystem::path& path);  // empty: there is no file

  // Returns the vector of the weight's name, NULL if there is none. Fails with invalid_data, and the vector's name, if
  // it is not one fp32 number, finite and not negative, for each of the weight's `cols` columns.
  [[nodiscard]] Vector of(const std::string& weight, std::int64_t cols);

  // Adds a note if weights had no vector, or vectors no weight. Fails with invalid_argument if no vector was used.
  void note_unused(std::vector<std::string>& notes) const;

  // What tells this file from another; null if there is none.
  [[nodiscard]] nlohmann::json identity() const;

 private:
  std::optional<SafetensorsFile> file_;
  std::int64_t used_ = 0;
  std::int64_t missing_ = 0;  // weights without a vector
};

}  // namespace qfuse::checkpoint

#endif  // QFUSE_CHECKPOINT_CONVERT_IMPORTANCE_H
