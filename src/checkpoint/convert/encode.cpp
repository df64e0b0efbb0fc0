#include "checkpoint/convert/encode.h"

#include <algorithm>
#include <memory>
#include <utility>
#include <vector>

#include "format/layout.h"
#include "format/mean.h"

namespace qfuse::checkpoint {
namespace {

constexpr auto kFloatBytes = static_cast<std::int64_t>(sizeof(float));

// Runs quantize_4bit() with plain absmax from `in` to `codes` and `absmax`, all in memory that the device can access.
// importance: [cols], if any.
void encode_piece(std::span<const std::byte> in, Dtype dtype, const QuantState& state,
                  std::span<const float> importance, std::span<std::byte> codes, std::span<std::byte> absmax,
                  const Piece& piece) {
  const std::int64_t count = std::ssize(in) / size_of(dtype);
  const std::int64_t cols = importance.empty() ? count : std::ssize(importance);
  quantize_4bit(in, dtype,
                {.rows = count / cols,
                 .cols = cols,
                 .blocksize = state.blocksize,
                 .quant_type = state.quant_type,
                 .packed = {reinterpret_cast<std::uint8_t*>(codes.data()), codes.size()},
                 .absmax = {reinterpret_cast<float*>(absmax.data()), absmax.size() / sizeof(float)}},
                piece.exec(), {.importance = importance});
}

// State shared by the sources of one weight. Nested absmax are encoded after their mean is subtracted, which is known
// only when all have been made. So they wait in a file: the first source writes them, later ones read them.
struct Weight {
  Source source;
  QuantState state;  // its nested offset is set when all is read
  ScratchFile& scratch;
  std::int64_t place;
  Vector importance;
  format::Mean mean = {};  // of the absmax made so far

