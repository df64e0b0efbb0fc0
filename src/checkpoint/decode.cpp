#include "checkpoint/decode.h"

#include <algorithm>
#include <array>
#include <utility>

#include "checkpoint/errors.h"

namespace qfuse::checkpoint {
namespace {

// Fills `values` with `count` elements of a stored tensor from element `first` on.
template <typename T>
void read_elements(const StoredTensor& stored, std::int64_t first, std::int64_t count, std::vector<T>& values) {
  values.resize(static_cast<std::size_t>(count));
  stored.read(first * static_cast<std::int64_t>(sizeof(T)), std::as_writable_bytes(std::span(values)));
}

std::span<const std::int8_t> as_signed(std::span<const std::uint8_t> codes) {
  return {reinterpret_cast<const std::int8_t*>(codes.data()), codes.size()};
}

}  // namespace

void require_decodable(const Exec& exec) {
  if (exec.device.type == QFUSE_CUDA)
    fail(Status::unsupported, "device cuda: checkpoints are decoded by cpu or reference only");
  constexpr std::array<std::int8_t, 1> kCode{1};
  constexpr std::array<float, 1> kScale{1.0F};
  std::array<std::byte, 4> value{};
  dequantize_int8(kCode, kScale, value, Dtype::float32, exec);
}

TensorReader::TensorReader(const Tensor& tensor, Dtype dtype, Exec exec)
    : tensor_(tensor), dtype_(dtype), exec_(std::move(exec)), bytes_(tensor.decoded_bytes(dtype)) {
  if (!tensor.quantized_dtype()) return;
  alignment_ = static_cast<std::int64_t>(dtype_size(dtype));
  if (const auto* weight = std::get_if<Weight4bit>(&tensor.storage)) {
    alignment_ *= weight->blocksize * (weight->nested ? weight->nested->blocksize : 1);
    if (weight->nested) read_elements(weight->nested->quant_map, 0, 256, nested_quant_map_);
  }
}

void TensorReader::read(std::int64_t begin, std::span<std::byte> out) {
  if (out.empty()) return;
  if (const auto* weight = std::get_if<Weight4bit>(&tensor_.storage)) return read_4bit(*weight, begin, out);
  if (const auto* weight = std::get_if<WeightInt8>(&tensor_.storage)) return read_int8(*weight, begin, out);
  tensor_.values().read(begin, out);
}

void TensorReader::read_4bit(const Weight4bit& weight, std::int64_t begin, std::span<std::byte> out) {
  const auto element = static_cast<std::int64_t>(dtype_size(dtype_));
  const std::int64_t first = begin / element;
  const std::int64_t count = static_cast<std::int64_t>(out.size()) / element;
  const std::int64_t first_block = first / weight.blocksize;
  const std::int64_t blocks = qfuse_block_count(count, weight.blocksize);
  read_elements(weight.packed, first / 2, qfuse_packed_size(count), codes_);
  Absmax absmax;
  if (weight.nested) {
    const std::int64_t nested_blocksize = weight.nested->blocksize;
    read_elements(weight.absmax, first_block, blocks, absmax_8bit_);
    read_elements(weight.nested->absmax, first_block / nested_blocksize, qfuse_block_count(blocks, nested_blocksize),
                  scales_);
    absmax = {.nested = absmax_8bit_,
              .nested_absmax = scales_,
              .nested_quant_map = nested_quant_map_,
              .nested_blocksize = nested_blocksize,
              .nested_offset = weight.nested->offset};
  } else {
    read_elements(weight.absmax, first_block, blocks, scales_);
    absmax.plain = scales_;
  }
  dequantize_4bit(codes_, absmax, weight.quant_type, weight.blocksize, out, dtype_, exec_);
}

// A read may begin and end within a row: a row cut short is decoded as a row of fewer columns.
void TensorReader::read_int8(const WeightInt8& weight, std::int64_t begin, std::span<std::byte> out) {
  const auto element = static_cast<std::int64_t>(dtype_size(dtype_));
  const std::int64_t columns = tensor_.shape[1];
  std::int64_t position = begin / element;
  const std::int64_t end = position + static_cast<std::int64_t>(out.size()) / element;
  while (position < end) {
    const std::int64_t row = position / columns;
    const std::int64_t left_in_row = (row + 1) * columns - position;
    const bool whole_rows = left_in_row == columns && end - position >= columns;
    const std::int64_t rows = whole_rows ? (end - position) / columns : 1;
    const std::int64_t count = whole_rows ? rows * columns : std::min(left_in_row, end - position);
    read_elements(weight.weight, position, count, codes_);
    read_elements(weight.scb, row, rows, scales_);
    const auto bytes = static_cast<std::size_t>(count * element);
    dequantize_int8(as_signed(codes_), scales_, out.first(bytes), dtype_, exec_);
    out = out.subspan(bytes);
    position += count;
  }
}

std::int64_t chunk_bytes(std::int64_t alignment) {
  constexpr std::int64_t kChunk = 16 << 20;
  return std::max(kChunk, alignment);  // both powers of two
}

}  // namespace qfuse::checkpoint
