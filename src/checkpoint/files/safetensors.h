// The safetensors container: 8 bytes of little-endian header length, a JSON header, then the tensors' bytes. As strict
// as the reference implementation: tensors cover the data exactly, without gaps, overlaps or trailing bytes; each byte
// range has the size that dtype and shape need; no allocation depends on a number that exceeds the file's real size.
// docs/FORMAT.md lists where it is stricter, above all: names are unique and contain no zero character. Also accepted,
// as in the reference: scalars (shape []), zero-size dimensions, unaligned data, white space around the JSON, unknown
// fields in a tensor's entry, `"__metadata__": null`.
#ifndef QFUSE_CHECKPOINT_FILES_SAFETENSORS_H
#define QFUSE_CHECKPOINT_FILES_SAFETENSORS_H

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <map>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "checkpoint/files/file.h"
#include "checkpoint/files/types.h"

namespace qfuse::checkpoint {

struct TensorEntry {
  std::string name;
  TensorType type = TensorType::u8;
  std::vector<std::int64_t> shape;
  std::int64_t begin = 0;  // byte range [begin, end) within the file's data
  std::int64_t end = 0;
  [[nodiscard]] std::int64_t bytes() const { return end - begin; }
};

// Maximum header size to read or write, as in the reference implementation.
inline constexpr std::int64_t kLongestHeader = 100'000'000;

// Parses and checks the header of a file with `data_bytes` bytes of data. Returns entries in byte order. Fails with
// invalid_data, in a message that begins with `file`, for anything that the format forbids.
std::vector<TensorEntry> parse_header(std::string_view json, std::int64_t data_bytes, const std::string& file);

// Orders `entries` like the format's writers: by dtype, so that each one is aligned to its elements, then by name.
void order_entries(std::span<TensorEntry> entries);

// Assigns contiguous byte ranges to `entries`; returns the end of the last one.
std::int64_t place_entries(std::span<TensorEntry> entries);

// Strings in a file's header that belong to no tensor, in addition to {"format": "pt"}.
using Metadata = std::map<std::string, std::string>;

// Returns a file's bytes before the data: length, JSON with the metadata, and spaces for padding to a multiple of 8 and
// to at least `at_least` bytes in total.
std::string print_header(std::span<const TensorEntry> entries, std::size_t at_least = 0, const Metadata& metadata = {});

// A .safetensors file whose header was read and checked.
class SafetensorsFile {
 public:
  explicit SafetensorsFile(const std::filesystem::path& path);
  [[nodiscard]] const InputFile& file() const { return file_; }
  [[nodiscard]] const std::string& name() const { return file_.name(); }
  [[nodiscard]] const std::vector<TensorEntry>& entries() const { return entries_; }  // in byte order
  [[nodiscard]] std::int64_t data_bytes() const { return file_.size() - data_begin_; }
  // Returns the header's metadata for `key`, if any; each call reads the header again.
  [[nodiscard]] std::optional<std::string> metadata(const std::string& key) const;
  // Position of a tensor's first byte, from the start of the file.
  [[nodiscard]] std::int64_t position(const TensorEntry& entry) const { return data_begin_ + entry.begin; }
  // Fills `out` with a tensor's bytes from `offset` on.
  void read(const TensorEntry& entry, std::int64_t offset, std::span<std::byte> out) const;

 private:
  [[nodiscard]] std::string header() const;

  InputFile file_;
  std::int64_t data_begin_ = 0;
  std::vector<TensorEntry> entries_;
};

}  // namespace qfuse::checkpoint

#endif  // QFUSE_CHECKPOINT_FILES_SAFETENSORS_H
