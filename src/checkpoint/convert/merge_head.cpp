#include "checkpoint/convert/merge_head.h"

#include <algorithm>
#include <array>
#include <string>
#include <string_view>
#include <vector>

#include "checkpoint/files/errors.h"

namespace qfuse::checkpoint {
namespace {

// ---- whether both sides were changed alike ----

bool same_rows(const TokenRows& a, const TokenRows& b) { return a.rows == b.rows && same_bytes(a.values, b.values); }

// Whether an adapter made of the head what it made of the embedding.
bool same_change(const TensorChange& embedding, const TensorChange& head) {
  const Merging& one = embedding.merging;
  const Merging& other = head.merging;
  if (embedding.replacement.has_value() != head.replacement.has_value()) return false;
  if (embedding.replacement && !same_bytes(*embedding.replacement, *head.replacement)) return false;
  const bool with_rows = !other.token_rows.empty();  // else peft has stored with the embedding what is of both
  if (with_rows && !std::equal(one.token_rows.begin(), one.token_rows.end(), other.token_rows.begin(),
                               other.token_rows.end(), same_rows))
    return false;
  return std::equal(one.addends.begin(), one.addends.end(), other.addends.begin(), other.addends.end(),
                    [&](const Addend& a, const Addend& b) { return same_product(a, b, one.shape); });
}

// ---- one change of both ----

void share_base(const TensorChange& from, TensorChange& to) {
  to.replacement = from.replacement;
  to.shape = from.shape;
  to.merging.shape = from.merging.shape;
}

// What peft stores because the vocabulary may have grown is the tied tensor's, not one side's.
void share_untrained_base(const MergeState& state, TensorChange& embedding, TensorChange& head) {
  if (!head.replacement && state.base_only.contains(&embedding)) share_base(embedding, head);
  if (!embedding.replacement && state.base_only.contains(&head)) share_base(head, embedding);
}

// Head::tie: the shared tensor gets what either has got.
void join(const Model& model, const TensorChange& head, TensorChange& embedding) {
  if (head.replacement && embedding.replacement && !same_bytes(*head.replacement, *embedding.replacement))
    fail(Status::invalid_data,
         "{}: the adapter has other values for the output head than for the embedding: they "
         "cannot stay tied",
         model.name());
  if (!embedding.replacement && head.replacement) share_base(head, embedding);
  Merging& to = embedding.merging;
  to.token_rows.insert(to.token_rows.end(), head.merging.token_rows.begin(), head.merging.token_rows.end());
  to.addends.insert(to.addends.end(), head.merging.addends.begin(), head.merging.addends.end());
  embedding.rule += (embedding.rule.empty() ? "" : " + ") + head.rule;
}

// ---- whether there is a tied head ----

// Without a config nobody knows, and models for other tasks have no head, or one of another name.
bool may_have_tied_head(const std::optional<Config>& config) {
  constexpr std::array<std::string_view, 3> kWithHead{"ForCausalLM", "ForConditionalGeneration", "LMHeadModel"};
  return config && config->ties_embeddings() &&
         std::any_of(kWithHead.begin(), kWithHead.end(),
                     [&](std::string_view ending) { return config->has_architecture(ending); });
}

bool has_tied_head(const MergeState& state, const Tensor* embedding, Head tie) {
  const bool in_file = std::any_of(state.tensors.begin(), state.tensors.end(),
                                   [](const Tensor& tensor) { return is_head(tensor.name); });
  if (embedding == nullptr || in_file) return false;
  return !state.tied_head.empty() || tie != Head::as_trained || may_have_tied_head(state.config);
}

}  // namespace

void settle_head(MergeState& state, Head tie) {
  const Tensor* embedding = input_embedding(state);
  if (!has_tied_head(state, embedding, tie)) {
    if (tie != Head::as_trained)
      fail(Status::invalid_argument,
           "{}: its output head is not tied to its embedding, so there is nothing to tie or to untie",
           state.model.name());
    return;
  }
  const bool changes = !state.tied_head.empty() || state.rules.changes.contains(embedding->name);
  if (!changes && tie != Head::untie) return;
  if (state.tied_head.empty()) state.tied_head = "lm_head.weight";
  TensorChange& of_embedding = change_of(state, *embedding);
  TensorChange& of_head = change_of(state, state.tied_head, *embedding);
  share_untrained_base(state, of_embedding, of_head);
  const bool trained_as_one = same_change(of_embedding, of_head);
  const bool one = tie == Head::tie || (tie == Head::as_trained && trained_as_one);
  if (!one) {
    of_head.rule = of_head.rule.empty() ? "untied" : "untied, " + of_head.rule;
    state.rules.unties_head = true;
    return;
  }
  if (!trained_as_one) join(state.model, of_head, of_embedding);
  state.rules.changes.erase(state.tied_head);
}

}  // namespace qfuse::checkpoint
