// Cases of matmul_4bit and matmul_4bit_grouped. Expected sums come from the slow product for tensor cores, and from the
// CPU's op for fp32.
#include <algorithm>

#include "choice.h"
#include "prepared.h"
#include "product_oracle.h"

namespace qfuse::soak {
namespace {

// A call's parameters and arrays. The caller sets out.
struct ProductCase {
  qfuse_matmul_4bit_params params{};
  Weight* weight = nullptr;
  Input in;
  Input bias;
  Input lora_in;
  Input lora_weight;
  std::int64_t experts = 0;        // 0: one weight
  std::vector<std::int64_t> ends;  // end of each expert's rows, or of all rows
  Input expert_ends;
  std::int64_t rows_each = 0;  // of the weight, per expert
  std::int64_t terms = 0;
  std::int64_t outputs = 0;
  std::int64_t in_stride = 0;
  std::int64_t out_stride = 0;
};

// Splits the rows among the experts; with few rows many get none. In half of the cases the last rows have no expert.
void share_rows_out(const Case& c, Context& context, ProductCase& p) {
  p.ends = {p.params.m};
  p.rows_each = p.weight->on_gpu().rows;
  if (c.op() != "matmul_4bit_grouped") return;
  constexpr std::uint32_t kArray = 15;
  Random random(seed_of(c, kArray));
  p.experts = c.number("experts");
  p.rows_each /= p.experts;
  p.ends.resize(static_cast<std::size_t>(p.experts));
  for (std::int64_t& end : p.ends) end = random.from_to(0, p.params.m);
  if (random.one_in(2)) p.ends.back() = p.params.m;
  std::ranges::sort(p.ends);
  p.expert_ends = context.upload(p.ends.data(), p.experts * static_cast<std::int64_t>(sizeof p.ends[0]), 0);
}

ProductCase make_product(const Case& c, Context& context) {
  ProductCase p;
  p.weight = &context.weight(c);
  qfuse_matmul_4bit_params& params = p.params;
  params.struct_size = sizeof params;
  params.direction = c.is("direction", "forward") ? QFUSE_FORWARD : QFUSE_BACKWARD;
  params.dtype = c.dtype();
  params.m = c.number("m");
  params.sum = c.is("sums", "fp32")     ? QFUSE_SUM_FP32
               : c.is("order", "plain") ? QFUSE_SUM_PLAIN
               : c.is("order", "split") ? QFUSE_SUM_SPLIT
                                        : QFUSE_SUM_FACTORED;
  params.lora_rank = c.number("lora");
  const bool is_forward = params.direction == QFUSE_FORWARD;
  share_rows_out(c, context, p);
  const std::int64_t cols = p.weight->on_gpu().cols;
  const auto parts = static_cast<std::int64_t>(p.ends.size());
  p.terms = is_forward ? cols : p.rows_each;
  p.outputs = is_forward ? p.rows_each : cols;
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
    p.bias = values(parts * p.outputs, 1.0F, 1);
    params.bias = p.bias.given;
  }
  if (params.lora_rank != 0) {
    p.lora_in = values(params.m * params.lora_rank, 1.0F, 2);
    p.lora_weight = values(parts * p.outputs * params.lora_rank, 0.02F, 3);
    params.lora_in = p.lora_in.given;
    params.lora_weight = p.lora_weight.given;
  }
  return p;
}

// Copies rows [begin, end), which are contiguous, into an image.
void put_rows(const ProductCase& p, std::int64_t begin, std::int64_t end, std::uint8_t* to, const std::uint8_t* rows) {
  if (begin == end) return;
  const std::int64_t element = size_of(p.params.dtype);
  to += begin * p.out_stride * element;
  if (p.out_stride == p.outputs) return put(to, rows, (end - begin) * p.outputs * element);
  require(cudaDeviceSynchronize(), "the product");
  const auto bytes = [&](std::int64_t elements) { return static_cast<std::size_t>(elements * element); };
  require(cudaMemcpy2D(to, bytes(p.out_stride), rows, bytes(p.outputs), bytes(p.outputs),
                       static_cast<std::size_t>(end - begin), cudaMemcpyDefault),
          "the product");
  require(cudaDeviceSynchronize(), "the product");
}

// The product of one expert's rows, or of all rows.
Product slow_product(const ProductCase& p, Context& context, std::int64_t expert, std::int64_t begin,
                     std::int64_t end) {
  const qfuse_weight_4bit& w = p.weight->on_gpu();
  const bool is_forward = p.params.direction == QFUSE_FORWARD;
  const bool is_factored = p.params.sum == QFUSE_SUM_FACTORED;
  const std::int64_t rank = p.params.lora_rank;
  const std::int64_t element = size_of(p.params.dtype);
  const auto behind = [&](const std::uint8_t* array, std::int64_t count) {
    return array == nullptr ? nullptr : array + count * element;
  };
  const std::uint8_t* const values =
      is_factored ? p.weight->code_values(context) : p.weight->decoded(context, p.params.dtype);
  const std::int64_t first = expert * p.rows_each * w.cols;
  Product slow;
  slow.dtype = p.params.dtype;
  slow.sum = p.params.sum;
  slow.m = end - begin;
  slow.outputs = p.outputs;
  slow.weight = {behind(values, first),
                 is_forward ? w.cols : 1,
                 is_forward ? 1 : w.cols,
                 behind(p.in.aligned, begin * p.in_stride),
                 p.in_stride,
                 p.terms};
  if (is_factored) slow.absmax = p.weight->absmax(context) + first / w.blocksize;
  slow.blocksize = w.blocksize;
  slow.lora = {behind(p.lora_weight.aligned, expert * p.outputs * rank),
               is_forward ? rank : 1,
               is_forward ? 1 : w.cols,
               behind(p.lora_in.aligned, begin * rank),
               rank,
               rank};
  slow.bias = behind(p.bias.aligned, expert * p.outputs);
  return slow;
}

void expect_from_slow_product(const ProductCase& p, Context& context, std::uint8_t* to) {
  std::uint8_t* const rows = context.scratch(p.params.m * p.outputs * size_of(p.params.dtype));
  std::int64_t begin = 0;
  for (std::size_t e = 0; e < p.ends.size(); begin = p.ends[e++]) {
    if (p.ends[e] == begin) continue;
    Product slow = slow_product(p, context, static_cast<std::int64_t>(e), begin, p.ends[e]);
    slow.out = rows + begin * p.outputs * size_of(p.params.dtype);
    multiply(slow, context.stream());
    put_rows(p, begin, p.ends[e], to, static_cast<const std::uint8_t*>(slow.out));
  }
}

// Calls the op. For experts, copies the parameters from those of a single product.
qfuse_status call_op(const ProductCase& p, const qfuse_matmul_4bit_params& single, const void* expert_ends,
                     const qfuse_exec* exec, qfuse_error* error) {
  if (p.experts == 0) return qfuse_matmul_4bit(&single, exec, error);
  qfuse_matmul_4bit_grouped_params grouped{};
  grouped.struct_size = sizeof grouped;
  grouped.weight = single.weight;
  grouped.direction = single.direction;
  grouped.dtype = single.dtype;
  grouped.m = single.m;
  grouped.in = single.in;
  grouped.out = single.out;
  grouped.experts = p.experts;
  grouped.expert_ends = expert_ends;
  grouped.ends_type = QFUSE_INDEX_INT64;
  grouped.in_stride = single.in_stride;
  grouped.out_stride = single.out_stride;
  grouped.bias = single.bias;
  grouped.sum = single.sum;
  grouped.lora_rank = single.lora_rank;
  grouped.lora_in = single.lora_in;
  grouped.lora_weight = single.lora_weight;
  const bool has_global = grouped.weight->global_scale != nullptr || grouped.weight->global_divisor != nullptr;
  grouped.nested_each = has_global && p.experts % 2 == 1 ? 1 : 0;
  return qfuse_matmul_4bit_grouped(&grouped, exec, error);
}

void expect_from_cpu(const ProductCase& p, std::uint8_t* to) {
  std::vector<Bytes> keeper;
  const qfuse_weight_4bit w = p.weight->on_host(keeper);
  const auto read = [&](const Input& array) -> const std::uint8_t* {
    return array.aligned != nullptr ? keeper.emplace_back(array.read()).data() : nullptr;
  };
  Bytes rows(static_cast<std::size_t>(p.params.m * p.outputs * size_of(p.params.dtype)));
  qfuse_matmul_4bit_params mine = p.params;
  mine.weight = &w;
  mine.in = read(p.in);
  mine.out = rows.data();
  mine.out_stride = 0;
  mine.bias = read(p.bias);
  mine.lora_in = read(p.lora_in);
  mine.lora_weight = read(p.lora_weight);
  qfuse_error error{};
  require(call_op(p, mine, p.ends.data(), nullptr, &error), error);
  put_rows(p, 0, p.ends.back(), to, rows.data());
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
    return call_op(p, mine, p.expert_ends.given, &exec, error);
  };
  if (p.params.sum == QFUSE_SUM_FP32)
    made.expect = [p, out](std::uint8_t* image) { expect_from_cpu(p, image + out); };
  else if (context.card().compute_capability >= kLeastCapability)
    made.expect = [p, out, &context](std::uint8_t* image) { expect_from_slow_product(p, context, image + out); };
  return made;
}

}  // namespace qfuse::soak
