#include "checkpoint/merge/back_to_blocks.h"

#include <fmt/ranges.h>

#include <algorithm>
#include <set>
#include <string_view>
#include <utility>
#include <variant>

#include "checkpoint/files/errors.h"

namespace qfuse::checkpoint {
namespace {

// Most elements that are encoded at once, because they are all in memory, as 16-bit values.
constexpr std::int64_t kMostElements = std::int64_t{1} << 26;

bool is_power_of_two_record(const std::optional<Config>& config) {
  return config && std::ranges::any_of(config->quantization_records(), [](const auto& record) {
           const auto stated = record.find("scale_fmt");
           return stated != record.end() && *stated == "ue8m0";
         });
}

// Whether the scales have the name that compressed-tensors and modelopt give to factors that values are divided by.
bool is_divided(const StoredTensor& scales) { return scales.entry->name.ends_with("_scale"); }

BlockTensors fp8_blocks(const MergedModel& base, const Tensor& tensor, const StoredWeightFp8& weight, bool powers) {
  const TensorType type = weight.scales.entry->type;
  BlockEncoding encoding{.where = tensor.values().where(),
                         .matrices = weight.matrices,
                         .rows = weight.rows,
                         .columns = weight.columns,
                         .block_rows = weight.block_rows,
                         .block_columns = weight.block_columns,
                         .scale_type = type};
  const bool are_powers = powers || !dtype_of(type) || is_power_of_two_record(base.config());
  encoding.rule = are_powers                  ? BlockRule::fp8_powers
                  : is_divided(weight.scales) ? BlockRule::fp8_divided
                                              : BlockRule::fp8;
  return {encoding, *weight.codes.entry, *weight.scales.entry, {}};
}

BlockTensors blocks_of_rows(const Tensor& tensor, const StoredWeightScaled4bit& weight) {
  BlockEncoding encoding{.where = tensor.values().where(),
                         .matrices = weight.matrices,
                         .rows = weight.rows,
                         .columns = weight.columns,
                         .block_columns = weight.blocksize,
                         .scale_type = weight.scales.entry->type};
  if (weight.is_transposed) {
    std::swap(encoding.rows, encoding.columns);
    std::swap(encoding.block_rows, encoding.block_columns);
  }
  BlockTensors tensors{encoding, *weight.codes.entry, {}, {}};
  if (weight.quant_type == QuantType::int4) {
    tensors.encoding.rule = BlockRule::int4_divided;
    tensors.scales = *weight.scales.entry;
    tensors.kept = {*weight.shape};
    return tensors;
  }
  if (weight.scales.entry->type == TensorType::f8_e4m3) {
    tensors.encoding.rule = BlockRule::nvfp4_of_scale;
    tensors.encoding.scales = weight.scales;
    tensors.encoding.global_scale = weight.global_scale;
    tensors.encoding.is_divisor = weight.is_divisor;
    tensors.kept = {weight.scales, *weight.global_scale};
    return tensors;
  }
  // compressed-tensors, whose scales have that name, rounds them differently from the other libraries.
  tensors.encoding.rule = is_divided(weight.scales) ? BlockRule::mxfp4_nearest : BlockRule::mxfp4;
  tensors.scales = *weight.scales.entry;
  return tensors;
}

void check_int4(const Tensor& tensor, const StoredWeightScaled4bit& weight) {
  if (weight.zero_points)
    fail(Status::unsupported, "{}: has zero points, which calibration chose: merge to 16 bits",
         weight.zero_points->where());
  if (weight.columns % 8 != 0)
    fail(Status::unsupported, "{}: has {} columns, which do not fill words of 8 codes: merge to 16 bits",
         tensor.values().where(), weight.columns);
}

void keep(const StoredTensor& scales, BlockTensors& tensors) {
  tensors.encoding.scales = scales;
  tensors.scales.reset();
  tensors.kept.push_back(scales);
}

}  // namespace

void require_blocks(const MergedModel& base, BlockFormat format) {
  if (!base.is_quantized()) {
    if (format == BlockFormat::fp8) return;
    fail(Status::invalid_argument,
         "{}: is not quantized; of such a base fp8, nf4 and fp4 are made, and {} only where the base is in it",
         base.model().name(), name_of(format));
  }
  std::set<std::string_view> formats;
  for (const Tensor& tensor : base.tensors())
    if (tensor.quantized_dtype()) formats.insert(tensor.format());
  if (formats.contains(name_of(format))) return;
  fail(Status::invalid_argument,
       "{}: its weights are {}, and cannot become {}: merge to 16 bits, or back to what they are", base.model().name(),
       fmt::join(formats, ", "), name_of(format));
}

BlockTensors blocks_of(const MergedModel& base, const Tensor& tensor, const MergeOptions& options) {
  const auto* fp8 = std::get_if<StoredWeightFp8>(&tensor.storage);
  const auto* scaled = std::get_if<StoredWeightScaled4bit>(&tensor.storage);
  if (fp8 == nullptr && scaled == nullptr)
    fail(Status::unsupported, "{}: is {}, which is not encoded again: merge to 16 bits", tensor.values().where(),
         tensor.format());
  if (base.change_of(tensor.name)->shape != tensor.shape)
    fail(Status::unsupported, "{}: gets another shape, {} instead of {}, and is {}: merge to 16 bits",
         tensor.values().where(), printable(base.change_of(tensor.name)->shape), printable(tensor.shape),
         tensor.format());
  if (scaled != nullptr && scaled->quant_type == QuantType::int4) check_int4(tensor, *scaled);
  BlockTensors tensors =
      fp8 != nullptr ? fp8_blocks(base, tensor, *fp8, options.ue8m0) : blocks_of_rows(tensor, *scaled);
  if (options.keep_scales && tensors.scales) keep(fp8 != nullptr ? fp8->scales : scaled->scales, tensors);
  if (tensors.encoding.unit() > kMostElements)
    fail(Status::unsupported,
         "{}: {} of its elements share a scale or lie between those that do, and at most {} can "
         "be encoded at once: merge to 16 bits",
         tensor.values().where(), tensors.encoding.unit(), kMostElements);
  return tensors;
}

}  // namespace qfuse::checkpoint
