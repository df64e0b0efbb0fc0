// The test that unsloth published for NF4 decoders.
#include <fmt/format.h>

#include <array>
#include <chrono>
#include <memory>

#include "gpu/nf4.h"

namespace qfuse::bench {
namespace {

constexpr int kMatrices = 3;  // gate, up, down: down has the transposed shape and the same size
constexpr int kWarmUps = 2;
constexpr int kPublishedRounds = 1000;
constexpr int kRepeats = 3;  // of the whole test, contenders in turn

struct Configuration {
  Shape shape;
  qfuse_dtype dtype;
};
constexpr std::array kConfigurations = {
    Configuration{{2048, 8192}, QFUSE_FLOAT16},
    Configuration{{1024, 4096}, QFUSE_BFLOAT16},
    Configuration{{4096, 14336}, QFUSE_BFLOAT16},
};

using Decode = std::function<void(const DecodeWeights& weights, int matrix, qfuse_dtype dtype, void* stream)>;

// A configuration and its three matrices, each in its own set of buffers.
struct Layer {
  Configuration configuration;
  std::unique_ptr<DecodeWeights> weights;
};

double seconds(const Layer& layer, const Decode& decode, const Stream& stream) {
  auto* const handle = static_cast<cudaStream_t>(stream.handle());
  std::chrono::steady_clock::time_point begin;
  for (int round = -kWarmUps; round < kPublishedRounds; ++round) {
    if (round == 0) begin = std::chrono::steady_clock::now();
    for (int matrix = 0; matrix < kMatrices; ++matrix) {
      decode(*layer.weights, matrix, layer.configuration.dtype, handle);
      require(cudaStreamSynchronize(handle), "decode");
    }
  }
  return std::chrono::duration<double>(std::chrono::steady_clock::now() - begin).count();
}

struct Contender {
  const char* name;
  Decode decode;
  std::vector<double> totals = {};                                     // seconds per repeat
  std::array<std::vector<double>, kConfigurations.size()> parts = {};  // seconds per configuration
};

void require_right(const std::vector<Layer>& layers, const Contender& contender) {
  for (const Layer& layer : layers) {
    const qfuse_dtype dtype = layer.configuration.dtype;
    require_decoded(*layer.weights, layer.weights->oracle(dtype),
                    [&](int set, void* stream) { contender.decode(*layer.weights, set, dtype, stream); });
  }
}

void run_once(const std::vector<Layer>& layers, Contender& contender, const Stream& stream) {
  double total = 0.0;
  for (std::size_t i = 0; i < layers.size(); ++i) {
    contender.parts[i].push_back(seconds(layers[i], contender.decode, stream));
    total += contender.parts[i].back();
  }
  contender.totals.push_back(total);
}

Json to_json(const Contender& contender) {
  Json json = {{"name", contender.name},
               {"median_s", median(contender.totals)},
               {"min_s", quantile(contender.totals, 0.0)},
               {"max_s", quantile(contender.totals, 1.0)}};
  for (std::size_t i = 0; i < kConfigurations.size(); ++i)
    json["parts"].push_back({{"rows", kConfigurations[i].shape.rows},
                             {"cols", kConfigurations[i].shape.cols},
                             {"dtype", name_of(kConfigurations[i].dtype)},
                             {"median_s", median(contender.parts[i])}});
  return json;
}

std::string to_line(const Contender& contender) {
  std::string line = fmt::format("{:<20} {:.3f} s ({:.3f} to {:.3f}):", contender.name, median(contender.totals),
                                 quantile(contender.totals, 0.0), quantile(contender.totals, 1.0));
  for (std::size_t i = 0; i < kConfigurations.size(); ++i)
    line += fmt::format(" {} {} {:.3f}", text_of(kConfigurations[i].shape), name_of(kConfigurations[i].dtype),
                        median(contender.parts[i]));
  return line;
}

}  // namespace

void time_published(Report& report, const Card& card, const Peer* peer) {
  std::vector<Layer> layers;
  for (const Configuration& configuration : kConfigurations)
    layers.push_back({configuration, std::make_unique<DecodeWeights>(card, configuration.shape, kMatrices)});
  std::vector<Contender> contenders = {
      {"qfuse", [&](const DecodeWeights& weights, int matrix, qfuse_dtype dtype, void* stream) {
         run(weights.params(matrix, dtype), exec_on(card, stream));
       }}};
  if (peer != nullptr)
    contenders.push_back(
        {"bitsandbytes", [&](const DecodeWeights& weights, int matrix, qfuse_dtype dtype, void* stream) {
           peer->decode(weights.params(matrix, dtype), weights.scratch(matrix), stream);
         }});
  for (const Contender& contender : contenders) require_right(layers, contender);
  const Stream stream({QFUSE_CUDA, card.index});
  for (int repeat = 0; repeat < kRepeats; ++repeat)
    for (Contender& contender : contenders) run_once(layers, contender, stream);

  std::string text = fmt::format("\nthe published test: {} rounds of 9 matrices, synchronized after each, wall clock",
                                 kPublishedRounds);
  Json json = Json::array();
  for (const Contender& contender : contenders) {
    text += "\n  " + to_line(contender);
    json.push_back(to_json(contender));
  }
  report.note("published", json, text);
}

}  // namespace qfuse::bench
