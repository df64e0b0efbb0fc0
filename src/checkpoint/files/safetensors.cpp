#include "checkpoint/files/safetensors.h"

#include <fmt/ranges.h>

#include <algorithm>
#include <array>
#include <bit>
#include <nlohmann/json.hpp>
#include <tuple>
#include <unordered_set>

#include "checkpoint/files/errors.h"
#include "checkpoint/files/foreign.h"

namespace qfuse::checkpoint {
namespace {

static_assert(std::endian::native == std::endian::little, "tensors are little-endian and used as they are");

constexpr std::int64_t kLengthBytes = 8;  // bytes of the header's length, at the start of a file

// Reads a header with a SAX parser, so that repeated or nested content costs no memory. This is the handler for
// nlohmann's parser: all public members except the constructor and take_*() are its callbacks. Each callback returns
// true to continue, and throws on error.
class HeaderEvents {
 public:
  using Json = nlohmann::json;

  // `wanted`: the metadata key whose value is kept.
  explicit HeaderEvents(const std::string& file, std::string wanted = "") : file_(file), wanted_(std::move(wanted)) {}
  std::vector<TensorEntry> take_entries() { return std::move(entries_); }
  std::optional<std::string> take_metadata() { return std::move(metadata_); }

  bool null() {
    if (at_ == At::tensors && tensor_ == kMetadata) return true;
    return unexpected("null");
  }
  bool boolean(bool) { return unexpected("a boolean"); }
  bool number_integer(Json::number_integer_t) { return unexpected("a negative number"); }
  bool number_float(Json::number_float_t, const std::string&) { return unexpected("no 64-bit integer"); }
  bool number_unsigned(Json::number_unsigned_t number) {
    if (at_ != At::shape && at_ != At::offsets) return unexpected("a number");
    if (number > static_cast<Json::number_unsigned_t>(INT64_MAX)) return unexpected("a number above 2^63 - 1");
    (at_ == At::shape ? entries_.back().shape : offsets_).push_back(static_cast<std::int64_t>(number));
    return true;
  }
  bool string(std::string& text) {
    if (at_ == At::metadata) {
      if (field_ == wanted_) metadata_ = text;
      return true;
    }
    if (at_ != At::entry || field_ != "dtype") return unexpected("a string");
    const std::optional<TensorType> type = type_from_name(text);
    if (!type) reject(fmt::format("dtype '{}' is unknown", printable(text)));
    entries_.back().type = *type;
    return true;
  }
  bool binary(Json::binary_t&) { return unexpected("binary"); }  // never called for text

  bool start_object(std::size_t) {
    if (at_ == At::document) {
      at_ = At::tensors;
    } else if (at_ == At::tensors && tensor_ == kMetadata) {
      at_ = At::metadata;
    } else if (at_ == At::tensors) {
      at_ = At::entry;
      entries_.emplace_back().name = tensor_;
      fields_.clear();
    } else {
      return start_unexpected("an object");
    }
    return true;
  }
  bool start_array(std::size_t) {
    if (at_ != At::entry || (field_ != "shape" && field_ != "data_offsets")) return start_unexpected("an array");
    at_ = field_ == "shape" ? At::shape : At::offsets;
    offsets_.clear();
    return true;
  }
  bool key(std::string& name) {
    if (at_ == At::tensors) {
      tensor_ = name;
      field_.clear();
      if (!names_.insert(name).second) reject("occurs twice");
      if (name.find('\0') != std::string::npos) reject("its name holds a zero character");
    } else if (at_ == At::metadata) {
      field_ = name;
    } else if (at_ == At::entry) {
      field_ = name;
      if (is_known(name) && !fields_.insert(name).second) reject(fmt::format("{} occurs twice", name));
    }
    return true;
  }
  bool end_object() {
    if (at_ == At::ignored) return end_ignored();
    if (at_ == At::entry)
      for (const char* field : {"dtype", "shape", "data_offsets"})
        if (!fields_.contains(field)) reject(fmt::format("{} is missing", field));
    at_ = At::tensors;
    return true;
  }
  bool end_array() {
    if (at_ == At::ignored) return end_ignored();
    if (at_ == At::offsets) {
      if (offsets_.size() != 2) reject(fmt::format("data_offsets has {} numbers, needs 2", offsets_.size()));
      entries_.back().begin = offsets_[0];
      entries_.back().end = offsets_[1];
    }
    at_ = At::entry;
    return true;
  }
  bool parse_error(std::size_t, const std::string&, const Json::exception& error) {
    fail(Status::invalid_data, "{}: the header is not valid JSON: {}", file_, printable(error.what()));
  }

