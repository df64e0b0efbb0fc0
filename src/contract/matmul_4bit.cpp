#include "contract/matmul_4bit.h"

#include <fmt/format.h>

#include "format/factored.h"

namespace qfuse::contract {
namespace {

// Of those that CPUs have, for bf16.
bool is_of_cpus(const Matmul4bit& p) {
  return p.accumulation == QFUSE_ACCUMULATION_BF16_DOT || p.accumulation == QFUSE_ACCUMULATION_BF16_AMX;
}
const char* accumulation_name(const Matmul4bit& p) {
  return p.accumulation == QFUSE_ACCUMULATION_BF16_DOT ? "QFUSE_ACCUMULATION_BF16_DOT" : "QFUSE_ACCUMULATION_BF16_AMX";
}

// What the order has.
Outcome check_factored(const Matmul4bit& p) {
  const auto refused = [](const auto& why) {
    return invalid_argument(fmt::format("order is QFUSE_ORDER_FACTORED, which {}", why));
  };
  if (!is_forward(p)) return refused("QFUSE_FORWARD alone has");
  if (p.lora_rank != 0) return refused("has no LoRA");
  if (p.dtype == QFUSE_FLOAT32) return refused("QFUSE_FLOAT32 does not have");
  if (p.accumulation != QFUSE_ACCUMULATION_OF_DEVICE && p.accumulation != QFUSE_ACCUMULATION_TENSOR_CORE)
    return refused("QFUSE_ACCUMULATION_TENSOR_CORE alone has");
  if (p.weight.cols % format::kFactoredBlock != 0)
    return refused(fmt::format("needs cols that are a multiple of {}, not {}", format::kFactoredBlock, p.weight.cols));
  if (p.weight.blocksize < format::kFactoredBlock)
    return refused(fmt::format("needs blocks of {} or more, not {}", format::kFactoredBlock, p.weight.blocksize));
  return {};
}

}  // namespace

Outcome check_ranges(const Matmul4bit& p) {
  if (Outcome o = check_ranges(p.weight); !o.ok()) return o;
  if (p.direction != QFUSE_FORWARD && p.direction != QFUSE_BACKWARD)
    return invalid_argument(fmt::format("direction is {}, it must be QFUSE_FORWARD ({}) or QFUSE_BACKWARD ({})",
                                        static_cast<int>(p.direction), static_cast<int>(QFUSE_FORWARD),
                                        static_cast<int>(QFUSE_BACKWARD)));
  if (Outcome o = check_dtype("dtype", p.dtype); !o.ok()) return o;
  if (Outcome o = check_count("m", p.m); !o.ok()) return o;
  const char* const terms = is_forward(p) ? "cols" : "rows";
  const char* const outputs = is_forward(p) ? "rows" : "cols";
  if (Outcome o = check_rows("in_stride", p.in_stride, p.m, terms, term_count(p)); !o.ok()) return o;
  if (Outcome o = check_rows("out_stride", p.out_stride, p.m, outputs, output_count(p)); !o.ok()) return o;
  if (Outcome o = check_matrix("m", p.m, "lora_rank", p.lora_rank); !o.ok()) return o;
  if (Outcome o = check_matrix(outputs, output_count(p), "lora_rank", p.lora_rank); !o.ok()) return o;
  if (p.accumulation != QFUSE_ACCUMULATION_OF_DEVICE && p.accumulation != QFUSE_ACCUMULATION_FP32 &&
      p.accumulation != QFUSE_ACCUMULATION_TENSOR_CORE && !is_of_cpus(p))
    return invalid_argument(fmt::format(
        "accumulation is {}, it must be QFUSE_ACCUMULATION_OF_DEVICE ({}), QFUSE_ACCUMULATION_FP32 ({}), "
        "QFUSE_ACCUMULATION_TENSOR_CORE ({}), QFUSE_ACCUMULATION_BF16_DOT ({}) or QFUSE_ACCUMULATION_BF16_AMX ({})",
        static_cast<int>(p.accumulation), static_cast<int>(QFUSE_ACCUMULATION_OF_DEVICE),
        static_cast<int>(QFUSE_ACCUMULATION_FP32), static_cast<int>(QFUSE_ACCUMULATION_TENSOR_CORE),
        static_cast<int>(QFUSE_ACCUMULATION_BF16_DOT), static_cast<int>(QFUSE_ACCUMULATION_BF16_AMX)));
  if (p.accumulation == QFUSE_ACCUMULATION_TENSOR_CORE && p.dtype == QFUSE_FLOAT32)
    return invalid_argument("accumulation is QFUSE_ACCUMULATION_TENSOR_CORE, which QFUSE_FLOAT32 does not have");
  if (is_of_cpus(p) && p.dtype != QFUSE_BFLOAT16)
    return invalid_argument(fmt::format("accumulation is {}, which QFUSE_BFLOAT16 alone has", accumulation_name(p)));
  if (p.order == QFUSE_ORDER_FACTORED) return check_factored(p);
  if (p.order != QFUSE_ORDER_PLAIN && p.order != QFUSE_ORDER_SPLIT)
    return invalid_argument(fmt::format(
        "order is {}, it must be QFUSE_ORDER_PLAIN ({}), QFUSE_ORDER_SPLIT ({}) or QFUSE_ORDER_FACTORED ({})",
        static_cast<int>(p.order), static_cast<int>(QFUSE_ORDER_PLAIN), static_cast<int>(QFUSE_ORDER_SPLIT),
        static_cast<int>(QFUSE_ORDER_FACTORED)));
  return {};
}

Outcome check_device(const Matmul4bit& p, const qfuse_device& device) {
  if (p.accumulation == QFUSE_ACCUMULATION_TENSOR_CORE && device.type == QFUSE_CPU)
    return unsupported("accumulation is QFUSE_ACCUMULATION_TENSOR_CORE, which the CPU does not have");
  if (p.order == QFUSE_ORDER_FACTORED && device.type != QFUSE_CUDA && device.type != QFUSE_REFERENCE)
    return unsupported("order is QFUSE_ORDER_FACTORED, which CUDA alone has");
  if (is_of_cpus(p) && device.type != QFUSE_CPU && device.type != QFUSE_REFERENCE)
    return unsupported(fmt::format("accumulation is {}, which CPUs alone have", accumulation_name(p)));
  return {};
}

}  // namespace qfuse::contract
