#include "checkpoint/encode.h"

#include <fmt/ranges.h>

#include <algorithm>
#include <array>
#include <cfloat>
#include <cmath>
#include <utility>

#include "checkpoint/config.h"
#include "checkpoint/errors.h"
#include "format/codebook4.h"
#include "format/layout.h"
#include "format/mean.h"

namespace qfuse::checkpoint {
namespace {

constexpr auto kFloatBytes = static_cast<std::int64_t>(sizeof(float));

// The arrays of a piece.
constexpr std::size_t kIn = 0;
constexpr std::size_t kCodes = 1;
constexpr std::size_t kAbsmax = 2;

// repr() of the float that Python makes of an fp32 number: the shortest decimal of the *double*.
std::string python_float(double value) {
  if (std::isnan(value)) return "NaN";
  if (std::isinf(value)) return value > 0 ? "Infinity" : "-Infinity";
  std::string text = fmt::format("{}", value);
  if (text.find_first_of(".e") == text.npos) text += ".0";
  return text;
}

// bitsandbytes stores FP4's code 8 as +0.0, although it decodes to -0.0.
std::array<float, format::kCodes4> stored_quant_map(QuantType quant_type) {
  std::array<float, format::kCodes4> map = format::codebook4(static_cast<qfuse_quant_type>(quant_type)).values;
  for (float& value : map) value += 0.0F;
  return map;
}

TensorEntry part(std::string name, TensorType type, std::vector<std::int64_t> shape) {
  const std::int64_t bytes = element_count(shape).value() * type_bits(type) / 8;
  return {std::move(name), type, std::move(shape), 0, bytes};
}

// No offset prints longer than this one: a sign, 17 digits, a point, an exponent of two digits and its sign.
std::int64_t longest_quant_state(QuantState state) {
  if (state.nested) state.nested->offset = -FLT_MIN;
  return static_cast<std::int64_t>(print_quant_state(state).size());
}

// quantize_4bit() with plain absmax of `in`, which the device can reach; codes and absmax are the host's.
void encode_piece(std::span<const std::byte> in, Dtype dtype, const QuantState& state, std::span<std::byte> codes,
                  std::span<std::byte> absmax, Slot& slot) {
  qfuse_quantize_4bit_params p{};
  p.struct_size = sizeof p;
  p.n = static_cast<std::int64_t>(in.size() / dtype_size(dtype));
  p.blocksize = state.blocksize;
  p.quant_type = static_cast<qfuse_quant_type>(state.quant_type);
  p.in_dtype = static_cast<qfuse_dtype>(dtype);
  p.in = in.data();
  p.packed = reinterpret_cast<std::uint8_t*>(slot.output(kCodes, codes).data());
  p.absmax = reinterpret_cast<float*>(slot.output(kAbsmax, absmax).data());
  const qfuse_exec e = detail::to_c(slot.exec());
  qfuse_error error{};
  detail::throw_if(qfuse_quantize_4bit(&p, &e, &error), error);
  slot.fetch(kCodes, codes);
  slot.fetch(kAbsmax, absmax);
}

}  // namespace

void TensorSink::write_copy(const std::string& tensor, std::int64_t offset, std::span<const std::byte> bytes) {
  std::ranges::copy(bytes, buffer(bytes.size()).begin());
  write(tensor, offset);
}

void require_encodable(QuantType quant_type, std::int64_t blocksize, Pieces& pieces) {
  Slot& slot = pieces.next();
  const auto weight = slot.input<std::byte>(kIn, sizeof(float),
                                            [](std::span<std::byte> bytes) { std::ranges::fill(bytes, std::byte{}); });
  encode_piece(weight, Dtype::float32, {quant_type, blocksize, Dtype::float32, {}, {}}, slot.host(kCodes, 1),
               slot.host(kAbsmax, sizeof(float)), slot);
  slot.wait();
}

std::string print_quant_state(const QuantState& state) {
  const std::string nested = !state.nested ? ""
                                           : fmt::format(R"(, "nested_blocksize": {}, "nested_dtype": "float32", )"
                                                         R"("nested_offset": {})",
                                                         state.nested->blocksize, python_float(state.nested->offset));
  return fmt::format(R"({{"quant_type": "{}", "blocksize": {}, "dtype": "{}", "shape": [{}]{}}})",
                     quant_type_name(state.quant_type), state.blocksize, dtype_name(state.dtype),
                     fmt::join(state.shape, ", "), nested);
}

EncodedParts encoded_parts(const std::string& name, const QuantState& state) {
  const std::int64_t n = element_count(state.shape).value();
  const std::int64_t blocks = qfuse_block_count(n, state.blocksize);
  EncodedParts parts;
  parts.arrays = {part(name, TensorType::u8, {qfuse_packed_size(n), 1}),
                  part(name + ".absmax", state.nested ? TensorType::u8 : TensorType::f32, {blocks}),
                  part(name + ".quant_map", TensorType::f32, {format::kCodes4})};
  if (state.nested) {
    parts.arrays.push_back(
        part(name + ".nested_absmax", TensorType::f32, {qfuse_block_count(blocks, state.nested->blocksize)}));
    parts.arrays.push_back(part(name + ".nested_quant_map", TensorType::f32, {format::kCodes8}));
  }
  parts.quant_state = part(fmt::format("{}.quant_state.bitsandbytes__{}", name, quant_type_name(state.quant_type)),
                           TensorType::u8, {longest_quant_state(state)});
  return parts;
}

WeightEncoder::WeightEncoder(ScratchFile& scratch, Pieces& pieces, std::int64_t piece_bytes)
    : scratch_(scratch), pieces_(pieces), piece_bytes_(piece_bytes) {}

QuantState WeightEncoder::encode(const StoredTensor& weight, QuantState state, TensorSink& sink,
                                 const Advance& advance) {
  const std::string& name = weight.entry->name;
  const Dtype dtype = dtype_of(weight.entry->type).value();
  const auto element = static_cast<std::int64_t>(dtype_size(dtype));
  // Pieces hold whole chunks of the mean of absmax.
  const std::int64_t least = format::kMeanChunk * state.blocksize * element;
  const std::int64_t piece = std::max(piece_bytes_ / least, std::int64_t{1}) * least;
  format::Mean mean;
  for (std::int64_t at = 0; at < weight.entry->bytes(); at += piece) {
    const std::int64_t size = std::min(piece, weight.entry->bytes() - at);
    const std::int64_t first = at / element;
    Slot& slot = pieces_.next();
    const auto in = slot.input<std::byte>(kIn, size, [&](std::span<std::byte> bytes) { weight.read(at, bytes); });
    const std::int64_t blocks = qfuse_block_count(size / element, state.blocksize);
    const std::span<std::byte> absmax = slot.host(kAbsmax, static_cast<std::size_t>(blocks * kFloatBytes));
    encode_piece(in, dtype, state, sink.buffer(static_cast<std::size_t>(qfuse_packed_size(size / element))), absmax,
                 slot);
    pieces_.then([this, &mean, &name, &sink, &state, absmax, first, blocks] {
      sink.write(name, first / 2);
      scratch_.write(first / state.blocksize * kFloatBytes, absmax);
      if (state.nested) mean.add(reinterpret_cast<const float*>(absmax.data()), blocks);
    });
    advance(size);
  }
  pieces_.finish();
  const std::array<float, format::kCodes4> map = stored_quant_map(state.quant_type);
  sink.write_copy(name + ".quant_map", 0, std::as_bytes(std::span(map)));
  const std::int64_t blocks = qfuse_block_count(weight.entry->bytes() / element, state.blocksize);
  if (!state.nested) {
    copy_absmax(name, blocks, sink);
  } else {
    state.nested->offset = mean.value();
    encode_absmax(name, blocks, *state.nested, sink);
  }
  return state;
}

// How many absmax, of a multiple of `unit`, the second pass has in memory: less than the first.
std::int64_t WeightEncoder::absmax_piece(std::int64_t unit) const {
  return std::max(piece_bytes_ / 16 / (unit * kFloatBytes), std::int64_t{1}) * unit;
}

// Written with the codes, they would need as many buffers again.
void WeightEncoder::copy_absmax(const std::string& weight, std::int64_t blocks, TensorSink& sink) {
  const std::int64_t piece = absmax_piece(1);
  for (std::int64_t at = 0; at < blocks; at += piece) {
    const std::int64_t count = std::min(piece, blocks - at);
    scratch_.read(at * kFloatBytes, sink.buffer(static_cast<std::size_t>(count * kFloatBytes)));
    sink.write(weight + ".absmax", at * kFloatBytes);
  }
}

// The absmax, less their mean, which was known only after the first pass.
void WeightEncoder::encode_absmax(const std::string& weight, std::int64_t blocks, const NestedState& nested,
                                  TensorSink& sink) {
  const std::int64_t piece = absmax_piece(nested.blocksize);
  std::vector<float> absmax;
  std::vector<float> scales;
  for (std::int64_t at = 0; at < blocks; at += piece) {
    const std::int64_t count = std::min(piece, blocks - at);
    absmax.resize(static_cast<std::size_t>(count));
    scales.resize(static_cast<std::size_t>(qfuse_block_count(count, nested.blocksize)));
    scratch_.read(at * kFloatBytes, std::as_writable_bytes(std::span(absmax)));
    const std::span<std::byte> codes = sink.buffer(absmax.size());
    quantize_blockwise(absmax, nested.blocksize, nested.offset,
                       {reinterpret_cast<std::uint8_t*>(codes.data()), codes.size()}, scales, pieces_.host_exec());
    sink.write(weight + ".absmax", at);
    sink.write_copy(weight + ".nested_absmax", at / nested.blocksize * kFloatBytes, std::as_bytes(std::span(scales)));
  }
  std::array<float, format::kCodes8> map{};
  qfuse_nested_quant_map(map.data());
  sink.write_copy(weight + ".nested_quant_map", 0, std::as_bytes(std::span(map)));
}

}  // namespace qfuse::checkpoint
