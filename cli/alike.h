// Lists as one row all tensors that are stored alike and whose names differ only in numbers (layers, experts).
#ifndef QFUSE_CLI_ALIKE_H
#define QFUSE_CLI_ALIKE_H

#include <cstdint>
#include <qfuse/checkpoint.hpp>
#include <string>
#include <vector>

namespace qfuse::cli {

struct AlikeTensors {
  std::string name;    // such as "model.layers.{0..31}.mlp.up_proj.weight", safe to print on a terminal
  std::string shape;   // "[4096, 1024]"
  std::string stored;  // "nf4 64 nested -> BF16", or "BF16"
  std::int64_t bytes = 0;
};

// Returns the rows in the order in which their first tensors appear. `apart`: one row per tensor.
std::vector<AlikeTensors> alike_tensors(const checkpoint::Inventory& inventory, bool apart);

// For scaled formats such as FP8: the block that shares a scale, and the scales' dtype: "128x128 F32", "per row BF16".
std::string scaling_of(const checkpoint::TensorInfo& tensor);

}  // namespace qfuse::cli

#endif  // QFUSE_CLI_ALIKE_H
