// Cases of swiglu. Its exp is the GPU's own, so the benchmark's slow checker gives the expected bytes for what it
// supports: whole groups of tokens in three formats. Other cases are compared with their first call.
#include <algorithm>
#include <array>

#include "contract/ops.h"
#include "gpu/swiglu_kernels.h"
#include "prepared.h"

namespace qfuse::soak {
namespace {

constexpr std::int64_t kGroup = QFUSE_SWIGLU_GROUP_SIZE;

struct SwigluArrays {
  Input x;
  Input grad_y;
  Input weights;
  Input ends;
  std::vector<std::int64_t> ends_on_host;
};

// Outputs among p's fields, with names, in the order of an image.
struct SwigluOutput {
  const char* name;
  void** field;
};
std::vector<SwigluOutput> outputs_of(qfuse_swiglu_params& p, const Case& c) {
  std::vector<SwigluOutput> all = {{"y_t.q", &p.y_t.q}, {"y_t.s", &p.y_t.s}};
  if (c.is("direction", "forward")) {
    all.insert(all.end(), {{"y.q", &p.y.q}, {"y.s", &p.y.s}});
    return all;
  }
  all.insert(all.end(), {{"grad_input.q", &p.grad_input.q}, {"grad_input.s", &p.grad_input.s}});
  if (c.number("transposed") != 0)
    all.insert(all.end(), {{"grad_input_t.q", &p.grad_input_t.q}, {"grad_input_t.s", &p.grad_input_t.s}});
  return all;
}
bool has_grad_weights(const Case& c) { return c.number("weights") != 0 && c.is("direction", "backward"); }

// Ends that split m tokens among the experts, some of which may have none. The last end is m, because the checker
// writes all rows.
std::vector<std::int64_t> make_ends(const Case& c) {
  std::vector<std::int64_t> ends;
  auto state = static_cast<std::uint64_t>(c.number("seed")) + 1;
  for (std::int64_t expert = 0; expert < c.number("experts"); ++expert) {
    state = state * 6364136223846793005ULL + 1442695040888963407ULL;
    ends.push_back(static_cast<std::int64_t>((state >> 33) % static_cast<std::uint64_t>(c.number("m") + 1)));
  }
  std::ranges::sort(ends);
  if (!ends.empty()) ends.back() = c.number("m");
  return ends;
}

SwigluArrays make_arrays(const Case& c, Context& context, contract::Swiglu& p) {
  SwigluArrays arrays;
  const std::int64_t at = c.number("at");
  const std::int64_t gap = c.number("gap");
  const auto values = [&](std::int64_t columns, std::uint32_t array) {
    const std::int64_t count = p.m == 0 ? 0 : (p.m - 1) * (columns + gap) + columns;
    return context.input(count, {Values::normal, QFUSE_BFLOAT16, 1.0F, seed_of(c, array)}, at);
  };
  arrays.x = values(2 * p.h, 0);
  p.x = arrays.x.given;
  if (gap != 0) p.x_stride = 2 * p.h + gap;
  if (c.is("direction", "backward")) {
    arrays.grad_y = values(p.h, 1);
    p.grad_y = arrays.grad_y.given;
    if (gap != 0) p.grad_y_stride = p.h + gap;
  }
  if (c.number("weights") != 0) {
    arrays.weights = context.input(p.m, {Values::uniform, QFUSE_FLOAT32, 1.0F, seed_of(c, 2)}, at);
    p.weights = arrays.weights.as<float>();
  }
  arrays.ends_on_host = make_ends(c);
  if (!arrays.ends_on_host.empty()) {
    const std::int64_t size = static_cast<std::int64_t>(arrays.ends_on_host.size()) * 8;
    arrays.ends = context.upload(arrays.ends_on_host.data(), size, 0);  // at = 0: the op requires aligned ends
    p.experts.ends = arrays.ends.given;
    p.experts.count = c.number("experts");
    p.experts.ends_type = QFUSE_INDEX_INT64;
    p.experts.layout = c.is("layout", "apart") ? QFUSE_EXPERTS_APART : QFUSE_EXPERTS_SIDE_BY_SIDE;
  }
  return arrays;
}

contract::Swiglu make_params(const Case& c) {
  contract::Swiglu p{};
  p.struct_size = sizeof(qfuse_swiglu_params);
  p.m = c.number("m");
  p.h = c.number("h");
  qfuse_error error{};
  require(qfuse_swiglu_format(c.word("format").c_str(), &p.format, &error), error);
  if (c.number("limit") != 0) {
    p.limit = 7.0F;
    p.alpha = 1.702F;
    p.up_offset = 1.0F;
  }
  return p;
}

// Gives every output of p a place in an image, with the size that the contract defines.
std::vector<std::int64_t> place_outputs(const Case& c, contract::Swiglu& p, Prepared& made) {
  std::vector<SwigluOutput> outputs = outputs_of(p, c);
  float any = 0.0F;  // a non-null pointer requests the output
  for (const SwigluOutput& output : outputs) *output.field = &any;
  if (has_grad_weights(c)) p.grad_weights = &any;
  std::map<std::string, std::int64_t> sizes;
  const auto note = [&](const char* name, const auto& /*array*/, std::int64_t size, auto... /*marks it*/) {
    sizes[name] = size;
  };
  contract::visit_arrays(p, note);
  made.workspace_size = contract::workspace_size(p);
  std::vector<std::int64_t> offsets;
  for (const SwigluOutput& output : outputs)
    offsets.push_back(made.add(output.name, sizes.at(output.name), c.number("at")));
  if (has_grad_weights(c)) offsets.push_back(made.add("grad_weights", p.m * 4, c.number("at")));
  return offsets;
}

// Points p's outputs into an image.
void point(contract::Swiglu& p, const Case& c, const std::vector<std::int64_t>& offsets, std::uint8_t* image) {
  const std::vector<SwigluOutput> outputs = outputs_of(p, c);
  for (std::size_t i = 0; i < outputs.size(); ++i) *outputs[i].field = image + offsets[i];
  if (has_grad_weights(c)) p.grad_weights = reinterpret_cast<float*>(image + offsets.back());
}

// Whether the slow checker supports the case: its formats have groups of 128 with fp32 scales.
bool is_checkable(const Case& c) {
  constexpr std::array kFormats = {"int8", "deepseek", "torchao"};
  const auto is_format = [&](const char* format) { return c.is("format", format); };
  return std::ranges::any_of(kFormats, is_format) && c.number("m") % kGroup == 0 && c.number("limit") == 0 &&
         c.number("gap") == 0;
}

// Runs the checker on aligned arrays, then copies its outputs to their places in an image.
void expect_from_checker(contract::Swiglu p, const Case& c, const SwigluArrays& arrays, const Prepared& made,
                         Context& context, std::uint8_t* image) {
  p.x = arrays.x.aligned;
  if (p.grad_y != nullptr) p.grad_y = arrays.grad_y.aligned;
  if (p.weights != nullptr) p.weights = reinterpret_cast<const float*>(arrays.weights.aligned);
  std::vector<std::uint8_t*> checked;
  for (const Output& output : made.outputs) {
    checked.push_back(context.scratch(output.size));
    require(cudaMemsetAsync(checked.back(), kPoison, static_cast<std::size_t>(output.size), context.stream()),
            "poison");
  }
  const std::vector<SwigluOutput> outputs = outputs_of(p, c);
  for (std::size_t i = 0; i < outputs.size(); ++i) *outputs[i].field = checked[i];
  if (has_grad_weights(c)) p.grad_weights = reinterpret_cast<float*>(checked.back());
  bench::check_swiglu(p, arrays.ends_on_host, context.stream());
  for (std::size_t i = 0; i < checked.size(); ++i)
    put(image + made.outputs[i].offset, checked[i], made.outputs[i].size);
}

}  // namespace

Prepared prepare_swiglu(const Case& c, Context& context) {
  Prepared made;
  contract::Swiglu p = make_params(c);
  const SwigluArrays arrays = make_arrays(c, context, p);
  const std::vector<std::int64_t> offsets = place_outputs(c, p, made);
  made.call = [p, c, offsets, size = made.workspace_size, device = context.card().index](
                  std::uint8_t* image, void* workspace, void* stream, qfuse_error* error) {
    contract::Swiglu mine = p;
    point(mine, c, offsets, image);
    mine.workspace = workspace;
    mine.workspace_size = size;
    const qfuse_exec exec = exec_on(device, stream);
    return qfuse_swiglu(&mine, &exec, error);
  };
  if (is_checkable(c))
    made.expect = [p, c, arrays, made, &context](std::uint8_t* image) {
      expect_from_checker(p, c, arrays, made, context, image);
    };
  return made;
}

}  // namespace qfuse::soak
