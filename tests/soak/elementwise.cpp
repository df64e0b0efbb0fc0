// Cases of the ops whose bytes are the same on every device, and of rotated_int8's product and SwiGLU. The CPU's op
// gives the expected bytes. For rotated_int8's product a slow kernel does.
#include <memory>
#include <type_traits>
#include <vector>

#include "format/elements.h"
#include "prepared.h"
#include "product_oracle.h"

namespace qfuse::soak {
namespace {

// An op of the C interface.
template <class Params>
using Op = qfuse_status (*)(const Params*, const qfuse_exec*, qfuse_error*);

template <class Params>
qfuse_status call_on(int device, Op<Params> op, Params p, void* stream, qfuse_error* error) {
  p.struct_size = sizeof p;
  const qfuse_exec exec = exec_on(device, stream);
  return op(&p, &exec, error);
}

template <class Params>
void call_on_cpu(Op<Params> op, Params p) {
  p.struct_size = sizeof p;
  qfuse_error error{};
  require(op(&p, nullptr, &error), error);
}

Fill values_of(const Case& c, qfuse_dtype dtype, std::uint32_t array) {
  const bool is_special = c.number("special") != 0;
  return {is_special ? Values::special : Values::normal, dtype, 0.02F, seed_of(c, array)};
}

Fill normal(const Case& c, qfuse_dtype dtype, float scale, std::uint32_t array) {
  return {Values::normal, dtype, scale, seed_of(c, array)};
}
Fill uniform(const Case& c, float most, std::uint32_t array) {
  return {Values::uniform, QFUSE_FLOAT32, most, seed_of(c, array)};
}
Fill any_bytes(const Case& c, std::uint32_t array) { return {Values::bytes, QFUSE_FLOAT32, 1.0F, seed_of(c, array)}; }

float* floats(Bytes& bytes) { return reinterpret_cast<float*>(bytes.data()); }
Bytes bytes_of(std::int64_t size) { return Bytes(static_cast<std::size_t>(size)); }

qfuse_reciprocal reciprocal_of(const Case& c) {
  return c.number("approx") != 0 ? QFUSE_RECIPROCAL_APPROX : QFUSE_RECIPROCAL_IEEE;
}

// Sets the field of a call's parameters that points to an array.
template <class Params>
using Point = void (*)(Params& p, std::uint8_t* at);
template <auto kField, class Params>
void point(Params& p, std::uint8_t* at) {
  p.*kField = reinterpret_cast<std::remove_reference_t<decltype(p.*kField)>>(at);
}

template <class Params>
struct Given {
  Input array;
  Point<Params> point;
};
template <class Params>
struct Wanted {
  const char* name;
  std::int64_t size;
  Point<Params> point;
};

template <class Params>
void give(Params& p, const qfuse_weight_4bit& w) {
  if constexpr (requires { p.weight; }) p.weight = &w;
}

// Prepares an op without workspace. p lacks its arrays, and its weight if the op has one.
template <class Params>
Prepared prepare_simple(const Case& c, Context& context, Op<Params> op, Params p,
                        const std::vector<Given<Params>>& inputs, const std::vector<Wanted<Params>>& outputs,
                        Weight* weight = nullptr) {
  Prepared made;
  for (const Wanted<Params>& output : outputs) made.add(output.name, output.size, c.number("at"));
  const std::vector<Output> places = made.outputs;
  made.call = [=, device = context.card().index](std::uint8_t* image, void* /*workspace*/, void* stream,
                                                 qfuse_error* error) {
    Params mine = p;
    const qfuse_weight_4bit w = weight != nullptr ? weight->on_gpu() : qfuse_weight_4bit{};
    give(mine, w);
    for (const Given<Params>& input : inputs) input.point(mine, input.array.given);
    for (std::size_t i = 0; i < outputs.size(); ++i) outputs[i].point(mine, image + places[i].offset);
    return call_on(device, op, mine, stream, error);
  };
  made.expect = [=](std::uint8_t* image) {
    Params mine = p;
    std::vector<Bytes> keeper;
    const qfuse_weight_4bit w = weight != nullptr ? weight->on_host(keeper) : qfuse_weight_4bit{};
    give(mine, w);
    for (const Given<Params>& input : inputs) input.point(mine, keeper.emplace_back(input.array.read()).data());
    std::vector<Bytes> results;
    for (const Wanted<Params>& output : outputs) output.point(mine, results.emplace_back(bytes_of(output.size)).data());
    call_on_cpu(op, mine);
    for (std::size_t i = 0; i < outputs.size(); ++i) put(image + places[i].offset, results[i].data(), outputs[i].size);
  };
  return made;
}

}  // namespace

Prepared prepare_dequantize_4bit(const Case& c, Context& context) {
  Prepared made;
  Weight& weight = context.weight(c);
  const qfuse_dtype dtype = c.dtype();
  const std::int64_t size = weight.count() * size_of(dtype);
  const std::int64_t out = made.add("out", size, c.number("at"));
  made.call = [&weight, dtype, out, device = context.card().index](std::uint8_t* image, void* /*workspace*/,
                                                                   void* stream, qfuse_error* error) {
    const qfuse_weight_4bit w = weight.on_gpu();
    return call_on<qfuse_dequantize_4bit_params>(device, qfuse_dequantize_4bit, {0, &w, dtype, image + out}, stream,
                                                 error);
  };
  made.expect = [&weight, &context, dtype, out, size](std::uint8_t* image) {
    put(image + out, weight.decoded(context, dtype), size);
  };
  return made;
}

namespace {

// The outputs of an encoder: their places in an image, and their sizes.
struct Encoded {
  qfuse_weight_4bit_out shape;
  std::vector<Output> places;  // packed and absmax, or packed, absmax_8bit, nested_absmax and nested_offset
  qfuse_quantize_4bit_params params;

