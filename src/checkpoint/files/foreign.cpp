#include "checkpoint/files/foreign.h"

#include <algorithm>
#include <array>
#include <cctype>
#include <map>

#include "checkpoint/files/adapter.h"
#include "checkpoint/files/errors.h"
#include "checkpoint/files/packing.h"

namespace qfuse::checkpoint {
namespace {

struct Method {
  std::string_view name;          // display name
  std::string_view quant_method;  // value in a quantization_config
  std::string_view ending;        // suffix of tensor names that only this method has
  std::string_view reader;        // library that reads it
  bool needs_record = false;      // its tensors can only be read with a config
};

// Checked in this order, because GPTQ has AWQ's tensor names and one more.
constexpr std::array kMethods{
    Method{"GPTQ", "gptq", ".g_idx", "transformers with gptqmodel", true},
    Method{"AWQ", "awq", ".qzeros", "transformers with gptqmodel", true},
    Method{"HQQ", "hqq", ".W_q", "transformers with hqq"},
    Method{"compressed-tensors", "compressed-tensors", ".bitmask", "transformers with compressed-tensors"},
    Method{"MXFP4", "mxfp4", "_proj_blocks", "transformers"},
};
constexpr std::string_view kFp8 = "fp8";

constexpr std::array kFloats{TensorType::f8_e4m3, TensorType::f8_e5m2, TensorType::f8_e4m3fnuz, TensorType::f8_e5m2fnuz,
                             TensorType::f8_e8m0};

bool is_quantized(const Tensor& tensor) { return tensor.quantized_dtype().has_value(); }

bool is_floats(const Tensor& tensor) {
  return !is_quantized(tensor) && std::ranges::count(kFloats, tensor.values().entry->type) > 0;
}

bool is_integers(const Tensor& tensor) {
  const TensorType type = tensor.values().entry->type;
  return !is_quantized(tensor) && (type == TensorType::u8 || type == TensorType::i8);
}

std::string said_of_floats(const Tensor& tensor) {
  const TensorType type = tensor.values().entry->type;
  return fmt::format("has '{}' in {}, and qfuse reads F8_E4M3 with scales", printable(tensor.name), type_name(type));
}

std::string said_of_integers(const Tensor& tensor, const std::string& scale) {
  return fmt::format("has '{}' in {} {}, integers or 4-bit codes that qfuse does not read", printable(tensor.name),
                     type_name(tensor.values().entry->type),
                     scale.empty() ? "beside quantized weights" : fmt::format("with '{}'", printable(scale)));
}

// Returns a message about an 8-bit float matrix without scales, or integers with a scale, that no layout claimed.
std::string left_alone(const Tensor& tensor, const Model& model) {
  const std::string& name = tensor.name;
  if (!name.ends_with(kWeightSuffix)) return "";
  if (is_floats(tensor) && tensor.shape.size() == 2) return said_of_floats(tensor);
  const std::string module = name.substr(0, name.size() - kWeightSuffix.size());
  for (const std::string& scale : {name + "_scale", module + ".scale"})
    if (is_integers(tensor) && model.find(scale) != nullptr) return said_of_integers(tensor, scale);
  return "";
}

// Returns the tensors of which this may be a scale: "a.weight_scale_2" and "a.scale" both scale "a.weight".
std::array<std::string, 2> possible_owners(const std::string& name) {
  const std::size_t behind_name = name.rfind("_scale");
  const std::size_t behind_module = name.rfind(".scale");
  return {behind_name == name.npos ? "" : name.substr(0, behind_name),
          behind_module == name.npos ? "" : name.substr(0, behind_module) + std::string(kWeightSuffix)};
}

// Returns a message about a tensor that would stay quantized beside decoded weights: the output would be partly
// quantized, although its config.json would not say so.
std::string left_beside_others(std::span<const Tensor> tensors) {
  std::map<std::string, std::string> scales;  // name of the scale by name of the integer tensor; "" if none
  for (const Tensor& tensor : tensors)
    if (is_integers(tensor)) scales[tensor.name] = "";
  const auto is_scale = [&](const Tensor& tensor) {
    return std::ranges::any_of(possible_owners(tensor.name), [&](const auto& owner) { return scales.contains(owner); });
  };
  for (const Tensor& tensor : tensors)
    for (const std::string& owner : possible_owners(tensor.name))
      if (const auto found = scales.find(owner); found != scales.end()) found->second = tensor.name;
  for (const Tensor& tensor : tensors) {
    if (is_floats(tensor) && !is_scale(tensor)) return said_of_floats(tensor);
    if (!is_integers(tensor)) continue;
    if (const std::string& scale = scales[tensor.name]; !scale.empty() || tensor.shape.size() > 1)
      return said_of_integers(tensor, scale);
  }
  return "";
}

// Whether it has the packed integers of MLX, whose quantization_config names no method.
bool is_of_mlx(const Tensor& tensor, const Model& model) {
  if (is_quantized(tensor) || tensor.values().entry->type != TensorType::u32 || !tensor.name.ends_with(kWeightSuffix))
    return false;
  return model.find(tensor.name.substr(0, tensor.name.size() - kWeightSuffix.size()) + ".scales") != nullptr;
}

template <class Holds>
bool any_tensor(const Model& model, Holds holds) {
  return std::any_of(model.files().begin(), model.files().end(), [&](const SafetensorsFile& file) {
    return std::any_of(file.entries().begin(), file.entries().end(), holds);
  });
}

std::string said(const std::string& name, std::string_view source, std::string_view reader) {
  return fmt::format(
      "is quantized by {}, as {} say{}, in a format that qfuse does not read (docs/FORMAT.md lists those that it "
      "does): "
      "load it with {} and save it in 16 bits",
      name, source, source.ends_with('s') ? "" : "s", reader);
}

std::string said_of_no_record(std::string_view name) {
  return fmt::format(
      "is quantized by {}, as the names of its tensors say, and neither config.json nor {} or {} beside them says how: "
      "put that file there",
      name, kPackingFiles[0], kPackingFiles[1]);
}

bool begins_so(std::string_view text, std::string_view lower_case) {
  const auto same = [](char a, char b) { return std::tolower(static_cast<unsigned char>(a)) == b; };
  return text.size() >= lower_case.size() &&
         std::equal(lower_case.begin(), lower_case.end(), text.begin(), [&](char b, char a) { return same(a, b); });
}

// Whether the model contains adapters of its own, as part of its architecture.
bool has_own_adapters(const Model& model) {
  const std::vector<std::string> types = read_model_types(model);
  return std::ranges::any_of(types,
                             [](const std::string& type) { return type == "phi4mm" || type == "phi4_multimodal"; });
}

}  // namespace

std::string foreign_method(const Model& model, const std::optional<Config>& config, std::span<const Tensor> tensors) {
  const bool any_is = std::ranges::any_of(tensors, is_quantized);
  if (any_tensor(model, [](const TensorEntry& entry) { return entry.name.ends_with(".qweight"); }))
    if (const std::optional<PackingRecord> record = read_packing(model, config); record && !record->packing)
      return record->unread;
  if (const std::string method = config && !any_is ? config->foreign_quant_method() : ""; !method.empty()) {
    const auto* const known =
        std::find_if(kMethods.begin(), kMethods.end(), [&](const Method& m) { return m.quant_method == method; });
    if (known != kMethods.end()) return said(std::string(known->name), "its config.json", known->reader);
    if (method == kFp8) return "has a quantization_config of FP8, and no tensor of F8_E4M3 with scales";
    return said(fmt::format("'{}'", printable(method)), "its config.json", "the library that wrote it");
  }
  if (std::ranges::any_of(tensors, [&](const Tensor& it) { return is_of_mlx(it, model); }))
    return said("MLX", "the types of its tensors", "mlx_lm (`mlx_lm.convert --dequantize`)");
  for (const Method& method : kMethods)
    if (std::ranges::any_of(tensors, [&](const Tensor& it) { return it.name.ends_with(method.ending); }))
      return !any_is && method.needs_record ? said_of_no_record(method.name)
                                            : said(std::string(method.name), "the names of its tensors", method.reader);
  std::string left = std::ranges::any_of(tensors, &Tensor::is_of_other_methods) ? left_beside_others(tensors) : "";
  for (auto tensor = tensors.begin(); left.empty() && tensor != tensors.end(); ++tensor)
    left = left_alone(*tensor, model);
  return left.empty() ? "" : left + ": load it with the library that wrote it, and save it in 16 bits";
}

PeftContent peft_content(const Model& model) {
  const auto is_adapters = [](const TensorEntry& entry) {
    constexpr std::array<std::string_view, 11> kParts{
        ".lora_A.",    ".lora_B.",  ".lora_embedding_A", ".lora_embedding_B", ".lora_down.",        ".lora_up.",
        ".lora.down.", ".lora.up.", "_lora.down.",       "_lora.up.",         ".lora_linear_layer."};
    return std::ranges::any_of(kParts, [&](std::string_view part) { return entry.name.find(part) != entry.name.npos; });
  };
  const auto is_models = [&](const TensorEntry& entry) {
    return entry.name.ends_with(kWeightSuffix) && entry.shape.size() == 2 && !is_adapters(entry);
  };
  const auto is_wrapped = [](const TensorEntry& entry) {
    return entry.name.starts_with(kPeftPrefix) || entry.name.find(std::string(kPeftWrapper) + ".") != entry.name.npos;
  };
  if (has_own_adapters(model)) return PeftContent::none;
  if (any_tensor(model, is_adapters))
    return any_tensor(model, is_models) ? PeftContent::model_with_adapter : PeftContent::adapter;
  return any_tensor(model, is_wrapped) ? PeftContent::wrapped_model : PeftContent::none;
}

std::string foreign_kind(const Model& model) {
  switch (peft_content(model)) {
    case PeftContent::adapter:
      return "is a LoRA adapter, whose matrices are never quantized: convert the model that it belongs to";
    case PeftContent::model_with_adapter:
      return "is a model as peft has it in memory, with a LoRA adapter among its tensors: save what its "
             "merge_and_unload() gives, or base and adapter apart, by their save_pretrained()";
    case PeftContent::wrapped_model:
      return "has the names that peft gives to a model's tensors: load it so, and save what unload() gives; a "
             "quantized "
             "one gets its own names from qfuse dequantize";
    case PeftContent::none: break;
  }
  return "";
}

std::string_view known_content(std::string_view beginning) {
  if (beginning.starts_with("version https://git-lfs"))
    return "is a git-lfs pointer and not the file itself: run `git lfs pull` where it was cloned, or download it again";
  if (begins_so(beginning, "<!doctype") || begins_so(beginning, "<html") || begins_so(beginning, "<?xml"))
    return "is a web page: the download failed, or needs a login";
  if (beginning.starts_with("GGUF"))
    return "is a GGUF file, which qfuse does not read: it needs the safetensors that llama.cpp converted";
  const bool may_be_a_length = beginning.size() > 4 && beginning[4] == '\0';  // a 67 MB header; no zip's version
  if (beginning.starts_with("PK\x03\x04") && !may_be_a_length)
    return "is a zip archive, perhaps a pickle checkpoint: load it with transformers, whose model.save_pretrained() "
           "writes safetensors";
  return "";
}

}  // namespace qfuse::checkpoint
