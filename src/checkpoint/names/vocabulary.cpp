#include "checkpoint/names/vocabulary.h"

#include <algorithm>
#include <array>
#include <utility>
#include <variant>

#include "checkpoint/files/split.h"
#include "checkpoint/names/names.h"

namespace qfuse::checkpoint {
namespace {

constexpr std::string_view kHead = "lm_head.weight";
constexpr const char* kShared = "share_encoder_decoder_embeddings";  // fields of Marian's configs
constexpr const char* kDecoderSize = "decoder_vocab_size";

std::vector<std::string> fields_of(std::string_view text) {
  const std::vector<std::string_view> parts = split(text, ' ');
  return {parts.begin(), parts.end()};
}

const VocabularyRow* row_of(std::string_view class_name) {
  for (const VocabularyRow& row : vocabulary_table())
    if (const auto classes = split(row.classes, ' '); std::ranges::find(classes, class_name) != classes.end())
      return &row;
  return nullptr;
}

VocabularyTensor named(std::string_view names) {
  const std::vector<std::string_view> both = split(names, '>');
  return {std::string(both.front()), std::string(both.back())};
}

bool is_called(const VocabularyTensor& member, const std::string& name) {
  return member.in_memory == name || member.in_file == name;
}

// For classes that are not in the table.
bool is_embedding(const Tensor& tensor) {
  constexpr std::array<std::string_view, 6> kNames{"embed_tokens",   "wte",   "word_embeddings", "embed_in",
                                                   "tok_embeddings", "shared"};
  return tensor.name.ends_with(kWeightSuffix) && is_one_of(last_part(module_of(tensor.name)), kNames);
}

bool is_encoders(const VocabularyTensor& member) { return member.in_memory.find("encoder.") != member.in_memory.npos; }

bool is_head(const std::string& name) { return name == kHead || name.ends_with("." + std::string(kHead)); }

}  // namespace

bool VocabularyGroup::is_shared(const VocabularyTensor& member) const {
  if (member.tensor == nullptr || member.tensor == values) return true;
  const auto* own = std::get_if<StoredTensor>(&member.tensor->storage);
  const auto* others = std::get_if<StoredTensor>(&values->storage);
  return own != nullptr && others != nullptr && same_bytes(*own, *others);
}

Vocabulary::Vocabulary(const std::optional<Config>& config, const TensorNames& names, std::span<const Tensor> tensors)
    : class_name_(config ? config->class_name() : "") {
  if (const VocabularyRow* row = row_of(class_name_)) add_known(*row, *config, names);
  const auto is_there = [](const VocabularyGroup& group) { return group.values != nullptr; };
  if (std::ranges::none_of(groups_, is_there)) guess(config, tensors);
}

void Vocabulary::add_known(const VocabularyRow& row, const Config& config, const TensorNames& names) {
  is_known_ = true;
  size_fields_ = fields_of(row.size_fields);
  const std::vector<std::string> tie_fields = fields_of(row.tie_fields);
  const auto is_tying = [&](const std::string& field) { return config.flag(field).value_or(row.ties_by_default); };
  const bool ties = tie_fields.empty() ? row.ties_by_default : std::ranges::any_of(tie_fields, is_tying);
  if (row.unties_by_field) untie_fields_ = tie_fields;
  for (const std::string_view group_names : split(row.tensors, ' ')) {
    VocabularyGroup& group = groups_.emplace_back();
    group.shares_rows = row.shares_rows;
    for (const std::string_view both : split(group_names, '=')) {
      VocabularyTensor& member = group.members.emplace_back(named(both));
      member.tensor = names.only(member.in_file);
      if (member.tensor == nullptr) member.tensor = names.only(member.in_memory);
      if (group.values == nullptr) group.values = member.tensor;
    }
    group.tying = ties && group.members.size() > 1 ? Tying::tied : Tying::separate;
  }
  if (!config.flag(std::string(kShared)).value_or(true))
    separate_encoder();
  else if (config.has(kDecoderSize))
    decoder_size_field_ = kDecoderSize;
}

// For a separate encoder: its embedding is a tensor of its own, for another number of tokens, and no name is shared.
void Vocabulary::separate_encoder() {
  size_fields_.clear();
  std::vector<VocabularyGroup> encoders;
  for (VocabularyGroup& group : groups_) {
    for (const VocabularyTensor& member : group.members)
      if (is_encoders(member)) encoders.push_back({{member}, Tying::separate, member.tensor, group.shares_rows});
    std::erase_if(group.members, [](const VocabularyTensor& member) {
      return is_encoders(member) || member.in_memory.ends_with("shared.weight");
    });
    const auto stored =
        std::ranges::find_if(group.members, [](const auto& member) { return member.tensor != nullptr; });
    group.values = stored == group.members.end() ? nullptr : stored->tensor;
    if (group.members.size() < 2) group.tying = Tying::separate;
  }
  groups_.insert(groups_.end(), encoders.begin(), encoders.end());
}

// Finds the embedding and the head by their usual names. A head that is not in the file may be tied or not exist.
void Vocabulary::guess(const std::optional<Config>& config, std::span<const Tensor> tensors) {
  groups_.clear();
  is_known_ = false;
  size_fields_.clear();
  untie_fields_ = {std::string(Config::kTie)};
  for (const Tensor& tensor : tensors)
    if (is_embedding(tensor) || is_head(tensor.name))
      groups_.push_back({{{tensor.name, tensor.name, &tensor}}, Tying::separate, &tensor});
  const bool may_tie = !config || config->flag(std::string(Config::kTie)).value_or(true);
  if (!may_tie || groups_.size() != 1 || is_head(groups_.front().values->name)) return;
  groups_.front().members.push_back({std::string(kHead), std::string(kHead)});
  groups_.front().tying = Tying::unknown;
}

bool Vocabulary::has(const Tensor& tensor) const {
  return std::ranges::any_of(groups_, [&](const VocabularyGroup& group) {
    return std::ranges::any_of(group.members, [&](const VocabularyTensor& member) { return member.tensor == &tensor; });
  });
}

Vocabulary::Found Vocabulary::find(const std::string& name) const {
  for (const VocabularyGroup& group : groups_)
    for (const VocabularyTensor& member : group.members)
      if (is_called(member, name) || (group.tying == Tying::unknown && member.tensor == nullptr && is_head(name)))
        return {&group, &member};
  return {};
}

}  // namespace qfuse::checkpoint
