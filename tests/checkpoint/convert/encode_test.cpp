// Encoding weights in pieces gives the bytes of encoding at once, and writes each byte once.
#include "checkpoint/convert/encode.h"

#include <algorithm>
#include <bit>
#include <qfuse/checkpoint.hpp>

#include "support.h"

namespace qfuse::checkpoint {
namespace {

// Encodes a weight and reads the resulting tensors in pieces, as a conversion does.
class Encoded {
 public:
  Encoded(const StoredTensor& weight, const QuantState& state, ScratchFile& scratch, bool in_units) {
    const EncodedParts parts = encoded_parts("w", state);
    const OpenedTensor opened = encoded(stored(weight), state, scratch, kPlace);
    EXPECT_EQ(opened.sources.size(), parts.arrays.size());
    for (std::size_t i = 0; i < parts.arrays.size(); ++i) read(parts.arrays[i], opened.sources[i], in_units);
    state_ = parse_quant_state(opened.text(), "what was encoded");
  }
  [[nodiscard]] const std::string& bytes(const std::string& tensor) const { return bytes_.at(tensor); }
  [[nodiscard]] const QuantState& state() const { return state_; }
  [[nodiscard]] int reads() const { return reads_; }

 private:
  void read(const TensorEntry& entry, const Source& source, bool in_units) {
    EXPECT_EQ(source.bytes, entry.bytes());
    EXPECT_EQ(source.piece % source.unit, 0);
    std::string& all = bytes_[entry.name];
    all.assign(static_cast<std::size_t>(source.bytes), '?');
    const std::int64_t piece = in_units ? std::max(source.unit, std::int64_t{4}) : source.piece;
    for (std::int64_t at = 0; at < source.bytes; at += piece) {
      const auto size = static_cast<std::size_t>(std::min(piece, source.bytes - at));
      const auto out = std::as_writable_bytes(std::span(all)).subspan(static_cast<std::size_t>(at), size);
      read_to_host(source, at, out, pipeline_.next(), array::kWritten);
      ++reads_;
    }
    pipeline_.finish();
  }

  static constexpr std::int64_t kPlace = 12;  // byte offset in the scratch file
  Pipeline pipeline_{Exec{}};
  std::map<std::string, std::string> bytes_;
  QuantState state_;
  int reads_ = 0;
};

TEST(Encode, pieces_give_the_bytes_of_the_whole) {
  const TemporaryDirectory directory;
  ScratchFile scratch(directory.path());
  for (const bool double_quant : {true, false})
    for (const std::int64_t blocksize : {32, 64, 128}) {
      QuantizeOptions options;
      options.blocksize = blocksize;
      options.double_quant = double_quant;
      // Two whole pieces of the minimum size, then one that ends within a block, at an odd element count.
      const std::int64_t columns = 2 * 4096 * blocksize / 3 + 3 * 64 + 1;
      const RawTensor weight = random_weight({3, columns}, Dtype::float16, static_cast<unsigned>(blocksize));
      write_file(directory / "in", safetensors({{"w", weight}}));
      const Model model(directory / "in");
      QuantState state{options.quant_type, blocksize, Dtype::float16, weight.shape, {}};
      if (double_quant) state.nested = NestedState{};
      const Weight4bitArrays whole = encoded_by_op(weight, options);
      std::map<std::string, std::string> expected{
          {"w", bytes_of(whole.packed)},
          {"w.absmax", double_quant ? bytes_of(whole.absmax_8bit) : bytes_of(whole.absmax)}};
      if (double_quant) {
        expected["w.nested_absmax"] = bytes_of(whole.nested_absmax);
        expected["w.nested_quant_map"] = bytes_of(whole.nested_quant_map);
      }
      for (const bool in_units : {true, false}) {
        SCOPED_TRACE(std::to_string(blocksize) + (in_units ? " in the smallest pieces" : ""));
        const Encoded encoded(*model.find("w"), state, scratch, in_units);
        EXPECT_EQ(encoded.reads() > 10, in_units) << "absmax in pieces of one (nested) block";
        for (const auto& [part, bytes] : expected) EXPECT_TRUE(encoded.bytes(part) == bytes) << part;
        if (double_quant) {
          EXPECT_EQ(std::bit_cast<std::uint32_t>(encoded.state().nested->offset),
                    std::bit_cast<std::uint32_t>(whole.nested_offset));
        }
      }
    }
}

}  // namespace
}  // namespace qfuse::checkpoint
