#include <qfuse/checkpoint.hpp>

#include "support.h"

namespace qfuse::checkpoint {
namespace {

TEST(Inspect, lists_weights_with_their_parts_folded_in) {
  const Inventory inventory = inspect(golden("tiny_llama/bnb4_scattered"));
  EXPECT_EQ(inventory.files, 3);
  EXPECT_EQ(inventory.bytes, 471219);
  EXPECT_EQ(inventory.decoded_bytes, 1000704);
  ASSERT_EQ(inventory.tensors.size(), 21U);
  EXPECT_TRUE(std::is_sorted(inventory.tensors.begin(), inventory.tensors.end(),
                             [](const TensorInfo& a, const TensorInfo& b) { return a.name < b.name; }));
  const TensorInfo& head = inventory.tensors[0];
  EXPECT_EQ(head.name, "lm_head.weight");
  EXPECT_EQ(head.format, "BF16");
  EXPECT_EQ(head.blocksize, 0);
  const TensorInfo& down = inventory.tensors[3];
  EXPECT_EQ(down.name, "model.layers.0.mlp.down_proj.weight");
  EXPECT_EQ(down.file, "model-00001-of-00003.safetensors");
  EXPECT_EQ(down.format, "nf4");
  EXPECT_EQ(down.dtype, "BF16");
  EXPECT_EQ(down.shape, (std::vector<std::int64_t>{128, 352}));
  EXPECT_EQ(down.blocksize, 64);
  EXPECT_TRUE(down.nested);
  // codes, absmax, nested_absmax, both maps, the JSON
  EXPECT_EQ(down.bytes, 22528 + 704 + 12 + 1024 + 64 + 171);
  EXPECT_EQ(down.decoded_bytes, 128 * 352 * 2);
}

TEST(Inspect, tells_the_formats_apart) {
  const Inventory inventory = inspect(golden("bnb_cases.safetensors"));
  std::map<std::string, int> formats;
  std::int64_t bytes = 0;
  for (const TensorInfo& tensor : inventory.tensors) {
    ++formats[tensor.format];
    bytes += tensor.bytes;
  }
  EXPECT_EQ(formats["nf4"] + formats["fp4"], 22);
  EXPECT_GT(formats["fp4"], 0);
  EXPECT_EQ(bytes, inventory.bytes);
  EXPECT_EQ(inspect(golden("bnb_int8.safetensors")).tensors.at(2).format, "int8");
}

}  // namespace
}  // namespace qfuse::checkpoint
