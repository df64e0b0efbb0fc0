// The safetensors container: 8 bytes of little-endian header length, a JSON header (header.h), then the tensors' bytes.
// Nothing is allocated by a number that the file's real size does not back.
#ifndef QFUSE_CHECKPOINT_FILES_SAFETENSORS_H
#define QFUSE_CHECKPOINT_FILES_SAFETENSORS_H

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <span>
#include <string>
#include <vector>

#include "checkpoint/files/file.h"
#include "checkpoint/files/header.h"

namespace qfuse::checkpoint {

// A .safetensors file whose header was read and found right.
class SafetensorsFile {
 public:
  explicit SafetensorsFile(const std::filesystem::path& path);
  [[nodiscard]] const InputFile& file() const { return file_; }
  [[nodiscard]] const std::string& name() const { return file_.name(); }
  [[nodiscard]] const std::vector<TensorEntry>& entries() const { return entries_; }  // in the order of their bytes
  [[nodiscard]] std::int64_t data_bytes() const { return file_.size() - data_begin_; }
  // Where a tensor's bytes begin, from the beginning of the file.
  [[nodiscard]] std::int64_t position(const TensorEntry& entry) const { return data_begin_ + entry.begin; }
  // Fills `out` with a tensor's bytes from `offset` on.
  void read(const TensorEntry& entry, std::int64_t offset, std::span<std::byte> out) const;

 private:
  InputFile file_;
  std::int64_t data_begin_ = 0;
  std::vector<TensorEntry> entries_;
};

}  // namespace qfuse::checkpoint

#endif  // QFUSE_CHECKPOINT_FILES_SAFETENSORS_H
