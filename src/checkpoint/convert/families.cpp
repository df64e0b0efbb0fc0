#include "checkpoint/convert/families.h"

#include <fnmatch.h>

#include <algorithm>
#include <array>
#include <utility>

namespace qfuse::checkpoint {
namespace {

// Something that holds for tensors, or modules, of one family.
struct Rule {
  std::string_view model_type;
  const char* name;  // of tensors: a shell pattern of the whole name
};

// The layers of class Conv1D.
constexpr std::array kTurned{
    Rule{"clvp", "*.c_fc.weight"},
    Rule{"clvp", "*.c_proj.weight"},
    Rule{"decision_transformer", "*.c_attn.weight"},
    Rule{"decision_transformer", "*.c_fc.weight"},
    Rule{"decision_transformer", "*.c_proj.weight"},
    Rule{"gpt2", "*.c_attn.weight"},
    Rule{"gpt2", "*.c_fc.weight"},
    Rule{"gpt2", "*.c_proj.weight"},
    Rule{"gpt2", "*.q_attn.weight"},
    Rule{"imagegpt", "*.c_attn.weight"},
    Rule{"imagegpt", "*.c_fc.weight"},
    Rule{"imagegpt", "*.c_proj.weight"},
    Rule{"openai-gpt", "*.c_attn.weight"},
    Rule{"openai-gpt", "*.c_fc.weight"},
    Rule{"openai-gpt", "*.c_proj.weight"},
};

constexpr std::array kPlain{
    // layers of a class of their own
    Rule{"bridgetower", "*.visual.transformer.resblocks.*.attn.out_proj.weight"},
    Rule{"ctrl", "transformer.w.weight"},
    Rule{"deepseek_v4", "*.attn.wo_a.weight"},
    Rule{"falcon", "*.mlp.dense_*.weight"},
    Rule{"falcon", "*.self_attention.*.weight"},
    Rule{"ibert", "*.encoder.layer.*.weight"},
    Rule{"mask2former", "*.queries_features.weight"},
    Rule{"mask2former", "*attn.out_proj.weight"},
    Rule{"oneformer", "*attn.out_proj.weight"},
    Rule{"phi4_multimodal", "*.bias_values.weight"},
    Rule{"phi4_multimodal", "*.head.attention.out_proj.weight"},
    Rule{"rf_detr", "query_feat.weight"},
    Rule{"sam3_detr_decoder", "*reference_points.weight"},
    Rule{"sam3_lite_text", "*reference_points.weight"},
    Rule{"siglip2_vision_model", "*head.attention.out_proj.weight"},
    Rule{"siglip_vision_model", "*head.attention.out_proj.weight"},
    Rule{"speecht5", "*.pe_k.weight"},
    // layers that transformers leaves plain because they are a model's last ones
    Rule{"qwen3_asr_encoder", "conv_out.weight"},
    Rule{"sam3_lite_text_text_model", "projection.weight"},
    Rule{"ultravbert", "head.decoder.weight"},
    // layers that are kept in fp32
    Rule{"axk2", "*.indexer.weights_proj.weight"},
    Rule{"blip-2", "qformer.*.weight"},
    Rule{"deepseek_v32", "*.indexer.weights_proj.weight"},
    Rule{"deepseek_v4", "*.attn.compressor.*.weight"},
    Rule{"glm_moe_dsa", "*.indexer.weights_proj.weight"},
    Rule{"mistral_large4", "*.indexer.weights_proj.weight"},
    Rule{"mistral_large4_text", "*.indexer.weights_proj.weight"},
    Rule{"mt5", "*.wo.weight"},
    Rule{"t5", "*.wo.weight"},
    Rule{"udop", "*.wo.weight"},
    Rule{"umt5", "*.wo.weight"},
    // matrices that are divided, joined or permuted on loading
    Rule{"gte", "*.qkv_proj.weight"},
    Rule{"gte", "*.up_gate_proj.weight"},
    Rule{"hrm_text", "*.gate_up_proj.weight"},
    Rule{"hrm_text", "*.gqkv_proj.weight"},
    Rule{"jina_embeddings_v3", "*.Wqkv.weight"},
    Rule{"minimax_m3_vl", "*.shared_experts.gate_proj.weight"},
    Rule{"minimax_m3_vl", "*.shared_experts.up_proj.weight"},
    Rule{"mistral_large4", "vision_encoder.*.weight"},
    Rule{"molmo2_text", "*.att_proj.weight"},
    Rule{"molmo2_text", "*.ff_proj.weight"},
    Rule{"nomic_bert", "*.Wqkv.weight"},
    Rule{"qianfan_ocr", "*.attn.qkv.weight"},
    Rule{"qwen4_exp", "*.block_inject_weight.weight"},
    Rule{"qwen4_exp_text", "*.block_inject_weight.weight"},
    Rule{"radio", "*.attn.qkv.weight"},
    Rule{"sapiens2", "*.ffn.w12.weight"},
    Rule{"tipsv2", "*.attn.qkv.weight"},
    Rule{"tipsv2_vision_model", "*.attn.qkv.weight"},
    Rule{"unlimited_ocr", "*.self_attn.qkv_proj.weight"},
};

// As transformers reads llm_int8_skip_modules: the beginning or the end of a module's name, or a regular expression.
constexpr std::array kFurtherPlain{
    // output heads tied to an embedding
    Rule{"bark", "fine_acoustics.lm_heads"},
    Rule{"distilbert", "vocab_projector"},
    Rule{"modernbert", "decoder"},
    Rule{"modernbert-decoder", "decoder"},
    Rule{"neomme", "unembedding_projection"},
    Rule{"roc_bert", "cls.predictions.decoder"},
    // layers that have another name in the file
    Rule{"gte", R"(.*\.(q|k|v|gate|up)_proj)"},
    Rule{"hrm_text", R"(.*\.(q|k|v|gate|up)_proj)"},
    Rule{"jina_embeddings_v3", R"(.*\.(q|k|v)_proj)"},
    Rule{"kimi_k25", "model.vision_tower"},
    Rule{"lfm3_vl", "model.vision_tower"},
    Rule{"minimax_m3_vl", "model.vision_tower"},
    Rule{"minimax_m3_vl", R"(.*\.shared_experts\.gate_up_proj)"},
    Rule{"mistral_large4", "model.vision_tower"},
    Rule{"molmo2_text", R"(.*\.(q|k|v|gate|up)_proj)"},
    Rule{"nomic_bert", R"(.*\.(q|k|v)_proj)"},
    Rule{"pi0", "model.vlm.multi_modal_projector"},
    Rule{"pi0", "model.vlm.vision_tower"},
    Rule{"qianfan_ocr", R"(model\.vision_tower\..*\.(q|k|v)_proj)"},
    Rule{"radio", "embeddings.patch_projection"},
    Rule{"radio", R"(.*\.(q|k|v)_proj)"},
    Rule{"rf_detr", "enc_out_class_embed"},
    Rule{"rf_detr", R"(.*\.self_attn\.(q|k|v)_proj)"},
    Rule{"sapiens2", R"(.*\.(gate|up)_proj)"},
    Rule{"step3p7", R"(model\.vision_model\..*\.(q|k|v)_proj)"},
    Rule{"tipsv2", R"(.*\.(q|k|v)_proj)"},
    Rule{"tipsv2_text_model", R"(.*\.(q|k|v)_proj)"},
    Rule{"tipsv2_vision_model", R"(.*\.(q|k|v)_proj)"},
    Rule{"unlimited_ocr", R"(model\.vision_tower\.vision_encoder\..*\.(q|k|v)_proj)"},
};

// Families whose experts are one tensor in their files, while transformers expects them one by one where a model is
// quantized.
constexpr std::array<std::string_view, 2> kNotQuantizable{"llama4", "llama4_text"};

// Calls `visit` with the names of the rules for these families.
template <class Rules, class Visit>
void for_each_rule(const Rules& rules, const std::vector<std::string>& model_types, Visit visit) {
  for (const Rule& rule : rules)
    if (std::find(model_types.begin(), model_types.end(), rule.model_type) != model_types.end()) visit(rule.name);
}

template <class Rules>
bool matches(const Rules& rules, const std::vector<std::string>& model_types, const std::string& tensor) {
  bool found = false;
  for_each_rule(rules, model_types,
                [&](const char* name) { found = found || ::fnmatch(name, tensor.c_str(), 0) == 0; });
  return found;
}

}  // namespace

Families::Families(std::vector<std::string> model_types) : model_types_(std::move(model_types)) {}

bool Families::is_turned(const std::string& tensor) const { return matches(kTurned, model_types_, tensor); }

bool Families::stays_plain(const std::string& tensor) const { return matches(kPlain, model_types_, tensor); }

std::vector<std::string> Families::further_plain_modules() const {
  std::vector<std::string> modules;
  for_each_rule(kFurtherPlain, model_types_, [&](const char* name) { modules.emplace_back(name); });
  return modules;
}

bool Families::is_quantizable() const {
  return std::none_of(model_types_.begin(), model_types_.end(), [](const std::string& type) {
    return std::find(kNotQuantizable.begin(), kNotQuantizable.end(), type) != kNotQuantizable.end();
  });
}

bool Families::is_checked() const {
  const auto checked = checked_families();
  return model_types_.empty() || std::binary_search(checked.begin(), checked.end(), model_types_.front());
}

}  // namespace qfuse::checkpoint
