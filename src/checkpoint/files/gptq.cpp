#include "checkpoint/files/gptq.h"

#include <algorithm>
#include <array>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "checkpoint/files/errors.h"
#include "checkpoint/files/layout.h"

namespace qfuse::checkpoint {
namespace {

using Sizes = std::vector<std::int64_t>;

constexpr std::string_view kGptqCodes = ".qweight";
constexpr std::string_view kGptqScales = ".scales";
constexpr std::array<std::string_view, 2> kOtherGptqParts{".qzeros", ".g_idx"};
// Limit per row, whose groups are decoded together: 16 times the columns of the largest models.
constexpr std::int64_t kMostColumns = 1 << 20;
constexpr std::int64_t kMostRows = 1 << 30;

bool is_codes(const StoredTensor& stored) { return stored.entry->name.ends_with(kGptqCodes); }

// Whether the module is named like an embedding; GPT-NeoX's output head has such a name too, but is linear.
bool is_called_embedding(std::string_view module) {
  const std::string_view word = module.substr(module.rfind('.') + 1);  // npos + 1 is 0
  return (word.find("embed") != word.npos && word != "embed_out") || word == "wte" || word == "wpe";
}

void require_rank(const StoredTensor& part, std::size_t rank, TensorType type) {
  require_type(part, type);
  if (part.entry->shape.size() != rank)
    fail(Status::invalid_data, "{}: has shape {}, and needs {} dimensions", part.where(), printable(part.entry->shape),
         rank);
}

void require_gptq_shape(const StoredTensor& part, const Sizes& needed, const StoredWeightGptq& weight) {
  if (part.entry->shape != needed)
    fail(Status::invalid_data, "{}: has shape {}, and a weight of {} rows and {} columns in {} groups needs {}",
         part.where(), printable(part.entry->shape), weight.rows, weight.columns, weight.groups, printable(needed));
}

// Fails unless the layer has 4 bits; rules in a config may give single layers other bits.
void require_4bit(const StoredWeightGptq& weight) {
  const std::int64_t words = weight.qzeros.entry->shape[1];
  const std::int64_t rows = weight.rows;
  if (rows == 0 || words > rows || words == qfuse_block_count(rows, kCodesInWord)) return;
  constexpr std::int64_t kBits = 32;
  if (const std::int64_t bits = words * kBits / rows; words * kBits % rows == 0 && bits > 1)
    fail(Status::unsupported,
         "{}: has zero points of {} bits; qfuse reads 4: load the model with transformers with gptqmodel and save it "
         "in 16 bits",
         weight.qzeros.where(), bits);
}

// Returns the columns per group: exact without g_idx, approximate with it. Derives it from the number of groups only if
// no other size gives that number; AutoAWQ's group size always divides the columns.
std::int64_t group_size_of(const StoredWeightGptq& weight, const PackingRecord& record) {
  const std::int64_t derived = qfuse_block_count(weight.columns, weight.groups);
  const bool divides = weight.packing == Packing::awq && weight.columns % weight.groups == 0;
  if (!record.group_size && !weight.g_idx && weight.groups > 1 && !divides)
    fail(Status::invalid_data, "{}: has {} groups of {} columns, and the config states no group_size",
         weight.scales.where(), weight.groups, weight.columns);
  const std::int64_t stated = record.group_size.value_or(derived);
  const std::int64_t size = stated > 0 ? std::min(stated, weight.columns) : weight.columns;
  const std::int64_t needed = qfuse_block_count(weight.columns, size);
  if (needed == weight.groups) return size;
  if (!weight.g_idx)
    fail(Status::invalid_data, "{}: has {} groups, and {} columns in groups of {} have {}", weight.scales.where(),
         weight.groups, weight.columns, size, needed);
  return derived;
}

// Sets rows and columns from the shapes of qweight and g_idx.
void set_sizes(StoredWeightGptq& weight) {
  const Sizes& words = weight.qweight.entry->shape;
  const bool is_awq = weight.packing == Packing::awq;
  const std::int64_t packed_columns = std::min(words[0], kMostColumns + 1) * kCodesInWord;
  weight.columns = is_awq ? words[0] : weight.g_idx ? weight.g_idx->entry->shape[0] : packed_columns;
  weight.groups = weight.scales.entry->shape[0];
  if (weight.columns > kMostColumns || words[1] > kMostRows)
    fail(Status::unsupported, "{}: has shape {}, and qfuse reads at most {} columns of a weight, and {} rows",
         weight.qweight.where(), printable(words), kMostColumns, kMostRows);
  weight.rows = is_awq ? words[1] * kCodesInWord : words[1];
}

void check_sizes(const StoredWeightGptq& weight) {
  require_4bit(weight);
  const std::int64_t row_words = qfuse_block_count(weight.rows, kCodesInWord);
  const bool is_awq = weight.packing == Packing::awq;
  require_gptq_shape(weight.scales, {weight.groups, weight.rows}, weight);
  require_gptq_shape(weight.qzeros, {weight.groups, row_words}, weight);
  require_gptq_shape(
      weight.qweight,
      is_awq ? Sizes{weight.columns, row_words} : Sizes{qfuse_block_count(weight.columns, kCodesInWord), weight.rows},
      weight);
  if (weight.groups > weight.columns || (weight.columns > 0 && weight.groups < 1))
    fail(Status::invalid_data, "{}: has {} groups, of {} columns", weight.scales.where(), weight.groups,
         weight.columns);
}

StoredWeightGptq storage_of(const StoredTensor& qweight, Claims& claims, const PackingRecord& record, Tensor& weight) {
  const std::string module = weight.name.substr(0, weight.name.size() - kWeightSuffix.size());
  StoredWeightGptq storage{.qweight = qweight,
                           .qzeros = claims.get(weight, qweight, module + ".qzeros"),
                           .scales = claims.get(weight, qweight, module + std::string(kGptqScales)),
                           .packing = *record.packing};
  if (storage.packing != Packing::awq)
    if (const StoredTensor* g_idx = claims.find(weight, module + ".g_idx")) storage.g_idx = *g_idx;
  require_rank(storage.qweight, 2, TensorType::i32);
  require_rank(storage.qzeros, 2, TensorType::i32);
  if (!dtype_of(storage.scales.entry->type))
    fail(Status::unsupported, "{}: is {}, while scales are F16, BF16 or F32", storage.scales.where(),
         type_name(storage.scales.entry->type));
  require_rank(storage.scales, 2, storage.scales.entry->type);
  if (storage.g_idx) require_rank(*storage.g_idx, 1, TensorType::i32);
  set_sizes(storage);
  check_sizes(storage);
  if (storage.packing != Packing::awq && !storage.g_idx && record.sorts_columns)
    fail(Status::invalid_data,
         "{}: is quantized with desc_act, and the tensor of its columns' groups, '{}.g_idx', is "
         "missing",
         qweight.where(), printable(module));
  if (storage.columns > 0) storage.group_size = group_size_of(storage, record);
  const std::optional<Dtype> stated = claims.config() ? claims.config()->dtype() : std::nullopt;
  storage.dtype = stated.value_or(*dtype_of(storage.scales.entry->type));
  return storage;
}

void add_gptq(const StoredTensor& qweight, Claims& claims, const PackingRecord& record) {
  const std::string module = qweight.entry->name.substr(0, qweight.entry->name.size() - kGptqCodes.size());
  Tensor weight{module + std::string(kWeightSuffix), {}, {}, {}};
  if (is_called_embedding(module))
    fail(Status::unsupported,
         "{}: is an embedding, and qfuse reads linear layers: load the model with transformers with gptqmodel and "
         "save it in 16 bits",
         qweight.where());
  claims.find(weight, qweight.entry->name);
  const StoredWeightGptq storage = storage_of(qweight, claims, record, weight);
  weight.shape = {storage.rows, storage.columns};
  weight.storage = storage;
  claims.add(std::move(weight));
}

}  // namespace

void claim_gptq(Claims& claims) {
  std::vector<StoredTensor> found;
  claims.for_each_stored([&](const StoredTensor& stored) {
    if (is_codes(stored) && !claims.is_claimed(stored)) found.push_back(stored);
  });
  if (found.empty()) return;
  const std::optional<PackingRecord> record = read_packing(claims.model(), claims.config());
  if (!record || !record->packing) return;
  for (const StoredTensor& qweight : found) add_gptq(qweight, claims, *record);
}

void refuse_left_of_gptq(const Claims& claims, const StoredTensor& stored) {
  if (!claims.has_gptq()) return;
  const std::string& name = stored.entry->name;
  const std::string module = name.substr(0, name.rfind('.'));
  const bool is_scales = name.ends_with(kGptqScales);
  if (is_scales && stored.entry->shape.size() < 2)
    fail(Status::unsupported,
         "{}: scales what '{}' gives, as AutoAWQ does with activations, and a plain model has no such tensor: load it "
         "with transformers with gptqmodel",
         stored.where(), printable(module));
  if (is_scales || std::ranges::any_of(kOtherGptqParts, [&](std::string_view part) { return name.ends_with(part); }))
    fail(Status::invalid_data, "{}: is part of a quantized weight, but '{}{}' is missing", stored.where(),
         printable(module), kGptqCodes);
}

}  // namespace qfuse::checkpoint
