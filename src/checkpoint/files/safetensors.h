// The safetensors container: 8 bytes of little-endian header length, a JSON header, then the tensors' bytes.
// Strict where the reference implementation is: the tensors cover the data exactly, without hole, overlap or rest, each
// one's byte range is what its dtype and shape need, and nothing is allocated by a number that the file's real size
// does not back. Where it is stricter, docs/FORMAT.md says so: above all, a name occurs once and holds no zero
// character. Accepted, as there: scalars (shape []), zero-size dimensions, unaligned data, white space around the JSON,
// unknown fields in a tensor's entry, `"__metadata__": null`.
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

// The longest header that is read or written, as in the reference implementation.
inline constexpr std::int64_t kLongestHeader = 100'000'000;

// Parses and checks a header whose data has `data_bytes` bytes. Entries come in the order of their bytes.
// invalid_data, its message beginning with `file`, for anything the format forbids.
std::vector<TensorEntry> parse_header(std::string_view json, std::int64_t data_bytes, const std::string& file);

// Orders `entries` as the format's writers do: so that each one is aligned to its elements, then by name.
void order_entries(std::span<TensorEntry> entries);

// Gives `entries` their byte ranges, one after the other; returns where the last ends.
std::int64_t place_entries(std::span<TensorEntry> entries);

// Strings of a file that are no tensor's, beside {"format": "pt"}.
using Metadata = std::map<std::string, std::string>;

// A file's bytes up to the data: length, JSON with the metadata, spaces up to a multiple of 8 and to `at_least` bytes
// in all.
std::string print_header(std::span<const TensorEntry> entries, std::size_t at_least = 0, const Metadata& metadata = {});

// A .safetensors file whose header was read and found right.
class SafetensorsFile {
 public:
  explicit SafetensorsFile(const std::filesystem::path& path);
  [[nodiscard]] const InputFile& file() const { return file_; }
  [[nodiscard]] const std::string& name() const { return file_.name(); }
  [[nodiscard]] const std::vector<TensorEntry>& entries() const { return entries_; }  // in the order of their bytes
  [[nodiscard]] std::int64_t data_bytes() const { return file_.size() - data_begin_; }
  // The header's metadata for `key`, if there is some; each call reads the header again.
  [[nodiscard]] std::optional<std::string> metadata(const std::string& key) const;
  // Where a tensor's bytes begin, from the beginning of the file.
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
