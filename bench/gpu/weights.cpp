#include "gpu/weights.h"

#include <algorithm>
#include <cstring>
#include <random>

#include "backend/cpu/parallel_for.h"
#include "format/elements.h"
#include "format/layout.h"
#include "format/mean.h"
#include "gpu/error.h"
#include "reference/reference.h"

namespace qfuse::bench {
namespace {

constexpr int kPoison = 0xa5;

// The oracle takes a weight in pieces, on all cores: whole nested blocks, so that each is a weight of its own.
constexpr std::int64_t kPieceBlocks = 64 * format::kNestedBlocksize;
constexpr std::int64_t kPiece = kPieceBlocks * kBlocksize;

void for_pieces(std::int64_t count, const auto& body) {
  cpu::parallel_for(format::ceil_div(count, kPiece), 1, 0, [&](std::int64_t first, std::int64_t last) {
    for (std::int64_t piece = first; piece < last; ++piece)
      body(piece * kPiece, std::min(kPiece, count - piece * kPiece));
  });
}

// Each piece from a seed of its own, so that threads need not wait for one another.
Bytes trained_weights(std::int64_t count, qfuse_dtype dtype) {
  Bytes values(static_cast<std::size_t>(count * format::dtype_size(dtype)));
  for_pieces(count, [&](std::int64_t begin, std::int64_t size) {
    std::mt19937 random(static_cast<std::uint32_t>(begin / kPiece));
    std::normal_distribution<float> normal(0.0F, 0.02F);
    for (std::int64_t i = begin; i < begin + size; ++i) format::store_rounded(values.data(), i, dtype, normal(random));
  });
  return values;
}

format::Quantize4bit encode_params(std::int64_t count, qfuse_dtype dtype, const void* in, std::uint8_t* packed,
                                   float* absmax) {
  format::Quantize4bit p{};
  p.struct_size = sizeof p;
  p.n = count;
  p.blocksize = kBlocksize;
  p.quant_type = QFUSE_NF4;
  p.in_dtype = dtype;
  p.in = in;
  p.packed = packed;
  p.absmax = absmax;
  return p;
}

format::QuantizeBlockwise nested_params(std::int64_t blocks, const float* in, float offset, std::uint8_t* codes,
                                        float* absmax) {
  format::QuantizeBlockwise p{};
  p.struct_size = sizeof p;
  p.n = blocks;
  p.blocksize = format::kNestedBlocksize;
  p.in = in;
  p.offset = offset;
  p.codes = codes;
  p.absmax = absmax;
  return p;
}

}  // namespace

// ---- arrays ----

DeviceArray::DeviceArray(int device, std::int64_t size)
    : memory_(std::make_unique<runtime::DeviceMemory>(device, static_cast<std::size_t>(size))) {
  poison();
}

DeviceArray::DeviceArray(int device, const void* from, std::int64_t size)
    : memory_(std::make_unique<runtime::DeviceMemory>(device, static_cast<std::size_t>(size))) {
  require(cudaMemcpy(memory_->data(), from, memory_->size(), cudaMemcpyDefault), "copying to the GPU");
}

void DeviceArray::poison() const {
  require(cudaMemset(memory_->data(), kPoison, memory_->size()), "cudaMemset");
  require(cudaDeviceSynchronize(), "cudaDeviceSynchronize");
}

Bytes DeviceArray::read() const {
  require(cudaDeviceSynchronize(), "cudaDeviceSynchronize");
  Bytes bytes(memory_->size());
  require(cudaMemcpy(bytes.data(), memory_->data(), bytes.size(), cudaMemcpyDeviceToHost), "copying from the GPU");
  return bytes;
}

// ---- decode ----

DecodeWeights::DecodeWeights(int device, Shape shape)
    : device_(device),
      shape_(shape),
      case_{.risk = "benchmark", .n = shape.count(), .blocksize = kBlocksize},
      input_(tests::make_input(case_)) {}

void DecodeWeights::allocate_sets(int count) {
  // The first set comes from the host, the others from the first.
  const auto copy = [this](const auto& array, DeviceArray Set::*first) {
    const void* from = array.data();
    if (!sets_.empty()) from = (sets_.front().*first).template as<void>();
    return DeviceArray(device_, from, static_cast<std::int64_t>(array.size() * sizeof(array[0])));
  };
  for (int i = 0; i < count; ++i)
    sets_.push_back({copy(input_.packed, &Set::packed), copy(input_.absmax_8bit, &Set::absmax_8bit),
                     copy(input_.nested_absmax, &Set::nested_absmax), copy(input_.nested_quant_map, &Set::map),
                     DeviceArray(device_, 4 * format::block_count(shape_.count(), kBlocksize)),
                     DeviceArray(device_, kElementBytes * shape_.count())});
}

std::int64_t DecodeWeights::bytes() const {
  format::Dequantize4bit p = tests::make_params(case_, input_);
  p.out_dtype = QFUSE_BFLOAT16;
  return format::bytes(p);
}

format::Dequantize4bit DecodeWeights::params(int set, qfuse_dtype dtype) const {
  format::Dequantize4bit p = tests::make_params(case_, input_);
  const Set& there = sets_[at(set)];
  p.out_dtype = dtype;
  p.packed = there.packed.as<std::uint8_t>();
  p.absmax = nullptr;
  p.absmax_8bit = there.absmax_8bit.as<std::uint8_t>();
  p.nested_absmax = there.nested_absmax.as<float>();
  p.nested_quant_map = there.map.as<float>();
  p.out = there.out.as<void>();
  return p;
}

Bytes DecodeWeights::oracle(qfuse_dtype dtype) const {
  Bytes decoded(static_cast<std::size_t>(kElementBytes * shape_.count()));
  for_pieces(shape_.count(), [&](std::int64_t begin, std::int64_t size) {
    format::Dequantize4bit p = tests::make_params(case_, input_);
    p.n = size;
    p.out_dtype = dtype;
    p.packed += begin / 2;
    p.absmax_8bit += begin / kBlocksize;
    p.nested_absmax += begin / kBlocksize / format::kNestedBlocksize;
    p.out = decoded.data() + kElementBytes * begin;
    reference::dequantize_4bit(p);
  });
  return decoded;
}

// ---- encode ----

EncodeWeights::EncodeWeights(int device, Shape shape, qfuse_dtype dtype, int sets)
    : count_(shape.count()), dtype_(dtype), values_(trained_weights(count_, dtype)) {
  const std::int64_t blocks = format::block_count(count_, kBlocksize);
  for (int i = 0; i < sets; ++i)
    sets_.push_back(
        {DeviceArray(device, sets_.empty() ? values_.data() : sets_.front().in.as<std::uint8_t>(),
                     static_cast<std::int64_t>(values_.size())),
         DeviceArray(device, format::packed_size(count_)), DeviceArray(device, 4 * blocks), DeviceArray(device, blocks),
         DeviceArray(device, 4 * format::block_count(blocks, format::kNestedBlocksize)), DeviceArray(device, 4)});
}

format::Quantize4bit EncodeWeights::plain(int i) const {
  return encode_params(count_, dtype_, set(i).in.as<void>(), set(i).packed.as<std::uint8_t>(),
                       set(i).absmax.as<float>());
}

format::Quantize4bit EncodeWeights::nested(int i) const {
  format::Quantize4bit p = plain(i);
  p.absmax_8bit = set(i).absmax_8bit.as<std::uint8_t>();
  p.nested_absmax = set(i).nested_absmax.as<float>();
  p.nested_offset = set(i).offset.as<float>();
  p.nested_blocksize = format::kNestedBlocksize;
  return p;
}

format::QuantizeBlockwise EncodeWeights::nested_step(int i, float offset) const {
  return nested_params(format::block_count(count_, kBlocksize), set(i).absmax.as<float>(), offset,
                       set(i).absmax_8bit.as<std::uint8_t>(), set(i).nested_absmax.as<float>());
}

void EncodeWeights::poison(int i) const {
  for (const DeviceArray* array :
       {&set(i).packed, &set(i).absmax, &set(i).absmax_8bit, &set(i).nested_absmax, &set(i).offset})
    array->poison();
}

Codes EncodeWeights::read(int i) const {
  const auto floats = [](const Bytes& bytes) {
    std::vector<float> values(bytes.size() / sizeof(float));
    std::memcpy(values.data(), bytes.data(), bytes.size());
    return values;
  };
  return {set(i).packed.read(), floats(set(i).absmax.read()), set(i).absmax_8bit.read(),
          floats(set(i).nested_absmax.read()), floats(set(i).offset.read())[0]};
}

Codes EncodeWeights::oracle() const {
  const std::int64_t blocks = format::block_count(count_, kBlocksize);
  Codes codes{.packed = Bytes(static_cast<std::size_t>(format::packed_size(count_))),
              .absmax = std::vector<float>(static_cast<std::size_t>(blocks)),
              .absmax_8bit = Bytes(static_cast<std::size_t>(blocks)),
              .nested_absmax =
                  std::vector<float>(static_cast<std::size_t>(format::block_count(blocks, format::kNestedBlocksize)))};
  for_pieces(count_, [&](std::int64_t begin, std::int64_t size) {
    reference::quantize_4bit(encode_params(size, dtype_, values_.data() + kElementBytes * begin,
                                           codes.packed.data() + begin / 2, codes.absmax.data() + begin / kBlocksize));
  });
  format::Mean mean;
  mean.add(codes.absmax.data(), blocks);
  codes.nested_offset = mean.value();
  for_pieces(count_, [&](std::int64_t begin, std::int64_t size) {
    const std::int64_t block = begin / kBlocksize;
    reference::quantize_blockwise(nested_params(format::block_count(size, kBlocksize), codes.absmax.data() + block,
                                                codes.nested_offset, codes.absmax_8bit.data() + block,
                                                codes.nested_absmax.data() + block / format::kNestedBlocksize));
  });
  return codes;
}

// ---- comparing ----

std::string difference(const void* expected, const void* actual, std::int64_t size, std::int64_t element) {
  if (std::memcmp(expected, actual, static_cast<std::size_t>(size)) == 0) return {};
  const auto* const e = static_cast<const std::uint8_t*>(expected);
  const auto* const a = static_cast<const std::uint8_t*>(actual);
  const std::int64_t at = std::mismatch(e, e + size, a).first - e;
  const std::int64_t begin = at / element * element;
  const auto value = [&](const std::uint8_t* from) {
    constexpr const char* kDigits = "0123456789abcdef";
    std::string text = "0x";
    for (std::int64_t b = std::min(begin + element, size) - 1; b >= begin; --b)
      text.append({kDigits[from[b] >> 4], kDigits[from[b] & 0xf]});
    return text;
  };
  return "element " + std::to_string(begin / element) + " is " + value(a) + " where the oracle has " + value(e);
}

}  // namespace qfuse::bench
