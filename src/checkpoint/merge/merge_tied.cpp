#include "checkpoint/merge/merge_tied.h"

#include <algorithm>
#include <string>
#include <vector>

#include "checkpoint/files/errors.h"

namespace qfuse::checkpoint {
namespace {

bool is_empty(const TensorChange& change) {
  return !change.replacement && change.merging.token_rows.empty() && change.merging.addends.empty();
}

bool is_changed(const MergeState& state, const std::string& name) {
  const auto found = state.rules.changes.find(name);
  return found != state.rules.changes.end() && !is_empty(found->second);
}

// ---- the names of one tensor ----

const std::string& written_name(const VocabularyTensor& member) {
  return member.tensor == nullptr ? member.in_file : member.tensor->name;
}

// Returns the members that may be the same tensor as the first one.
std::vector<const VocabularyTensor*> shared_members(const VocabularyGroup& group) {
  std::vector<const VocabularyTensor*> shared;
  for (const VocabularyTensor& member : group.members)
    if (group.is_shared(member)) shared.push_back(&member);
  return shared;
}

bool is_any_changed(const MergeState& state, const VocabularyGroup& group) {
  return std::ranges::any_of(group.members,
                             [&](const VocabularyTensor& member) { return is_changed(state, written_name(member)); });
}

// ---- whether all were changed alike ----

bool same_rows(const TokenRows& a, const TokenRows& b) { return a.rows == b.rows && same_bytes(a.values, b.values); }

// Whether adapters changed both tensors in the same way.
bool same_change(const TensorChange& first, const TensorChange& second) {
  const Merging& one = first.merging;
  const Merging& other = second.merging;
  if (first.replacement.has_value() != second.replacement.has_value()) return false;
  if (first.replacement && !same_bytes(*first.replacement, *second.replacement)) return false;
  if (!std::equal(one.token_rows.begin(), one.token_rows.end(), other.token_rows.begin(), other.token_rows.end(),
                  same_rows))
    return false;
  return std::equal(one.addends.begin(), one.addends.end(), other.addends.begin(), other.addends.end(),
                    [&](const Addend& a, const Addend& b) { return same_product(a, b, one.shape); });
}

// ---- one change for all names ----

void share_base(const TensorChange& from, TensorChange& to) {
  to.replacement = from.replacement;
  to.shape = from.shape;
  to.merging.shape = from.merging.shape;
}

// An embedding that peft stores because the vocabulary may have grown applies to the tied tensor, so to all names.
void share_untrained_base(const MergeState& state, const std::vector<TensorChange*>& changes) {
  const auto is_untrained = [&](const TensorChange* change) { return state.base_only.contains(change); };
  const auto found = std::ranges::find_if(changes, is_untrained);
  if (found == changes.end()) return;
  for (TensorChange* change : changes)
    if (!change->replacement) share_base(**found, *change);
}

// peft stores trained token rows under one name, but they apply to all.
void share_rows(const std::vector<TensorChange*>& changes) {
  const auto has_rows = [](const TensorChange* change) { return !change->merging.token_rows.empty(); };
  const auto found = std::ranges::find_if(changes, has_rows);
  if (found == changes.end()) return;
  for (TensorChange* change : changes)
    if (!has_rows(change)) {
      change->merging.token_rows = (*found)->merging.token_rows;
      change->rule += change->rule.empty() ? "rows" : " + rows";
    }
}

// Head::tie: the shared tensor gets the changes of all names.
void join(const Model& model, const TensorChange& from, TensorChange& to) {
  if (from.replacement && to.replacement && !same_bytes(*from.replacement, *to.replacement))
    fail(Status::invalid_data,
         "{}: the adapter has other values for the output head than for the embedding: they "
         "cannot stay tied",
         model.name());
  if (!to.replacement && from.replacement) share_base(from, to);
  to.merging.token_rows.insert(to.merging.token_rows.end(), from.merging.token_rows.begin(),
                               from.merging.token_rows.end());
  to.merging.addends.insert(to.merging.addends.end(), from.merging.addends.begin(), from.merging.addends.end());
  if (!from.rule.empty()) to.rule += (to.rule.empty() ? "" : " + ") + from.rule;
}

// ---- what is written ----

// A group that is changed or untied: its members, and the change of each.
struct Settled {
  std::vector<const VocabularyTensor*> members = {};
  std::vector<TensorChange*> changes = {};
  bool is_one = true;
};

// Keeps only names that the file stores; each already has the common change.
void write_one(MergeState& state, const Settled& settled) {
  for (const VocabularyTensor* member : settled.members)
    if (member->tensor == nullptr) state.rules.changes.erase(written_name(*member));
}

void write_each(const Settled& settled) {
  for (std::size_t i = 0; i < settled.members.size(); ++i)
    if (settled.members[i]->tensor == nullptr)
      settled.changes[i]->rule += settled.changes[i]->rule.empty() ? "untied" : ", untied";
}

void drop_empty(MergeState& state, const Settled& settled) {
  for (const VocabularyTensor* member : settled.members)
    if (member->tensor != nullptr && !is_changed(state, written_name(*member)))
      state.rules.changes.erase(written_name(*member));
}

// Returns the name of a member that the config ties, but that has other values than the group's; "" if there is none.
std::string other_member(const VocabularyGroup& group, const std::vector<const VocabularyTensor*>& shared) {
  if (group.tying != Tying::tied || group.values->quantized_dtype()) return "";
  for (const VocabularyTensor& member : group.members)
    if (std::ranges::find(shared, &member) == shared.end() && !member.tensor->quantized_dtype())
      return member.tensor->name;
  return "";
}

[[noreturn]] void refuse_unknown_class(const MergeState& state, const VocabularyGroup& group) {
  const std::string& name = state.vocabulary.class_name();
  fail(Status::unsupported,
       "{}: {}, so that nobody knows whether its output head is tied to '{}', which an adapter changes: `tie` changes "
       "both, `untie` gives the head a tensor of its own, called '{}'",
       state.model.name(),
       name.empty() ? "no config.json names its class" : "its class '" + printable(name) + "' is not known",
       printable(group.values->name), group.members.back().in_file);
}

Settled settle_group(MergeState& state, const VocabularyGroup& group, Head tie) {
  if (group.tying == Tying::unknown && tie == Head::as_trained && is_any_changed(state, group))
    refuse_unknown_class(state, group);
  Settled settled{shared_members(group)};
  if (const std::string other = other_member(group, settled.members); !other.empty()) state.rules.other_tied = other;
  std::vector<TensorChange*>& changes = settled.changes;
  for (const VocabularyTensor* member : settled.members)
    changes.push_back(
        &change_of(state, written_name(*member), member->tensor == nullptr ? *group.values : *member->tensor));
  share_untrained_base(state, changes);
  if (group.shares_rows && tie == Head::as_trained) share_rows(changes);
  const bool trained_as_one =
      std::ranges::all_of(changes, [&](const TensorChange* change) { return same_change(*changes.front(), *change); });
  settled.is_one = tie == Head::tie || (tie == Head::as_trained && trained_as_one);
  if (!settled.is_one) return settled;
  for (std::size_t i = 1; i < changes.size() && !trained_as_one; ++i) join(state.model, *changes[i], *changes.front());
  for (std::size_t i = 1; i < changes.size(); ++i) {
    const Tensor* base = changes[i]->base;
    *changes[i] = *changes.front();
    changes[i]->base = base;
  }
  return settled;
}

bool is_tied(const VocabularyGroup& group) { return group.tying != Tying::separate && group.values != nullptr; }

}  // namespace

void settle_tied(MergeState& state, Head tie) {
  std::vector<Settled> all;
  for (const VocabularyGroup& group : state.vocabulary.groups())
    if (is_tied(group)) all.push_back(settle_group(state, group, tie));
  if (tie != Head::as_trained && all.empty())
    fail(Status::invalid_argument,
         "{}: its output head is not tied to its embedding, so there is nothing to tie or to untie",
         state.model.name());
  state.rules.unties = !std::ranges::all_of(all, &Settled::is_one);  // if one is untied, all are
  if (state.rules.unties) {
    state.rules.untie_fields = state.vocabulary.untie_fields();
    state.rules.decoder_size_field = state.vocabulary.decoder_size_field();
  }
  for (const Settled& settled : all) {
    if (state.rules.unties)
      write_each(settled);
    else
      write_one(state, settled);
    drop_empty(state, settled);
  }
}

void grow_vocabulary(MergeState& state) {
  if (!state.rules.vocabulary) return;
  if (!state.vocabulary.can_grow())
    fail(Status::unsupported,
         "{}: transformers cannot change the number of tokens of a {}, and an adapter has {}, for {}",
         state.model.name(), state.vocabulary.class_name(), *state.rules.vocabulary, state.rules.old_vocabulary);
  state.rules.size_fields = state.vocabulary.size_fields();
  const std::int64_t old = state.rules.old_vocabulary;
  for (const Tensor& tensor : state.tensors)
    if (state.vocabulary.has(tensor) && std::ranges::find(tensor.shape, old) != tensor.shape.end())
      change_of(state, tensor);
  for (auto& [name, change] : state.rules.changes) {
    const auto of_tokens = std::ranges::find(change.shape, old);
    if (change.replacement && change.rule.empty()) change.rule = "resized";
    if (change.replacement || of_tokens == change.shape.end() || !state.vocabulary.has(*change.base)) continue;
    if (change.base->elements() != old)
      fail(Status::invalid_data,
           "{}: an adapter makes the vocabulary {} tokens, from {}, and has no rows of '{}' for them",
           state.model.name(), *state.rules.vocabulary, old, printable(name));
    *of_tokens = *state.rules.vocabulary;
    set_matrix(change);
    change.rule += change.rule.empty() ? "resized" : ", resized";
  }
}

}  // namespace qfuse::checkpoint
