#include "checkpoint/convert/tensor_names.h"

#include <algorithm>
#include <string_view>
#include <utility>

#include "checkpoint/convert/linear.h"
#include "checkpoint/files/errors.h"

namespace qfuse::checkpoint {
namespace {

// Real names have under 20 parts; of one with more, the ends are not kept, because all of them are long.
constexpr std::size_t kMostParts = 32;

// A number belongs to the part before it: that of a layer is not an expert's.
std::vector<std::string> parts_of(std::string_view name) {
  std::vector<std::string> parts;
  for (;;) {
    const std::size_t dot = name.find('.');
    const std::string_view part = name.substr(0, dot);
    if (is_number(part) && !parts.empty())
      parts.back().append(1, '.').append(part);
    else
      parts.emplace_back(part);
    if (dot == name.npos) return parts;
    name.remove_prefix(dot + 1);
  }
}

std::string sorted(std::vector<std::string> parts) {
  std::ranges::sort(parts);
  std::string text;
  for (const std::string& part : parts) text += part + '/';
  return text;
}

// What a name says whatever the order of its parts. Only the beginning is reordered between memory and file, but a
// layer's parts are the same there, so that all may be sorted.
std::string sorted_parts(const std::string& name) { return sorted(parts_of(name)); }

template <class Use>
void for_each_end(const std::string& name, Use use) {
  if (static_cast<std::size_t>(std::ranges::count(name, '.')) >= kMostParts) return;
  for (std::size_t dot = name.find('.'); dot != name.npos; dot = name.find('.', dot + 1)) use(name.substr(dot + 1));
}

}  // namespace

std::string essential_parts(const std::string& name) {
  std::vector<std::string> parts = parts_of(name);
  std::erase_if(parts, [](const std::string& part) { return part == "model" || part == "language_model"; });
  return sorted(std::move(parts));
}

TensorNames::TensorNames(std::span<const Tensor> tensors) {
  for (const Tensor& tensor : tensors) {
    by_name_.emplace(tensor.name, &tensor);
    by_parts_[sorted_parts(tensor.name)].push_back(&tensor);
    by_essence_[essential_parts(tensor.name)].push_back(&tensor);
    for_each_end(tensor.name, [&](std::string end) { by_end_[std::move(end)].push_back(&tensor); });
  }
}

std::vector<const Tensor*> TensorNames::candidates(const std::string& name) const {
  if (const auto found = by_name_.find(name); found != by_name_.end()) return {found->second};
  if (const auto found = by_parts_.find(sorted_parts(name)); found != by_parts_.end()) return found->second;
  if (const auto found = by_essence_.find(essential_parts(name)); found != by_essence_.end()) return found->second;
  std::vector<const Tensor*> all;
  if (const auto found = by_end_.find(name); found != by_end_.end()) all = found->second;
  for_each_end(name, [&](const std::string& end) {
    const auto found = by_name_.find(end);
    if (found != by_name_.end() && end.find('.') != end.npos) all.push_back(found->second);
  });
  return all;
}

const Tensor* TensorNames::only(const std::string& name) const {
  const std::vector<const Tensor*> found = candidates(name);
  return found.size() == 1 ? found.front() : nullptr;
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
