// Cases of matmul_4bit. Sums of matrix instructions are judged by the slow product, those in fp32 by the CPU's op.
#include "prepared.h"
#include "product_oracle.h"

namespace qfuse::soak {
namespace {

// A call's arrays and how they are given; out is still to be set.
struct ProductCase {
  qfuse_matmul_4bit_params params{};
  Weight* weight = nullptr;
  Input in;
  Input bias;
  Input lora_in;
  Input lora_weight;
  std::int64_t terms = 0;
  std::int64_t outputs = 0;
  std::int64_t in_stride = 0;
  std::int64_t out_stride = 0;
};

ProductCase make_product(const Case& c, Context& context) {
  ProductCase p;
  p.weight = &context.weight(c);
  qfuse_matmul_4bit_params& params = p.params;
  params.struct_size = sizeof params;
  params.direction = c.is("direction", "forward") ? QFUSE_FORWARD : QFUSE_BACKWARD;
  params.dtype = c.dtype();
  params.m = c.number("m");
  params.accumulation = c.is("sums", "fp32") ? QFUSE_ACCUMULATION_FP32 : QFUSE_ACCUMULATION_TENSOR_CORE;
  params.order = c.is("order", "plain")   ? QFUSE_ORDER_PLAIN
                 : c.is("order", "split") ? QFUSE_ORDER_SPLIT
                                          : QFUSE_ORDER_FACTORED;
  params.lora_rank = c.number("lora");
  const bool is_forward = params.direction == QFUSE_FORWARD;
  const qfuse_weight_4bit& w = p.weight->on_gpu();
  p.terms = is_forward ? w.cols : w.rows;
  p.outputs = is_forward ? w.rows : w.cols;
  p.in_stride = p.terms + c.number("gap");
  p.out_stride = p.outputs + c.number("gap");
  const std::int64_t at = c.number("at");
  const auto values = [&](std::int64_t count, float scale, std::uint32_t array) {
    constexpr std::uint32_t kWeightArrays = 8;
    return context.input(count, {Values::normal, params.dtype, scale, seed_of(c, kWeightArrays + array)}, at);
  };
  p.in = values((params.m - 1) * p.in_stride + p.terms, 1.0F, 0);
  params.in = p.in.given;
  if (c.number("gap") != 0) {
    params.in_stride = p.in_stride;
    params.out_stride = p.out_stride;
  }
  if (c.number("bias") != 0) {
    p.bias = values(p.outputs, 1.0F, 1);
    params.bias = p.bias.given;
  }
  if (params.lora_rank != 0) {
    p.lora_in = values(params.m * params.lora_rank, 1.0F, 2);
    p.lora_weight = values(p.outputs * params.lora_rank, 0.02F, 3);
    params.lora_in = p.lora_in.given;
    params.lora_weight = p.lora_weight.given;
  }
  return p;
}

// Rows without gaps, into an image.
void put_rows(const ProductCase& p, std::uint8_t* to, const std::uint8_t* rows) {
  const std::int64_t element = size_of(p.params.dtype);
  if (p.out_stride == p.outputs) return put(to, rows, p.params.m * p.outputs * element);
  require(cudaDeviceSynchronize(), "the product");
  const auto bytes = [&](std::int64_t elements) { return static_cast<std::size_t>(elements * element); };
  require(cudaMemcpy2D(to, bytes(p.out_stride), rows, bytes(p.outputs), bytes(p.outputs),
                       static_cast<std::size_t>(p.params.m), cudaMemcpyDefault),
          "the product");
  require(cudaDeviceSynchronize(), "the product");
}

void expect_from_slow_product(const ProductCase& p, Context& context, std::uint8_t* to) {
  const qfuse_weight_4bit& w = p.weight->on_gpu();
  const bool is_forward = p.params.direction == QFUSE_FORWARD;
  const bool is_factored = p.params.order == QFUSE_ORDER_FACTORED;
  const std::int64_t rank = p.params.lora_rank;
  std::uint8_t* const rows = context.scratch(p.params.m * p.outputs * size_of(p.params.dtype));
  Product slow;
  slow.dtype = p.params.dtype;
  slow.order = p.params.order;
  slow.m = p.params.m;
  slow.outputs = p.outputs;
  slow.weight = {is_factored ? p.weight->code_values(context) : p.weight->decoded(context, p.params.dtype),
                 is_forward ? w.cols : 1,
                 is_forward ? 1 : w.cols,
                 p.in.aligned,
                 p.in_stride,
                 p.terms};
  if (is_factored) slow.absmax = p.weight->absmax(context);
  slow.blocksize = w.blocksize;
  slow.lora = {p.lora_weight.aligned, is_forward ? rank : 1, is_forward ? 1 : w.cols, p.lora_in.aligned, rank, rank};
  slow.bias = p.bias.aligned;
  slow.out = rows;
  multiply(slow, context.stream());
  put_rows(p, to, rows);
}

void expect_from_cpu(const ProductCase& p, std::uint8_t* to) {
  std::vector<Bytes> keeper;
  const qfuse_weight_4bit w = p.weight->on_host(keeper);
  const auto read = [](const Input& array) { return array.aligned != nullptr ? array.read() : Bytes(); };
  const Bytes in = read(p.in);
  const Bytes bias = read(p.bias);
  const Bytes lora_in = read(p.lora_in);
  const Bytes lora_weight = read(p.lora_weight);
  Bytes rows(static_cast<std::size_t>(p.params.m * p.outputs * size_of(p.params.dtype)));
  qfuse_matmul_4bit_params mine = p.params;
  mine.weight = &w;
  mine.in = in.data();
  mine.out = rows.data();
  mine.out_stride = 0;
  mine.bias = bias.empty() ? nullptr : bias.data();
  mine.lora_in = lora_in.data();
  mine.lora_weight = lora_weight.data();
  qfuse_error error{};
  require(qfuse_matmul_4bit(&mine, nullptr, &error), error);
  put_rows(p, to, rows.data());
}

}  // namespace

Prepared prepare_matmul_4bit(const Case& c, Context& context) {
  Prepared made;
  const ProductCase p = make_product(c, context);
  const std::int64_t size = ((p.params.m - 1) * p.out_stride + p.outputs) * size_of(p.params.dtype);
  const std::int64_t out = made.add("out", size, c.number("at"));
  made.call = [p, out, device = context.card().index](std::uint8_t* image, void* /*workspace*/, void* stream,
                                                      qfuse_error* error) {
    const qfuse_weight_4bit w = p.weight->on_gpu();
    qfuse_matmul_4bit_params mine = p.params;
    mine.weight = &w;
    mine.out = image + out;
    const qfuse_exec exec = exec_on(device, stream);
    return qfuse_matmul_4bit(&mine, &exec, error);
  };
  if (p.params.accumulation == QFUSE_ACCUMULATION_FP32)
    made.expect = [p, out](std::uint8_t* image) { expect_from_cpu(p, image + out); };
  else if (context.card().compute_capability >= kLeastCapability)
    made.expect = [p, out, &context](std::uint8_t* image) { expect_from_slow_product(p, context, image + out); };
  return made;
}

}  // namespace qfuse::soak