 private:
  static constexpr const char* kMetadata = "__metadata__";
  static constexpr std::int64_t kDeepest = 127;    // nested containers, as in the reference's parser
  static constexpr std::int64_t kAroundField = 2;  // containers open around a field: the document and the entry

  // Where the next value belongs.
  enum class At { document, tensors, metadata, entry, shape, offsets, ignored };

  static bool is_known(std::string_view field) {
    return field == "dtype" || field == "shape" || field == "data_offsets";
  }
  [[noreturn]] void reject(const std::string& what) const {
    fail(Status::invalid_data, "{}: tensor '{}': {}", file_, printable(tensor_), what);
  }
  bool unexpected(std::string_view kind) const {
    switch (at_) {
      case At::document: fail(Status::invalid_data, "{}: the header is {}, not an object", file_, kind);
      case At::tensors: reject(fmt::format("its entry is {}, not an object", kind));
      case At::metadata: fail(Status::invalid_data, "{}: a value of {} is {}, not a string", file_, kMetadata, kind);
      case At::shape:
      case At::offsets: reject(fmt::format("a number of {} is {}", field_, kind));
      case At::entry:
        if (is_known(field_)) reject(fmt::format("{} is {}", field_, kind));
        return true;
      case At::ignored: return true;
    }
    return true;
  }
  bool start_unexpected(std::string_view kind) {
    unexpected(kind);
    at_ = At::ignored;
    if (kAroundField + ++ignored_depth_ > kDeepest)
      reject(fmt::format("field '{}' is nested more than {} deep", printable(field_), kDeepest));
    return true;
  }
  bool end_ignored() {
    if (--ignored_depth_ == 0) at_ = At::entry;
    return true;
  }

