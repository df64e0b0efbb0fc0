// Tensors that are stored alike and whose names differ in numbers alone, as one: layers and experts are many.
#ifndef QFUSE_CLI_ALIKE_H
#define QFUSE_CLI_ALIKE_H

#include <cstdint>
#include <qfuse/checkpoint.hpp>
#include <string>
#include <vector>

namespace qfuse::cli {

struct AlikeTensors {
  std::string name;    // "model.layers.{0..31}.mlp.up_proj.weight", for a terminal
  std::string shape;   // "[4096, 1024]"
  std::string stored;  // "nf4 64 nested -> BF16", or "BF16"
  std::int64_t bytes = 0;
};

// In the order of the first of each. `apart`: each tensor for itself.
std::vector<AlikeTensors> alike_tensors(const checkpoint::Inventory& inventory, bool apart);

// Of FP8: how much shares a scale, and of which type scales are: "128x128 F32", "per row BF16".
std::string scaling_of(const checkpoint::TensorInfo& tensor);

}  // namespace qfuse::cli

#endif  // QFUSE_CLI_ALIKE_H
