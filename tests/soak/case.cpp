#include "case.h"

#include <algorithm>
#include <array>
#include <charconv>
#include <utility>

namespace qfuse::soak {
namespace {

constexpr const char* kAnyDtype = "bf16 fp16 fp32";
constexpr const char* kAnyScales = "fp32 ue8m0 fp16 bf16 e4m3";
constexpr const char* kAnyDirection = "forward backward";
constexpr CaseField kRows = {"rows", "4096", ""};
constexpr CaseField kCols = {"cols", "4096", ""};
constexpr CaseField kType = {"type", "nf4", "nf4 fp4"};
// With scales of rows `nested` is 0; mxfp4 has blocks of 32, nvfp4 of 16.
constexpr CaseField kProductType = {"type", "nf4", "nf4 fp4 int4 mxfp4 nvfp4"};
constexpr CaseField kBlocksize = {"blocksize", "64", ""};
constexpr CaseField kNested = {"nested", "256", ""};  // absmax values in a nested block; 0: plain
constexpr CaseField kDtype = {"dtype", "bf16", kAnyDtype};
constexpr CaseField kDirection = {"direction", "forward", kAnyDirection};
constexpr CaseField kLora = {"lora", "0", ""};  // rank
constexpr CaseField kBias = {"bias", "0", ""};
constexpr CaseField kGap = {"gap", "0", ""};                // elements between rows of inputs and outputs
constexpr CaseField kSpecial = {"special", "0", ""};        // 1: inputs include infinities, NaN and subnormals
constexpr CaseField kApprox = {"approx", "0", ""};          // 1: the approximate reciprocal
constexpr CaseField kImportance = {"importance", "0", ""};  // 1: of each column; `nested` is 0 then
constexpr CaseField kAt = {"at", "0", ""};                  // offset of arrays from an aligned address, in bytes
constexpr CaseField kSeed = {"seed", "1", ""};              // of the inputs

// The fields of products, appended to `fields`, such as the number of experts.
std::vector<CaseField> product_fields(std::vector<CaseField> fields = {}) {
  fields.insert(fields.end(), {kRows,
                               kCols,
                               {"m", "64", ""},
                               kDirection,
                               {"order", "plain", "plain split factored"},
                               {"sums", "tensor_core", "tensor_core fp32"},
                               kLora,
                               kBias,
                               kGap,
                               kProductType,
                               kBlocksize,
                               kNested,
                               kDtype,
                               kAt,
                               kSeed});
  return fields;
}

const std::array kOps = {
    OpFields{"dequantize_4bit", {kRows, kCols, kType, kBlocksize, kNested, kDtype, kAt, kSeed}},
    OpFields{"quantize_4bit",
             {kRows, kCols, kType, kBlocksize, kNested, kDtype, kSpecial, kApprox, kImportance, kAt, kSeed}},
    OpFields{"dequantize_blockwise", {{"n", "65536", ""}, kBlocksize, kDtype, kAt, kSeed}},
    OpFields{"quantize_blockwise", {{"n", "65536", ""}, kBlocksize, kDtype, kSpecial, kApprox, kAt, kSeed}},
    OpFields{"dequantize_int8", {kRows, kCols, kDtype, kAt, kSeed}},
    OpFields{"matmul_4bit", product_fields()},
    OpFields{"matmul_4bit_grouped", product_fields({{"experts", "8", ""}})},  // the weight stacks the experts' rows
    OpFields{"swiglu",
             {{"m", "1024", ""},
              {"h", "2560", ""},
              {"format", "int8", "int8 deepseek transformer_engine torchao mx"},
              {"direction", "backward", kAnyDirection},
              {"transposed", "0", ""},  // 1: the transposed gradient too
              {"weights", "0", ""},     // 1: router weights
              {"experts", "0", ""},
              {"layout", "apart", "apart side_by_side"},
              {"limit", "0", ""},  // 1: gpt-oss's activation
              kGap,
              kAt,
              kSeed}},
    OpFields{"lora_merge",
             {kRows,
              kCols,
              {"rank", "16", ""},
              {"codes", "none", "none nf4 mxfp4"},  // if not none, cols are whole blocks, and in is dtype
              {"keeps", "0", ""},                   // 1: absmax or scales of the source
              {"in", "bf16", kAnyDtype},
              kDtype,
              kAt,
              kSeed}},
    OpFields{"rotated_int8_quantize", {kRows, kCols, kGap, kDtype, kSpecial, kAt, kSeed}},
    OpFields{"rotated_int8_weight_scales", {kRows, kCols, kDirection, kType, kBlocksize, kNested, kAt, kSeed}},
    OpFields{"rotated_int8_weight", {kRows, kCols, kDirection, kType, kBlocksize, kNested, kSpecial, kAt, kSeed}},
    OpFields{"rotated_int8_swiglu", {{"m", "1024", ""}, {"h", "14336", ""}, kDirection, kGap, kSpecial, kAt, kSeed}},
    OpFields{"rotated_int8_matmul",
             {{"m", "1024", ""},
              {"n", "4096", ""},
              {"k", "4096", ""},
              kDirection,
              kLora,
              kBias,
              {"addend", "0", ""},
              kGap,
              kDtype,
              kSpecial,
              kAt,
              kSeed}},
    OpFields{"dequantize_4bit_rows",
             {kRows,
              kCols,
              {"codes", "e2m1", "e2m1 int4"},
              {"scales", "ue8m0", kAnyScales},
              kBlocksize,
              {"global", "none", "none factor divisor"},
              {"zeros", "0", ""},
              kDtype,
              kAt,
              kSeed}},
    OpFields{"dequantize_fp8",
             {kRows,
              kCols,
              {"block_rows", "128", ""},
              {"block_cols", "128", ""},
              {"scales", "fp32", "fp32 ue8m0 fp16 bf16"},
              kDtype,
              kAt,
              kSeed}},
};

template <class Items, class Name>
std::string joined(const Items& items, const Name& name) {
  std::string text;
  for (const auto& item : items) text.append(text.empty() ? "" : ", ").append(name(item));
  return text;
}

const OpFields& fields_of(const std::string& op) {
  const auto* const found = std::ranges::find(kOps, op, &OpFields::op);
  if (found == kOps.end())
    throw UsageError("there is no op '" + op + "': it can be " + joined(kOps, [](const OpFields& o) { return o.op; }));
  return *found;
}

const CaseField& field_of(const std::string& op, const std::string& name) {
  const std::vector<CaseField>& fields = fields_of(op).fields;
  const auto found = std::ranges::find_if(fields, [&](const CaseField& f) { return f.name == name; });
  if (found == fields.end())
    throw UsageError("a case of " + op + " has no '" + name + "': it has " +
                     joined(fields, [](const CaseField& f) { return f.name; }));
  return *found;
}

bool is_number(std::string_view text) {
  std::int64_t number = -1;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), number);
  return error == std::errc() && end == text.data() + text.size() && number >= 0;
}

