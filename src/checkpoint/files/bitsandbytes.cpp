#include "checkpoint/files/bitsandbytes.h"

#include <qfuse/checkpoint.hpp>

#include "checkpoint/files/errors.h"
#include "checkpoint/files/layout.h"
#include "format/codebook4.h"

namespace qfuse::checkpoint {
namespace {

// Suffixes that follow a weight's name in the names of its parts.
constexpr std::string_view kAbsmaxSuffix = ".absmax";
constexpr std::string_view kQuantMapSuffix = ".quant_map";
constexpr std::string_view kNestedAbsmaxSuffix = ".nested_absmax";
constexpr std::string_view kNestedQuantMapSuffix = ".nested_quant_map";
constexpr std::string_view kQuantStateSuffix = ".quant_state.";
constexpr std::string_view kProjectionSuffix = "_proj";  // stacks of experts in bitsandbytes' draft
constexpr std::string_view kProjectionAbsmaxSuffix = "_absmax";
constexpr std::string_view kScbSuffix = ".SCB";  // LLM.int8: follows the module's name
constexpr std::string_view kWeightFormatSuffix = ".weight_format";

constexpr std::int64_t kLongestQuantState = 1 << 20;  // bytes; bitsandbytes writes fewer than 300

std::string kind_of(QuantType quant_type) { return fmt::format("bitsandbytes__{}", name_of(quant_type)); }

std::string name_with(std::string_view base, std::string_view ending) { return fmt::format("{}{}", base, ending); }

std::string quant_state_name(std::string_view weight, QuantType quant_type) {
  return fmt::format("{}{}{}", weight, kQuantStateSuffix, kind_of(quant_type));
}

// Fails unless `part` has type `type` and `needs` elements; `because` explains the number in the message.
void require(const StoredTensor& part, TensorType type, std::int64_t needs, const std::string& because) {
  require_type(part, type);
  const std::int64_t has = part.entry->bytes() / (type_bits(type) / 8);
  if (has != needs)
    fail(Status::invalid_data, "{}: has {} {}, {} need {}", part.where(), has, has == 1 ? "entry" : "entries", because,
         needs);
}

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
  // Writers that store codes in a type wider than U8 round the size down, and lose codes if it does not divide.
  if (packed.entry->bytes() != qfuse_packed_size(n))
    fail(Status::invalid_data, "{}: has {} bytes, {} weights need {}", packed.where(), packed.entry->bytes(), n,
         qfuse_packed_size(n));
}

// Fails if nested absmax have one row per expert and a nested block would span two rows of the whole stack.
void refuse_rows_of_experts(const StoredWeight4bit& weight, std::int64_t blocks) {
  const std::vector<std::int64_t>& shape = weight.nested_absmax.entry->shape;
  const std::int64_t rows = shape.size() < 2 ? 1 : shape[0];
  if (rows > 1 && (blocks % rows != 0 || blocks / rows % weight.state.nested->blocksize != 0))
    fail(Status::unsupported, "{}: has {} rows, while {} absmax are no {} whole blocks of {}",
         weight.nested_absmax.where(), rows, blocks, rows, weight.state.nested->blocksize);
}

// Fails for a tensor that is always part of a quantized weight. It must not pass for a tensor of its own: the weight's
// quant_state or SCB is missing, and its codes would be read as values.
void refuse_orphan(const StoredTensor& stored) {
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

void add_nested(Claims& claims, Tensor& weight, StoredWeight4bit& storage, std::int64_t blocks) {
  const std::optional<NestedState>& nested = storage.state.nested;
  for (const std::string_view part : {kNestedAbsmaxSuffix, kNestedQuantMapSuffix})
    if (const StoredTensor* extra = claims.model().find(name_with(weight.name, part)); extra != nullptr && !nested)
      fail(Status::invalid_data, "{}: its quant_state says nothing of nested absmax", extra->where());
  if (!nested) return;
  storage.nested_absmax = claims.get(weight, storage.absmax, name_with(weight.name, kNestedAbsmaxSuffix));
  storage.nested_quant_map = claims.get(weight, storage.absmax, name_with(weight.name, kNestedQuantMapSuffix));
  require(storage.nested_absmax, TensorType::f32, qfuse_block_count(blocks, nested->blocksize),
          fmt::format("{} absmax in blocks of {}", blocks, nested->blocksize));
  require(storage.nested_quant_map, TensorType::f32, format::kCodes8, "8-bit codes");
  refuse_rows_of_experts(storage, blocks);
}

void add_4bit(Claims& claims, const StoredTensor& blob) {
  const std::string& blob_name = blob.entry->name;
  const std::size_t split = blob_name.rfind(kQuantStateSuffix);
  const std::string base = blob_name.substr(0, split);
  const std::string kind = blob_name.substr(split + kQuantStateSuffix.size());
  const std::string nf4 = kind_of(QuantType::nf4);
  const std::string fp4 = kind_of(QuantType::fp4);
  if (kind != nf4 && kind != fp4)
    fail(Status::unsupported, "{}: quant_state '{}' is unknown, known are {} and {}", blob.where(), printable(kind),
         nf4, fp4);
  if (claims.has_weight(base))
    fail(Status::invalid_data, "{}: is the second quant_state of '{}'", blob.where(), printable(base));
  const QuantState state = read_state(blob);
  if (kind != kind_of(state.quant_type))
    fail(Status::invalid_data, "{}: quant_type is {}, its name says {}", blob.where(), name_of(state.quant_type), kind);
  const std::optional<std::int64_t> n = element_count(state.shape);
  if (!n) fail(Status::invalid_data, "{}: the size of shape {} overflows", blob.where(), printable(state.shape));

  Tensor weight{base, state.shape, {}, {}};
  claims.find(weight, blob_name);
  StoredWeight4bit storage{state, {}, {}, {}, {}};
  storage.packed = claims.get(weight, blob, base);
  refuse_orphan(storage.packed);  // the decoded tensor would get its name
  check_packed(storage.packed, *n);
  const std::int64_t blocks = qfuse_block_count(*n, state.blocksize);
  storage.absmax = claims.get(weight, blob, name_with(base, kAbsmaxSuffix));
  require(storage.absmax, state.nested ? TensorType::u8 : TensorType::f32, blocks,
          fmt::format("{} weights in blocks of {}", *n, state.blocksize));
  if (const StoredTensor* map = claims.find(weight, name_with(base, kQuantMapSuffix)))
    require(*map, TensorType::f32, format::kCodes4, "4-bit codes");
  add_nested(claims, weight, storage, blocks);
  weight.storage = storage;
  claims.add(std::move(weight));
}

void add_int8(Claims& claims, const StoredTensor& scb) {
  const std::string& scb_name = scb.entry->name;
  const std::string module = scb_name.substr(0, scb_name.size() - kScbSuffix.size());
  Tensor weight{name_with(module, kWeightSuffix), {}, {}, {}};
  claims.find(weight, scb_name);
  const StoredTensor& values = claims.get(weight, scb, weight.name);
  require_type(values, TensorType::i8);
  if (values.entry->shape.size() != 2)
    fail(Status::invalid_data, "{}: has shape {}, LLM.int8 needs [rows, columns]", values.where(),
         printable(values.entry->shape));
  weight.shape = values.entry->shape;
  require(scb, TensorType::f32, weight.shape[0], fmt::format("{} rows", weight.shape[0]));
  if (const StoredTensor* format = claims.find(weight, name_with(module, kWeightFormatSuffix))) {
    require(*format, TensorType::u8, 1, "a weight format");
    std::byte number{};
    format->read(0, std::span(&number, 1));
    if (number != std::byte{0})
      fail(Status::unsupported,
           "{}: is {}, a layout of one GPU generation; only 0 (row) can be read: load and save it again with the "
           "bitsandbytes that wrote it",
           format->where(), static_cast<int>(number));
  }
  weight.storage = StoredWeightInt8{values, scb, unstated_dtype(claims.config())};
  claims.add(std::move(weight));
}

// Fails for 4-bit codes without their other parts, which some versions of transformers lost when they saved models.
void refuse_bare_codes(const StoredTensor& stored) {
  const TensorEntry& entry = *stored.entry;
  const bool named = entry.name.ends_with(kWeightSuffix) || entry.name.ends_with(kProjectionSuffix);
  if (named && entry.type == TensorType::u8 && entry.shape.size() == 2 && entry.shape[1] == 1)
    fail(Status::invalid_data, "{}: has the type and shape of 4-bit codes, but '{}' is missing", stored.where(),
         quant_state_name(printable(entry.name), QuantType::nf4));
}

// Fails for bitsandbytes' proposed Experts4bit: codes [experts, bytes], absmax [experts, blocks] and no quant_state.
void refuse_draft(const Model& model, const StoredTensor& stored) {
  const TensorEntry& entry = *stored.entry;
  if (entry.type != TensorType::u8 || entry.shape.size() != 2 || !entry.name.ends_with(kProjectionSuffix)) return;
  const std::string absmax =
      name_with(entry.name.substr(0, entry.name.size() - kProjectionSuffix.size()), kProjectionAbsmaxSuffix);
  if (model.find(absmax) != nullptr)
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

void claim_bitsandbytes(Claims& claims) {
  claims.for_each_stored([&](const StoredTensor& stored) {
    if (is_quant_state(stored.entry->name)) add_4bit(claims, stored);
  });
  claims.for_each_stored([&](const StoredTensor& stored) {
    if (stored.entry->name.ends_with(kScbSuffix)) add_int8(claims, stored);
  });
}

void refuse_left_of_bitsandbytes(const Claims& claims, const StoredTensor& stored) {
  refuse_orphan(stored);
  refuse_bare_codes(stored);
  refuse_draft(claims.model(), stored);
}

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

// bitsandbytes stores +0.0 in quant_map for FP4's code 8, although it decodes to -0.0.
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