  const std::string& file_;
  std::string wanted_;
  std::optional<std::string> metadata_;
  At at_ = At::document;
  std::string tensor_;                      // the current key in the outermost object
  std::string field_;                       // the current key in a tensor's entry or in the metadata
  std::unordered_set<std::string> fields_;  // known fields seen in this entry
  std::unordered_set<std::string> names_;   // keys seen in the outermost object
  std::vector<std::int64_t> offsets_;
  std::int64_t ignored_depth_ = 0;  // open containers within an unknown field
  std::vector<TensorEntry> entries_;
};

void check_entry(const TensorEntry& entry, std::int64_t expected_begin, const std::string& file) {
  const std::string where = fmt::format("{}: tensor '{}'", file, printable(entry.name));
  if (entry.begin != expected_begin)
    fail(Status::invalid_data, "{}: its bytes begin at {}, the tensors before it end at {}", where, entry.begin,
         expected_begin);
  if (entry.end < entry.begin)
    fail(Status::invalid_data, "{}: its bytes end at {}, before they begin at {}", where, entry.end, entry.begin);
  const std::optional<std::int64_t> elements = element_count(entry.shape);
  std::int64_t bits = 0;
  if (!elements || __builtin_mul_overflow(*elements, type_bits(entry.type), &bits))
    fail(Status::invalid_data, "{}: the size of shape {} overflows", where, printable(entry.shape));
  if (bits % 8 != 0)
    fail(Status::invalid_data, "{}: {} elements of {} fill {} bits, not whole bytes", where, *elements,
         type_name(entry.type), bits);
  if (entry.bytes() != bits / 8)
    fail(Status::invalid_data, "{}: its byte range has {} bytes, {} of shape {} needs {}", where, entry.bytes(),
         type_name(entry.type), printable(entry.shape), bits / 8);
}

void check_layout(std::vector<TensorEntry>& entries, std::int64_t data_bytes, const std::string& file) {
  std::sort(entries.begin(), entries.end(), [](const TensorEntry& a, const TensorEntry& b) {
    return std::tie(a.begin, a.end) < std::tie(b.begin, b.end);
  });
  std::int64_t end = 0;
  for (const TensorEntry& entry : entries) {
    check_entry(entry, end, file);
    end = entry.end;
  }
  if (end > data_bytes)
    fail(Status::invalid_data,
         "{}: is incomplete: its tensors fill {} bytes, and {} of them are there: download or copy it again", file, end,
         data_bytes);
  if (end != data_bytes)
    fail(Status::invalid_data, "{}: the tensors fill {} bytes, the file has {} after its header", file, end,
         data_bytes);
}

// Recognizes a failed download or another format by its first bytes.
void refuse_known_content(const InputFile& file) {
  constexpr std::int64_t kLooked = 64;
  std::string beginning(static_cast<std::size_t>(std::min(file.size(), kLooked)), '\0');
  file.read(0, std::as_writable_bytes(std::span(beginning)));
  if (const std::string_view known = known_content(beginning); !known.empty())
    fail(Status::unsupported, "{}: {}", file.name(), known);
}

}  // namespace

std::vector<TensorEntry> parse_header(std::string_view json, std::int64_t data_bytes, const std::string& file) {
  // The parser would skip a byte order mark and stop at a zero byte; the format allows neither.
  if (json.starts_with("\xEF\xBB\xBF"))
    fail(Status::invalid_data, "{}: the header is not valid JSON: it begins with a byte order mark", file);
  if (const std::size_t zero = json.find('\0'); zero != std::string_view::npos)
    fail(Status::invalid_data, "{}: the header is not valid JSON: byte {} is zero", file, zero);
  HeaderEvents events(file);
  nlohmann::json::sax_parse(json, &events);
  std::vector<TensorEntry> entries = events.take_entries();
  check_layout(entries, data_bytes, file);
  return entries;
}

void order_entries(std::span<TensorEntry> entries) {
  std::sort(entries.begin(), entries.end(), [](const TensorEntry& a, const TensorEntry& b) {
    return std::tie(b.type, a.name) < std::tie(a.type, b.name);
  });
}

std::int64_t place_entries(std::span<TensorEntry> entries) {
  std::int64_t begin = 0;
  for (TensorEntry& entry : entries) {
    entry.end = begin + entry.bytes();
    entry.begin = begin;
    begin = entry.end;
  }
  return begin;
}

std::string print_header(std::span<const TensorEntry> entries, std::size_t at_least, const Metadata& metadata) {
  nlohmann::json name;  // adds quotes and escapes
  nlohmann::json strings = metadata;
  strings["format"] = "pt";
  std::string json = R"({"__metadata__":)" + strings.dump(-1, ' ', false, nlohmann::json::error_handler_t::replace);
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

SafetensorsFile::SafetensorsFile(const std::filesystem::path& path) : file_(path) {
  // 256 TiB, so that sums and products of sizes below cannot overflow, even if a sparse file claims to be huge.
  constexpr std::int64_t kLargestFile = std::int64_t{1} << 48;
  if (file_.size() > kLargestFile)
    fail(Status::unsupported, "{}: has {} bytes, more than {}", name(), file_.size(), kLargestFile);
  refuse_known_content(file_);
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
    fail(Status::invalid_data,
         "{}: is incomplete, or no safetensors file: its header claims {} bytes, the file has {} after its length",
         name(), length, file_.size() - kLengthBytes);
  entries_ = parse_header(header(), data_bytes(), name());
}

std::string SafetensorsFile::header() const {
  std::string json(static_cast<std::size_t>(data_begin_ - kLengthBytes), '\0');
  file_.read(kLengthBytes, std::as_writable_bytes(std::span(json)));
  return json;
}

std::optional<std::string> SafetensorsFile::metadata(const std::string& key) const {
  HeaderEvents events(name(), key);
  nlohmann::json::sax_parse(header(), &events);
  return events.take_metadata();
}

void SafetensorsFile::read(const TensorEntry& entry, std::int64_t offset, std::span<std::byte> out) const {
  file_.read(position(entry) + offset, out);
}

}  // namespace qfuse::checkpoint