bool is_one_of(std::string_view words, std::string_view word) {
  return !word.empty() && (" " + std::string(words) + " ").find(" " + std::string(word) + " ") != std::string::npos;
}

}  // namespace

std::span<const OpFields> all_ops() { return kOps; }

std::string Case::word(const std::string& field) const {
  const CaseField& known = field_of(op_, field);
  const auto found = values_.find(field);
  return found != values_.end() ? found->second : known.usual;
}

std::int64_t Case::number(const std::string& field) const { return std::stoll(word(field)); }

qfuse_dtype Case::dtype(const std::string& field) const {
  const std::string name = word(field);
  return name == "fp32" ? QFUSE_FLOAT32 : name == "fp16" ? QFUSE_FLOAT16 : QFUSE_BFLOAT16;
}

std::string print(const Case& c) {
  std::string fields;
  for (const CaseField& field : fields_of(c.op()).fields)
    if (const std::string word = c.word(field.name); word != field.usual)
      fields.append(fields.empty() ? ":" : ",").append(field.name).append("=").append(word);
  return c.op() + fields;
}

Case parse(const std::string& text) {
  const std::size_t colon = text.find(':');
  Case c(text.substr(0, colon));
  fields_of(c.op());
  std::string rest = colon == std::string::npos ? "" : text.substr(colon + 1);
  while (!rest.empty()) {
    const std::string part = rest.substr(0, rest.find(','));
    rest.erase(0, part.size() + 1);
    const std::size_t equals = part.find('=');
    if (equals == std::string::npos) throw UsageError("'" + part + "' of the case should be NAME=VALUE");
    const CaseField& field = field_of(c.op(), part.substr(0, equals));
    const std::string value = part.substr(equals + 1);
    const bool is_word = *field.words != '\0';
    if (is_word ? !is_one_of(field.words, value) : !is_number(value))
      throw UsageError(std::string(field.name) + " is '" + value + "': it can be " +
                       (is_word ? "one of " + std::string(field.words) : "a number from 0 on"));
    c.set(field.name, value);
  }
  return c;
}

}  // namespace qfuse::soak
