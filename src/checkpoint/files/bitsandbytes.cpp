#include "checkpoint/files/bitsandbytes.h"

#include <qfuse/checkpoint.hpp>
#include <unordered_map>
#include <unordered_set>

#include "checkpoint/files/errors.h"
#include "format/codebook4.h"

namespace qfuse::checkpoint {
namespace {

// The ends of the names of a weight's tensors, behind its own.
constexpr std::string_view kAbsmaxSuffix = ".absmax";
constexpr std::string_view kQuantMapSuffix = ".quant_map";
constexpr std::string_view kNestedAbsmaxSuffix = ".nested_absmax";
constexpr std::string_view kNestedQuantMapSuffix = ".nested_quant_map";
constexpr std::string_view kQuantStateSuffix = ".quant_state.";
constexpr std::string_view kProjectionSuffix = "_proj";  // of a stack of experts, as bitsandbytes' draft has it
constexpr std::string_view kProjectionAbsmaxSuffix = "_absmax";
constexpr std::string_view kScbSuffix = ".SCB";  // LLM.int8's: behind the module's
constexpr std::string_view kWeightFormatSuffix = ".weight_format";

constexpr std::int64_t kLongestQuantState = 1 << 20;  // bytes; bitsandbytes writes under 300

std::string kind_of(QuantType quant_type) { return fmt::format("bitsandbytes__{}", name_of(quant_type)); }

std::string name_with(std::string_view base, std::string_view ending) { return fmt::format("{}{}", base, ending); }

std::string quant_state_name(std::string_view weight, QuantType quant_type) {
  return fmt::format("{}{}{}", weight, kQuantStateSuffix, kind_of(quant_type));
}

void require_type(const StoredTensor& part, TensorType type) {
  if (part.entry->type != type)
    fail(Status::invalid_data, "{}: is {}, needs {}", part.where(), type_name(part.entry->type), type_name(type));
}

// `part` must be `type` with `needs` elements; `because` says where that number comes from.
void require(const StoredTensor& part, TensorType type, std::int64_t needs, const std::string& because) {
  require_type(part, type);
  const std::int64_t has = part.entry->bytes() / (type_bits(type) / 8);
  if (has != needs)
    fail(Status::invalid_data, "{}: has {} {}, {} need {}", part.where(), has, has == 1 ? "entry" : "entries", because,
         needs);
}

// Reads the layout of one model. Parts that a weight is made of are marked, so that what is left is not quantized.
class LayoutReader {
 public:
  LayoutReader(const Model& model, Dtype int8_dtype) : model_(model), int8_dtype_(int8_dtype) {}

  std::vector<Tensor> read() {
    for_each_stored([&](const StoredTensor& stored) {
      if (is_quant_state(stored.entry->name)) add_4bit(stored);
    });
    for_each_stored([&](const StoredTensor& stored) {
      if (stored.entry->name.ends_with(kScbSuffix)) add_int8(stored);
    });
    std::vector<Tensor> tensors;
    for_each_stored([&](const StoredTensor& stored) {
      const std::string& name = stored.entry->name;
      if (const auto weight = weights_.find(name); weight != weights_.end()) {
        tensors.push_back(std::move(weight->second));
      } else if (!parts_.contains(name)) {
        refuse_orphan(stored);
        refuse_bare_codes(stored);
        refuse_draft(stored);
        tensors.push_back({name, stored.entry->shape, stored, {stored}});
      }
    });
    return tensors;
  }

 private:
  template <class Visit>
  void for_each_stored(Visit visit) const {
    for (const SafetensorsFile& file : model_.files())
      for (const TensorEntry& entry : file.entries()) visit(StoredTensor{&file, &entry});
  }

  // The tensor `name`, if there is one, as part of `weight`.
  const StoredTensor* find_part(Tensor& weight, const std::string& name) {
    const StoredTensor* part = model_.find(name);
    if (part == nullptr) return nullptr;
    if (!parts_.insert(part->entry->name).second)
      fail(Status::invalid_data, "{}: is part of two quantized weights, one of them '{}'", part->where(),
           printable(weight.name));
    weight.parts.push_back(*part);
    return part;
  }
  const StoredTensor& get_part(Tensor& weight, const StoredTensor& because, const std::string& name) {
    const StoredTensor* part = find_part(weight, name);
    if (part == nullptr)
      fail(Status::invalid_data, "{}: needs tensor '{}', which is missing", because.where(), printable(name));
    return *part;
  }

