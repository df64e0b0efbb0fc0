// Weights encoded piece by piece: the bytes of the whole, each written once.
#include "checkpoint/encode.h"

#include <bit>
#include <qfuse/checkpoint.hpp>

#include "support.h"

namespace qfuse::checkpoint {
namespace {

// Collects what an encoder writes, and sees that each byte is written once.
class Collected : public TensorSink {
 public:
  explicit Collected(const EncodedParts& parts) {
    for (const TensorEntry& entry : parts.arrays) {
      bytes_[entry.name].resize(static_cast<std::size_t>(entry.bytes()));
      unwritten_[entry.name] = entry.bytes();
      written_[entry.name].resize(static_cast<std::size_t>(entry.bytes()));
    }
  }
  std::span<std::byte> buffer(std::size_t size) override {
    buffer_.assign(size, std::byte{});
    return buffer_;
  }
  void write(const std::string& tensor, std::int64_t offset) override {
    ++calls_;
    for (std::size_t i = 0; i < buffer_.size(); ++i) {
      const std::size_t at = static_cast<std::size_t>(offset) + i;
      ASSERT_LT(at, bytes_.at(tensor).size()) << tensor;
      ASSERT_FALSE(written_.at(tensor)[at]) << tensor << " twice at " << at;
      written_.at(tensor)[at] = true;
      bytes_.at(tensor)[at] = static_cast<char>(buffer_[i]);
      --unwritten_.at(tensor);
    }
  }
  [[nodiscard]] const std::string& bytes(const std::string& tensor) const { return bytes_.at(tensor); }
  [[nodiscard]] std::int64_t unwritten() const {
    std::int64_t count = 0;
    for (const auto& [tensor, left] : unwritten_) count += left;
    return count;
  }
  [[nodiscard]] int calls() const { return calls_; }

 private:
  std::map<std::string, std::string> bytes_;
  std::map<std::string, std::vector<bool>> written_;
  std::map<std::string, std::int64_t> unwritten_;
  std::vector<std::byte> buffer_;  // given last
  int calls_ = 0;
};

TEST(WeightEncoder, pieces_give_the_bytes_of_the_whole) {
  const TemporaryDirectory directory;
  ScratchFile scratch(directory.path());
  for (const bool double_quant : {true, false})
    for (const std::int64_t blocksize : {32, 64, 128}) {
      QuantizeOptions options;
      options.blocksize = blocksize;
      options.double_quant = double_quant;
      // Two whole pieces at the least size, then one that ends within a block, at an odd count.
      const std::int64_t columns = 2 * 4096 * blocksize / 3 + 3 * 64 + 1;
      const RawTensor weight = random_weight({3, columns}, Dtype::float16, static_cast<unsigned>(blocksize));
      write_file(directory / "in", safetensors({{"w", weight}}));
      const Model model(directory / "in");
      QuantState state{options.quant_type, blocksize, Dtype::float16, weight.shape, {}};
      if (double_quant) state.nested = NestedState{};
      const Quantized4bit whole =
          quantize_4bit(bytes_of_tensor(weight), Dtype::float16, QuantType::nf4, blocksize, double_quant);
      std::map<std::string, std::string> expected{
          {"w", bytes_of(whole.packed)},
          {"w.absmax", double_quant ? bytes_of(whole.absmax_8bit) : bytes_of(whole.absmax)}};
      if (double_quant) {
        expected["w.nested_absmax"] = bytes_of(whole.nested_absmax);
        expected["w.nested_quant_map"] = bytes_of(whole.nested_quant_map);
      }
      for (const std::int64_t piece_bytes : {std::int64_t{1}, WeightEncoder::kPieceBytes}) {
        SCOPED_TRACE(std::to_string(blocksize) + " in pieces of " + std::to_string(piece_bytes));
        Collected collected(encoded_parts("w", state));
        std::int64_t read = 0;
        Pieces pieces({});
        WeightEncoder encoder(scratch, pieces, piece_bytes);
        const QuantState result =
            encoder.encode(*model.find("w"), state, collected, [&](std::int64_t bytes) { read += bytes; });
        EXPECT_EQ(collected.unwritten(), 0);
        EXPECT_EQ(read, static_cast<std::int64_t>(weight.bytes.size()));
        EXPECT_EQ(collected.calls() > 10, piece_bytes == 1) << "absmax in pieces of one (nested) block";
        for (const auto& [part, bytes] : expected) EXPECT_TRUE(collected.bytes(part) == bytes) << part;
        if (double_quant) {
          EXPECT_EQ(std::bit_cast<std::uint32_t>(result.nested->offset),
                    std::bit_cast<std::uint32_t>(whole.nested_offset));
        }
      }
    }
}

}  // namespace
}  // namespace qfuse::checkpoint
