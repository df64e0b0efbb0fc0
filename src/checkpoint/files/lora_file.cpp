#include "checkpoint/files/lora_file.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <cstring>
#include <map>
#include <memory>
#include <nlohmann/json.hpp>
#include <optional>
#include <set>
#include <utility>

#include "checkpoint/files/errors.h"
#include "checkpoint/files/json.h"

namespace qfuse::checkpoint {
namespace {

namespace fs = std::filesystem;
using OrderedJson = nlohmann::ordered_json;  // ordered, because the first matching pattern counts

constexpr const char* kLoraFile = "pytorch_lora_weights.safetensors";
constexpr const char* kMetadataKey = "lora_adapter_metadata";  // written by diffusers since 0.34: fields of LoraConfig

// Components of diffusers' pipelines that can have a LoRA (_lora_loadable_modules).
constexpr std::array<std::string_view, 9> kComponents{"connectors",     "text_conditioner", "text_encoder",
                                                      "text_encoder_2", "text_encoder_3",   "transformer",
                                                      "transformer_2",  "transformer_ref",  "unet"};

struct KohyaKind {
  std::string_view beginning;
  std::string_view component;
};
constexpr std::array kKohyaKinds{KohyaKind{"lora_unet_", "unet"}, KohyaKind{"lora_te_", "text_encoder"},
                                 KohyaKind{"lora_te1_", "text_encoder"}, KohyaKind{"lora_te2_", "text_encoder_2"}};

const KohyaKind* kohya_kind(std::string_view name) {
  const auto* const found =
      std::ranges::find_if(kKohyaKinds, [&](const KohyaKind& kind) { return name.starts_with(kind.beginning); });
  return found == kKohyaKinds.end() ? nullptr : found;
}

// ---- kinds that are known but not merged ----

constexpr std::string_view kByDiffusers =
    "load it in diffusers with load_lora_weights(), then fuse_lora(), unload_lora_weights() and save_pretrained()";
// Prefix of layer names as chosen by a model's authors; for Qwen-Image these are also diffusers' names.
constexpr std::string_view kOfAuthors = "diffusion_model.";
constexpr std::string_view kByLycoris = "merge it with LyCORIS, which wrote it";

// Matches by tensor name: a mark that begins with a dot anywhere in it, other marks at its beginning.
struct OtherKind {
  std::string_view mark;
  std::string_view name;
  std::string_view advice;
};
constexpr std::array kOtherMethods{
    OtherKind{".hada_", "LoHa, products of products", kByLycoris},
    OtherKind{".lokr_", "LoKr, Kronecker products", kByLycoris},
    OtherKind{".lora_mid.", "LoCon in its CP form, with a third factor", kByLycoris},
    OtherKind{".oft_", "OFT, rotations", kByLycoris},
    OtherKind{".dora_scale", "DoRA as LyCORIS stores it", kByLycoris},
    OtherKind{".diff", "whole differences", kByLycoris},
    OtherKind{"lycoris_", "a LoRA in LyCORIS' names", kByLycoris},
    OtherKind{"bundle_emb.", "an embedding that a prompt calls, bundled with a LoRA", kByDiffusers},
    OtherKind{"lora_controlnet", "a Control-LoRA", kByDiffusers},
    OtherKind{"lora_unet_double_blocks_", "a LoRA of kohya's scripts for Flux, whose layers diffusers divides",
              kByDiffusers},
    OtherKind{"lora_unet_single_blocks_", "a LoRA of kohya's scripts for Flux, whose layers diffusers divides",
              kByDiffusers},
    OtherKind{"lora_unet_joint_blocks_", "a LoRA of kohya's scripts for SD3, whose layers diffusers divides",
              kByDiffusers},
    OtherKind{"lora_te3_", "a LoRA of kohya's scripts for T5", kByDiffusers},
    OtherKind{"lora_transformer_", "a LoRA in OneTrainer's names", kByDiffusers},
    OtherKind{kPeftPrefix, "an adapter of peft's", "give its directory, which has its adapter_config.json"},
};

void refuse_other_kinds(const SafetensorsFile& file) {
  const auto is_of = [](const OtherKind& kind, const std::string& name) {
    return kind.mark.front() == '.' ? name.find(kind.mark) != name.npos : name.starts_with(kind.mark);
  };
  for (const TensorEntry& entry : file.entries())
    for (const OtherKind& kind : kOtherMethods)
      if (is_of(kind, entry.name))
        fail(Status::unsupported, "{}: is part of {}: {}", StoredTensor{&file, &entry}.where(), kind.name, kind.advice);
}

// ---- names ----

// `module` is peft's name of the module, or, in kohya's files, kohya's name.
struct LoraTensor {
  std::string component;
  std::string module;
  std::optional<AdapterPart> part;  // nullopt: alpha
};

struct LoraEnding {
  std::string_view text;
  std::optional<AdapterPart> part;
  bool is_old = false;  // from diffusers before 0.23, where the attention processor owned the layers
};
constexpr std::array kKohyaEndings{LoraEnding{".lora_down.weight", AdapterPart::a},
                                   LoraEnding{".lora_up.weight", AdapterPart::b}, LoraEnding{".alpha", std::nullopt}};
constexpr std::array kDiffusersEndings{
    LoraEnding{".lora_A.weight", AdapterPart::a},
    LoraEnding{".lora_B.weight", AdapterPart::b},
    LoraEnding{".lora_A.default.weight", AdapterPart::a},  // DiffSynth-Studio's
    LoraEnding{".lora_B.default.weight", AdapterPart::b},
    LoraEnding{".lora_down.weight", AdapterPart::a},  // kohya's suffix, diffusers' module: Qwen-Image-Lightning
    LoraEnding{".lora_up.weight", AdapterPart::b},
    LoraEnding{".lora_B.bias", AdapterPart::b_bias},
    LoraEnding{".lora_magnitude_vector", AdapterPart::magnitude},
    LoraEnding{".lora_magnitude_vector.weight", AdapterPart::magnitude},
    LoraEnding{".lora.down.weight", AdapterPart::a},
    LoraEnding{".lora.up.weight", AdapterPart::b},
    LoraEnding{".lora_linear_layer.down.weight", AdapterPart::a},
    LoraEnding{".lora_linear_layer.up.weight", AdapterPart::b},
    LoraEnding{"_lora.down.weight", AdapterPart::a, true},
    LoraEnding{"_lora.up.weight", AdapterPart::b, true},
    LoraEnding{"_lora.alpha", std::nullopt, true},
    LoraEnding{".alpha", std::nullopt},
};

// Layer names within old attention processors, and the corresponding names in unets and in CLIP.
struct ProcessorLayer {
  std::string_view processors;
  std::string_view unets;
  std::string_view clips;
};
constexpr std::array kProcessorLayers{
    ProcessorLayer{".to_q", ".to_q", ".q_proj"}, ProcessorLayer{".to_k", ".to_k", ".k_proj"},
    ProcessorLayer{".to_v", ".to_v", ".v_proj"}, ProcessorLayer{".to_out", ".to_out.0", ".out_proj"}};

std::string layer_of_processor(std::string module, bool of_clip) {
  for (const ProcessorLayer& layer : kProcessorLayers)
    if (module.ends_with(layer.processors))
      return module.replace(module.size() - layer.processors.size(), module.npos, of_clip ? layer.clips : layer.unets);
  return module;
}

std::optional<LoraTensor> understood(const std::string& name) {
  const KohyaKind* kohya = kohya_kind(name);
  const std::string first = name.substr(0, name.find('.'));
  LoraTensor tensor;
  if (kohya != nullptr) {
    tensor.component = kohya->component;
    for (const LoraEnding& ending : kKohyaEndings)
      if (name == first + std::string(ending.text)) return LoraTensor{tensor.component, first, ending.part};
    return std::nullopt;
  }
  std::string_view module = name;
  if (name.starts_with(kOfAuthors)) {
    module.remove_prefix(kOfAuthors.size());
  } else if (is_component_name(first)) {
    tensor.component = first;
    module.remove_prefix(std::min(first.size() + 1, module.size()));
  }
  for (const LoraEnding& ending : kDiffusersEndings) {
    if (!module.ends_with(ending.text) || module.size() == ending.text.size()) continue;
    module.remove_suffix(ending.text.size());
    tensor.module = ending.is_old ? layer_of_processor(std::string(module), first.starts_with("text_encoder")) : module;
    constexpr std::string_view kProcessor = ".processor.";
    if (const std::size_t at = tensor.module.find(kProcessor); at != std::string::npos)
      tensor.module.replace(at, kProcessor.size(), ".");
    tensor.part = ending.part;
    return tensor;
  }
  return std::nullopt;
}

// ---- scales ----

template <class Number>
double read_as(const StoredTensor& stored) {
  Number value{};
  stored.read(0, std::as_writable_bytes(std::span(&value, 1)));
  return static_cast<double>(value);
}

// Reads a tensor with one number; scripts write it in many dtypes.
double read_alpha(const StoredTensor& stored) {
  const TensorEntry& entry = *stored.entry;
  if (element_count(entry.shape) != 1)
    fail(Status::invalid_data, "{}: has the shape {}, and is to be one number", stored.where(), printable(entry.shape));
  double alpha = 0.0;
  if (dtype_of(entry.type)) {
    float value = 0.0F;
    read_as_float(stored, 0, std::span(&value, 1));
    alpha = value;
  } else if (entry.type == TensorType::f64) {
    alpha = read_as<double>(stored);
  } else if (entry.type == TensorType::i64) {
    alpha = read_as<std::int64_t>(stored);
  } else if (entry.type == TensorType::i32) {
    alpha = read_as<std::int32_t>(stored);
  } else {
    fail(Status::unsupported, "{}: has the dtype {}, which no alpha has", stored.where(), type_name(entry.type));
  }
  if (!std::isfinite(alpha) || alpha == 0.0)
    fail(Status::invalid_data,
         "{}: is {}: what the LoRA is multiplied by is not known, since kohya's scripts take the rank for an alpha of "
         "0, "
         "and diffusers adds nothing",
         stored.where(), alpha);
  return alpha;
}

// The tensors of a file for one component.
struct ComponentPart {
  std::vector<AdapterTensor> tensors;
  std::map<std::string, StoredTensor> alphas;  // by module
};

AdapterConfig config_of(const ComponentPart& part) {
  std::map<std::string, ModuleScale> modules;
  std::map<std::string, StoredTensor> alphas = part.alphas;
  bool dora = false;
  for (const AdapterTensor& tensor : part.tensors) {
    dora = dora || tensor.part == AdapterPart::magnitude;
    if (tensor.part != AdapterPart::a) continue;
    const std::vector<std::int64_t>& shape = tensor.stored.entry->shape;
    const std::int64_t rank = shape.empty() ? 0 : shape[0];
    if (rank < 1 || rank > kLargestRank)
      fail(Status::invalid_data, "{}: has the shape {}, whose first number is no rank", tensor.where(),
           printable(shape));
    ModuleScale scale{rank, static_cast<double>(rank)};
    if (const auto alpha = alphas.extract(tensor.module); !alpha.empty())
      scale.alpha = read_alpha(alpha.mapped());
    else if (!part.alphas.empty())
      fail(Status::invalid_data, "{}: has no alpha beside it, and other layers have: its scale is not known",
           tensor.where());
    modules.emplace(tensor.module, scale);
  }
  if (!alphas.empty())
    fail(Status::invalid_data, "{}: is the alpha of a layer that has no matrices", alphas.begin()->second.where());
  return {"the file", std::move(modules), dora};
}

// Extracts the fields of one component, which have its name as prefix, from the metadata of all components.
AdapterConfig config_of(const std::string& component, const std::string& metadata, const std::string& file) {
  constexpr std::size_t kMostKeys = 65'536;
  const std::string where = fmt::format("{}: {}", file, kMetadataKey);
  const auto json = parse_json<OrderedJson>(metadata, where, kMostKeys);
  if (!json.is_object()) fail(Status::invalid_data, "{}: is not a JSON object", where);
  const std::string beginning = component.empty() ? "" : component + ".";
  OrderedJson fields = OrderedJson::object();
  for (const auto& [key, value] : json.items())
    if (key.starts_with(beginning)) fields[key.substr(beginning.size())] = value;
  if (fields.empty())
    fail(Status::invalid_data, "{}: says nothing of {}, of which the file has tensors", where, component);
  const std::string of = component.empty() ? "" : " of " + component;
  return {restore_special_numbers(fields.dump()), where + of, kMetadataKey};
}

}  // namespace

bool is_component_name(std::string_view name) { return std::ranges::find(kComponents, name) != kComponents.end(); }

bool is_denoiser(std::string_view component) {
  return component == "unet" || component == "transformer" || component == "transformer_2";
}

std::string_view advice_on_names(std::string_view tensor) {
  return tensor.starts_with(kOfAuthors) || is_kohya_name(tensor) ? kByDiffusers : "";
}

bool is_kohya_name(std::string_view module) { return kohya_kind(module) != nullptr; }

std::string_view kohya_layer(std::string_view module) {
  const KohyaKind* kind = kohya_kind(module);
  return kind == nullptr ? module : module.substr(kind->beginning.size());
}

bool is_lora_file(const fs::path& path) {
  if (fs::is_regular_file(path)) return is_safetensors(path);
  return fs::exists(path / kLoraFile) && !fs::exists(path / kAdapterConfigFile);
}

std::vector<Adapter> read_lora_file(const fs::path& path) {
  const auto model = std::make_shared<const Model>(fs::is_directory(path) ? path / kLoraFile : path);
  const SafetensorsFile& file = model->files().front();
  refuse_other_kinds(file);
  std::map<std::string, ComponentPart> parts;
  for (const TensorEntry& entry : file.entries()) {
    const StoredTensor stored{&file, &entry};
    const std::optional<LoraTensor> tensor = understood(entry.name);
    if (!tensor)
      fail(Status::unsupported, "{}: is no part of a LoRA file of diffusers or kohya's scripts that is known here",
           stored.where());
    ComponentPart& part = parts[tensor->component];
    if (tensor->part) {
      check_adapter_tensor(stored);
      part.tensors.push_back({*tensor->part, tensor->module, stored});
    } else if (!part.alphas.emplace(tensor->module, stored).second) {
      fail(Status::invalid_data, "{}: is a second alpha of its layer", stored.where());
    }
  }
  if (parts.empty()) fail(Status::invalid_data, "{}: holds no tensor: it would change nothing", file.name());
  const std::optional<std::string> metadata = file.metadata(kMetadataKey);
  std::vector<Adapter> adapters;
  for (auto& [component, part] : parts) {
    if (metadata && !part.alphas.empty())
      fail(Status::invalid_data, "{}: is an alpha, and {} of the file says the scales too",
           part.alphas.begin()->second.where(), kMetadataKey);
    AdapterConfig config = metadata ? config_of(component, *metadata, file.name()) : config_of(part);
    adapters.emplace_back(file.file().path(), component, std::move(config), model, std::move(part.tensors));
  }
  return adapters;
}

}  // namespace qfuse::checkpoint