  void add_4bit(const StoredTensor& blob);
  void add_nested(Tensor& weight, StoredWeight4bit& storage, std::int64_t blocks);
  void add_int8(const StoredTensor& scb);
  void refuse_orphan(const StoredTensor& stored) const;
  static void refuse_bare_codes(const StoredTensor& stored);
  void refuse_draft(const StoredTensor& stored) const;

  const Model& model_;
  Dtype int8_dtype_;
  std::unordered_set<std::string_view> parts_;            // names of tensors that are part of a weight
  std::unordered_map<std::string_view, Tensor> weights_;  // by the name of their values
};

QuantState read_state(const StoredTensor& blob) {
  require_type(blob, TensorType::u8);
  if (blob.entry->bytes() > kLongestQuantState)
    fail(Status::invalid_data, "{}: has {} bytes, more than {}", blob.where(), blob.entry->bytes(), kLongestQuantState);
  std::string json(static_cast<std::size_t>(blob.entry->bytes()), '\0');
  blob.read(0, std::as_writable_bytes(std::span(json)));
  if (json.find("}{") != json.npos)
    fail(Status::unsupported,
         "{}: has several quant_states, one behind the other: transformers joined the parts of a matrix when it saved "
         "them, and does not load it either; quantize the plain model again",
         blob.where());
  return parse_quant_state(json, blob.where());
}

void check_packed(const StoredTensor& packed, std::int64_t n) {
  const TensorType type = packed.entry->type;
  if (type != TensorType::u8 && !dtype_of(type))
    fail(Status::invalid_data, "{}: is {}, while 4-bit codes are stored as U8, BF16, F16 or F32", packed.where(),
         type_name(type));
  // Writers with a wider type than U8 round down, and lose codes where it does not divide.
  if (packed.entry->bytes() != qfuse_packed_size(n))
    fail(Status::invalid_data, "{}: has {} bytes, {} weights need {}", packed.where(), packed.entry->bytes(), n,
         qfuse_packed_size(n));
}

// Nested absmax with a row for each expert are those of a whole stack only if no block of it holds absmax of two rows.
void refuse_rows_of_experts(const StoredWeight4bit& weight, std::int64_t blocks) {
  const std::vector<std::int64_t>& shape = weight.nested_absmax.entry->shape;
  const std::int64_t rows = shape.size() < 2 ? 1 : shape[0];
  if (rows > 1 && (blocks % rows != 0 || blocks / rows % weight.state.nested->blocksize != 0))
    fail(Status::unsupported, "{}: has {} rows, while {} absmax are no {} whole blocks of {}",
         weight.nested_absmax.where(), rows, blocks, rows, weight.state.nested->blocksize);
}

void LayoutReader::add_4bit(const StoredTensor& blob) {
  const std::string& blob_name = blob.entry->name;
  const std::size_t split = blob_name.rfind(kQuantStateSuffix);
  const std::string base = blob_name.substr(0, split);
  const std::string kind = blob_name.substr(split + kQuantStateSuffix.size());
  const std::string nf4 = kind_of(QuantType::nf4);
  const std::string fp4 = kind_of(QuantType::fp4);
  if (kind != nf4 && kind != fp4)
    fail(Status::unsupported, "{}: quant_state '{}' is unknown, known are {} and {}", blob.where(), printable(kind),
         nf4, fp4);
  if (weights_.contains(base))
    fail(Status::invalid_data, "{}: is the second quant_state of '{}'", blob.where(), printable(base));
  const QuantState state = read_state(blob);
  if (kind != kind_of(state.quant_type))
    fail(Status::invalid_data, "{}: quant_type is {}, its name says {}", blob.where(), name_of(state.quant_type), kind);
  const std::optional<std::int64_t> n = element_count(state.shape);
  if (!n) fail(Status::invalid_data, "{}: the size of shape {} overflows", blob.where(), printable(state.shape));

  Tensor weight{base, state.shape, {}, {}};
  find_part(weight, blob_name);
  StoredWeight4bit storage{state, {}, {}, {}, {}};
  storage.packed = get_part(weight, blob, base);
  refuse_orphan(storage.packed);  // which its decoded tensor would pass for
  check_packed(storage.packed, *n);
  const std::int64_t blocks = qfuse_block_count(*n, state.blocksize);
  storage.absmax = get_part(weight, blob, name_with(base, kAbsmaxSuffix));
  require(storage.absmax, state.nested ? TensorType::u8 : TensorType::f32, blocks,
          fmt::format("{} weights in blocks of {}", *n, state.blocksize));
  if (const StoredTensor* map = find_part(weight, name_with(base, kQuantMapSuffix)))
    require(*map, TensorType::f32, format::kCodes4, "4-bit codes");
  add_nested(weight, storage, blocks);
  weight.storage = storage;
  weights_.emplace(weight.values().entry->name, std::move(weight));
}

void LayoutReader::add_nested(Tensor& weight, StoredWeight4bit& storage, std::int64_t blocks) {
  const std::optional<NestedState>& nested = storage.state.nested;
  for (const std::string_view part : {kNestedAbsmaxSuffix, kNestedQuantMapSuffix})
    if (const StoredTensor* extra = model_.find(name_with(weight.name, part)); extra != nullptr && !nested)
      fail(Status::invalid_data, "{}: its quant_state says nothing of nested absmax", extra->where());
  if (!nested) return;
  storage.nested_absmax = get_part(weight, storage.absmax, name_with(weight.name, kNestedAbsmaxSuffix));
  storage.nested_quant_map = get_part(weight, storage.absmax, name_with(weight.name, kNestedQuantMapSuffix));
  require(storage.nested_absmax, TensorType::f32, qfuse_block_count(blocks, nested->blocksize),
          fmt::format("{} absmax in blocks of {}", blocks, nested->blocksize));
  require(storage.nested_quant_map, TensorType::f32, format::kCodes8, "8-bit codes");
  refuse_rows_of_experts(storage, blocks);
}

void LayoutReader::add_int8(const StoredTensor& scb) {
  const std::string& scb_name = scb.entry->name;
  const std::string module = scb_name.substr(0, scb_name.size() - kScbSuffix.size());
  Tensor weight{name_with(module, kWeightSuffix), {}, {}, {}};
  find_part(weight, scb_name);
  const StoredTensor& values = get_part(weight, scb, weight.name);
  require_type(values, TensorType::i8);
  if (values.entry->shape.size() != 2)
    fail(Status::invalid_data, "{}: has shape {}, LLM.int8 needs [rows, columns]", values.where(),
         printable(values.entry->shape));
  weight.shape = values.entry->shape;
  require(scb, TensorType::f32, weight.shape[0], fmt::format("{} rows", weight.shape[0]));
  if (const StoredTensor* format = find_part(weight, name_with(module, kWeightFormatSuffix))) {
    require(*format, TensorType::u8, 1, "a weight format");
    std::byte number{};
    format->read(0, std::span(&number, 1));
    if (number != std::byte{0})
      fail(Status::unsupported,
           "{}: is {}, a layout of one GPU generation; only 0 (row) can be read: load and save it again with the "
           "bitsandbytes that wrote it",
           format->where(), static_cast<int>(number));
  }
  weight.storage = StoredWeightInt8{values, scb, int8_dtype_};
  weights_.emplace(weight.values().entry->name, std::move(weight));
}

// What only ever stands beside a quantized weight must not pass for a tensor of its own: that weight's quant_state or
// SCB is missing, and its codes would be taken for values.
void LayoutReader::refuse_orphan(const StoredTensor& stored) const {
  const std::string_view name = stored.entry->name;
  constexpr const char* kMessage = "{}: is part of a quantized weight, but '{}{}' is missing";
  const std::string quant_state = quant_state_name("", QuantType::nf4);
  for (const std::string_view ending : {kAbsmaxSuffix, kQuantMapSuffix, kNestedAbsmaxSuffix, kNestedQuantMapSuffix})
    if (name.ends_with(ending))
      fail(Status::invalid_data, kMessage, stored.where(), printable(name.substr(0, name.size() - ending.size())),
           quant_state);
  if (name.ends_with(kWeightFormatSuffix))
    fail(Status::invalid_data, kMessage, stored.where(), printable(name.substr(0, name.rfind('.'))), kScbSuffix);
}

// Versions of transformers lost the parts beside the codes of some models, which were saved without them then.
void LayoutReader::refuse_bare_codes(const StoredTensor& stored) {
  const TensorEntry& entry = *stored.entry;
  const bool named = entry.name.ends_with(kWeightSuffix) || entry.name.ends_with(kProjectionSuffix);
  if (named && entry.type == TensorType::u8 && entry.shape.size() == 2 && entry.shape[1] == 1)
    fail(Status::invalid_data, "{}: has the type and shape of 4-bit codes, but '{}' is missing", stored.where(),
         quant_state_name(printable(entry.name), QuantType::nf4));
}

// bitsandbytes' proposed Experts4bit: codes [experts, bytes] and absmax [experts, blocks], and no quant_state.
void LayoutReader::refuse_draft(const StoredTensor& stored) const {
  const TensorEntry& entry = *stored.entry;
  if (entry.type != TensorType::u8 || entry.shape.size() != 2 || !entry.name.ends_with(kProjectionSuffix)) return;
  const std::string absmax =
      name_with(entry.name.substr(0, entry.name.size() - kProjectionSuffix.size()), kProjectionAbsmaxSuffix);
  if (model_.find(absmax) != nullptr)
    fail(
        Status::unsupported,
        "{}: is laid out as bitsandbytes' proposed Experts4bit has it, with '{}' and no quant_state: neither its shape "
        "nor its type of codes is known",
        stored.where(), printable(absmax));
}

TensorEntry part(std::string name, TensorType type, std::vector<std::int64_t> shape) {
  const std::int64_t bytes = element_count(shape).value() * type_bits(type) / 8;
  return {std::move(name), type, std::move(shape), 0, bytes};
}

}  // namespace

bool is_quant_state(std::string_view name) { return name.find(kQuantStateSuffix) != name.npos; }

std::int64_t Tensor::elements() const { return element_count(shape).value(); }  // checked when it was read

std::optional<Dtype> Tensor::quantized_dtype() const {
  if (const auto* weight = std::get_if<StoredWeight4bit>(&storage)) return weight->state.dtype;
  if (const auto* weight = std::get_if<StoredWeightInt8>(&storage)) return weight->dtype;
  return std::nullopt;
}

const StoredTensor& Tensor::values() const {
  if (const auto* weight = std::get_if<StoredWeight4bit>(&storage)) return weight->packed;
  if (const auto* weight = std::get_if<StoredWeightInt8>(&storage)) return weight->weight;
  return std::get<StoredTensor>(storage);
}

std::int64_t Tensor::stored_bytes() const {
  std::int64_t bytes = 0;
  for (const StoredTensor& part : parts) bytes += part.entry->bytes();
  return bytes;
}

TensorType Tensor::decoded_type(Dtype dtype) const { return quantized_dtype() ? type_of(dtype) : values().entry->type; }

std::int64_t Tensor::decoded_bytes(Dtype dtype) const {
  return quantized_dtype() ? elements() * static_cast<std::int64_t>(dtype_size(dtype)) : stored_bytes();
}

std::vector<Tensor> read_layout(const Model& model, Dtype int8_dtype) { return LayoutReader(model, int8_dtype).read(); }

std::int64_t tensor_count(const std::set<std::string_view>& names) {
  std::int64_t count = std::ssize(names);
  for (const std::string_view name : names) {
    if (!is_quant_state(name)) continue;
    --count;
    const std::string_view weight = name.substr(0, name.rfind(kQuantStateSuffix));
    for (const std::string_view suffix : {kAbsmaxSuffix, kQuantMapSuffix, kNestedAbsmaxSuffix, kNestedQuantMapSuffix})
      count -= names.contains(name_with(weight, suffix)) ? 1 : 0;
  }
  return count;
}

EncodedParts encoded_parts(const std::string& name, const QuantState& state) {
  const std::int64_t n = element_count(state.shape).value();
  const std::int64_t blocks = qfuse_block_count(n, state.blocksize);
  EncodedParts parts;
  parts.arrays = {part(name, TensorType::u8, {qfuse_packed_size(n), 1}),
                  part(name_with(name, kAbsmaxSuffix), state.nested ? TensorType::u8 : TensorType::f32, {blocks}),
                  part(name_with(name, kQuantMapSuffix), TensorType::f32, {format::kCodes4})};
  if (state.nested) {
    parts.arrays.push_back(part(name_with(name, kNestedAbsmaxSuffix), TensorType::f32,
                                {qfuse_block_count(blocks, state.nested->blocksize)}));
    parts.arrays.push_back(part(name_with(name, kNestedQuantMapSuffix), TensorType::f32, {format::kCodes8}));
  }
  parts.quant_state = part(quant_state_name(name, state.quant_type), TensorType::u8, {longest_quant_state(state)});
  return parts;
}

// bitsandbytes stores FP4's code 8 as +0.0, although it decodes to -0.0.
std::vector<float> stored_quant_map(QuantType quant_type) {
  const auto& values = format::codebook4(static_cast<qfuse_quant_type>(quant_type)).values;
  std::vector<float> map(values.begin(), values.end());
  for (float& value : map) value += 0.0F;
  return map;
}

std::vector<float> stored_nested_quant_map() {
  std::vector<float> map(format::kCodes8);
  qfuse_nested_quant_map(map.data());
  return map;
}

}  // namespace qfuse::checkpoint
