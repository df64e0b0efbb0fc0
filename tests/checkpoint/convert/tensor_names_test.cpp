#include "checkpoint/convert/tensor_names.h"

#include "support.h"

namespace qfuse::checkpoint {
namespace {

// The name that is found among `names`; "" if none is.
std::string found(const std::vector<std::string>& names, const std::string& name) {
  std::vector<Tensor> tensors(names.size());
  for (std::size_t i = 0; i < names.size(); ++i) tensors[i].name = names[i];
  const Tensor* tensor = TensorNames(tensors).find(name, "f: tensor 't'");
  return tensor == nullptr ? "" : tensor->name;
}

TEST(TensorNames, the_same_name_comes_first) {
  EXPECT_EQ(found({"a.b.w", "b.a.w", "x.a.b.w"}, "a.b.w"), "a.b.w");
  EXPECT_EQ(found({"w"}, "w"), "w");
}

TEST(TensorNames, parts_in_another_order) {
  EXPECT_EQ(found({"language_model.model.layers.0.q.weight"}, "model.language_model.layers.0.q.weight"),
            "language_model.model.layers.0.q.weight");
}

// Layer 1's expert 0 is not layer 0's expert 1.
TEST(TensorNames, numbers_keep_their_order) {
  EXPECT_EQ(found({"layers.1.experts.0.weight"}, "layers.0.experts.1.weight"), "");
  EXPECT_EQ(found({"a.model.layers.1.experts.0.weight"}, "model.a.layers.0.experts.1.weight"), "");
  EXPECT_EQ(found({"a.model.layers.1.experts.0.weight"}, "model.a.layers.1.experts.0.weight"),
            "a.model.layers.1.experts.0.weight");
}

TEST(TensorNames, a_beginning_that_one_of_them_lacks) {
  EXPECT_EQ(found({"layers.0.q.weight"}, "model.layers.0.q.weight"), "layers.0.q.weight");
  EXPECT_EQ(found({"model.layers.0.q.weight"}, "layers.0.q.weight"), "model.layers.0.q.weight");
  EXPECT_EQ(found({"weight"}, "a.b.weight"), "") << "that says nothing";
  EXPECT_EQ(found({"model.layers.10.q.weight"}, "layers.0.q.weight"), "");
}

TEST(TensorNames, experts_of_mixtral) {
  EXPECT_EQ(found({"model.layers.0.block_sparse_moe.gate.weight"}, "model.layers.0.mlp.gate.weight"),
            "model.layers.0.block_sparse_moe.gate.weight");
}

TEST(TensorNames, two_that_would_do_are_refused) {
  EXPECT_EQ(error_of(Status::invalid_data,
                     [] {
                       found({"a.x.q.w", "b.x.q.w"}, "x.q.w");
                     }),
            "f: tensor 't': its tensor 'x.q.w' may be 'a.x.q.w' or 'b.x.q.w' of the model, which has no such name");
  EXPECT_NE(error_of(Status::invalid_data, [] { found({"a.b.w", "b.a.w"}, "w.a.b"); }), "");
}

// Each end of a name is kept, but not of those that would fill the memory.
TEST(TensorNames, names_of_very_many_parts) {
  std::string long_name = "w";
  for (int i = 0; i < 100'000; ++i) long_name += ".a";
  EXPECT_EQ(found({long_name}, "a.a"), "");
  EXPECT_EQ(found({long_name}, long_name), long_name);
  EXPECT_EQ(found({"a.a"}, long_name), "");
}

}  // namespace
}  // namespace qfuse::checkpoint
