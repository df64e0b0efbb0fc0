#include "checkpoint/files/adapter.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <optional>
#include <span>
#include <utility>

#include "checkpoint/files/errors.h"
#include "checkpoint/files/hub.h"
#include "format/elements.h"

namespace qfuse::checkpoint {
namespace {

namespace fs = std::filesystem;

constexpr const char* kAdapterFile = "adapter_model.safetensors";
constexpr const char* kPickledAdapterFile = "adapter_model.bin";

fs::path find_weights(const fs::path& path) {
  fs::path file = path / kAdapterFile;
  if (fs::exists(file)) return file;
  if (fs::exists(path / kPickledAdapterFile))
    fail(Status::unsupported,
         "{}: is a pickle file, which can run code when read; load the adapter with peft, whose "
         "model.save_pretrained() writes safetensors",
         shown(path / kPickledAdapterFile));
  fail(Status::io_error, "{}: has no {}", shown(path), kAdapterFile);
}

// For the end of a message: lists subfolders that are adapters, such as checkpoints of a training run or named
// adapters.
std::string adapters_within(const fs::path& path) {
  std::string names;
  for (const fs::path& name : list_directory(path))
    if (fs::exists(path / name / kAdapterConfigFile)) names += (names.empty() ? "" : ", ") + shown(path / name);
  return names.empty() ? "" : "; adapters are " + names;
}

AdapterConfig read_adapter_config(const fs::path& path) {
  if (!fs::exists(path)) fail(Status::io_error, "{}: no such file or directory{}", shown(path), hub_hint(path));
  if (!fs::is_directory(path))
    fail(Status::invalid_argument, "{}: is a file; an adapter of peft is the directory with its {} and {}", shown(path),
         kAdapterConfigFile, kAdapterFile);
  const fs::path file = path / kAdapterConfigFile;
  if (!fs::exists(file))
    fail(Status::io_error, "{}: is not an adapter: {} is missing{}", shown(path), kAdapterConfigFile,
         adapters_within(path));
  return {read_text(file, kLongestAdapterConfig), shown(file)};
}

struct Ending {
  std::string_view text;
  AdapterPart part;
};
constexpr std::array kEndings{
    Ending{".lora_A.weight", AdapterPart::a},
    Ending{".lora_B.weight", AdapterPart::b},
    Ending{".lora_B.bias", AdapterPart::b_bias},
    Ending{".lora_magnitude_vector", AdapterPart::magnitude},
    Ending{".lora_magnitude_vector.weight", AdapterPart::magnitude},
    Ending{".lora_embedding_A", AdapterPart::embedding_a},
    Ending{".lora_embedding_B", AdapterPart::embedding_b},
    Ending{".token_adapter.trainable_tokens_delta", AdapterPart::token_rows},
};

// Name parts that peft inserts after a module's name in layers whose tensors it stores whole. The tensor of a wrapped
// base layer (of_base) is the base's own, perhaps with another vocabulary size.
struct Wrapper {
  std::string_view text;
  bool of_base = false;
};
constexpr std::array kWrappers{Wrapper{".token_adapter.base_layer", true}, Wrapper{".modules_to_save.default"},
                               Wrapper{".modules_to_save"}, Wrapper{kPeftWrapper, true}};

AdapterTensor whole_tensor(std::string name, const StoredTensor& stored) {
  for (const Wrapper& wrapper : kWrappers) {
    const std::size_t at = name.rfind(wrapper.text);
    if (at == name.npos || name.find_first_of('.', at + wrapper.text.size()) != at + wrapper.text.size()) continue;
    name.erase(at, wrapper.text.size());
    return {AdapterPart::whole, std::move(name), stored, wrapper.of_base};
  }
  return {AdapterPart::whole, std::move(name), stored};
}

// Whether the tensor is in the unused original copy that peft keeps of a module that it trains whole.
bool is_untrained_copy(std::string_view name) { return name.find(".original_module.") != name.npos; }

// Whether it is what Tinker stores for a layer that experts without a gate do not have.
bool is_placeholder(const TensorEntry& entry) {
  return entry.shape == std::vector<std::int64_t>{0} && entry.name.find(".experts.w3.lora_") != entry.name.npos;
}

// ---- names of a state dict ----
// The adapter's name follows the kind of tensor: lora_A.default.weight.

constexpr std::array<std::string_view, 6> kNamedKinds{".lora_A.",
                                                      ".lora_B.",
                                                      ".lora_embedding_A.",
                                                      ".lora_embedding_B.",
                                                      ".lora_magnitude_vector.",
                                                      ".trainable_tokens_delta."};

// Returns the adapter's name within a tensor's name: "" if it has none, nullopt if this kind of tensor never has one.
std::optional<std::string_view> adapter_name_in(std::string_view tensor) {
  for (const std::string_view kind : kNamedKinds) {
    const std::size_t at = tensor.rfind(kind);
    if (at == tensor.npos) {
      if (tensor.ends_with(kind.substr(0, kind.size() - 1))) return "";
      continue;
    }
    const std::string_view rest = tensor.substr(at + kind.size());
    const std::string_view name = rest.substr(0, rest.find('.'));
    return name == "weight" || name == "bias" ? "" : name;
  }
  return std::nullopt;
}

// Returns the adapter name, which must be the same in all tensors that can have one.
std::string adapter_name_of(const SafetensorsFile& file) {
  const TensorEntry* first = nullptr;
  std::string_view known;
  for (const TensorEntry& entry : file.entries()) {
    const std::optional<std::string_view> name = adapter_name_in(entry.name);
    if (!name || (first != nullptr && *name == known)) continue;
    if (first != nullptr)
      fail(
          Status::invalid_data,
          "{}: is of the adapter '{}', and '{}' of '{}': a file of several adapters cannot be merged; save each alone, "
          "with peft's save_pretrained(..., selected_adapters=[...])",
          StoredTensor{&file, &entry}.where(), printable(*name), printable(first->name), printable(known));
    first = &entry;
    known = *name;
  }
  return std::string(known);
}

// Removes the adapter's name from a tensor's name.
std::string without_adapter_name(std::string tensor, const std::string& adapter) {
  if (adapter.empty()) return tensor;
  const auto erase_behind = [&](std::string_view kind) {
    const std::size_t at = tensor.rfind(fmt::format("{}{}", kind, adapter));
    if (at == tensor.npos) return;
    const std::size_t end = at + kind.size() + adapter.size();
    if (end == tensor.size() || tensor[end] == '.') tensor.erase(at + kind.size() - 1, adapter.size() + 1);
  };
  for (const std::string_view kind : kNamedKinds) erase_behind(kind);
  erase_behind(".modules_to_save.");
  return tensor;
}

// ---- names of the base ----

// Parts that training adds to names at any place: FSDP, torch.compile, and torch's wrapper of checkpointed layers.
bool is_added_by_training(std::string_view part) {
  return part == "_fsdp_wrapped_module" || part == "_orig_mod" || part == "_checkpoint_wrapped_module";
}

std::string without_parts_of_training(std::string_view name) {
  std::string kept;
  for (std::size_t at = 0; at <= name.size();) {
    const std::size_t dot = std::min(name.find('.', at), name.size());
    const std::string_view part = name.substr(at, dot - at);
    if (!is_added_by_training(part)) kept.append(part).append(1, '.');
    at = dot + 1;
  }
  if (!kept.empty()) kept.pop_back();
  return kept;
}

// Removes peft's prefix. NeMo puts the name of a part of the model before it.
std::string without_peft_prefix(std::string name) {
  const std::size_t at = name.find(kPeftPrefix);
  if (at == 0 || (at != name.npos && name[at - 1] == '.')) name.erase(at, kPeftPrefix.size());
  return name;
}

AdapterTensor understood(const StoredTensor& stored, const std::string& adapter_name) {
  const std::string unnamed =
      without_peft_prefix(without_parts_of_training(without_adapter_name(stored.entry->name, adapter_name)));
  const std::string_view name = unnamed;
  for (const Ending& ending : kEndings)
    if (name.ends_with(ending.text) && name.size() > ending.text.size())
      return {ending.part, std::string(name.substr(0, name.size() - ending.text.size())), stored};
  AdapterTensor whole = whole_tensor(std::string(name), stored);
  whole.is_copy = !adapter_name.empty() && name.find(".modules_to_save.") == name.npos;
  for (const std::string_view known : {".lora_", ".trainable_tokens", ".token_adapter", ".modules_to_save."})
    if (whole.module.find(known) != whole.module.npos)
      fail(Status::unsupported, "{}: is no part of an adapter that is known here", stored.where());
  return whole;
}

struct FoundElement {
  std::int64_t index = 0;
  float value = 0.0F;
};

// Returns the first element for which is_wanted() is true.
template <class IsWanted>
std::optional<FoundElement> find_element(const StoredTensor& stored, IsWanted is_wanted) {
  constexpr std::int64_t kPiece = 1 << 20;  // elements
  std::vector<float> values;
  const std::int64_t count = element_count(stored.entry->shape).value();
  for (std::int64_t at = 0; at < count; at += kPiece) {
    values.resize(static_cast<std::size_t>(std::min(kPiece, count - at)));
    read_as_float(stored, at, values);
    if (const auto found = std::ranges::find_if(values, is_wanted); found != values.end())
      return FoundElement{at + (found - values.begin()), *found};
  }
  return std::nullopt;
}

}  // namespace

Adapter::Adapter(const fs::path& path)
    : path_(path),
      name_(shown(path)),
      config_(read_adapter_config(path)),
      model_(std::make_shared<const Model>(find_weights(path))) {
  const std::string adapter_name = adapter_name_of(file());
  for (const TensorEntry& entry : file().entries()) {
    const StoredTensor stored{&file(), &entry};
    if (is_placeholder(entry)) continue;
    check_adapter_tensor(stored);
    if (!is_untrained_copy(entry.name)) tensors_.push_back(understood(stored, adapter_name));
  }
  if (tensors_.empty()) fail(Status::invalid_data, "{}: holds no tensor: it would change nothing", file().name());
}

Adapter::Adapter(fs::path path, std::string component, AdapterConfig config, std::shared_ptr<const Model> file,
                 std::vector<AdapterTensor> tensors)
    : path_(std::move(path)),
      name_(shown(path_)),
      component_(std::move(component)),
      config_(std::move(config)),
      model_(std::move(file)),
      tensors_(std::move(tensors)) {}

void check_adapter_tensor(const StoredTensor& stored) {
  const TensorEntry& entry = *stored.entry;
  if (!dtype_of(entry.type))
    fail(Status::unsupported, "{}: has the dtype {}; adapters have F32, F16 or BF16", stored.where(),
         type_name(entry.type));
  if (!is_countable(entry.shape))
    fail(Status::invalid_data, "{}: has the shape {}, which is too large for an adapter", stored.where(),
         printable(entry.shape));
  if (entry.shape == std::vector<std::int64_t>{0})
    fail(Status::invalid_data,
         "{}: has the shape [0], as DeepSpeed's ZeRO-3 leaves it where weights are saved without being gathered: save "
         "it again with stage3_gather_16bit_weights_on_model_save",
         stored.where());
}

void Adapter::check_finite() const {
  for (const AdapterTensor& tensor : tensors_) {
    const std::optional<FoundElement> bad = find_element(tensor.stored, [](float x) { return !std::isfinite(x); });
    if (bad)
      fail(Status::invalid_data,
           "{}: element {} is {}: its training diverged; `allow_nonfinite` merges it all the same",
           tensor.stored.where(), bad->index, bad->value);
  }
}

bool is_zero(const StoredTensor& stored) {
  return !find_element(stored, [](float x) { return x != 0.0F; });
}

bool Adapter::adds_nothing() const {
  bool has_any = false;
  for (const AdapterTensor& tensor : tensors_) {
    const bool is_factor = tensor.part == AdapterPart::b || tensor.part == AdapterPart::embedding_b;
    const bool is_other = tensor.part != AdapterPart::a && tensor.part != AdapterPart::embedding_a && !is_factor;
    if (is_other || (is_factor && !is_zero(tensor.stored))) return false;
    has_any = true;
  }
  return has_any;
}

bool is_countable(std::span<const std::int64_t> shape) {
  constexpr std::int64_t kMost = (std::int64_t{1} << 62) / kLargestRank;
  std::int64_t count = 1;
  return std::ranges::all_of(shape, [&](std::int64_t dimension) {
    return !__builtin_mul_overflow(count, std::max(dimension, std::int64_t{1}), &count) && count <= kMost;
  });
}

void read_as_float(const StoredTensor& stored, std::int64_t first, std::span<float> out) {
  const Dtype dtype = dtype_of(stored.entry->type).value();
  const auto element = static_cast<std::int64_t>(dtype_size(dtype));
  // Reads into the end of `out`, so that widening in place never overwrites bytes that are not widened yet.
  const std::span<std::byte> bytes = std::as_writable_bytes(out).last(out.size() * static_cast<std::size_t>(element));
  stored.read(first * element, bytes);
  if (dtype == Dtype::float32) return;
  for (std::size_t i = 0; i < out.size(); ++i)
    out[i] = format::load_as_float(bytes.data(), static_cast<std::int64_t>(i), static_cast<qfuse_dtype>(dtype));
}

}  // namespace qfuse::checkpoint
