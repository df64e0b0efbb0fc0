// Adds adapters to linear layers, convolutions, embeddings and biases.
#ifndef QFUSE_CHECKPOINT_MERGE_MERGE_LAYERS_H
#define QFUSE_CHECKPOINT_MERGE_MERGE_LAYERS_H

#include <cstdint>
#include <string>
#include <string_view>

#include "checkpoint/merge/merge_state.h"

namespace qfuse::checkpoint {

// nn.MultiheadAttention's joint weight for queries, keys and values.
inline constexpr std::string_view kInProjSuffix = ".in_proj_weight";
inline constexpr std::string_view kBiasSuffix = ".bias";

// Each adds `parts` to the change of the module's tensor, or fails if they do not fit.
void add_linear(AddedAdapter& from, const std::string& module, const AdapterParts& parts, TensorChange& change);
// Returns false if the module is not the output projection of nn.MultiheadAttention.
bool add_attention_out(AddedAdapter& from, const std::string& module, const AdapterParts& parts);
// Adds to the rows of a weight of which the module is a part by its name; returns false if there is none.
bool add_fused_part(AddedAdapter& from, const std::string& module, const AdapterParts& parts);
void add_embedding(AddedAdapter& from, const std::string& module, const AdapterParts& parts);
void add_bias(AddedAdapter& from, const std::string& module, const AdapterTensor& tensor);

// ---- shared with experts ----

// View of a tensor as a row-major matrix, and a transposed view of a matrix.
Factor as_stored(const StoredTensor& stored);
Factor transposed(const Factor& factor);

// Returns b * a, or its transpose, as an addend.
Addend product_of(const Factor& b, const Factor& a, std::int64_t rank, bool is_transposed);

// Whether to transpose the product before adding it, because the model stores the matrix as [in, out].
bool is_product_transposed(const AddedAdapter& from, const TensorChange& change, const AdapterParts& parts);

// Returns the config's rank. Fails unless both matrices have that rank, times `copies`.
std::int64_t checked_rank(const AddedAdapter& from, const std::string& module, const AdapterTensor& a,
                          const AdapterTensor& b, std::int64_t copies = 1);

// Appends an addend with the scale of `module`, which is the name in the adapter's config.
void append(AddedAdapter& from, TensorChange& change, Addend addend, const std::string& module,
            const std::string& rule);

// The two steps of append(), for adding several products to one tensor: claim() fails for a second `module`.
void claim(AddedAdapter& from, const TensorChange& change, const std::string& module);
void append_scaled(TensorChange& change, Addend addend, double scale, const std::string& rule);

// Returns the module's scale times the adapter's weight; fails if fp32 cannot hold it.
double checked_scale(const AddedAdapter& from, const std::string& module);

}  // namespace qfuse::checkpoint

#endif  // QFUSE_CHECKPOINT_MERGE_MERGE_LAYERS_H
