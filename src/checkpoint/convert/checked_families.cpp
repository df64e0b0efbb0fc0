// The families that tests/libraries/test_families.py sweeps, and that come out right, with the transformers that
// tests/libraries/requirements.txt pins.
#include <array>

#include "checkpoint/convert/families.h"

namespace qfuse::checkpoint {
namespace {

// clang-format off
constexpr std::array<std::string_view, 485> kChecked{
    "afmoe", "aimv2", "aimv2_vision_model", "albert", "altclip", "apertus", "arcee", "aria", "aria_text",
    "audio-spectrogram-transformer", "audioflamingo3", "audioflamingo3_encoder", "axk1", "axk2", "aya_vision",
    "bailing_hybrid", "bamba", "bark", "bart", "beam", "beit", "bert", "bert-generation", "big_bird",
    "bigbird_pegasus", "biogpt", "bitnet", "blenderbot", "blenderbot-small", "blip", "blip-2", "blip_2_qformer",
    "bloom", "bridgetower", "bros", "camembert", "canary", "canine", "chinese_clip", "chinese_clip_vision_model",
    "clap", "clip", "clip_text_model", "clip_vision_model", "clipseg", "clvp", "codegen", "cohere", "cohere2",
    "cohere2_moe", "cohere2_vision", "cohere_asr", "cohere_compass_vision", "colmodernvbert", "colpali",
    "colqwen2", "convbert", "convnext", "convnextv2", "cosmos3_edge_vision", "cosmos3_omni", "cpmant", "ctrl",
    "cvt", "cwm", "data2vec-audio", "data2vec-text", "data2vec-vision", "deberta", "deberta-v2",
    "decision_transformer", "deepseek_v2", "deepseek_v3", "deepseek_v32", "deepseek_v4", "deepseek_vl",
    "deepseek_vl_hybrid", "deimv2", "deit", "depth_pro", "dia", "diffllama", "dinov2", "dinov2_with_registers",
    "dinov3_convnext", "dinov3_vit", "distilbert", "doge", "dpr", "dpt", "edgetam_video", "electra",
    "embedding_gemma2", "embedding_gemma2_text", "emu3_text_model", "encoder-decoder", "ernie", "ernie4_5",
    "ernie4_5_moe", "esm", "eurobert", "evolla", "exaone4", "exaone4_5", "exaone4_5_vision", "exaone_moe",
    "falcon_h1", "falcon_mamba", "fastspeech2_conformer", "fastspeech2_conformer_with_hifigan", "flaubert",
    "flava", "flex_olmo", "flint", "fnet", "fsmt", "fun_asr_nano_encoder", "funnel", "fuyu", "gemma", "gemma2",
    "gemma3", "gemma3_text", "gemma3n_audio", "gemma3n_text", "gemma4", "gemma4_audio", "gemma4_text",
    "gemma4_unified", "gemma4_unified_text", "gemma4_vision", "git", "glm", "glm4", "glm46v", "glm4_moe",
    "glm4_moe_lite", "glm4v", "glm4v_moe", "glm4v_moe_text", "glm4v_moe_vision", "glm4v_text", "glm4v_vision",
    "glm_image", "glm_image_text", "glm_image_vision", "glm_moe_dsa", "glm_ocr", "glm_ocr_text", "glm_ocr_vision",
    "glmasr", "glmasr_encoder", "glpn", "got_ocr2", "gpt2", "gpt_bigcode", "gpt_neo", "gpt_neox",
    "gpt_neox_japanese", "gpt_oss", "gptj", "granite", "granite_docling_text", "granite_docling_vision",
    "granite_speech", "granite_speech5_ctc", "granite_speech5_encoder", "granite_speech_plus", "granite_swa",
    "granitemoe", "granitemoe_swa", "granitemoehybrid", "granitemoeshared", "grounding-dino", "groupvit", "gte",
    "helium", "higgs_audio_v2", "hrm_text", "hubert", "hunyuan_v1_dense", "hunyuan_v1_moe", "hunyuan_vl_vision",
    "hy_v3", "hy_v4", "hyperclovax", "hyperclovax_vision_v2", "ibert", "idefics", "idefics2", "idefics3",
    "idefics3_vision", "ijepa", "imagegpt", "inkling2_text", "inkling2_vision", "inkling_text", "instructblip",
    "instructblipvideo", "internvl", "internvl_vision", "jais2", "jamba", "jetmoe", "jina_embeddings_v3",
    "kimi_k25_vision", "kimi_linear", "kolibri1", "kosmos-2", "kosmos-2.5", "laguna", "lasr_ctc", "lasr_encoder",
    "layoutlm", "layoutlmv3", "led", "levit", "lfm2", "lfm2_moe", "lfm2_vl", "lfm3", "lfm3_vl", "lfm3_vl_vision",
    "lightglue", "lighton_ocr", "lilt", "llama", "llava", "llava_next", "llava_next_video", "llava_onevision",
    "longcat_flash", "longformer", "longt5", "luke", "lxmert", "m2m_100", "mamba", "mamba2", "marian", "markuplm",
    "mask2former", "mbart", "megatron-bert", "mellum", "metaclip_2", "mgp-str", "mimi_encoder", "mimo_v2_flash",
    "minicpm3", "minicpm_ocr", "minicpm_ocr_vision", "minicpmv4_6", "minicpmv4_7", "minicpmv4_7_vision",
    "minimax", "minimax_m2", "minimax_m3_vl", "minimax_m3_vl_text", "ministral", "ministral3", "mistral",
    "mistral3", "mistral4", "mistral_large4_text", "mixtral", "mlcd_vision_model", "mllama_text_model",
    "mm-grounding-dino", "mobilebert", "mobilevit", "modernbert", "modernbert-decoder", "modernvbert",
    "molmo2_text", "moonshine", "moshi", "moss_transcribe_diarize", "moss_transcribe_diarize_audio", "mpnet",
    "mpt", "mra", "mt5", "muse_glimmer_assistant", "muse_glimmer_text", "muse_glimmer_vision", "muse_spark_text",
    "muse_spark_vision", "musicflamingo", "musicgen_decoder", "musicgen_melody_decoder", "mvp", "nanochat",
    "nemotron", "nemotron3_5_asr", "nemotron3_5_transcribe_asr_audio", "nemotron3_diarization_audio",
    "nemotron_asr_streaming", "nemotron_asr_streaming_encoder", "nemotron_h", "neomme", "neucodec", "nllb-moe",
    "nomic_bert", "nystromformer", "olmo", "olmo2", "olmo3", "olmo_hybrid", "olmoe", "oneformer", "openai-gpt",
    "openai_privacy_filter", "opt", "ovis2", "owlv2", "owlvit", "paddleocr_vl", "paligemma", "parakeet_ctc",
    "parakeet_encoder", "parakeet_rnnt", "parakeet_tdt", "patchtsmixer", "patchtst", "pe_audio",
    "pe_audio_encoder", "pegasus", "pegasus_x", "persimmon", "phi", "phi3", "phi4_multimodal", "phimoe", "pi0",
    "pix2struct", "pixio", "pixtral", "plbart", "pocket_tts_audio_tokenizer_encoder", "pp_doclayout_v3",
    "pp_doclayout_v4", "pp_formulanet", "prophetnet", "pvt", "pvt_v2", "qianfan_ocr", "qianfan_ocr_vision",
    "qwen2", "qwen2_5_omni_thinker", "qwen2_5_vl", "qwen2_5_vl_text", "qwen2_5_vl_vision", "qwen2_audio",
    "qwen2_audio_encoder", "qwen2_moe", "qwen2_vl", "qwen2_vl_text", "qwen3", "qwen3_5_moe_text",
    "qwen3_5_moe_vision", "qwen3_5_text", "qwen3_5_vision", "qwen3_asr", "qwen3_asr_encoder", "qwen3_moe",
    "qwen3_next", "qwen3_omni_moe_thinker", "qwen3_vl", "qwen3_vl_moe", "qwen3_vl_moe_text",
    "qwen3_vl_moe_vision", "qwen3_vl_text", "qwen3_vl_vision", "qwen4_exp_text", "qwen4_exp_vision", "radio",
    "recurrent_gemma", "rembert", "rf_detr", "roberta", "roberta-prelayernorm", "roc_bert", "roformer", "rt_detr",
    "rt_detr_v2", "rwkv", "sam", "sam2", "sam2_hiera_det_model", "sam2_video", "sam2_vision_model", "sam3",
    "sam3_lite_text", "sam3_tracker", "sam3_tracker_video", "sam3_video", "sam3_vision_model", "sam3_vit_model",
    "sam_hq", "sam_hq_vision_model", "sam_vision_model", "sapiens2", "seamless_m4t", "seamless_m4t_v2",
    "seed_oss", "segformer", "seggpt", "sew", "sew-d", "siglip", "siglip2", "siglip2_vision_model",
    "siglip_vision_model", "smollm3", "smolvlm", "smolvlm_vision", "solar_open", "speech_to_text", "speecht5",
    "splinter", "squeezebert", "stablelm", "starcoder2", "swiftformer", "swin", "switch_transformers", "t5",
    "t5gemma", "t5gemma2", "tapas", "timesfm", "timesfm2_5", "timesformer", "tipsv2", "tipsv2_text_model",
    "tipsv2_vision_model", "trocr", "udop", "ultrabert", "ultravbert", "umt5", "unispeech", "unispeech-sat",
    "unlimited_ocr", "vaultgemma", "video_llama_3", "video_llama_3_vision", "video_llava", "videomae",
    "videoprism", "videoprism_vision_model", "vilt", "vipllava", "vision-encoder-decoder",
    "vision-text-dual-encoder", "visual_bert", "vit", "vit_mae", "vit_msn", "vitdet", "vits", "vivit", "vjepa2",
    "voxtral", "voxtral_encoder", "voxtral_realtime", "voxtral_realtime_encoder", "wav2vec2", "wav2vec2-bert",
    "wav2vec2-conformer", "wavlm", "whisper", "xclip", "xcodec2", "xglm", "xlm", "xlm-roberta", "xlm-roberta-xl",
    "xlnet", "xlstm", "xmod", "yolos", "yoso", "youtu",
};
// clang-format on

}  // namespace

std::span<const std::string_view> checked_families() { return kChecked; }

}  // namespace qfuse::checkpoint
