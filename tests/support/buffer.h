// Memory for tests: of the exact size, with the requested misalignment, poisoned.
#ifndef QFUSE_TESTS_SUPPORT_BUFFER_H
#define QFUSE_TESTS_SUPPORT_BUFFER_H

#include <cstddef>
#include <cstdint>
#include <cstring>
#include <vector>

namespace qfuse::tests {

inline constexpr std::uint8_t kPoison = 0xa5;

// The last byte is the allocation's last, so that AddressSanitizer detects an access one byte too far.
// `front_is_intact` checks the bytes before the first.
class Buffer {
 public:
  explicit Buffer(std::size_t size, std::size_t misalignment = 0)
      : front_(kFront + misalignment), memory_(front_ + size, kPoison) {}

  template <class T = std::uint8_t>
  T* as() {
    return reinterpret_cast<T*>(memory_.data() + front_);
  }
  [[nodiscard]] const std::uint8_t* data() const { return memory_.data() + front_; }
  [[nodiscard]] std::size_t size() const { return memory_.size() - front_; }
  [[nodiscard]] const std::uint8_t* begin() const { return data(); }
  [[nodiscard]] const std::uint8_t* end() const { return data() + size(); }
  [[nodiscard]] bool front_is_intact() const {
    for (std::size_t i = 0; i < front_; ++i)
      if (memory_[i] != kPoison) return false;
    return true;
  }
  void poison() { std::memset(memory_.data(), kPoison, memory_.size()); }

 private:
  static constexpr std::size_t kFront = 64;
  std::size_t front_;
  std::vector<std::uint8_t> memory_;
};

// Copies the values to an address that is `misalignment` bytes after an aligned one.
template <class T>
Buffer copy_of(const std::vector<T>& values, std::size_t misalignment) {
  Buffer buffer(values.size() * sizeof(T), misalignment);
  if (!values.empty()) std::memcpy(buffer.as<void>(), values.data(), buffer.size());
  return buffer;
}

}  // namespace qfuse::tests

#endif  // QFUSE_TESTS_SUPPORT_BUFFER_H
