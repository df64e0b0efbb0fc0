#include "checkpoint/files/safetensors.h"

#include <array>
#include <bit>

#include "checkpoint/files/errors.h"

namespace qfuse::checkpoint {

static_assert(std::endian::native == std::endian::little, "tensors are little-endian and used as they are");

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
