#include "checkpoint/names/families.h"

#include <fnmatch.h>

#include <algorithm>
#include <array>
#include <set>

namespace qfuse::checkpoint {
namespace {

// A rule for tensors or modules of one family.
struct Rule {
  std::string_view model_type;
  const char* name;  // for tensors, a shell pattern that matches the whole name
};

// Layers of class Conv1D.
constexpr std::array kTransposed{
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
    // layers whose class is not exactly torch.nn.Linear
    Rule{"ConsistencyDecoderVAE", "decoder_unet.time_proj.weight"},
    Rule{"MiniMaxMusic3Transformer1DModel", "time_proj.weight"},
    Rule{"RFD4ProteinaTransformer", "init_repr_factory.feature_modules.*.weight"},
    Rule{"RFD4ProteinaTransformer", "pair_repr_factory.feature_modules.*.weight"},
    Rule{"T5FilmDecoder", "position_encoding.weight"},
    Rule{"WanAnimateTransformer3DModel", "motion_encoder.motion_network.*.weight"},
    Rule{"bridgetower", "*.visual.transformer.resblocks.*.attn.out_proj.weight"},
    Rule{"ctrl", "transformer.w.weight"},
    Rule{"deepseek_v4", "*.attn.wo_a.weight"},
    Rule{"falcon", "*.mlp.dense_*.weight"},
    Rule{"falcon", "*.self_attention.*.weight"},
    Rule{"ibert", "*encoder.layer.*.weight"},
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
    Rule{"AutoencoderKLMiniMaxH3Audio", "pre_block.*.weight"},
    Rule{"Kandinsky5Transformer3DModel", "*modulation.*.weight"},
    Rule{"Kandinsky6SRTransformer3DModel", "*modulation.*.weight"},
    Rule{"Kandinsky6Transformer3DModel", "*_time_embeddings.*.weight"},
    Rule{"Kandinsky6Transformer3DModel", "*modulation.*.weight"},
    Rule{"MiniMaxH3Transformer3DModel", "*proj_in.weight"},
    Rule{"MiniMaxH3Transformer3DModel", "*proj_out.weight"},
    Rule{"RFD4ProteinaTransformer", "cond_factory.*.weight"},
    Rule{"WanAnimate2Transformer3DModel", "time_projection.*.weight"},
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
};

// Matrices that are divided, joined or permuted on loading.
constexpr std::array kDivided{
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
    Rule{"rf_detr", "*.in_proj_weight"},
    Rule{"sapiens2", "*.ffn.w12.weight"},
    Rule{"step3p7", "*.in_proj_weight"},
    Rule{"tipsv2", "*.attn.qkv.weight"},
    Rule{"tipsv2_text_model", "*.in_proj_weight"},
    Rule{"tipsv2_vision_model", "*.attn.qkv.weight"},
    Rule{"unlimited_ocr", "*.self_attn.qkv_proj.weight"},
};

// Layers that BitsAndBytesConfig treats differently in training than names suggest, found by a sweep over the classes
// of 537 families (transformers 5.23): last layers of a class, tied layers, and layers of a class of their own.
constexpr std::array kPlainInTraining{
    Rule{"aimv2", "text_projection.weight"},
    Rule{"altclip", "text_projection.weight"},
    Rule{"aria", "*.multihead_attn.out_proj.weight"},
    Rule{"blt", "model.patcher.lm_head.weight"},
    Rule{"chinese_clip", "text_projection.weight"},
    Rule{"clip", "text_projection.weight"},
    Rule{"clipseg", "text_projection.weight"},
    Rule{"clvp", "speech_encoder_model.projection.weight"},
    Rule{"dac", "quantizer.quantizers.*.codebook.weight"},
    Rule{"embedding_gemma2", "language_model.embedding_projection.weight"},
    Rule{"embedding_gemma2_text", "embedding_projection.weight"},
    Rule{"flava", "mmm_text_head.decoder.weight"},
    Rule{"fsmt", "model.decoder.output_projection.weight"},
    Rule{"gemma3n_text", "model.altup_unembed_projections.2.weight"},
    Rule{"granite_speech5_ctc", "encoder.out.weight"},
    Rule{"higgs_audio_v2", "audio_lm_head.weight"},
    Rule{"inkling2_vision", "merger.linear_2.weight"},
    Rule{"layoutlmv3", "encoder.rel_pos_y_bias.weight"},
    Rule{"metaclip_2", "text_projection.weight"},
    Rule{"mobilebert", "cls.predictions.dense.weight"},
    Rule{"musicgen_decoder", "lm_heads.*.weight"},
    Rule{"musicgen_melody_decoder", "lm_heads.*.weight"},
    Rule{"owlv2", "text_projection.weight"},
    Rule{"owlvit", "text_projection.weight"},
    Rule{"pe_audio", "*audio_head.proj.weight"},
    Rule{"pe_audio_encoder", "output.weight"},
    Rule{"pi0", "paligemma_with_expert.gemma_expert.lm_head.weight"},
    Rule{"pp_doclayout_v3", "enc_bbox_head.layers.*.weight"},
    Rule{"pp_doclayout_v3", "enc_score_head.weight"},
    Rule{"splinter", "splinter_qass.end_classifier.weight"},
    Rule{"vision-text-dual-encoder", "text_projection.weight"},
    Rule{"voxtral_realtime", "multi_modal_projector.linear_2.weight"},
};
constexpr std::array kLinearInTraining{
    Rule{"afmoe", "*.router.gate.weight"},
    Rule{"deimv2", "*.gateway.gate.weight"},
    Rule{"jetmoe", "*.router.layer.weight"},
    Rule{"lfm3_vl_vision", "patchifier.weight"},
    Rule{"longcat_flash", "*.router.classifier.weight"},
    Rule{"mask2former", "transformer_module.decoder.layers.*.self_attn.out_proj.weight"},
    Rule{"oneformer", "transformer_module.decoder.layers.*.self_attn.self_attn.out_proj.weight"},
    Rule{"siglip2_vision_model", "embeddings.patch_embedding.weight"},
};

// In the form of llm_int8_skip_modules: the beginning or the end of a module's name, or a regular expression.
constexpr std::array kFurtherPlain{
    // linear layers with names like embeddings
    Rule{"AceStepAudioTokenDetokenizer", "embed_tokens"},
    Rule{"AceStepAudioTokenizer", "attention_pooler.embed_tokens"},
    Rule{"AceStepConditionEncoder", "lyric_encoder.embed_tokens"},
    Rule{"AceStepConditionEncoder", "timbre_encoder.embed_tokens"},
    // output heads tied to an embedding
    Rule{"bark", "fine_acoustics.lm_heads"},
    Rule{"distilbert", "vocab_projector"},
    Rule{"modernbert", "decoder"},
    Rule{"modernbert-decoder", "decoder"},
    Rule{"neomme", "unembedding_projection"},
    Rule{"roc_bert", "cls.predictions.decoder"},
    // layers with another name in the file
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

// Families whose files store all experts in one tensor, although transformers expects them one by one in a quantized
// model.
constexpr std::array<std::string_view, 2> kNotQuantizable{"llama4", "llama4_text"};

template <class Names>
void pick(std::span<const Rule> rules, const std::set<std::string_view>& model_types, Names& names) {
  for (const Rule& rule : rules)
    if (model_types.contains(rule.model_type)) names.push_back(rule.name);
}

bool matches(const std::vector<const char*>& patterns, const std::string& tensor) {
  return std::any_of(patterns.begin(), patterns.end(),
                     [&](const char* pattern) { return ::fnmatch(pattern, tensor.c_str(), 0) == 0; });
}

}  // namespace

Families::Families(const std::vector<std::string>& model_types)
    : name_(model_types.empty() ? "" : model_types.front()), has_config_(!model_types.empty()) {
  const std::set<std::string_view> all(model_types.begin(), model_types.end());
  pick(kTransposed, all, transposed_);
  pick(kPlain, all, plain_);
  pick(kDivided, all, divided_);
  pick(kPlainInTraining, all, plain_in_training_);
  pick(kLinearInTraining, all, linear_in_training_);
  pick(kFurtherPlain, all, further_plain_);
  is_quantizable_ = std::none_of(kNotQuantizable.begin(), kNotQuantizable.end(),
                                 [&](std::string_view type) { return all.contains(type); });
}

bool Families::is_transposed(const std::string& tensor, std::span<const std::int64_t> shape) const {
  return shape.size() == 2 && matches(transposed_, tensor);
}

bool Families::stays_plain(const std::string& tensor) const { return matches(plain_, tensor) || is_divided(tensor); }

bool Families::is_divided(const std::string& tensor) const { return matches(divided_, tensor); }

std::optional<bool> Families::is_4bit_in_training(const std::string& tensor) const {
  if (matches(linear_in_training_, tensor)) return true;
  if (matches(plain_in_training_, tensor) || stays_plain(tensor)) return false;
  return std::nullopt;
}

bool Families::is_checked() const {
  const auto is_in = [&](std::span<const std::string_view> checked) {
    return std::binary_search(checked.begin(), checked.end(), name_);
  };
  return !has_config_ || is_in(checked_families()) || is_in(checked_diffusers_classes());
}

}  // namespace qfuse::checkpoint
