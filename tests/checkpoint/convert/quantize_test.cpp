// End to end: the output equals what transformers saves with bitsandbytes, and decodes as the ops do.
#include <bit>
#include <cmath>
#include <limits>
#include <qfuse/checkpoint.hpp>

#include "checkpoint/files/config.h"
#include "support.h"

namespace qfuse::checkpoint {
namespace {

const std::string kStateNf4 = ".quant_state.bitsandbytes__nf4";
const std::string kStateFp4 = ".quant_state.bitsandbytes__fp4";

const std::string& state_of(const RawTensors& tensors, const std::string& name) {
  return tensors.at(name + (tensors.contains(name + kStateNf4) ? kStateNf4 : kStateFp4)).bytes;
}

// Returns the text of a value in a quant_state, or "" if it is missing. It can be Infinity, which is not valid JSON.
std::string value_in(const std::string& state, const std::string& key) {
  const std::size_t at = state.find('"' + key + "\": ");
  if (at == state.npos) return "";
  const std::size_t begin = at + key.size() + 4;
  return state.substr(begin, state.find_first_of(",}", begin) - begin);
}

std::int32_t offset_bits(const RawTensors& tensors, const std::string& name) {
  return std::bit_cast<std::int32_t>(std::stof(value_in(state_of(tensors, name), "nested_offset")));
}

// The text of a quant_state up to nested_offset, which is its last value.
std::string before_offset(const std::string& state) { return state.substr(0, state.find("nested_offset")); }

RawTensors quantize_tensors(const RawTensors& tensors, const QuantizeOptions& options = {}) {
  const TemporaryDirectory directory;
  write_file(directory / "in.safetensors", safetensors(tensors));
  quantize(directory / "in.safetensors", directory / "out.safetensors", options);
  return load(directory / "out.safetensors");
}

// ---- golden data -----------------------------------------------------------------------------------------------

// Expects the bytes that bitsandbytes made of the same weight. Its offset is an fp32 sum in another order: where ours
// differs by one ulp, the nested absmax differ too. Returns whether both offsets are the same.
bool expect_equals_bitsandbytes(const RawTensors& ours, const RawTensors& theirs, const std::string& name) {
  EXPECT_EQ(before_offset(state_of(ours, name)), before_offset(state_of(theirs, name))) << name;
  EXPECT_TRUE(ours.at(name) == theirs.at(name)) << name;
  EXPECT_TRUE(ours.at(name + ".quant_map") == theirs.at(name + ".quant_map")) << name;
  EXPECT_TRUE(ours.at(name + ".absmax") == theirs.at(name + ".absmax")) << name;
  const bool same_state = state_of(ours, name) == state_of(theirs, name);
  const bool nested = theirs.contains(name + ".nested_absmax");
  EXPECT_EQ(ours.contains(name + ".nested_absmax"), nested) << name;
  EXPECT_EQ(ours.contains(name + ".nested_quant_map"), nested) << name;
  if (nested) {
    EXPECT_TRUE(ours.at(name + ".nested_quant_map") == theirs.at(name + ".nested_quant_map")) << name;
    EXPECT_EQ(ours.at(name + ".nested_absmax").shape, theirs.at(name + ".nested_absmax").shape);
    EXPECT_LE(std::abs(offset_bits(ours, name) - offset_bits(theirs, name)), 1) << name;
  }
  if (same_state && nested) {
    EXPECT_TRUE(ours.at(name + ".nested_absmax") == theirs.at(name + ".nested_absmax")) << name;
  }
  return same_state;
}

TEST(Quantize, tiny_llama_is_what_transformers_saved) {
  const TemporaryDirectory directory;
  const ConversionReport report = quantize(golden("tiny_llama/full"), directory / "out");
  const RawTensors ours = load(directory / "out");
  const RawTensors theirs = load(golden("tiny_llama/bnb4"));
  ASSERT_EQ(ours.size(), theirs.size());
  int weights = 0;
  int same_offset = 0;
  std::int64_t bytes = 0;
  for (const auto& [name, tensor] : theirs) {
    ASSERT_TRUE(ours.contains(name)) << name;
    EXPECT_EQ(ours.at(name).type, tensor.type) << name;
    bytes += static_cast<std::int64_t>(ours.at(name).bytes.size());
    if (theirs.contains(name + kStateNf4)) {
      ++weights;
      same_offset += expect_equals_bitsandbytes(ours, theirs, name) ? 1 : 0;
    } else if (name.find(".weight.") == name.npos) {
      EXPECT_TRUE(ours.at(name) == tensor) << name;
    }
  }
  EXPECT_EQ(weights, 14);
  EXPECT_EQ(same_offset, 9);
  EXPECT_EQ(report.tensors, 21);
  EXPECT_EQ(report.converted, 14);
  EXPECT_EQ(report.files, 1);
  EXPECT_EQ(report.bytes_read, 1000704);
  EXPECT_EQ(report.bytes_written, bytes);
  EXPECT_EQ(names_in(directory / "out"), (Names{"config.json", "generation_config.json", "model.safetensors"}));
  for (const char* file : {"config.json", "generation_config.json"})
    EXPECT_EQ(read_file(directory / "out" / file), read_file(golden("tiny_llama/bnb4") / file));
}

TEST(Quantize, every_golden_case_is_what_bitsandbytes_saved) {
  const RawTensors cases = load(golden("bnb_cases.safetensors"));
  int weights = 0;
  int same_state = 0;
  for (const auto& [name, input] : cases) {
    if (!name.ends_with(".input")) continue;
    const std::string weight = name.substr(0, name.rfind('.')) + ".weight";
    SCOPED_TRACE(weight);
    const std::string& state = state_of(cases, weight);
    QuantizeOptions options;
    options.quant_type = value_in(state, "quant_type") == R"("nf4")" ? QuantType::nf4 : QuantType::fp4;
    options.blocksize = std::stoi(value_in(state, "blocksize"));
    options.double_quant = !value_in(state, "nested_offset").empty();
    const RawTensors ours = quantize_tensors({{weight, input}}, options);
    EXPECT_EQ(ours.size(), options.double_quant ? 6U : 4U);
    same_state += expect_equals_bitsandbytes(ours, cases, weight) ? 1 : 0;
    ++weights;
  }
  EXPECT_EQ(weights, 22);
  EXPECT_EQ(same_state, 21);
}

// ---- the ops, on whole tensors ---------------------------------------------------------------------------------

// The arrays of one weight, encoded by one call of the op.
RawTensors encoded_by_op(const std::string& name, const RawTensor& weight, const QuantizeOptions& options) {
  const Weight4bitArrays q = encoded_by_op(weight, options);
  RawTensors tensors;
  tensors[name] = {"U8", {static_cast<std::int64_t>(q.packed.size()), 1}, bytes_of(q.packed)};
  tensors[name + ".absmax"] = options.double_quant ? u8(q.absmax_8bit) : f32(q.absmax);
  if (!options.double_quant) return tensors;
  tensors[name + ".nested_absmax"] = f32(q.nested_absmax);
  tensors[name + ".nested_quant_map"] = f32(q.nested_quant_map);
  return tensors;
}

std::string decoded_by_op(const RawTensor& weight, const QuantizeOptions& options, Dtype dtype) {
  const Weight4bitArrays q = encoded_by_op(weight, options);
  std::string out(static_cast<std::size_t>(q.view().cols) * dtype_size(dtype), '\0');
  dequantize_4bit(q.view(), std::as_writable_bytes(std::span(out)), dtype);
  return out;
}

TEST(Quantize, equals_the_op_and_decodes_as_the_op_does) {
  const RawTensors plain{{"a.weight", random_weight({33, 127})},
                         {"b.weight", random_weight({70, 512}, Dtype::float16)},
                         {"c.weight", random_weight({1, 1}, Dtype::float32)},
                         {"d.weight", random_weight({3, 4097}, Dtype::float32)}};
  const TemporaryDirectory directory;
  write_file(directory / "in", safetensors(plain));
  for (const QuantType quant_type : {QuantType::nf4, QuantType::fp4})
    for (const bool double_quant : {true, false})
      for (std::int64_t blocksize = 32; blocksize <= 4096; blocksize *= 2) {
        QuantizeOptions options;
        options.quant_type = quant_type;
        options.double_quant = double_quant;
        options.blocksize = blocksize;
        options.force = true;
        quantize(directory / "in", directory / "quantized", options);
        DequantizeOptions decode;
        decode.force = true;
        dequantize(directory / "quantized", directory / "decoded", decode);
        const RawTensors ours = load(directory / "quantized");
        const RawTensors decoded = load(directory / "decoded");
        for (const auto& [name, weight] : plain) {
          SCOPED_TRACE(name + " in blocks of " + std::to_string(blocksize));
          for (const auto& [part, tensor] : encoded_by_op(name, weight, options))
            EXPECT_TRUE(ours.at(part) == tensor) << part;
          const Dtype dtype = dtype_of_name(weight.type);
          EXPECT_TRUE(decoded.at(name) ==
                      (RawTensor{weight.type, weight.shape, decoded_by_op(weight, options, dtype)}));
        }
      }
}

TEST(Quantize, dtype_says_what_weights_will_decode_to) {
  const RawTensor weight = random_weight({16, 64}, Dtype::float32);
  for (const Dtype dtype : {Dtype::bfloat16, Dtype::float16, Dtype::float32}) {
    QuantizeOptions options;
    options.dtype = dtype;
    const TemporaryDirectory directory;
    write_file(directory / "in", safetensors({{"a.weight", weight}, {"norm", random_weight({64})}}));
    quantize(directory / "in", directory / "quantized", options);
    EXPECT_EQ(value_in(state_of(load(directory / "quantized"), "a.weight"), "dtype"),
              '"' + std::string(dtype_name(dtype)) + '"');
    EXPECT_TRUE(load(directory / "quantized").at("a.weight") ==
                encoded_by_op("a.weight", weight, options).at("a.weight"))
        << "the codes are those of the fp32 weight";
    dequantize(directory / "quantized", directory / "decoded");
    EXPECT_TRUE(load(directory / "decoded").at("a.weight") ==
                (RawTensor{type_of_name(dtype), {16, 64}, decoded_by_op(weight, options, dtype)}));
  }
}

// Infinities and NaNs are encoded as the op encodes them. Here the offset becomes infinite.
TEST(Quantize, weights_that_overflowed_are_encoded_like_others) {
  std::vector<float> values(256, 0.5F);
  values[7] = std::numeric_limits<float>::infinity();
  values[99] = std::numeric_limits<float>::quiet_NaN();
  RawTensor weight = f32(values);
  weight.shape = {4, 64};
  const RawTensors ours = quantize_tensors({{"a.weight", weight}});
  for (const auto& [part, tensor] : encoded_by_op("a.weight", weight, {})) EXPECT_TRUE(ours.at(part) == tensor) << part;
  EXPECT_TRUE(holds(ours.at("a.weight" + kStateNf4).bytes, R"("nested_offset": Infinity})"));
}

// ---- what is quantized, and what config.json says of it ---------------------------------------------------------

TEST(Quantize, what_stays_is_copied_byte_for_byte) {
  RawTensors tensors{{"a.weight", random_weight({8, 64})},         {"empty.weight", {"BF16", {0, 64}, ""}},
                     {"lm_head.weight", random_weight({8, 64})},   {"a.bias", random_weight({8})},
                     {"conv.weight", random_weight({8, 4, 3, 3})}, {"scalar", {"F64", {}, std::string(8, 'x')}},
                     {"ids", {"I64", {2}, std::string(16, 'y')}}};
  RawTensors ours = quantize_tensors(tensors);
  EXPECT_EQ(ours.size(), tensors.size() + 5);
  tensors.erase("a.weight");
  for (const auto& [name, tensor] : tensors) EXPECT_TRUE(ours.at(name) == tensor) << name;
}

Names quantized_names(const RawTensors& tensors) {
  Names names;
  for (const auto& [name, tensor] : tensors)
    if (name.ends_with(kStateNf4)) names.push_back(name.substr(0, name.size() - kStateNf4.size()));
  return names;
}

TEST(Quantize, include_and_exclude) {
  const RawTensors tensors{{"h.0.q.weight", random_weight({8, 64})},
                           {"h.0.k.weight", random_weight({8, 64})},
                           {"h.1.q.weight", random_weight({8, 64})},
                           {"lm_head.weight", random_weight({8, 64})},
                           {"experts.gate_up_proj", random_weight({2, 8, 64})},
                           {"norm.weight", random_weight({64})}};
  const auto chosen = [&](const Names& include, const Names& exclude) {
    QuantizeOptions options;
    options.include = include;
    options.exclude = exclude;
    return quantized_names(quantize_tensors(tensors, options));
  };
  EXPECT_EQ(chosen({}, {}), (Names{"h.0.k.weight", "h.0.q.weight", "h.1.q.weight"}));
  EXPECT_EQ(chosen({}, {"h.0.*"}), (Names{"h.1.q.weight"}));
  EXPECT_EQ(chosen({"lm_head.weight"}, {"h.*"}), (Names{"lm_head.weight"}));
  EXPECT_EQ(chosen({"*"}, {"h.*.q.weight"}), (Names{"experts.gate_up_proj", "h.0.k.weight", "lm_head.weight"}))
      << "of all tensors those that can be";
  EXPECT_EQ(chosen({"h.0.q.weight"}, {"h.0.q.*"}), (Names{"h.0.k.weight", "h.1.q.weight"})) << "exclude wins";
  const auto error = [&](Status status, const Names& include, const Names& exclude) {
    return error_of(status, [&] { chosen(include, exclude); });
  };
  EXPECT_TRUE(holds(error(Status::invalid_data, {}, {"h.*"}),
                    "nothing to quantize: none of its 6 tensors is the weight of a linear layer, not excluded, that"));
  EXPECT_TRUE(holds(error(Status::invalid_argument, {"*.qq.*"}, {}), "include '*.qq.*' matches nothing: of 6 tensors"));
  EXPECT_TRUE(holds(error(Status::invalid_argument, {}, {"norm.*"}), "exclude 'norm.*' matches nothing"));
}

// Quantizes a model of these tensors and returns the quantization_config that is written.
nlohmann::json config_of(const RawTensors& tensors, const QuantizeOptions& options = {},
                         const std::string& config = R"({"architectures": ["LlamaForCausalLM"]})") {
  const TemporaryDirectory directory;
  write_model(directory / "in", tensors, config);
  quantize(directory / "in", directory / "out", options);
  return nlohmann::json::parse(read_file(directory / "out/config.json")).at("quantization_config");
}

TEST(Quantize, config_names_every_linear_layer_that_stayed_plain) {
  const RawTensor weight = random_weight({8, 64});
  const auto skipped = [&](const Names& names, const Names& include = {}, const Names& exclude = {}) {
    RawTensors tensors;
    for (const std::string& name : names) tensors[name] = weight;
    QuantizeOptions options;
    options.include = include;
    options.exclude = exclude;
    return config_of(tensors, options).at("llm_int8_skip_modules");
  };
  EXPECT_TRUE(skipped({"q.weight", "lm_head.weight", "model.embed_tokens.weight"}).is_null());
  EXPECT_TRUE(skipped({"q.weight", "model.embed_tokens.weight"}).is_null()) << "a tied head";
  EXPECT_EQ(skipped({"q.weight", "lm_head.weight", "mlp.gate.weight"}), (Names{"lm_head", "mlp.gate"}));
  EXPECT_EQ(skipped({"q.weight", "score.weight"}), (Names{"lm_head", "score"}));
  EXPECT_EQ(skipped({"q.weight", "k.weight", "model.embed_tokens.weight"}, {}, {"k.*"}), (Names{"k", "lm_head"}))
      << "a tied head is in no file, and transformers given a list leaves out nothing else";
  EXPECT_EQ(skipped({"q.weight", "lm_head.weight"}, {"lm_head.weight"}), Names{})
      << "an empty list: not even lm_head is left out";
  EXPECT_EQ(skipped({"q.weight", "mlp.gate.weight"}, {"mlp.gate.weight"}), nullptr);
}

TEST(Quantize, experts_stay_plain_unless_they_are_asked_for) {
  const RawTensors tensors{{"mlp.experts.0.w1.weight", random_weight({8, 64})},
                           {"mlp.experts.1.w1.weight", random_weight({8, 64})},
                           {"q.weight", random_weight({8, 64})}};
  QuantizeOptions options;
  EXPECT_EQ(quantized_names(quantize_tensors(tensors, options)), Names{"q.weight"});
  EXPECT_EQ(config_of(tensors, options).at("llm_int8_skip_modules"), (Names{"lm_head", "mlp.experts"}));
  options.include = {"*.experts.1.*"};
  EXPECT_EQ(config_of(tensors, options).at("llm_int8_skip_modules"), (Names{"lm_head", "mlp.experts.0.w1"}))
      << "the holder's name would leave out the other one too";
  options.include.clear();
  options.experts = true;
  EXPECT_EQ(quantized_names(quantize_tensors(tensors, options)),
            (Names{"mlp.experts.0.w1.weight", "mlp.experts.1.w1.weight", "q.weight"}));
  EXPECT_EQ(config_of(tensors, options).at("llm_int8_skip_modules"), nullptr);
}

TEST(Quantize, config_names_heads_that_are_tied_to_an_embedding) {
  const RawTensors tensors{{"q.weight", random_weight({8, 64})}};
  const auto skipped = [&](const std::string& config) {
    return config_of(tensors, {}, config).at("llm_int8_skip_modules");
  };
  EXPECT_EQ(skipped(R"({"architectures": ["LlamaForCausalLM"]})"), nullptr);
  EXPECT_EQ(skipped(R"({"architectures": ["BertForMaskedLM"]})"), (Names{"lm_head", "predictions.decoder"}));
  EXPECT_EQ(skipped(R"({"model_type": "modernbert"})"), (Names{"decoder", "lm_head"}));
  EXPECT_EQ(skipped(R"({"architectures": ["Wav2Vec2ForCTC"]})"), (Names{"lm_head"}))
      << "transformers leaves out lm_head by itself only where it is the output embedding";
}

// transformers matches a name in the list with the end of a module's name, or with its beginning up to a dot.
TEST(Quantize, what_config_leaves_out_is_plain) {
  const RawTensor weight = random_weight({8, 64});
  const auto quantized = [&](const Names& names, const std::string& config, const Names& include = {}) {
    const TemporaryDirectory directory;
    RawTensors tensors;
    for (const std::string& name : names) tensors[name] = weight;
    write_model(directory / "in", tensors, config);
    QuantizeOptions options;
    options.include = include;
    quantize(directory / "in", directory / "out", options);
    const auto skipped = nlohmann::json::parse(read_file(directory / "out/config.json"))
                             .at("quantization_config")
                             .at("llm_int8_skip_modules");
    return std::pair{quantized_names(load(directory / "out")), skipped};
  };
  using Found = std::pair<Names, nlohmann::json>;
  EXPECT_EQ(quantized({"classifier.weight", "pre_classifier.weight", "q.weight"}, "{}"),
            (Found{{"q.weight"}, Names{"classifier", "lm_head", "pre_classifier"}}));
  EXPECT_EQ(quantized({"classifier.weight", "pre_classifier.weight.weight", "q.weight"}, "{}"),
            (Found{{"pre_classifier.weight.weight", "q.weight"}, Names{"classifier", "lm_head"}}));
  EXPECT_EQ(quantized({"cls.predictions.decoder.weight", "q.weight"}, R"({"architectures": ["BertForMaskedLM"]})"),
            (Found{{"q.weight"}, Names{"cls.predictions.decoder", "lm_head", "predictions.decoder"}}))
      << "a head that is not tied";
  EXPECT_EQ(
      quantized({"cls.predictions.decoder.weight", "q.weight"}, R"({"architectures": ["BertForMaskedLM"]})", {"cls.*"}),
      (Found{{"cls.predictions.decoder.weight", "q.weight"}, Names{"lm_head"}}))
      << "asked for";
  EXPECT_EQ(quantized({"a.q_proj.weight", "a.o_proj.weight"}, R"({"model_type": "gte"})").first,
            Names{"a.o_proj.weight"})
      << "a regular expression of the family";
  EXPECT_EQ(quantized({"a(b.lm_head.weight", "a(b.q.weight", "q.weight"}, "{}").first,
            (Names{"a(b.q.weight", "q.weight"}))
      << "a name that is no regular expression stands for itself";
}

TEST(Quantize, says_how_much_of_experts_stays_plain) {
  const TemporaryDirectory directory;
  write_file(directory / "in",
             safetensors({{"mlp.experts.0.w1.weight", random_weight({80, 64})}, {"q.weight", random_weight({8, 64})}}));
  QuantizeOptions options;
  const Names notes = quantize(directory / "in", directory / "out", options).notes;
  ASSERT_EQ(notes.size(), 1U);
  EXPECT_TRUE(holds(notes[0], "10.2 kB of experts stay as they are; `experts` quantizes them, for transformers 4"));
  options.experts = options.force = true;
  EXPECT_EQ(quantize(directory / "in", directory / "out", options).notes, Names{});
}

TEST(Quantize, experts_of_llama4_may_be_one_by_one) {
  const auto convert = [](const RawTensors& tensors) { config_of(tensors, {}, R"({"model_type": "llama4_text"})"); };
  const RawTensor weight = random_weight({8, 64});
  convert({{"q.weight", weight}, {"feed_forward.experts.0.up_proj.weight", weight}});
  EXPECT_REFUSED(Status::unsupported, "only if its experts are stored one by one",
                 convert({{"q.weight", weight}, {"feed_forward.experts.gate_up_proj", random_weight({2, 8, 64})}}));
}

TEST(Quantize, says_so_where_nobody_has_checked_a_family) {
  const auto notes = [](const std::string& config) {
    const TemporaryDirectory directory;
    write_model(directory / "in", {{"a.weight", random_weight({8, 64})}}, config);
    const Names there = quantize(directory / "in", directory / "out").notes;
    const Names back = dequantize(directory / "out", directory / "back").notes;
    EXPECT_EQ(there.size(), back.size());
    return there;
  };
  EXPECT_EQ(notes(R"({"model_type": "llama"})"), Names{});
  const Names said = notes(R"({"model_type": "of tomorrow"})");
  ASSERT_EQ(said.size(), 1U);
  EXPECT_TRUE(holds(said[0], "no model of type 'of tomorrow' was checked"));
}

TEST(Quantize, config_says_how) {
  const RawTensors tensors{{"a.weight", random_weight({8, 64}, Dtype::float16)},
                           {"b.weight", random_weight({9, 64}, Dtype::float32)}};
  QuantizeOptions options;
  nlohmann::json config = config_of(tensors, options);
  EXPECT_EQ(config.at("bnb_4bit_quant_type"), "nf4");
  EXPECT_EQ(config.at("bnb_4bit_use_double_quant"), true);
  EXPECT_EQ(config.at("bnb_4bit_compute_dtype"), "float32") << "that of most elements";
  options.quant_type = QuantType::fp4;
  options.double_quant = false;
  options.dtype = Dtype::bfloat16;
  config = config_of(tensors, options);
  EXPECT_EQ(config.at("bnb_4bit_quant_type"), "fp4");
  EXPECT_EQ(config.at("bnb_4bit_use_double_quant"), false);
  EXPECT_EQ(config.at("bnb_4bit_compute_dtype"), "bfloat16");
  EXPECT_EQ(config.size(), 13U);
}

Names keys_of(const std::string& config) {
  Names keys;
  const auto json = nlohmann::ordered_json::parse(Config(config, "config.json").quantized({}));
  for (const auto& [key, value] : json.items()) keys.push_back(key);
  return keys;
}

TEST(Quantize, config_keeps_its_order) {
  EXPECT_EQ(keys_of(R"({"a": 1, "z": 2})"), (Names{"a", "quantization_config", "z"}));
  EXPECT_EQ(keys_of(R"({"a": 1, "b": 2})"), (Names{"a", "b", "quantization_config"}));
  EXPECT_EQ(keys_of(R"({"z": 1, "a": 2})"), (Names{"z", "a", "quantization_config"})) << "not sorted: at the end";
  EXPECT_EQ(keys_of("{}"), (Names{"quantization_config"}));
  EXPECT_EQ(keys_of(R"({"a": 1, "quantization_config": {"quant_method": "bitsandbytes"}, "z": 2})"),
            (Names{"a", "quantization_config", "z"}))
      << "left behind by a model that was decoded";
  EXPECT_EQ(nlohmann::json::parse(Config(R"({"text_config": {"quantization_config": {}}})", "").quantized({}))
                .at("text_config")
                .size(),
            0U);
}

// ---- refusals, and what is left after a failure ------------------------------------------------------------------

TEST(Quantize, refuses_what_makes_no_sense) {
  const TemporaryDirectory directory;
  QuantizeOptions options;
  const auto error = [&](Status status, const fs::path& in) {
    return error_of(status, [&] { quantize(in, directory / "out", options); });
  };
  EXPECT_TRUE(holds(error(Status::invalid_data, golden("tiny_llama/bnb4")), "is quantized already"));
  EXPECT_TRUE(holds(error(Status::invalid_data, golden("bnb_int8.safetensors")), "is quantized already"));
  options.blocksize = 48;
  EXPECT_TRUE(holds(error(Status::invalid_argument, golden("tiny_llama/full")), "blocksize is 48"));
  EXPECT_EQ(names_in(directory.path()), Names{});
}

TEST(Quantize, refuses_models_that_it_would_spoil) {
  const auto error = [](const std::string& config) {
    return error_of(Status::unsupported, [&] { config_of({{"a.weight", random_weight({8, 64})}}, {}, config); });
  };
  EXPECT_TRUE(holds(error(R"({"quantization_config": {"quant_method": "fp8"}})"), "has a quantization_config of FP8"));
  EXPECT_TRUE(holds(error(R"({"text_config": {"quantization_config": {"quant_method": "awq"}}})"), "by AWQ"));
  EXPECT_EQ(error(R"({"quantization_config": {"quant_method": "bitsandbytes"}})"), "");
}

// ---- files -----------------------------------------------------------------------------------------------------

// PyTorch makes views of the file, so each tensor must begin at a multiple of its element size.
TEST(Quantize, every_tensor_is_aligned_to_its_elements) {
  const TemporaryDirectory directory;
  write_file(directory / "in", safetensors({{"a.weight", random_weight({3, 7})},
                                            {"b.weight", random_weight({1, 1}, Dtype::float32)},
                                            {"c.bias", random_weight({3}, Dtype::float16)},
                                            {"d", {"I64", {1}, std::string(8, 'x')}},
                                            {"e", {"U8", {3}, "xyz"}}}));
  quantize(directory / "in", directory / "out");
  const std::string bytes = read_file(directory / "out");
  std::uint64_t length = 0;
  std::memcpy(&length, bytes.data(), sizeof length);
  EXPECT_EQ(length % 8, 0U);
  const std::map<std::string, std::size_t> sizes{{"I64", 8}, {"F32", 4}, {"F16", 2}, {"BF16", 2}, {"U8", 1}};
  const auto header = nlohmann::json::parse(bytes.substr(8, length));
  for (const auto& [name, entry] : header.items()) {
    if (name == "__metadata__") continue;
    EXPECT_EQ(entry.at("data_offsets").at(0).get<std::size_t>() % sizes.at(entry.at("dtype")), 0U) << name;
  }
}

// The offset of zeros prints as 0.0, 19 characters shorter than its reserved room. With so many short offsets, the
// numbers in the header get shorter too, while the data keeps its position.
TEST(Quantize, the_header_keeps_its_length_when_quant_states_turn_out_short) {
  RawTensors plain{{"a.weight", random_weight({8, 64})}};
  for (int i = 0; i < 80; ++i)
    plain[std::string("z").append(std::to_string(i)).append(".weight")] = {"BF16", {1, 64}, std::string(128, '\0')};
  const TemporaryDirectory directory;
  write_file(directory / "in", safetensors(plain));
  quantize(directory / "in", directory / "out");
  const RawTensors ours = load(directory / "out");
  for (const auto& [name, weight] : plain)
    for (const auto& [part, tensor] : encoded_by_op(name, weight, {})) EXPECT_TRUE(ours.at(part) == tensor) << part;
  EXPECT_EQ(value_in(state_of(ours, "z79.weight"), "nested_offset"), "0.0");
  const std::string bytes = read_file(directory / "out");
  EXPECT_TRUE(holds(bytes.substr(0, bytes.find("}}") + 10), "}}        ")) << "no shorter than planned: spaces";
  EXPECT_NO_THROW(inspect(directory / "out"));
}

TEST(Quantize, threads_and_the_reference_device_give_the_same_file) {
  const TemporaryDirectory directory;
  write_file(directory / "in", safetensors({{"a.weight", random_weight({300, 1111})},
                                            {"b.weight", random_weight({64, 640}, Dtype::float32)}}));
  quantize(directory / "in", directory / "expected");
  const std::string expected = read_file(directory / "expected");
  QuantizeOptions options;
  options.force = true;
  for (const int threads : {1, 2, 7}) {
    options.exec.threads = threads;
    quantize(directory / "in", directory / "out", options);
    EXPECT_TRUE(read_file(directory / "out") == expected) << threads;
  }
  options.exec.device = {QFUSE_REFERENCE, 0};
  quantize(directory / "in", directory / "out", options);
  EXPECT_TRUE(read_file(directory / "out") == expected);
}

}  // namespace
}  // namespace qfuse::checkpoint
