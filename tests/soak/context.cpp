#include "context.h"

#include <random>
#include <utility>

namespace qfuse::soak {
namespace {

constexpr std::int64_t kLayerCount = 1 << 20;  // weights with at least this many elements are kept

// Random scales from 2^-15 to 2^-8.
// Scales of rows of about 1/64, or about 1 in e4m3. INT4's have the type that the seed says.
Bytes scales_of_rows(qfuse_scale_type type, std::int64_t count, std::uint32_t seed) {
  std::mt19937 random(seed);
  const bool is_wide = type == QFUSE_SCALES_FLOAT16 || type == QFUSE_SCALES_BFLOAT16;
  Bytes scales(static_cast<std::size_t>(count * (is_wide ? 2 : 1)));
  for (std::size_t i = 0; i < scales.size(); ++i) {
    const std::uint32_t drawn = random();
    scales[i] = static_cast<std::uint8_t>(type == QFUSE_SCALES_UE8M0      ? 112 + drawn % 8
                                          : type == QFUSE_SCALES_E4M3     ? 0x20 + drawn % 0x30
                                          : i % 2 == 0                    ? drawn
                                          : type == QFUSE_SCALES_BFLOAT16 ? 0x3c
                                                                          : 0x20 + drawn % 4);
  }
  return scales;
}

}  // namespace

Card find_card(int index) {
  cudaDeviceProp facts{};
  require(cudaGetDeviceProperties(&facts, index), "cudaGetDeviceProperties");
  require(cudaSetDevice(index), "cudaSetDevice");
  return {index, facts.name, facts.multiProcessorCount, facts.l2CacheSize, facts.major * 10 + facts.minor};
}

Bytes Input::read() const {
  Bytes bytes(static_cast<std::size_t>(size));
  copy_now(bytes.data(), aligned, size, "reading an input");
  return bytes;
}

Weight::Weight(Context& context, const Case& c, Life life) : life_(life) {
  const std::int64_t at = c.number("at");
  qfuse_weight_4bit& w = on_gpu_;
  set_format(w, c);
  const std::int64_t blocks = qfuse_block_count(count(), w.blocksize);
  const auto keep = [&](Input array) -> const Input& { return arrays_.emplace_back(array); };
  const auto bytes = [&](std::int64_t n, std::uint32_t array) {
    return context.input(n, {Values::bytes, QFUSE_FLOAT32, 1.0F, seed_of(c, array)}, at, life);
  };
  const auto floats = [&](std::int64_t n, float most, std::uint32_t array) {
    return context.input(n, {Values::uniform, QFUSE_FLOAT32, most, seed_of(c, array)}, at, life);
  };
  w.packed = keep(bytes(qfuse_packed_size(count()), 0)).as<std::uint8_t>();
  if (w.quant_type == QFUSE_E2M1 || w.quant_type == QFUSE_INT4) {
    const bool is_odd = c.number("seed") % 2 != 0;
    w.scale_type = c.is("type", "mxfp4")   ? QFUSE_SCALES_UE8M0
                   : c.is("type", "nvfp4") ? QFUSE_SCALES_E4M3
                   : is_odd                ? QFUSE_SCALES_FLOAT16
                                           : QFUSE_SCALES_BFLOAT16;
    const Bytes scales = scales_of_rows(w.scale_type, blocks, seed_of(c, 1));
    w.scales = keep(context.upload(scales.data(), static_cast<std::int64_t>(scales.size()), at, life)).given;
    if (w.scale_type != QFUSE_SCALES_E4M3) return;
    const std::vector<float> globals(static_cast<std::size_t>(w.rows), is_odd ? 70.0F : 0.014F);  // enough for experts
    (is_odd ? w.global_divisor : w.global_scale) =
        keep(context.upload(globals.data(), w.rows * static_cast<std::int64_t>(sizeof globals[0]), at, life))
            .as<float>();
    return;
  }
  if (w.nested_blocksize == 0) {
    w.absmax = keep(floats(blocks, 0.06F, 1)).as<float>();
    return;
  }
  float map[QFUSE_QUANT_MAP_SIZE];
  qfuse_nested_quant_map(map);
  w.absmax_8bit = keep(bytes(blocks, 2)).as<std::uint8_t>();
  w.nested_absmax = keep(floats(qfuse_block_count(blocks, w.nested_blocksize), 0.02F, 3)).as<float>();
  w.nested_quant_map = keep(context.upload(map, sizeof map, at, life)).as<float>();
  w.nested_offset = keep(floats(1, 0.04F, 4)).as<float>();
}

qfuse_weight_4bit Weight::on_host(std::vector<Bytes>& keeper) const {
  for (const Input& array : arrays_) keeper.push_back(array.read());
  const Bytes* const first = keeper.data() + keeper.size() - arrays_.size();
  const auto floats = [&](int array) { return reinterpret_cast<const float*>(first[array].data()); };
  qfuse_weight_4bit w = on_gpu_;
  w.packed = first[0].data();
  if (w.scales != nullptr) {
    w.scales = first[1].data();
    if (w.global_scale != nullptr) w.global_scale = floats(2);
    if (w.global_divisor != nullptr) w.global_divisor = floats(2);
    return w;
  }
  if (w.nested_blocksize == 0) {
    w.absmax = floats(1);
    return w;
  }
  w.absmax_8bit = first[1].data();
  w.nested_absmax = floats(2);
  w.nested_quant_map = floats(3);
  w.nested_offset = floats(4);
  return w;
}

const std::uint8_t* Weight::decode(Context& context, const qfuse_weight_4bit& w, qfuse_dtype dtype) {
  const std::int64_t size = count() * static_cast<std::int64_t>(qfuse_dtype_size(dtype));
  std::uint8_t* const there = context.arena().take(size, life_);
  Bytes values(static_cast<std::size_t>(size));
  const qfuse_dequantize_4bit_params p = {sizeof p, &w, dtype, values.data()};
  qfuse_error error{};
  require(qfuse_dequantize_4bit(&p, nullptr, &error), error);
  copy_now(there, values.data(), size, "the decoded weight");
  return there;
}

const std::uint8_t* Weight::decoded(Context& context, qfuse_dtype dtype) {
  const std::uint8_t*& kept = decoded_[dtype];
  if (kept != nullptr) return kept;
  std::vector<Bytes> keeper;
  return kept = decode(context, on_host(keeper), dtype);
}

// The values decoded with an absmax of 1.
const std::uint8_t* Weight::code_values(Context& context) {
  if (code_values_ != nullptr) return code_values_;
  std::vector<Bytes> keeper;
  qfuse_weight_4bit w = on_host(keeper);
  const std::vector<float> ones(static_cast<std::size_t>(qfuse_block_count(count(), w.blocksize)), 1.0F);
  w.absmax_8bit = nullptr;
  w.absmax = ones.data();
  return code_values_ = decode(context, w, QFUSE_FLOAT16);
}

const float* Weight::absmax(Context& context) {
  if (absmax_ != nullptr) return absmax_;
  std::vector<Bytes> keeper;
  const qfuse_weight_4bit w = on_host(keeper);
  const std::int64_t blocks = qfuse_block_count(count(), w.blocksize);
  std::vector<float> values(w.absmax, w.absmax + (w.nested_blocksize == 0 ? blocks : 0));
  if (w.nested_blocksize != 0) {
    values.resize(static_cast<std::size_t>(blocks));
    const qfuse_dequantize_blockwise_params p = {sizeof p,      blocks,          w.nested_blocksize, QFUSE_FLOAT32,
                                                 w.absmax_8bit, w.nested_absmax, w.nested_quant_map, values.data()};
    qfuse_error error{};
    require(qfuse_dequantize_blockwise(&p, nullptr, &error), error);
    for (float& value : values) value += *w.nested_offset;
  }
  const Input there = context.upload(values.data(), blocks * static_cast<std::int64_t>(sizeof(float)), 0, life_);
  return absmax_ = there.as<float>();
}

Input Context::displaced(std::uint8_t* aligned, std::int64_t size, std::int64_t at, Life life) {
  if (at == 0) return {aligned, aligned, size};
  std::uint8_t* const given = arena_.take(size + at, life) + at;
  require(cudaMemcpyAsync(given, aligned, static_cast<std::size_t>(size), cudaMemcpyDeviceToDevice, stream()),
          "an array at an odd address");
  return {aligned, given, size};
}

Input Context::input(std::int64_t count, const Fill& what, std::int64_t at, Life life) {
  const std::int64_t element =
      what.values == Values::bytes ? 1 : static_cast<std::int64_t>(qfuse_dtype_size(what.dtype));
  std::uint8_t* const aligned = arena_.take(count * element, life);
  fill(aligned, count, what, stream());
  return displaced(aligned, count * element, at, life);
}

Input Context::upload(const void* from, std::int64_t size, std::int64_t at, Life life) {
  std::uint8_t* const aligned = arena_.take(size, life);
  copy_now(aligned, from, size, "an input");
  return displaced(aligned, size, at, life);
}

Weight& Context::weight(const Case& c) {
  if (c.number("rows") * c.number("cols") < kLayerCount)
    return *of_case_.emplace_back(std::make_unique<Weight>(*this, c, Life::of_case));
  Case layer("dequantize_4bit");
  for (const char* const field : {"rows", "cols", "type", "blocksize", "nested"}) layer.set(field, c.word(field));
  std::unique_ptr<Weight>& kept = layers_[print(layer)];
  if (kept == nullptr) kept = std::make_unique<Weight>(*this, layer, Life::layer);
  return *kept;
}

void Context::end_case() {
  of_case_.clear();
  arena_.end_case();
}

void Context::forget() {
  end_case();
  layers_.clear();
  arena_.forget();
}

}  // namespace qfuse::soak
