#include "checkpoint/decode.h"

#include <algorithm>
#include <array>

#include "checkpoint/errors.h"
#include "format/dynamic8.h"

namespace qfuse::checkpoint {
namespace {

// The arrays of a piece.
constexpr std::size_t kCodes = 0;
constexpr std::size_t kAbsmax8bit = 1;
constexpr std::size_t kScales = 2;  // absmax, nested_absmax or SCB
constexpr std::size_t kQuantMap = 3;
constexpr std::size_t kOut = 4;

// `count` elements of a stored tensor from element `first` on, where the device reads them.
template <typename T>
std::span<const T> read_elements(const StoredTensor& stored, std::int64_t first, std::int64_t count, Slot& slot,
                                 std::size_t array) {
  return slot.input<T>(array, count, [&](std::span<std::byte> bytes) {
    stored.read(first * static_cast<std::int64_t>(sizeof(T)), bytes);
  });
}

}  // namespace

void require_decodable(Pieces& pieces) {
  constexpr std::int8_t kCode = 1;
  constexpr float kScale = 1.0F;
  const auto bytes_of = [](const auto& value) {
    return
        [&value](std::span<std::byte> bytes) { std::ranges::copy(std::as_bytes(std::span(&value, 1)), bytes.begin()); };
  };
  Slot& slot = pieces.next();
  const auto code = slot.input<std::int8_t>(kCodes, 1, bytes_of(kCode));
  const auto scale = slot.input<float>(kScales, 1, bytes_of(kScale));
  const std::span<std::byte> value = slot.host(kOut, sizeof(float));
  dequantize_int8(code, scale, slot.output(kOut, value), Dtype::float32, slot.exec());
  slot.fetch(kOut, value);
  slot.wait();
}

TensorReader::TensorReader(const Tensor& tensor, Dtype dtype)
    : tensor_(tensor), dtype_(dtype), bytes_(tensor.decoded_bytes(dtype)) {
  if (!tensor.quantized_dtype()) return;
  alignment_ = static_cast<std::int64_t>(dtype_size(dtype));
  if (const auto* weight = std::get_if<Weight4bit>(&tensor.storage))
    alignment_ *= weight->blocksize * (weight->nested ? weight->nested->blocksize : 1);
}

void TensorReader::read(std::int64_t begin, std::span<std::byte> out, Slot& slot) const {
  if (out.empty()) return;
  if (const auto* weight = std::get_if<Weight4bit>(&tensor_.storage)) return read_4bit(*weight, begin, out, slot);
  if (const auto* weight = std::get_if<WeightInt8>(&tensor_.storage)) return read_int8(*weight, begin, out, slot);
  tensor_.values().read(begin, out);
}

void TensorReader::read_4bit(const Weight4bit& weight, std::int64_t begin, std::span<std::byte> out, Slot& slot) const {
  const auto element = static_cast<std::int64_t>(dtype_size(dtype_));
  const std::int64_t first = begin / element;
  const std::int64_t count = static_cast<std::int64_t>(out.size()) / element;
  const std::int64_t first_block = first / weight.blocksize;
  const std::int64_t blocks = qfuse_block_count(count, weight.blocksize);
  const auto codes = read_elements<std::uint8_t>(weight.packed, first / 2, qfuse_packed_size(count), slot, kCodes);
  Absmax absmax;
  if (weight.nested) {
    const std::int64_t nested_blocksize = weight.nested->blocksize;
    absmax = {.nested = read_elements<std::uint8_t>(weight.absmax, first_block, blocks, slot, kAbsmax8bit),
              .nested_absmax = read_elements<float>(weight.nested->absmax, first_block / nested_blocksize,
                                                    qfuse_block_count(blocks, nested_blocksize), slot, kScales),
              .nested_quant_map = read_elements<float>(weight.nested->quant_map, 0, format::kCodes8, slot, kQuantMap),
              .nested_blocksize = nested_blocksize,
              .nested_offset = weight.nested->offset};
  } else {
    absmax.plain = read_elements<float>(weight.absmax, first_block, blocks, slot, kScales);
  }
  dequantize_4bit(codes, absmax, weight.quant_type, weight.blocksize, slot.output(kOut, out), dtype_, slot.exec());
  slot.fetch(kOut, out);
}

// A read may begin and end within a row: a row cut short is decoded as a row of fewer columns.
void TensorReader::read_int8(const WeightInt8& weight, std::int64_t begin, std::span<std::byte> out, Slot& slot) const {
  const auto element = static_cast<std::int64_t>(dtype_size(dtype_));
  const std::int64_t columns = tensor_.shape[1];
  const std::int64_t first = begin / element;
  const std::int64_t end = first + static_cast<std::int64_t>(out.size()) / element;
  const std::int64_t first_row = first / columns;
  const std::int64_t end_row = (end - 1) / columns + 1;
  const auto codes = read_elements<std::int8_t>(weight.weight, first, end - first, slot, kCodes);
  const auto scales = read_elements<float>(weight.scb, first_row, end_row - first_row, slot, kScales);
  const std::span<std::byte> made = slot.output(kOut, out);
  for (std::int64_t position = first; position < end;) {
    const std::int64_t row = position / columns;
    const std::int64_t left_in_row = (row + 1) * columns - position;
    const bool whole_rows = left_in_row == columns && end - position >= columns;
    const std::int64_t rows = whole_rows ? (end - position) / columns : 1;
    const std::int64_t count = whole_rows ? rows * columns : std::min(left_in_row, end - position);
    const auto part = [&](auto array, std::int64_t from, std::int64_t length) {
      return array.subspan(static_cast<std::size_t>(from), static_cast<std::size_t>(length));
    };
    dequantize_int8(part(codes, position - first, count), part(scales, row - first_row, rows),
                    part(made, (position - first) * element, count * element), dtype_, slot.exec());
    position += count;
  }
  slot.fetch(kOut, out);
}

std::int64_t chunk_bytes(std::int64_t alignment) {
  constexpr std::int64_t kChunk = 16 << 20;
  return std::max(kChunk, alignment);  // both powers of two
}

}  // namespace qfuse::checkpoint
