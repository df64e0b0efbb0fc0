#include "checkpoint/merge/through_codes.h"

#include <algorithm>
#include <memory>
#include <utility>
#include <vector>

#include "checkpoint/convert/encode.h"
#include "checkpoint/files/bitsandbytes.h"
#include "format/mean.h"

namespace qfuse::checkpoint {
namespace {

constexpr auto kFp32Bytes = static_cast<std::int64_t>(sizeof(float));

class ThroughCodes {
 public:
  ThroughCodes(Source weight, QuantState state, ScratchFile& scratch)
      : weight_(std::move(weight)), state_(std::move(state)), scratch_(scratch) {}

  void read(std::int64_t begin, std::span<std::byte> out, Piece& piece) {
    if (!std::exchange(made_, true)) make_scales(piece);
    encode(begin, std::ssize(out), piece);
    scratch_.read(place_of(begin), std::as_writable_bytes(std::span(absmax_)));
    dequantize_4bit({.cols = std::ssize(out) / size_of(weight_.dtype),
                     .blocksize = state_.blocksize,
                     .quant_type = state_.quant_type,
                     .packed = codes_,
                     .absmax = absmax_},
                    out, weight_.dtype, piece.host_exec());
  }

 private:
  // Encodes the weight's bytes from `begin` on, a block boundary, to codes_ and absmax_.
  void encode(std::int64_t begin, std::int64_t bytes, Piece& piece) {
    const std::int64_t count = bytes / size_of(weight_.dtype);
    const std::span<std::byte> values = piece.host(array::kSeenBase, static_cast<std::size_t>(bytes));
    read_now(weight_, begin, values, piece, array::kSeenBase);
    codes_.resize(static_cast<std::size_t>(qfuse_packed_size(count)));
    absmax_.resize(static_cast<std::size_t>(qfuse_block_count(count, state_.blocksize)));
    quantize_4bit(values, weight_.dtype,
                  {.cols = count,
                   .blocksize = state_.blocksize,
                   .quant_type = state_.quant_type,
                   .packed = codes_,
                   .absmax = absmax_},
                  piece.host_exec());
  }

  // Computes every absmax as it is after decoding: nested absmax are encoded after subtracting their mean.
  void make_scales(Piece& piece) {
    const std::int64_t unit = format::kMeanChunk * state_.blocksize * size_of(weight_.dtype);
    const std::int64_t most = std::max(std::max(kPieceBytes, unit), weight_.unit);
    format::Mean mean;
    for (std::int64_t at = 0; at < weight_.bytes; at += most) {
      encode(at, std::min(most, weight_.bytes - at), piece);
      scratch_.write(place_of(at), std::as_bytes(std::span(absmax_)));
      if (state_.nested) mean.add(absmax_.data(), std::ssize(absmax_));
    }
    if (state_.nested && weight_.bytes > 0) nest_scales(mean.value(), piece.host_exec());
  }

  void nest_scales(float offset, const Exec& exec) {
    const std::int64_t count = absmax_bytes(state_) / kFp32Bytes;
    const std::int64_t most = kPieceBytes / kFp32Bytes;  // a multiple of any nested blocksize
    std::vector<float> absmax;
    std::vector<float> nested;
    std::vector<std::uint8_t> codes;
    const std::vector<float> map = stored_nested_quant_map();
    for (std::int64_t at = 0; at < count; at += most) {
      absmax.resize(static_cast<std::size_t>(std::min(most, count - at)));
      codes.resize(absmax.size());
      nested.resize(static_cast<std::size_t>(qfuse_block_count(std::ssize(absmax), state_.nested->blocksize)));
      scratch_.read(at * kFp32Bytes, std::as_writable_bytes(std::span(absmax)));
      quantize_blockwise(absmax, state_.nested->blocksize, offset, codes, nested, exec);
      dequantize_blockwise(codes, nested, map, state_.nested->blocksize, std::as_writable_bytes(std::span(absmax)),
                           Dtype::float32, exec);
      for (float& scale : absmax) scale += offset;
      scratch_.write(at * kFp32Bytes, std::as_bytes(std::span(absmax)));
    }
  }

  [[nodiscard]] std::int64_t place_of(std::int64_t byte) const {
    return byte / size_of(weight_.dtype) / state_.blocksize * kFp32Bytes;
  }

  Source weight_;
  QuantState state_;
  ScratchFile& scratch_;
  bool made_ = false;
  std::vector<std::uint8_t> codes_;
  std::vector<float> absmax_;
};

}  // namespace

Source through_codes(const Source& weight, const QuantState& state, ScratchFile& scratch) {
  Source source = weight;
  source.unit = std::max(weight.unit, state.blocksize * size_of(weight.dtype));
  source.piece = std::max(kPieceBytes, source.unit);
  source.made = Made::on_host;
  source.read = [codes = std::make_shared<ThroughCodes>(weight, state, scratch)](
                    std::int64_t begin, std::span<std::byte> out, Piece& piece) { codes->read(begin, out, piece); };
  return source;
}

}  // namespace qfuse::checkpoint
