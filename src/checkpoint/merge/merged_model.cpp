#include "checkpoint/merge/merged_model.h"

#include <fmt/ranges.h>

#include <algorithm>
#include <cmath>
#include <iterator>
#include <utility>
#include <variant>

#include "checkpoint/convert/decode.h"
#include "checkpoint/convert/encode.h"
#include "checkpoint/files/components.h"
#include "checkpoint/files/errors.h"
#include "checkpoint/files/hub.h"
#include "checkpoint/files/lora_file.h"
#include "checkpoint/merge/seen_in_training.h"
#include "checkpoint/merge/through_codes.h"
#include "checkpoint/names/names.h"

namespace qfuse::checkpoint {
namespace {

namespace fs = std::filesystem;

std::string shown_component(const Adapter& adapter) {
  return adapter.component().empty() ? "no component" : printable(adapter.component());
}

bool has_layers_of(const Component& component, const Adapter& adapter) {
  const Model model(component.path);
  return std::ranges::all_of(adapter.tensors(), [&](const AdapterTensor& tensor) {
    return tensor.part != AdapterPart::a || model.find(tensor.module + std::string(kWeightSuffix)) != nullptr;
  });
}

bool is_in(const std::vector<Component>& components, const std::string& name) {
  return std::ranges::find(components, name, &Component::name) != components.end();
}

std::string names_of(const std::vector<Component>& components) {
  std::vector<std::string> names;
  names.reserve(components.size());
  for (const Component& component : components) names.push_back(printable(component.name));
  return fmt::format("{}", fmt::join(names, ", "));
}

// Returns the only component that has the adapter's layers, for files that do not name their component.
std::string component_with_layers(const Adapter& adapter, const fs::path& base, std::vector<Component> components) {
  const std::string all = names_of(components);
  std::erase_if(components, [&](const Component& component) { return !has_layers_of(component, adapter); });
  if (components.size() == 1) return components.front().name;
  if (!components.empty())
    fail(Status::invalid_argument, "{}: does not say of which component of {} it is, and fits {}: `component` says it",
         adapter.name(), shown(base), names_of(components));
  const std::string_view advice = advice_on_names(adapter.tensors().front().stored.entry->name);
  fail(Status::unsupported,
       "{}: does not say of which component of {} it is, and none of {} has all of its layers, as '{}': {}",
       adapter.name(), shown(base), all, printable(adapter.tensors().front().module),
       advice.empty() ? "it is of another model" : advice);
}

std::string component_of(const Adapter& adapter, const fs::path& base, const std::vector<Component>& components) {
  const std::string& named = adapter.component();
  if (named.empty()) return component_with_layers(adapter, base, components);
  if (is_in(components, named)) return named;
  constexpr const char* kTransformer = "transformer";  // the denoiser's name in pipelines without a UNet
  if (is_kohya_name(adapter.tensors().front().module) && is_denoiser(named) && is_in(components, kTransformer))
    return kTransformer;
  fail(Status::invalid_argument, "{}: has tensors of {}, and {} has no such component: it has {}", adapter.name(),
       named, shown(base), names_of(components));
}

// Fails if the base's folder has the name of another component.
void require_of_model(const Adapter& adapter, const fs::path& base) {
  const std::string folder = fs::absolute(base).lexically_normal().filename().native();
  const std::string& named = adapter.component();
  if (named.empty() || !is_component_name(folder) || folder == named) return;
  if (is_denoiser(folder) && is_denoiser(named)) return;
  fail(Status::invalid_argument, "{}: has tensors of {}, and {} is another component", adapter.name(), named,
       shown(base));
}

// Returns nullopt for tensors that are neither quantized nor F32, F16 or BF16.
std::optional<Dtype> own_dtype(const Tensor& tensor) {
  return tensor.quantized_dtype() ? tensor.quantized_dtype() : dtype_of(tensor.values().entry->type);
}

}  // namespace

Adapters::Adapters(std::span<const AdapterInput> inputs, bool allow_nonfinite) {
  for (const AdapterInput& input : inputs) {
    if (!std::isfinite(input.weight))
      fail(Status::invalid_argument, "{}: its weight is {}, and must be a number", shown(input.path), input.weight);
    const std::size_t first = adapters_.size();
    if (is_lora_file(input.path))
      std::ranges::move(read_lora_file(input.path), std::back_inserter(adapters_));
    else
      adapters_.emplace_back(input.path);
    for (std::size_t i = first; i < adapters_.size(); ++i) {
      if (!allow_nonfinite) adapters_[i].check_finite();
      weighted_.push_back({&adapters_[i], input.weight});
    }
  }
}

std::vector<AdapterInput> located_all(std::span<const AdapterInput> adapters) {
  std::vector<AdapterInput> all(adapters.begin(), adapters.end());
  for (AdapterInput& adapter : all) adapter.path = located(adapter.path);
  return all;
}

bool Adapters::is_of_one_component(std::size_t adapter) const {
  return std::ranges::count_if(adapters_,
                               [&](const Adapter& other) { return &other.file() == &adapters_[adapter].file(); }) == 1;
}

void Adapters::settle(const fs::path& base, std::span<const std::string> chosen) {
  components_.clear();
  if (!is_pipeline(base)) {
    for (std::size_t i = 0; i < adapters_.size(); ++i) {
      require_of_model(adapters_[i], base);
      if (i > 0 && &adapters_[i].file() == &adapters_[i - 1].file())
        fail(Status::invalid_argument,
             "{}: has tensors of {} and {}, and {} is one model: give the pipeline as the base", adapters_[i].name(),
             shown_component(adapters_[i - 1]), shown_component(adapters_[i]), shown(base));
    }
    return;
  }
  const std::vector<Component> components = models_in(base);
  if (components.empty())
    fail(Status::invalid_data, "{}: is a diffusers pipeline, and has no component with weights", shown(base));
  for (const std::string& name : chosen)
    if (!is_in(components, name))
      fail(Status::invalid_argument, "{}: has no component '{}' with weights: it has {}", shown(base), printable(name),
           names_of(components));
  for (std::size_t i = 0; i < adapters_.size(); ++i) {
    const bool is_told = chosen.size() == 1 && is_of_one_component(i);
    components_.push_back(is_told ? chosen.front() : component_of(adapters_[i], base, components));
    if (!chosen.empty() && std::ranges::find(chosen, components_.back()) == chosen.end())
      fail(Status::invalid_argument, "{}: has tensors of {}, and only {} is to be converted", adapters_[i].name(),
           components_.back(), fmt::join(chosen, ", "));
  }
}

std::vector<WeightedAdapter> Adapters::of(const std::string& component) const {
  if (component.empty()) return weighted_;
  std::vector<WeightedAdapter> some;
  for (std::size_t i = 0; i < weighted_.size(); ++i)
    if (components_[i] == component) some.push_back(weighted_[i]);
  return some;
}

Source MergeTask::base(ScratchFile* scratch) const {
  if (replacement) return stored(*replacement);
  Source source = decoded(tensor, tensor.quantized_dtype().value_or(dtype));
  if (merging.shape.elements() != tensor.elements())
    source = resized(source, merging.shape.elements() * size_of(source.dtype));
  return seen_as ? through_codes(source, *seen_as, *scratch) : source;
}

Source MergeTask::base_in_parts(ScratchFile* scratch) const {
  const auto* fp4 = std::get_if<StoredWeightScaled4bit>(&tensor.storage);
  const bool is_gathered = fp4 != nullptr && fp4->is_transposed;  // a decoded row takes codes from every stored row
  return is_gathered ? read_ahead(base(scratch)) : base(scratch);
}

std::int64_t MergeTask::scratch_bytes() const { return seen_as ? absmax_bytes(*seen_as) : 0; }

MergedModel::MergedModel(const Model& model, std::vector<WeightedAdapter> adapters, MergeWay way)
    : model_(model),
      adapters_(std::move(adapters)),
      way_(std::move(way)),
      config_(read_config(model)),
      layout_(read_layout(model, config_)),
      families_(read_model_types(model)),
      rules_(find_rules(model, layout_.tensors, adapters_, way_.said, families_, config_)) {
  DtypeVote vote;
  for (const Tensor& tensor : layout_.tensors) {
    if (const std::optional<Dtype> dtype = own_dtype(tensor)) vote.add(*dtype, tensor.elements());
    names_.insert(tensor.name);
    is_quantized_ = is_quantized_ || tensor.quantized_dtype().has_value();
    is_4bit_ = is_4bit_ || std::holds_alternative<StoredWeight4bit>(tensor.storage);
  }
  dtype_ = vote.most();
  if (!way_.base_as) return;
  if (is_quantized_)
    fail(Status::invalid_argument, "{}: is quantized already; `base_as` is for a base in 16 or 32 bits", model.name());
  seen_ = names_seen_in_4bit({model, layout_.tensors, families_, rules_, config_}, way_.include, way_.exclude);
}

const TensorChange* MergedModel::change_of(const std::string& tensor) const {
  const auto found = rules_.changes.find(tensor);
  return found == rules_.changes.end() ? nullptr : &found->second;
}

bool MergedModel::is_cast(const Tensor& tensor) const {
  const std::optional<Dtype> dtype = own_dtype(tensor);
  if (!way_.dtype || !dtype || *dtype == *way_.dtype) return false;
  return *dtype == dtype_ || dtype_size(*dtype) <= dtype_size(*way_.dtype);
}

Dtype MergedModel::plain_dtype(const Tensor& tensor) const {
  if (way_.dtype) return *way_.dtype;
  const std::optional<Dtype> dtype = own_dtype(tensor);
  if (!dtype)
    fail(Status::unsupported, "{}: is {}, and only F32, F16 and BF16 can be merged into", tensor.values().where(),
         type_name(tensor.values().entry->type));
  return *dtype;
}

MergeTask MergedModel::task(const Tensor& tensor, const TensorChange* change) const {
  MergeTask task{tensor, {}, {}, {}, plain_dtype(tensor)};
  if (is_seen(tensor.name)) {
    task.seen_as = QuantState{*way_.base_as, way_.blocksize, plain_dtype(tensor), tensor.shape, {}};
    if (way_.double_quant) task.seen_as->nested = NestedState{};
  }
  if (change != nullptr) {
    task.replacement = change->replacement;
    task.merging = change->merging;
    return task;
  }
  const std::int64_t elements = tensor.elements();
  task.merging.shape = {1, elements == 0 ? 0 : 1, elements};
  return task;
}

}  // namespace qfuse::checkpoint