  // Returns parameters for outputs in an image at `image`. They point into this object.
  qfuse_quantize_4bit_params over(std::uint8_t* image) {
    const auto as_floats = [&](std::size_t i) { return reinterpret_cast<float*>(image + places[i].offset); };
    shape.packed = image + places[0].offset;
    if (shape.nested_blocksize == 0) {
      shape.absmax = as_floats(1);
    } else {
      shape.absmax_8bit = image + places[1].offset;
      shape.nested_absmax = as_floats(2);
      shape.nested_offset = as_floats(3);
    }
    params.weight = &shape;
    return params;
  }
};

Encoded place_encoded(const Case& c, Prepared& made) {
  Encoded e{};
  qfuse_weight_4bit_out& w = e.shape;
  set_format(w, c);
  const std::int64_t at = c.number("at");
  const std::int64_t blocks = qfuse_block_count(w.rows * w.cols, w.blocksize);
  constexpr std::int64_t kFloat = sizeof(float);
  made.add("packed", qfuse_packed_size(w.rows * w.cols), at);
  if (w.nested_blocksize == 0) {
    made.add("absmax", blocks * kFloat, at);
  } else {
    made.add("absmax_8bit", blocks, at);
    made.add("nested_absmax", qfuse_block_count(blocks, w.nested_blocksize) * kFloat, at);
    made.add("nested_offset", kFloat, at);
  }
  e.places = made.outputs;
  return e;
}

std::int64_t encoder_workspace(Encoded e, std::uint8_t* any, const qfuse_exec* exec) {
  std::int64_t size = 0;
  qfuse_error error{};
  const qfuse_quantize_4bit_params p = e.over(any);
  require(qfuse_quantize_4bit_workspace_size(&p, exec, &size, &error), error);
  return size;
}

// Encodes on the host, in an image of the same layout.
void expect_encoded(Encoded e, const Bytes& in, const Bytes& importance, std::int64_t image_size, std::uint8_t* to) {
  Bytes image = bytes_of(image_size);
  e.params.in = in.data();
  if (e.params.importance != nullptr) e.params.importance = reinterpret_cast<const float*>(importance.data());
  Bytes workspace = bytes_of(encoder_workspace(e, image.data(), nullptr));
  qfuse_quantize_4bit_params p = e.over(image.data());
  p.workspace = workspace.data();
  p.workspace_size = static_cast<std::int64_t>(workspace.size());
  call_on_cpu<qfuse_quantize_4bit_params>(qfuse_quantize_4bit, p);
  for (const Output& output : e.places) put(to + output.offset, image.data() + output.offset, output.size);
}

}  // namespace

Prepared prepare_quantize_4bit(const Case& c, Context& context) {
  Prepared made;
  Encoded e = place_encoded(c, made);
  const std::int64_t n = e.shape.rows * e.shape.cols;
  const Input in = context.input(n, values_of(c, c.dtype(), 0), c.number("at"));
  e.params.struct_size = sizeof e.params;
  e.params.in_dtype = c.dtype();
  e.params.in = in.given;
  e.params.reciprocal = reciprocal_of(c);
  const Input importance = context.input(e.shape.cols, uniform(c, 1, 1), c.number("at"));
  if (c.number("importance") != 0) e.params.importance = importance.as<float>();
  const int device = context.card().index;
  const qfuse_exec exec = exec_on(device, context.stream());
  made.workspace_size = encoder_workspace(e, in.aligned, &exec);  // reads no array
  made.call = [e, device, size = made.workspace_size](std::uint8_t* image, void* workspace, void* stream,
                                                      qfuse_error* error) mutable {
    Encoded mine = e;
    qfuse_quantize_4bit_params p = mine.over(image);
    p.workspace = workspace;
    p.workspace_size = size;
    return call_on<qfuse_quantize_4bit_params>(device, qfuse_quantize_4bit, p, stream, error);
  };
  if (e.params.reciprocal == QFUSE_RECIPROCAL_IEEE)
    made.expect = [e, in, importance, size = made.image_size](std::uint8_t* image) {
      expect_encoded(e, in.read(), importance.read(), size, image);
    };
  return made;
}

Prepared prepare_quantize_blockwise(const Case& c, Context& context) {
  using Params = qfuse_quantize_blockwise_params;
  Params p{};
  p.n = c.number("n");
  p.blocksize = c.number("blocksize");
  p.in_dtype = c.dtype();
  p.reciprocal = reciprocal_of(c);
  const Input in = context.input(p.n, values_of(c, c.dtype(), 0), c.number("at"));
  Prepared made = prepare_simple<Params>(c, context, qfuse_quantize_blockwise, p, {{in, point<&Params::in>}},
                                         {{"codes", p.n, point<&Params::codes>},
                                          {"absmax", qfuse_block_count(p.n, p.blocksize) * 4, point<&Params::absmax>}});
  if (p.reciprocal != QFUSE_RECIPROCAL_IEEE) made.expect = nullptr;
  return made;
}

Prepared prepare_dequantize_blockwise(const Case& c, Context& context) {
  using Params = qfuse_dequantize_blockwise_params;
  const std::int64_t at = c.number("at");
  Params p{};
  p.n = c.number("n");
  p.blocksize = c.number("blocksize");
  p.out_dtype = c.dtype();
  float map[QFUSE_QUANT_MAP_SIZE];
  qfuse_nested_quant_map(map);
  const std::int64_t blocks = qfuse_block_count(p.n, p.blocksize);
  return prepare_simple<Params>(c, context, qfuse_dequantize_blockwise, p,
                                {{context.input(p.n, any_bytes(c, 0), at), point<&Params::codes>},
                                 {context.input(blocks, uniform(c, 0.06F, 1), at), point<&Params::absmax>},
                                 {context.upload(map, sizeof map, at), point<&Params::quant_map>}},
                                {{"out", p.n * size_of(p.out_dtype), point<&Params::out>}});
}

Prepared prepare_dequantize_int8(const Case& c, Context& context) {
  using Params = qfuse_dequantize_int8_params;
  const std::int64_t at = c.number("at");
  Params p{};
  p.rows = c.number("rows");
  p.cols = c.number("cols");
  p.out_dtype = c.dtype();
  return prepare_simple<Params>(c, context, qfuse_dequantize_int8, p,
                                {{context.input(p.rows * p.cols, any_bytes(c, 0), at), point<&Params::in>},
                                 {context.input(p.rows, uniform(c, 2.0F, 1), at), point<&Params::scb>}},
                                {{"out", p.rows * p.cols * size_of(p.out_dtype), point<&Params::out>}});
}

namespace {

qfuse_scale_type scale_type_of(const Case& c) {
  return c.is("scales", "fp32")    ? QFUSE_SCALES_FLOAT32
         : c.is("scales", "ue8m0") ? QFUSE_SCALES_UE8M0
         : c.is("scales", "fp16")  ? QFUSE_SCALES_FLOAT16
         : c.is("scales", "bf16")  ? QFUSE_SCALES_BFLOAT16
                                   : QFUSE_SCALES_E4M3;
}

}  // namespace

Prepared prepare_dequantize_fp8(const Case& c, Context& context) {
  using Params = qfuse_dequantize_fp8_params;
  const std::int64_t at = c.number("at");
  Params p{};
  p.rows = c.number("rows");
  p.cols = c.number("cols");
  p.block_rows = c.number("block_rows");
  p.block_cols = c.number("block_cols");
  p.scale_type = scale_type_of(c);
  p.out_dtype = c.dtype();
  const std::int64_t scales = qfuse_block_count(p.rows, p.block_rows) * qfuse_block_count(p.cols, p.block_cols);
  return prepare_simple<Params>(
      c, context, qfuse_dequantize_fp8, p,
      {{context.input(p.rows * p.cols, any_bytes(c, 0), at), point<&Params::codes>},
       {context.input(scales * format::scale_size(p.scale_type), any_bytes(c, 1), at), point<&Params::scales>}},
      {{"out", p.rows * p.cols * size_of(p.out_dtype), point<&Params::out>}});
}

namespace {

// A weight with row-wise scales and its output, as one struct for prepare_simple.
struct RowsParams : qfuse_weight_4bit {
  qfuse_dtype out_dtype;
  void* out;
};

qfuse_status dequantize_rows(const RowsParams* p, const qfuse_exec* exec, qfuse_error* error) {
  qfuse_weight_4bit w = *p;
  w.struct_size = sizeof w;
  const qfuse_dequantize_4bit_params params = {sizeof params, &w, p->out_dtype, p->out};
  return qfuse_dequantize_4bit(&params, exec, error);
}

}  // namespace

Prepared prepare_dequantize_4bit_rows(const Case& c, Context& context) {
  const std::int64_t at = c.number("at");
  RowsParams p{};
  p.rows = c.number("rows");
  p.cols = c.number("cols");
  p.blocksize = c.number("blocksize");
  p.quant_type = c.is("codes", "int4") ? QFUSE_INT4 : QFUSE_E2M1;
  p.scale_type = scale_type_of(c);
  p.out_dtype = c.dtype();
  const std::int64_t blocks = p.rows * qfuse_block_count(p.cols, p.blocksize);
  std::vector<Given<RowsParams>> inputs = {
      {context.input(p.rows * qfuse_packed_size(p.cols), any_bytes(c, 0), at), point<&RowsParams::packed>},
      {context.input(blocks * format::scale_size(p.scale_type), any_bytes(c, 1), at), point<&RowsParams::scales>}};
  const Input global = context.input(1, uniform(c, 2.0F, 2), at);
  if (c.is("global", "factor")) inputs.push_back({global, point<&RowsParams::global_scale>});
  if (c.is("global", "divisor")) inputs.push_back({global, point<&RowsParams::global_divisor>});
  if (c.number("zeros") != 0)
    inputs.push_back({context.input(blocks, any_bytes(c, 3), at), point<&RowsParams::zero_points>});
  return prepare_simple<RowsParams>(c, context, dequantize_rows, p, inputs,
                                    {{"out", p.rows * p.cols * size_of(p.out_dtype), point<&RowsParams::out>}});
}

namespace {

// A merge, perhaps from and to 4 bits, as one struct for prepare_simple.
struct MergeParams : qfuse_lora_merge_params {
  bool is_4bit;
  qfuse_weight_4bit from;
  qfuse_weight_4bit_out to;
};

qfuse_status merge(const MergeParams* p, const qfuse_exec* exec, qfuse_error* error) {
  qfuse_lora_merge_params params = *p;
  params.struct_size = sizeof params;
  params.source = p->is_4bit ? &p->from : nullptr;
  params.target = p->is_4bit ? &p->to : nullptr;
  return qfuse_lora_merge(&params, exec, error);
}

void set_shape(auto& w, const Case& c) {
  w.struct_size = sizeof w;
  w.rows = c.number("rows");
  w.cols = c.number("cols");
  w.blocksize = c.is("codes", "mxfp4") ? 32 : 64;
  w.quant_type = c.is("codes", "mxfp4") ? QFUSE_E2M1 : QFUSE_NF4;
}

// Merges to the source's type, with plain absmax or MXFP4's scales.
void merge_in_4bit(const Case& c, Context& context, MergeParams& p, std::vector<Given<MergeParams>>& inputs,
                   std::vector<Wanted<MergeParams>>& outputs) {
  using Params = MergeParams;
  using Bits = std::uint8_t*;
  const std::int64_t at = c.number("at");
  p.is_4bit = true;
  p.keep_absmax = c.number("keeps");
  set_shape(p.from, c);
  set_shape(p.to, c);
  const std::int64_t packed = qfuse_packed_size(p.rows * p.cols);
  const std::int64_t blocks = qfuse_block_count(p.rows * p.cols, p.from.blocksize);
  inputs.push_back({context.input(packed, any_bytes(c, 0), at), [](Params& q, Bits b) { q.from.packed = b; }});
  outputs.push_back({"packed", packed, [](Params& q, Bits b) { q.to.packed = b; }});
  if (c.is("codes", "mxfp4")) {
    p.from.scale_type = QFUSE_SCALES_UE8M0;
    inputs.push_back({context.input(blocks, any_bytes(c, 3), at), [](Params& q, Bits b) { q.from.scales = b; }});
    if (p.keep_absmax == 0) outputs.push_back({"scales", blocks, [](Params& q, Bits b) { q.to.scales = b; }});
    return;
  }
  inputs.push_back({context.input(blocks, uniform(c, 0.06F, 3), at),
                    [](Params& q, Bits b) { q.from.absmax = reinterpret_cast<const float*>(b); }});
  if (p.keep_absmax == 0)
    outputs.push_back({"absmax", blocks * size_of(QFUSE_FLOAT32),
                       [](Params& q, Bits b) { q.to.absmax = reinterpret_cast<float*>(b); }});
}

}  // namespace

Prepared prepare_lora_merge(const Case& c, Context& context) {
  using Params = MergeParams;
  const std::int64_t at = c.number("at");
  Params p{};
  p.rows = c.number("rows");
  p.cols = c.number("cols");
  p.rank = c.number("rank");
  p.scale = 0.75F;
  p.in_dtype = c.dtype("in");
  p.out_dtype = c.dtype();
  const auto values = [&](std::int64_t count, qfuse_dtype dtype, float scale, std::uint32_t array) {
    return context.input(count, normal(c, dtype, scale, array), at);
  };
  std::vector<Given<Params>> inputs = {{values(p.rank * p.cols, QFUSE_FLOAT32, 0.1F, 1), point<&Params::a>},
                                       {values(p.rows * p.rank, QFUSE_FLOAT32, 0.1F, 2), point<&Params::b>}};
  std::vector<Wanted<Params>> outputs = {{"out", p.rows * p.cols * size_of(p.out_dtype), point<&Params::out>}};
  if (c.is("codes", "none"))
    inputs.push_back({values(p.rows * p.cols, p.in_dtype, 0.02F, 0), point<&Params::in>});
  else
    merge_in_4bit(c, context, p, inputs, outputs);
  return prepare_simple<Params>(c, context, merge, p, inputs, outputs);
}

// ---- rotated_int8 ----

Prepared prepare_rotated_int8_quantize(const Case& c, Context& context) {
  using Params = qfuse_rotated_int8_quantize_params;
  Params p{};
  p.rows = c.number("rows");
  p.cols = c.number("cols");
  p.in_dtype = c.dtype();
  if (c.number("gap") != 0) p.in_stride = p.cols + c.number("gap");
  const std::int64_t count = (p.rows - 1) * (p.cols + c.number("gap")) + p.cols;
  const Input in = context.input(count, values_of(c, p.in_dtype, 0), c.number("at"));
  return prepare_simple<Params>(
      c, context, qfuse_rotated_int8_quantize, p, {{in, point<&Params::in>}},
      {{"q", p.rows * p.cols, point<&Params::q>}, {"scale", p.rows * 4, point<&Params::scale>}});
}

namespace {

qfuse_direction direction_of(const Case& c) { return c.is("direction", "forward") ? QFUSE_FORWARD : QFUSE_BACKWARD; }
std::int64_t count_outputs(const Case& c) { return c.number(c.is("direction", "forward") ? "rows" : "cols"); }

}  // namespace

Prepared prepare_rotated_int8_weight_scales(const Case& c, Context& context) {
  using Params = qfuse_rotated_int8_weight_scales_params;
  Params p{};
  p.direction = direction_of(c);
  return prepare_simple<Params>(c, context, qfuse_rotated_int8_weight_scales, p, {},
                                {{"scale", count_outputs(c) * 4, point<&Params::scale>}}, &context.weight(c));
}

// Encodes with the weight's own scales, computed by the CPU, or with arbitrary numbers.
Prepared prepare_rotated_int8_weight(const Case& c, Context& context) {
  using Params = qfuse_rotated_int8_weight_params;
  constexpr std::uint32_t kArray = 15;
  const std::int64_t at = c.number("at");
  const std::int64_t outputs = count_outputs(c);
  Weight& weight = context.weight(c);
  Input scale;
  if (c.number("special") != 0) {
    scale = context.input(outputs, values_of(c, QFUSE_FLOAT32, kArray), at);
  } else {
    std::vector<Bytes> keeper;
    const qfuse_weight_4bit w = weight.on_host(keeper);
    Bytes own = bytes_of(outputs * 4);
    call_on_cpu<qfuse_rotated_int8_weight_scales_params>(qfuse_rotated_int8_weight_scales,
                                                         {0, &w, direction_of(c), floats(own)});
    scale = context.upload(own.data(), outputs * 4, at);
  }
  Params p{};
  p.direction = direction_of(c);
  return prepare_simple<Params>(c, context, qfuse_rotated_int8_weight, p, {{scale, point<&Params::scale>}},
                                {{"q", weight.count(), point<&Params::q>}}, &weight);
}

// The expected bytes come from a slow kernel, because the CPU would take too long.
Prepared prepare_rotated_int8_matmul(const Case& c, Context& context) {
  using Params = qfuse_rotated_int8_matmul_params;
  Params p{};
  p.m = c.number("m");
  p.n = c.number("n");
  p.k = c.number("k");
  p.dtype = c.dtype();
  p.direction = direction_of(c);
  p.lora_rank = c.number("lora");
  if (c.number("gap") != 0) p.out_stride = p.n + c.number("gap");
  const auto values = [&](std::int64_t count, qfuse_dtype dtype, float scale, std::uint32_t array) {
    Fill what = values_of(c, dtype, array);
    what.scale = scale;
    return context.input(count, what, c.number("at"));
  };
  const auto any = [&](std::int64_t count, std::uint32_t array) {
    return context.input(count, any_bytes(c, array), c.number("at"));
  };
  std::vector<Given<Params>> inputs = {{any(p.m * p.k, 0), point<&Params::in_q>},
                                       {values(p.m, QFUSE_FLOAT32, 0.02F, 1), point<&Params::in_scale>},
                                       {any(p.n * p.k, 2), point<&Params::weight_q>},
                                       {values(p.n, QFUSE_FLOAT32, 0.001F, 3), point<&Params::weight_scale>}};
  if (c.number("bias") != 0) inputs.push_back({values(p.n, p.dtype, 1.0F, 4), point<&Params::bias>});
  if (p.lora_rank != 0) {
    inputs.push_back({values(p.m * p.lora_rank, p.dtype, 1.0F, 5), point<&Params::lora_in>});
    inputs.push_back({values(p.n * p.lora_rank, p.dtype, 0.2F, 6), point<&Params::lora_weight>});
  }
  if (c.number("addend") != 0) inputs.push_back({values(p.m * p.n, p.dtype, 1.0F, 7), point<&Params::addend>});
  const std::int64_t size = ((p.m - 1) * (p.n + c.number("gap")) + p.n) * size_of(p.dtype);
  Prepared made =
      prepare_simple<Params>(c, context, qfuse_rotated_int8_matmul, p, inputs, {{"out", size, point<&Params::out>}});
  made.expect = [p, inputs, out = made.outputs[0].offset, &context](std::uint8_t* image) {
    Params mine = p;
    for (const Given<Params>& input : inputs) input.point(mine, input.array.aligned);
    mine.out = image + out;
    multiply_rotated(mine, context.stream());
  };
  return made;
}

// The GPU's exp differs from the CPU's: a slow kernel computes the values, and the CPU's op quantizes them.
Prepared prepare_rotated_int8_swiglu(const Case& c, Context& context) {
  using Params = qfuse_rotated_int8_swiglu_params;
  Params p{};
  p.m = c.number("m");
  p.h = c.number("h");
  p.direction = direction_of(c);
  p.gate_stride = p.up_stride = p.grad_y_stride = p.h + c.number("gap");
  const std::int64_t count = (p.m - 1) * p.gate_stride + p.h;
  const auto values = [&](std::uint32_t array) {
    Fill what = values_of(c, QFUSE_BFLOAT16, array);
    what.scale = 4.0F;  // gives sigmoids of all sizes
    return context.input(count, what, c.number("at"));
  };
  std::vector<Given<Params>> inputs = {{values(0), point<&Params::gate>}, {values(1), point<&Params::up>}};
  if (p.direction == QFUSE_BACKWARD) inputs.push_back({values(2), point<&Params::grad_y>});
  const std::int64_t rows = p.direction == QFUSE_BACKWARD ? 2 * p.m : p.m;
  Prepared made = prepare_simple<Params>(c, context, qfuse_rotated_int8_swiglu, p, inputs,
                                         {{"q", rows * p.h, point<&Params::q>},
                                          {"scale", rows * 4, point<&Params::scale>},
                                          {"out", rows * p.h * 2, point<&Params::out>}});
  made.expect = [p, inputs, rows, places = made.outputs, &context](std::uint8_t* image) {
    Params mine = p;
    for (const Given<Params>& input : inputs) input.point(mine, input.array.aligned);
    mine.out = image + places[2].offset;
    make_swiglu(mine, context.stream());
    Bytes made_values = bytes_of(places[2].size);
    Bytes q = bytes_of(places[0].size);
    Bytes scale = bytes_of(places[1].size);
    put(made_values.data(), mine.out, places[2].size);
    qfuse_rotated_int8_quantize_params quantize{};
    quantize.rows = rows;
    quantize.cols = p.h;
    quantize.in_dtype = QFUSE_BFLOAT16;
    quantize.in = made_values.data();
    quantize.q = reinterpret_cast<std::int8_t*>(q.data());
    quantize.scale = floats(scale);
    call_on_cpu(qfuse_rotated_int8_quantize, quantize);
    put(image + places[0].offset, q.data(), places[0].size);
    put(image + places[1].offset, scale.data(), places[1].size);
  };
  return made;
}

Prepared prepare(const Case& c, Context& context) {
  using Prepare = Prepared (*)(const Case&, Context&);
  static const std::map<std::string, Prepare> kPrepare = {
      {"dequantize_4bit", prepare_dequantize_4bit},
      {"quantize_4bit", prepare_quantize_4bit},
      {"dequantize_blockwise", prepare_dequantize_blockwise},
      {"quantize_blockwise", prepare_quantize_blockwise},
      {"dequantize_int8", prepare_dequantize_int8},
      {"matmul_4bit", prepare_matmul_4bit},
      {"matmul_4bit_grouped", prepare_matmul_4bit},
      {"swiglu", prepare_swiglu},
      {"lora_merge", prepare_lora_merge},
      {"rotated_int8_quantize", prepare_rotated_int8_quantize},
      {"rotated_int8_weight_scales", prepare_rotated_int8_weight_scales},
      {"rotated_int8_weight", prepare_rotated_int8_weight},
      {"rotated_int8_matmul", prepare_rotated_int8_matmul},
      {"rotated_int8_swiglu", prepare_rotated_int8_swiglu},
      {"dequantize_4bit_rows", prepare_dequantize_4bit_rows},
      {"dequantize_fp8", prepare_dequantize_fp8}};
  Prepared made = kPrepare.at(c.op())(c, context);
  made.image_size = round_up(made.image_size, kAlignment);
  return made;
}

}  // namespace qfuse::soak
