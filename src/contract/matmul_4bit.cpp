#include "contract/matmul_4bit.h"

#include <fmt/format.h>

#include <array>
#include <cstddef>
#include <cstdint>

#include "format/factored.h"

namespace qfuse::contract {
namespace {

// Which devices support a sum; REFERENCE supports all.
enum class Owner { all, cuda, cpus };

struct SumKind {
  const char* name;
  bool float32;
  bool float16;  // bfloat16 supports all
  Owner owner;
};
constexpr std::array<SumKind, 7> kSums = {{{"QFUSE_SUM_OF_DEVICE", true, true, Owner::all},
                                           {"QFUSE_SUM_FP32", true, true, Owner::all},
                                           {"QFUSE_SUM_PLAIN", false, true, Owner::cuda},
                                           {"QFUSE_SUM_SPLIT", false, true, Owner::cuda},
                                           {"QFUSE_SUM_FACTORED", false, true, Owner::cuda},
                                           {"QFUSE_SUM_BF16_DOT", false, false, Owner::cpus},
                                           {"QFUSE_SUM_BF16_AMX", false, false, Owner::cpus}}};  // indexed by qfuse_sum

const SumKind& kind_of(qfuse_sum sum) { return kSums.at(static_cast<std::size_t>(sum)); }

Outcome check_sum(const Matmul4bit& p) {
  const auto number = static_cast<std::size_t>(static_cast<std::uint32_t>(p.sum));
  if (number >= kSums.size()) {
    std::string all;
    for (std::size_t i = 0; i < kSums.size(); ++i)
      all += fmt::format("{}{} ({})", i == 0 ? "" : i + 1 < kSums.size() ? ", " : " or ", kSums[i].name, i);
    return invalid_argument(fmt::format("sum is {}, it must be {}", static_cast<int>(p.sum), all));
  }
  const SumKind& kind = kSums[number];
  if (p.dtype == QFUSE_FLOAT32 ? !kind.float32 : p.dtype == QFUSE_FLOAT16 && !kind.float16)
    return invalid_argument(fmt::format("sum is {}, which {} does not have", kind.name,
                                        p.dtype == QFUSE_FLOAT32 ? "QFUSE_FLOAT32" : "QFUSE_FLOAT16"));
  return {};
}

// Fails for arguments that QFUSE_SUM_FACTORED does not support.
Outcome check_factored(const Matmul4bit& p) {
  const auto refused = [](const auto& why) {
    return invalid_argument(fmt::format("sum is QFUSE_SUM_FACTORED, which {}", why));
  };
  if (!is_forward(p)) return refused("QFUSE_FORWARD alone has");
  if (p.lora_rank != 0) return refused("has no LoRA");
  if (has_scales_of_rows(p.weight))
    return refused(fmt::format("needs a weight with absmax, not {} ({}): QFUSE_SUM_SPLIT takes it",
                               format::format4(p.weight.quant_type).name, static_cast<int>(p.weight.quant_type)));
  if (p.weight.cols % format::kFactoredBlock != 0)
    return refused(fmt::format("needs cols that are a multiple of {}, not {}", format::kFactoredBlock, p.weight.cols));
  if (p.weight.blocksize < format::kFactoredBlock)
    return refused(fmt::format("needs blocks of {} or more, not {}", format::kFactoredBlock, p.weight.blocksize));
  return {};
}

}  // namespace

Outcome check_ranges(const Matmul4bit& p) {
  if (Outcome o = check_ranges_of_product(p.weight); !o.ok()) return o;
  if (Outcome o = check_direction(p.direction); !o.ok()) return o;
  if (Outcome o = check_dtype("dtype", p.dtype); !o.ok()) return o;
  if (Outcome o = check_count("m", p.m); !o.ok()) return o;
  const char* const terms = is_forward(p) ? "cols" : "rows";
  const char* const outputs = is_forward(p) ? "rows" : "cols";
  if (Outcome o = check_rows("in_stride", p.in_stride, p.m, terms, term_count(p)); !o.ok()) return o;
  if (Outcome o = check_rows("out_stride", p.out_stride, p.m, outputs, output_count(p)); !o.ok()) return o;
  if (Outcome o = check_matrix("m", p.m, "lora_rank", p.lora_rank); !o.ok()) return o;
  if (Outcome o = check_matrix(outputs, output_count(p), "lora_rank", p.lora_rank); !o.ok()) return o;
  if (Outcome o = check_sum(p); !o.ok()) return o;
  return p.sum == QFUSE_SUM_FACTORED ? check_factored(p) : Outcome{};
}

Outcome check_device(const Matmul4bit& p, const qfuse_device& device) {
  const Owner owner = kind_of(p.sum).owner;
  const qfuse_device_type type = owner == Owner::cuda ? QFUSE_CUDA : QFUSE_CPU;
  if (owner == Owner::all || device.type == QFUSE_REFERENCE || device.type == type) return {};
  return unsupported(
      fmt::format("sum is {}, which {}", sum_name(p.sum), owner == Owner::cuda ? "CUDA alone has" : "CPUs alone have"));
}

const char* sum_name(qfuse_sum sum) { return kind_of(sum).name; }

Outcome no_instructions(const Matmul4bit& p, const std::string& who) {
  return unsupported(fmt::format("sum is {}, for which {} has no instructions", sum_name(p.sum), who));
}

}  // namespace qfuse::contract
