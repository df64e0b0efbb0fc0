// What adapters add to linear layers, convolutions, embeddings and biases.
#ifndef QFUSE_CHECKPOINT_MERGE_MERGE_LAYERS_H
#define QFUSE_CHECKPOINT_MERGE_MERGE_LAYERS_H

#include <cstdint>
#include <string>
#include <string_view>

#include "checkpoint/merge/merge_state.h"

namespace qfuse::checkpoint {

// Of nn.MultiheadAttention, the weight that queries, keys and values share.
inline constexpr std::string_view kInProjSuffix = ".in_proj_weight";
inline constexpr std::string_view kBiasSuffix = ".bias";

// Each adds what `parts` are to the change of the module's tensor, or refuses them.
void add_linear(AddedAdapter& from, const std::string& module, const AdapterParts& parts, TensorChange& change);
// False if the module is no output projection of nn.MultiheadAttention.
bool add_attention_out(AddedAdapter& from, const std::string& module, const AdapterParts& parts);
void add_embedding(AddedAdapter& from, const std::string& module, const AdapterParts& parts);
void add_bias(AddedAdapter& from, const std::string& module, const AdapterTensor& tensor);

// ---- what experts need too ----

// A tensor as a matrix, row by row as it is stored; and the same transposed.
Factor as_stored(const StoredTensor& stored);
Factor transposed(const Factor& factor);

// b · a, or its transpose, as an addend.
Addend product_of(const Factor& b, const Factor& a, std::int64_t rank, bool is_transposed);

// Whether the product is to be transposed before it is added, as where a model keeps its matrix as [in, out].
bool is_product_transposed(const AddedAdapter& from, const TensorChange& change, const AdapterParts& parts);

// The rank that the config says, which the matrices must have: a has `copies` of it, and b too.
std::int64_t checked_rank(const AddedAdapter& from, const std::string& module, const AdapterTensor& a,
                          const AdapterTensor& b, std::int64_t copies = 1);

// Adds it behind the others, with the scale of `module`, by which an adapter's config calls it.
void append(AddedAdapter& from, TensorChange& change, Addend addend, const std::string& module,
            const std::string& rule);

// The same in two steps, where an adapter adds several things to one tensor: claim() refuses a second `module` for it.
void claim(AddedAdapter& from, const TensorChange& change, const std::string& module);
void append_scaled(TensorChange& change, Addend addend, double scale, const std::string& rule);

// With the adapter's weight.
double checked_scale(const AddedAdapter& from, const std::string& module);

}  // namespace qfuse::checkpoint

#endif  // QFUSE_CHECKPOINT_MERGE_MERGE_LAYERS_H
