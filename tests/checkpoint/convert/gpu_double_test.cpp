// Tests on a simulated GPU (a test double): failing calls, which devices are used, and how much memory.
#include "support/gpu_double.h"

#include <functional>
#include <qfuse/checkpoint.hpp>

#include "adapters.h"
#include "checkpoint/convert/decode.h"
#include "support.h"
#include "support/quick.h"

namespace qfuse::checkpoint {
namespace {

using tests::gpu_double;
using tests::GpuDouble;

// Replaces CUDA by the GPU double before the first test of this program.
[[maybe_unused]] const bool kInstalled = [] {
  tests::install_gpu_double();
  return true;
}();

class Double : public testing::Test {
 protected:
  void SetUp() override { gpu_double() = {}; }
  void TearDown() override {
    EXPECT_EQ(gpu_double().device_bytes, 0);
    EXPECT_EQ(gpu_double().pinned_bytes, 0);
    gpu_double() = {};
  }
};

void decode(const fs::path& in, const fs::path& out) {
  DequantizeOptions options;
  options.exec.device = {QFUSE_CUDA, 0};
  dequantize(in, out, options);
}

void encode(const fs::path& in, const fs::path& out) {
  QuantizeOptions options;
  options.exec.device = {QFUSE_CUDA, 0};
  quantize(in, out, options);
}

// Merges an adapter for two layers of tiny_llama into `base`.
void merge_onto(const fs::path& base, const fs::path& out, const std::optional<QuantType> to_4bit = {}) {
  const TemporaryDirectory directory;
  RawTensors factors;
  for (int layer = 0; layer < 2; ++layer)
    factors.merge(lora("model.layers." + std::to_string(layer) + ".mlp.up_proj", 352, 128, 4));
  write_adapter(directory / "adapter", factors);
  MergeOptions options;
  options.to_4bit = to_4bit;
  options.exec.device = {QFUSE_CUDA, 0};
  merge(base, std::vector<AdapterInput>{{directory / "adapter"}}, out, options);
}

// Makes the first, second, ... GPU call fail, one per run (quick builds: every third), until a run has no such call.
// Returns roughly the number of calls.
int fail_each_call(const std::function<void(const fs::path& out)>& convert) {
  const TemporaryDirectory directory;
  for (int failing = 1;; failing += tests::kQuick ? 3 : 1) {
    gpu_double() = {};
    gpu_double().failing_call = failing;
    try {
      convert(directory / "out");
      EXPECT_LT(gpu_double().calls, failing) << "a failure was not seen";
      return failing - 1;
    } catch (const Error& error) {
      const bool memory = holds(error.what(), "memory: double");
      EXPECT_EQ(error.status(), memory ? Status::out_of_memory : Status::device_error) << error.what();
      EXPECT_TRUE(holds(error.what(), "the planted failure of"));
      EXPECT_EQ(std::string(error.what()).find('\n'), std::string::npos);
    }
    EXPECT_EQ(names_in(directory.path()), Names{}) << failing;
    EXPECT_EQ(gpu_double().device_bytes + gpu_double().pinned_bytes, 0) << failing;
  }
}

TEST_F(Double, any_call_that_fails_is_reported_and_leaves_nothing) {
  EXPECT_GT(fail_each_call([](const fs::path& out) { decode(golden("tiny_llama/bnb4"), out); }), 100);
  EXPECT_GT(fail_each_call([](const fs::path& out) { encode(golden("tiny_llama/full"), out); }), 100);
  EXPECT_GT(fail_each_call([](const fs::path& out) { merge_onto(golden("tiny_llama/full"), out); }), 30);
  EXPECT_GT(fail_each_call([](const fs::path& out) { merge_onto(golden("tiny_llama/bnb4"), out, QuantType::nf4); }),
            50);
}

TEST_F(Double, the_first_that_works_is_the_best_device) {
  gpu_double().failing_call = 1;
  const qfuse_device second = best_device();
  EXPECT_EQ(second.type, QFUSE_CUDA);
  EXPECT_EQ(second.index, 1);
  gpu_double().devices = 0;
  EXPECT_EQ(best_device().type, QFUSE_CPU);
}

// A call that names no device would initialize the default one, which takes a second and some of its memory.
TEST_F(Double, only_the_one_that_was_asked_for_is_used) {
  const TemporaryDirectory directory;
  DequantizeOptions options;
  options.exec.device = {QFUSE_CUDA, 1};
  dequantize(golden("tiny_llama/bnb4"), directory / "out", options);
  EXPECT_EQ(gpu_double().used, std::set<int>{1});
}

// Reads the whole source on the device, piece by piece.
std::string read_on(qfuse_device device, const Source& source) {
  Pipeline pipeline(Exec{.device = device});
  std::string all;
  for (std::int64_t at = 0; at < source.bytes; at += source.piece) {
    Piece& piece = pipeline.next();
    const auto size = static_cast<std::size_t>(std::min(source.piece, source.bytes - at));
    const std::span<std::byte> bytes = piece.host(array::kWritten, size);
    read_to_host(source, at, bytes, piece, array::kWritten);
    piece.complete();
    all.append(reinterpret_cast<const char*>(bytes.data()), bytes.size());
  }
  return all;
}

// Embeddings are cut and lengthened like this if an adapter brings another vocabulary size.
TEST_F(Double, a_4bit_tensor_is_cut_and_lengthened) {
  const Model model(golden("tiny_llama/bnb4"));
  for (const Tensor& tensor : read_layout(model, std::nullopt).tensors) {
    if (!tensor.quantized_dtype()) continue;
    for (const std::int64_t more : {-2 * 1001, 0, 2 * 1001}) {
      const Source source = decoded(tensor, Dtype::bfloat16);
      const Source other = resized(source, source.bytes + more);
      EXPECT_TRUE(read_on({QFUSE_CUDA, 0}, other) == read_on({QFUSE_CPU, 0}, other)) << tensor.name;
    }
  }
}

// The second piece of the weight begins within a row.
TEST_F(Double, importance_reaches_each_piece) {
  constexpr std::int64_t kRows = side_of_pieces(1500);
  constexpr std::int64_t kCols = side_of_pieces(3001);
  std::vector<float> weights(kRows * kCols);
  for (std::size_t i = 0; i < weights.size(); ++i) weights[i] = static_cast<float>(i * 7919 % 1009) - 500;
  std::vector<float> importance(kCols);
  for (std::size_t i = 0; i < importance.size(); ++i) importance[i] = static_cast<float>(i % 17);
  RawTensor weight = f32(weights);
  weight.shape = {kRows, kCols};
  const TemporaryDirectory directory;
  write_file(directory / "in.safetensors", safetensors({{"q_proj.weight", weight}}));
  write_file(directory / "importance.safetensors", safetensors({{"q_proj.weight", f32(importance)}}));
  QuantizeOptions options;
  options.double_quant = false;
  options.importance = directory / "importance.safetensors";
  quantize(directory / "in.safetensors", directory / "cpu.safetensors", options);
  options.exec.device = {QFUSE_CUDA, 0};
  quantize(directory / "in.safetensors", directory / "gpu.safetensors", options);
  EXPECT_TRUE(read_file(directory / "cpu.safetensors") == read_file(directory / "gpu.safetensors"));
  options.importance.clear();
  quantize(directory / "in.safetensors", directory / "absmax.safetensors", options);
  EXPECT_FALSE(read_file(directory / "absmax.safetensors") == read_file(directory / "gpu.safetensors"));
}

// Decodes to 100 MB.
RawTensors large_int8() {
  constexpr std::int64_t kRows = 5000;
  constexpr std::int64_t kColumns = 10'000;
  return {{"w.weight", {"I8", {kRows, kColumns}, std::string(kRows * kColumns, 'x')}},
          {"w.SCB", f32(std::vector<float>(kRows, 1.0F))}};
}

TEST_F(Double, several_pieces_are_under_way_and_memory_is_bounded) {
  constexpr std::int64_t kBound = 128 << 20;  // bytes
  const TemporaryDirectory directory;
  write_file(directory / "in", safetensors(large_int8()));
  for (const auto convert : {decode, encode}) {
    gpu_double() = {};
    convert(directory / "in", directory / "out");
    EXPECT_EQ(gpu_double().most_busy, 3);
    EXPECT_LT(gpu_double().most_device_bytes, kBound);
    EXPECT_LT(gpu_double().most_pinned_bytes, kBound);
    fs::rename(directory / "out", directory / "in");  // the next conversion encodes what this one decoded
  }
}

// The adapter's matrices, which every piece needs, are as long as those of an output head.
TEST_F(Double, of_a_large_tensor_several_pieces_are_merged_and_memory_is_bounded) {
  constexpr std::int64_t kBound = 256 << 20;  // bytes
  const TemporaryDirectory directory;
  write_file(directory / "base", safetensors({{"w.weight", random_weight({5000, 10'000})}}));
  write_adapter(directory / "adapter", lora("w", 5000, 10'000, 4));
  MergeOptions options;
  options.exec.device = {QFUSE_CUDA, 0};
  merge(directory / "base", std::vector<AdapterInput>{{directory / "adapter"}}, directory / "out", options);
  EXPECT_EQ(gpu_double().most_busy, 3);
  EXPECT_LT(gpu_double().most_device_bytes, kBound);
  EXPECT_LT(gpu_double().most_pinned_bytes, kBound);
}

}  // namespace
}  // namespace qfuse::checkpoint