  [[nodiscard]] std::int64_t blocks() const { return absmax_bytes(state) / kFloatBytes; }
  void write(std::int64_t begin, std::span<const std::byte> bytes) { scratch.write(place + begin, bytes); }
  void read(std::int64_t begin, std::span<std::byte> bytes) const { scratch.read(place + begin, bytes); }
};
using WeightPointer = std::shared_ptr<Weight>;

// Returns the importance of the columns of a piece of `count` elements from element `from` on: the weight's columns if
// the piece is whole rows, else one column for each element. Empty: there is none.
std::span<const float> importance_of(const Weight& weight, std::int64_t from, std::int64_t count, Piece& piece) {
  if (weight.importance == nullptr) return {};
  const std::vector<float>& values = *weight.importance;
  const std::int64_t cols = std::ssize(values);
  const std::int64_t needed = from % cols == 0 && count % cols == 0 ? cols : count;
  return piece.input<float>(array::kImportance, needed, [&](std::span<std::byte> bytes) {
    auto* const out = reinterpret_cast<float*>(bytes.data());
    for (std::int64_t i = 0; i < needed;) {
      const std::int64_t col = (from + i) % cols;
      const std::int64_t run = std::min(needed - i, cols - col);
      std::copy_n(values.begin() + col, run, out + i);
      i += run;
    }
  });
}

// Encodes the weight from byte `from` on into `codes`, in memory that the device can access.
void read_codes(const WeightPointer& weight, std::int64_t from, std::span<std::byte> codes, Piece& piece) {
  const Source& source = weight->source;
  const std::int64_t element = size_of(source.dtype);
  const std::int64_t size = std::min(2 * std::ssize(codes) * element, source.bytes - from);
  const std::span<const std::byte> in = read_to_device(source, from, size, piece, array::kToEncode);
  const std::int64_t blocks = qfuse_block_count(size / element, weight->state.blocksize);
  const std::span<std::byte> absmax = piece.host(array::kEncodedAbsmax, static_cast<std::size_t>(blocks * kFloatBytes));
  const std::span<const float> importance = importance_of(*weight, from / element, size / element, piece);
  encode_piece(in, source.dtype, weight->state, importance, codes, piece.output(array::kEncodedAbsmax, absmax), piece);
  piece.fetch(array::kEncodedAbsmax, absmax);
  piece.when_done([weight, absmax, begin = from / element / weight->state.blocksize * kFloatBytes, blocks] {
    weight->write(begin, absmax);
    if (weight->state.nested) weight->mean.add(reinterpret_cast<const float*>(absmax.data()), blocks);
  });
}

// Reads a source that has encoded its values from byte `from` on, and copies its codes to host memory.
void copy_codes(const Source& source, std::int64_t from, std::span<std::byte> codes, Piece& piece) {
  const std::int64_t size = std::min(2 * std::ssize(codes) * size_of(source.dtype), source.bytes - from);
  read_now(source, from, piece.host(array::kToEncode, static_cast<std::size_t>(size)), piece, array::kToEncode);
  std::ranges::copy(source.encoded->codes, codes.begin());
}

// Like read_codes(), by copy_codes().
void take_codes(const WeightPointer& weight, std::int64_t from, std::span<std::byte> codes, Piece& piece) {
  const Source& source = weight->source;
  copy_codes(source, from, codes, piece);
  const std::vector<std::byte>& absmax = source.encoded->scales;
  weight->write(from / size_of(source.dtype) / weight->state.blocksize * kFloatBytes, absmax);
  if (weight->state.nested)
    weight->mean.add(reinterpret_cast<const float*>(absmax.data()), std::ssize(absmax) / kFloatBytes);
}

// A unit covers whole chunks of kMeanChunk absmax, as the sum for their mean requires.
Source codes_of(const WeightPointer& weight) {
  const Source& source = weight->source;
  const std::int64_t unit = std::max(format::kMeanChunk * weight->state.blocksize, source.unit_elements());
  const std::int64_t piece = std::max(kPieceBytes / size_of(source.dtype), unit);
  const bool is_encoded = source.encoded != nullptr && weight->importance == nullptr;
  return {.bytes = qfuse_packed_size(source.elements()),
          .unit = unit / 2,
          .piece = piece / 2,
          .made = is_encoded ? Made::on_host : Made::on_device,
          .read = [weight, element = size_of(source.dtype), read = is_encoded ? take_codes : read_codes](
                      std::int64_t begin, std::span<std::byte> out, Piece& piece) {
            read(weight, 2 * begin * element, out, piece);
          }};
}

// Bytes of absmax, as floats, that are read back at a time: fewer than are made at a time.
constexpr std::int64_t kAbsmaxPiece = kPieceBytes / 16;

// Reads fp32 values from the scratch file: plain absmax, or the scales that nested_absmax_of() wrote.
Source waiting_in_scratch(const WeightPointer& weight, std::int64_t count) {
  return {.bytes = count * kFloatBytes,
          .piece = kAbsmaxPiece,
          .read = [weight](std::int64_t begin, std::span<std::byte> out, Piece&) { weight->read(begin, out); }};
}

// Makes the 8-bit codes of absmax. Their scales overwrite absmax that have been read.
Source nested_absmax_of(const WeightPointer& weight) {
  const std::int64_t blocksize = weight->state.nested->blocksize;
  return {.bytes = weight->blocks(),
          .unit = blocksize,
          .piece = std::max(kAbsmaxPiece / kFloatBytes, blocksize),
          .read = [weight, blocksize](std::int64_t begin, std::span<std::byte> out, Piece& piece) {
            std::vector<float> absmax(out.size());
            std::vector<float> scales(static_cast<std::size_t>(qfuse_block_count(std::ssize(out), blocksize)));
            weight->read(begin * kFloatBytes, std::as_writable_bytes(std::span(absmax)));
            quantize_blockwise(absmax, blocksize, weight->mean.value(),
                               {reinterpret_cast<std::uint8_t*>(out.data()), out.size()}, scales, piece.host_exec());
            weight->write(begin / blocksize * kFloatBytes, std::as_bytes(std::span(scales)));
          }};
}

Source constant(std::vector<float> values) {
  const std::int64_t bytes = std::ssize(values) * kFloatBytes;
  return {.bytes = bytes, .read = [values = std::move(values)](std::int64_t begin, std::span<std::byte> out, Piece&) {
            std::ranges::copy(std::as_bytes(std::span(values)).subspan(static_cast<std::size_t>(begin), out.size()),
                              out.begin());
          }};
}

// Returns the decoded absmax of `count` blocks of a stored weight from block `first` on, the beginning of a nested one.
std::vector<float> absmax_of(const StoredWeight4bit& weight, std::int64_t first, std::int64_t count, const Exec& exec) {
  std::vector<float> absmax(static_cast<std::size_t>(count));
  const std::span<std::byte> bytes = std::as_writable_bytes(std::span(absmax));
  if (!weight.state.nested) {
    weight.absmax.read(first * kFloatBytes, bytes);
    return absmax;
  }
  const NestedState& nested = *weight.state.nested;
  std::vector<std::uint8_t> codes(absmax.size());
  std::vector<float> scales(static_cast<std::size_t>(qfuse_block_count(count, nested.blocksize)));
  std::vector<float> map(format::kCodes8);
  weight.absmax.read(first, std::as_writable_bytes(std::span(codes)));
  weight.nested_absmax.read(first / nested.blocksize * kFloatBytes, std::as_writable_bytes(std::span(scales)));
  weight.nested_quant_map.read(0, std::as_writable_bytes(std::span(map)));
  dequantize_blockwise(codes, scales, map, nested.blocksize, bytes, Dtype::float32, exec);
  for (float& scale : absmax) scale += nested.offset;
  return absmax;
}

// Encodes values and decodes them again, by the absmax of a stored weight. `first`: its element that values begin with.
void pass_through_kept(const StoredWeight4bit& weight, std::int64_t first, std::span<const std::byte> values,
                       Dtype dtype, Encoded& encoded, std::span<float> left, const Exec& exec) {
  const QuantState& state = weight.state;
  const std::int64_t count = std::ssize(left);
  const std::span<std::byte> bytes = append_room(encoded.codes, qfuse_packed_size(count));
  const std::span codes(reinterpret_cast<std::uint8_t*>(bytes.data()), bytes.size());
  const std::vector<float> absmax =
      absmax_of(weight, first / state.blocksize, qfuse_block_count(count, state.blocksize), exec);
  const Weight4bit kept{
      .cols = count, .blocksize = state.blocksize, .quant_type = state.quant_type, .packed = codes, .absmax = absmax};
  quantize_4bit(values, dtype,
                {.cols = count, .blocksize = state.blocksize, .quant_type = state.quant_type, .packed = codes}, exec,
                {.kept = &kept});
  dequantize_4bit(kept, std::as_writable_bytes(left), Dtype::float32, exec);
}

// Encodes values and decodes them again, with absmax that are not nested.
void pass_through_4bit(const QuantState& state, std::span<const std::byte> values, Dtype dtype, Encoded& encoded,
                       std::span<float> left, const Exec& exec) {
  const std::int64_t count = std::ssize(left);
  const std::span<std::byte> bytes = append_room(encoded.codes, qfuse_packed_size(count));
  const std::span<std::byte> scales =
      append_room(encoded.scales, qfuse_block_count(count, state.blocksize) * kFloatBytes);
  const std::span codes(reinterpret_cast<std::uint8_t*>(bytes.data()), bytes.size());
  const std::span absmax(reinterpret_cast<float*>(scales.data()), scales.size() / sizeof(float));
  quantize_4bit(
      values, dtype,
      {.cols = count, .blocksize = state.blocksize, .quant_type = state.quant_type, .packed = codes, .absmax = absmax},
      exec);
  dequantize_4bit(
      {.cols = count, .blocksize = state.blocksize, .quant_type = state.quant_type, .packed = codes, .absmax = absmax},
      std::as_writable_bytes(left), Dtype::float32, exec);
}

}  // namespace

void require_encodable(QuantType quant_type, std::int64_t blocksize, Pipeline& pipeline) {
  Piece& piece = pipeline.next();
  const auto weight = piece.input<std::byte>(array::kToEncode, sizeof(float),
                                             [](std::span<std::byte> bytes) { std::ranges::fill(bytes, std::byte{}); });
  const std::span<std::byte> absmax = piece.host(array::kEncodedAbsmax, sizeof(float));
  encode_piece(weight, Dtype::float32, {quant_type, blocksize, Dtype::float32, {}, {}}, {},
               piece.on_device(array::kWritten, 1), piece.output(array::kEncodedAbsmax, absmax), piece);
  piece.fetch(array::kEncodedAbsmax, absmax);
  piece.complete();
}

std::int64_t absmax_bytes(const QuantState& state) {
  return qfuse_block_count(element_count(state.shape).value(), state.blocksize) * kFloatBytes;
}

RoundTrip through_4bit(const QuantState& state, const std::optional<StoredWeight4bit>& kept) {
  const auto begin = [state, kept]() -> RoundTrip::Pass {
    return [state, kept](std::int64_t first, std::span<const std::byte> values, Dtype dtype, Encoded& encoded,
                         std::span<float> left, const Exec& exec) {
      if (kept) return pass_through_kept(*kept, first, values, dtype, encoded, left, exec);
      pass_through_4bit(state, values, dtype, encoded, left, exec);
    };
  };
  return {state.blocksize * (kept && state.nested ? state.nested->blocksize : 1), begin};
}

Source encoded_codes(const Source& weight) {
  return {.bytes = qfuse_packed_size(weight.elements()),
          .unit = weight.unit_elements() / 2,
          .piece = weight.piece / size_of(weight.dtype) / 2,
          .read = [weight](std::int64_t begin, std::span<std::byte> out, Piece& piece) {
            copy_codes(weight, 2 * begin * size_of(weight.dtype), out, piece);
          }};
}

OpenedTensor encoded(const Source& weight, const QuantState& state, ScratchFile& scratch, std::int64_t place,
                     Vector importance) {
  const WeightPointer shared(new Weight{weight, state, scratch, place, std::move(importance)});
  const std::int64_t blocks = shared->blocks();
  OpenedTensor opened{
      .sources = {codes_of(shared), state.nested ? nested_absmax_of(shared) : waiting_in_scratch(shared, blocks),
                  constant(stored_quant_map(state.quant_type))},
      .text = [shared] {
        if (shared->state.nested) shared->state.nested->offset = shared->mean.value();
        return print_quant_state(shared->state);
      }};
  if (state.nested) {
    opened.sources.push_back(waiting_in_scratch(shared, qfuse_block_count(blocks, state.nested->blocksize)));
    opened.sources.push_back(constant(stored_nested_quant_map()));
  }
  return opened;
}

}  // namespace qfuse::checkpoint
