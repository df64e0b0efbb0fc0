#include "checkpoint/convert/tensor_names.h"

#include <algorithm>
#include <string_view>

#include "checkpoint/files/errors.h"

namespace qfuse::checkpoint {
namespace {

// Real names have under 20 parts; of one with more, the ends are not kept, because all of them are long.
constexpr std::size_t kMostParts = 32;

std::vector<std::string> parts_of(std::string_view name) {
  std::vector<std::string> parts;
  for (;;) {
    const std::size_t dot = name.find('.');
    parts.emplace_back(name.substr(0, dot));
    if (dot == name.npos) return parts;
    name.remove_prefix(dot + 1);
  }
}

bool is_number(const std::string& part) { return part.find_first_not_of("0123456789") == part.npos; }

// The parts of a name in an order that does not depend on theirs, numbers last and in their own: expert 1 of layer 0 is
// not expert 0 of layer 1. Only the beginning is reordered between memory and file, but a layer's parts are the same
// there, so that all words may be sorted.
std::string sorted_parts(const std::string& name) {
  std::vector<std::string> words;
  std::string numbers;
  for (const std::string& part : parts_of(name))
    if (is_number(part))
      numbers += part + '.';
    else
      words.push_back(part);
  std::ranges::sort(words);
  std::string text;
  for (const std::string& word : words) text += word + '.';
  return text + numbers;
}

template <class Use>
void for_each_end(const std::string& name, Use use) {
  if (static_cast<std::size_t>(std::ranges::count(name, '.')) >= kMostParts) return;
  for (std::size_t dot = name.find('.'); dot != name.npos; dot = name.find('.', dot + 1)) use(name.substr(dot + 1));
}

}  // namespace

TensorNames::TensorNames(std::span<const Tensor> tensors) {
  for (const Tensor& tensor : tensors) {
    by_name_.emplace(tensor.name, &tensor);
    by_parts_[sorted_parts(tensor.name)].push_back(&tensor);
    for_each_end(tensor.name, [&](std::string end) { by_end_[std::move(end)].push_back(&tensor); });
  }
}

std::vector<const Tensor*> TensorNames::candidates(const std::string& name) const {
  if (const auto found = by_name_.find(name); found != by_name_.end()) return {found->second};
  if (const auto found = by_parts_.find(sorted_parts(name)); found != by_parts_.end()) return found->second;
  std::vector<const Tensor*> all;
  if (const auto found = by_end_.find(name); found != by_end_.end()) all = found->second;
  for_each_end(name, [&](const std::string& end) {
    const auto found = by_name_.find(end);
    if (found != by_name_.end() && end.find('.') != end.npos) all.push_back(found->second);
  });
  return all;
}

const Tensor* TensorNames::find(const std::string& name, const std::string& where) const {
  std::vector<const Tensor*> found = candidates(name);
  if (const std::size_t mlp = name.find(".mlp."); found.empty() && mlp != name.npos)
    found = candidates(std::string(name).replace(mlp, 5, ".block_sparse_moe."));
  if (found.size() > 1)
    fail(Status::invalid_data, "{}: its tensor '{}' may be '{}' or '{}' of the model, which has no such name", where,
         printable(name), printable(found[0]->name), printable(found[1]->name));
  return found.empty() ? nullptr : found.front();
}

}  // namespace qfuse::checkpoint
