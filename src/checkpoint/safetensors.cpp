#include "checkpoint/safetensors.h"

#include <fmt/ranges.h>

#include <algorithm>
#include <array>
#include <bit>
#include <nlohmann/json.hpp>
#include <tuple>

#include "checkpoint/errors.h"

namespace qfuse::checkpoint {
namespace {

static_assert(std::endian::native == std::endian::little, "tensors are little-endian and used as they are");

struct TypeFacts {
  std::string_view name;
  int bits;
};

constexpr std::array<TypeFacts, 22> kTypes{{
    {"BOOL", 8},    {"F4", 4},      {"F6_E2M3", 6}, {"F6_E3M2", 6},     {"U8", 8},          {"I8", 8},
    {"F8_E5M2", 8}, {"F8_E4M3", 8}, {"F8_E8M0", 8}, {"F8_E4M3FNUZ", 8}, {"F8_E5M2FNUZ", 8}, {"I16", 16},
    {"U16", 16},    {"F16", 16},    {"BF16", 16},   {"I32", 32},        {"U32", 32},        {"F32", 32},
    {"C64", 64},    {"F64", 64},    {"I64", 64},    {"U64", 64},
}};
static_assert(kTypes[static_cast<std::size_t>(TensorType::u64)].name == "U64", "one row per TensorType, in order");

constexpr std::int64_t kLengthBytes = 8;  // of the header's length, at the start of a file

}  // namespace

std::string_view type_name(TensorType type) { return kTypes[static_cast<std::size_t>(type)].name; }

int type_bits(TensorType type) { return kTypes[static_cast<std::size_t>(type)].bits; }

std::optional<TensorType> type_from_name(std::string_view name) {
  const auto* const found =
      std::find_if(kTypes.begin(), kTypes.end(), [&](const TypeFacts& t) { return t.name == name; });
  if (found == kTypes.end()) return std::nullopt;
  return static_cast<TensorType>(found - kTypes.begin());
}

TensorType type_of(Dtype dtype) {
  switch (dtype) {
    case Dtype::float32: return TensorType::f32;
    case Dtype::float16: return TensorType::f16;
    case Dtype::bfloat16: return TensorType::bf16;
  }
  fail(Status::invalid_argument, "dtype {} is none", static_cast<int>(dtype));
}

std::optional<Dtype> dtype_of(TensorType type) {
  if (type == TensorType::f32) return Dtype::float32;
  if (type == TensorType::f16) return Dtype::float16;
  if (type == TensorType::bf16) return Dtype::bfloat16;
  return std::nullopt;
}

std::optional<std::int64_t> element_count(std::span<const std::int64_t> shape) {
  std::int64_t count = 1;
  for (const std::int64_t dimension : shape)
    if (__builtin_mul_overflow(count, dimension, &count)) return std::nullopt;
  return count;
}

void order_entries(std::span<TensorEntry> entries) {
  std::sort(entries.begin(), entries.end(), [](const TensorEntry& a, const TensorEntry& b) {
    return std::tie(b.type, a.name) < std::tie(a.type, b.name);
  });
}

std::int64_t place_entries(std::span<TensorEntry> entries, std::int64_t begin) {
  for (TensorEntry& entry : entries) {
    entry.end = begin + entry.bytes();
    entry.begin = begin;
    begin = entry.end;
  }
  return begin;
}

std::string print_header(std::span<const TensorEntry> entries, std::size_t at_least) {
  nlohmann::json name;  // quotes and escapes
  std::string json = R"({"__metadata__":{"format":"pt"})";
  for (const TensorEntry& entry : entries) {
    name = entry.name;
    json += fmt::format(R"(,{}:{{"dtype":"{}","shape":[{}],"data_offsets":[{},{}]}})", name.dump(),
                        type_name(entry.type), fmt::join(entry.shape, ","), entry.begin, entry.end);
  }
  json += '}';
  json.resize((json.size() + 7) / 8 * 8, ' ');
  if (kLengthBytes + json.size() < at_least) json.resize(at_least - kLengthBytes, ' ');
  if (static_cast<std::int64_t>(json.size()) > kLongestHeader)
    fail(Status::unsupported, "a header for {} tensors would have {} bytes, more than {}: use smaller shards",
         entries.size(), json.size(), kLongestHeader);
  const auto length = std::bit_cast<std::array<char, kLengthBytes>>(static_cast<std::uint64_t>(json.size()));
  return std::string(length.data(), length.size()) + json;
}

std::string write_header(std::vector<TensorEntry>& entries) {
  order_entries(entries);
  place_entries(entries);
  return print_header(entries);
}

SafetensorsFile::SafetensorsFile(const std::filesystem::path& path) : file_(path) {
  // 256 TiB. So no sum or product of sizes below can overflow, whatever a sparse file pretends to hold.
  constexpr std::int64_t kLargestFile = std::int64_t{1} << 48;
  if (file_.size() > kLargestFile)
    fail(Status::unsupported, "{}: has {} bytes, more than {}", name(), file_.size(), kLargestFile);
  if (file_.size() < kLengthBytes)
    fail(Status::invalid_data, "{}: has {} bytes, a safetensors file at least {}", name(), file_.size(), kLengthBytes);
  std::array<std::byte, kLengthBytes> bytes{};
  file_.read(0, bytes);
  const auto length = std::bit_cast<std::uint64_t>(bytes);
  if (length > static_cast<std::uint64_t>(kLongestHeader))
    fail(Status::invalid_data, "{}: the header claims {} bytes, more than {}: not a safetensors file?", name(), length,
         kLongestHeader);
  data_begin_ = kLengthBytes + static_cast<std::int64_t>(length);
  if (data_begin_ > file_.size())
    fail(Status::invalid_data, "{}: the header claims {} bytes, the file has {} after its length", name(), length,
         file_.size() - kLengthBytes);
  std::string json(static_cast<std::size_t>(length), '\0');
  file_.read(kLengthBytes, std::as_writable_bytes(std::span(json)));
  entries_ = parse_header(json, data_bytes(), name());
}

void SafetensorsFile::read(const TensorEntry& entry, std::int64_t offset, std::span<std::byte> out) const {
  file_.read(position(entry) + offset, out);
}

}  // namespace qfuse::checkpoint
