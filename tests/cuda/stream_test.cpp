// What a caller's CUDA program relies on: its stream, its graph, its current device, no allocation.
#include <cuda_runtime_api.h>
#include <gtest/gtest.h>
#include <qfuse/qfuse.h>

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "cases/dequantize_4bit.h"
#include "cases/quantize_4bit.h"
#include "runtime/memory.h"
#include "support/compare.h"
#include "support/encoded.h"

namespace qfuse::tests {
namespace {

class Stream : public testing::Test {
 protected:
  void SetUp() override {
    if (qfuse_device_count(QFUSE_CUDA) == 0) GTEST_SKIP() << "there is no GPU here";
  }
};

// A weight that is encoded and decoded again, all of it in a GPU's memory.
class Weight {
 public:
  explicit Weight(const Quantize4bitCase& c) : case_(c), values_(make_weights(c, QFUSE_BFLOAT16)) {
    const std::int64_t blocks = qfuse_block_count(c.n, c.blocksize);
    in_ = allocate(values_.size());
    packed_ = allocate(static_cast<std::size_t>(qfuse_packed_size(c.n)));
    absmax_ = allocate(static_cast<std::size_t>(blocks) * 4);
    absmax_8bit_ = allocate(static_cast<std::size_t>(blocks));
    nested_absmax_ = allocate(static_cast<std::size_t>(qfuse_block_count(blocks, c.nested_blocksize)) * 4);
    offset_ = allocate(4);
    map_ = allocate(1024);
    out_ = allocate(values_.size());
    std::vector<float> map(256);
    qfuse_nested_quant_map(map.data());
    stream_.copy(map_, map.data(), 1024);
    stream_.copy(in_, values_.data(), values_.size());
    stream_.synchronize();
  }

  // Encodes, and decodes with the offset where encoding left it: no step waits for the host.
  void enqueue(void* stream) {
    qfuse_exec exec = QFUSE_EXEC_INIT;
    exec.device = {QFUSE_CUDA, 0};
    exec.stream = stream;
    qfuse_quantize_4bit_params q{};
    q.struct_size = sizeof q;
    q.n = case_.n;
    q.blocksize = case_.blocksize;
    q.quant_type = case_.quant_type;
    q.in_dtype = QFUSE_BFLOAT16;
    q.in = in_;
    q.packed = reinterpret_cast<std::uint8_t*>(packed_);
    q.absmax = reinterpret_cast<float*>(absmax_);
    q.absmax_8bit = reinterpret_cast<std::uint8_t*>(absmax_8bit_);
    q.nested_absmax = reinterpret_cast<float*>(nested_absmax_);
    q.nested_offset = reinterpret_cast<float*>(offset_);
    q.nested_blocksize = case_.nested_blocksize;
    qfuse_error error{};
    ASSERT_EQ(qfuse_quantize_4bit(&q, &exec, &error), QFUSE_OK) << error.message;
    qfuse_dequantize_4bit_params d{};
    d.struct_size = sizeof d;
    d.n = case_.n;
    d.blocksize = case_.blocksize;
    d.quant_type = case_.quant_type;
    d.out_dtype = QFUSE_BFLOAT16;
    d.packed = q.packed;
    d.absmax_8bit = q.absmax_8bit;
    d.nested_absmax = q.nested_absmax;
    d.nested_quant_map = reinterpret_cast<float*>(map_);
    d.nested_blocksize = case_.nested_blocksize;
    d.nested_offset_at = q.nested_offset;
    d.out = out_;
    ASSERT_EQ(qfuse_dequantize_4bit(&d, &exec, &error), QFUSE_OK) << error.message;
  }

  void clear_output() { ASSERT_EQ(cudaMemset(out_, 0xa5, values_.size()), cudaSuccess); }

  // Against the CPU's doing of the same.
  void expect_right() {
    std::vector<std::uint8_t> actual(values_.size());
    stream_.copy(actual.data(), out_, actual.size());
    stream_.synchronize();
    Encoded encoded(case_.n, case_.blocksize, case_.nested_blocksize);
    qfuse_quantize_4bit_params q{};
    q.struct_size = sizeof q;
    q.n = case_.n;
    q.blocksize = case_.blocksize;
    q.quant_type = case_.quant_type;
    q.in_dtype = QFUSE_BFLOAT16;
    q.in = values_.data();
    q.nested_blocksize = case_.nested_blocksize;
    encoded.point(q);
    ASSERT_EQ(qfuse_quantize_4bit(&q, nullptr, nullptr), QFUSE_OK);
    std::vector<float> map(256);
    qfuse_nested_quant_map(map.data());
    std::vector<std::uint8_t> expected(values_.size());
    qfuse_dequantize_4bit_params d{};
    d.struct_size = sizeof d;
    d.n = case_.n;
    d.blocksize = case_.blocksize;
    d.quant_type = case_.quant_type;
    d.out_dtype = QFUSE_BFLOAT16;
    d.packed = q.packed;
    d.absmax_8bit = q.absmax_8bit;
    d.nested_absmax = q.nested_absmax;
    d.nested_quant_map = map.data();
    d.nested_blocksize = case_.nested_blocksize;
    d.nested_offset_at = q.nested_offset;
    d.out = expected.data();
    ASSERT_EQ(qfuse_dequantize_4bit(&d, nullptr, nullptr), QFUSE_OK);
    EXPECT_TRUE(same_bytes(expected.data(), actual.data(), static_cast<std::int64_t>(actual.size())));
  }

 private:
  std::byte* allocate(std::size_t size) {
    memory_.push_back(std::make_unique<runtime::DeviceMemory>(0, size));
    return memory_.back()->data();
  }

  Quantize4bitCase case_;
  std::vector<std::uint8_t> values_;
  runtime::Stream stream_{0};
  std::vector<std::unique_ptr<runtime::DeviceMemory>> memory_;
  std::byte *in_, *packed_, *absmax_, *absmax_8bit_, *nested_absmax_, *offset_, *map_, *out_;
};

constexpr Quantize4bitCase kCase{"several chunks of the mean", 64 * 4096 * 3 + 64 * 777 + 5};

TEST_F(Stream, OpsMayBeCapturedIntoAGraph) {
  Weight weight(kCase);
  runtime::Stream stream(0);
  auto* const handle = static_cast<cudaStream_t>(stream.handle());
  ASSERT_EQ(cudaStreamBeginCapture(handle, cudaStreamCaptureModeGlobal), cudaSuccess);
  weight.enqueue(handle);
  cudaGraph_t graph = nullptr;
  ASSERT_EQ(cudaStreamEndCapture(handle, &graph), cudaSuccess);
  std::size_t nodes = 0;
  ASSERT_EQ(cudaGraphGetNodes(graph, nullptr, &nodes), cudaSuccess);
  EXPECT_EQ(nodes, 5U) << "four kernels to encode and one to decode: no copy, no allocation, no host function";
  cudaGraphExec_t runnable = nullptr;
  ASSERT_EQ(cudaGraphInstantiate(&runnable, graph, 0), cudaSuccess);
  for (int replay = 0; replay < 2; ++replay) {
    weight.clear_output();
    ASSERT_EQ(cudaDeviceSynchronize(), cudaSuccess);
    ASSERT_EQ(cudaGraphLaunch(runnable, handle), cudaSuccess);
    stream.synchronize();
    weight.expect_right();
  }
  cudaGraphExecDestroy(runnable);
  cudaGraphDestroy(graph);
}

TEST_F(Stream, NothingIsAllocated) {
  Weight weight(kCase);
  weight.enqueue(nullptr);  // loads the kernels
  ASSERT_EQ(cudaDeviceSynchronize(), cudaSuccess);
  std::size_t before = 0;
  std::size_t after = 0;
  std::size_t total = 0;
  ASSERT_EQ(cudaMemGetInfo(&before, &total), cudaSuccess);
  for (int i = 0; i < 100; ++i) weight.enqueue(nullptr);
  ASSERT_EQ(cudaMemGetInfo(&after, &total), cudaSuccess);
  EXPECT_EQ(before, after);
  ASSERT_EQ(cudaDeviceSynchronize(), cudaSuccess);
  weight.expect_right();
}

TEST_F(Stream, AnErrorOfTheCallersOwnIsNotTheOps) {
  Weight weight(kCase);
  ASSERT_NE(cudaMemset(nullptr, 0, 16), cudaSuccess);  // stays behind as the thread's last error
  weight.enqueue(nullptr);
  ASSERT_EQ(cudaDeviceSynchronize(), cudaSuccess);
  weight.expect_right();
  EXPECT_EQ(cudaGetLastError(), cudaErrorInvalidValue) << "it is still the caller's to see";
}

TEST_F(Stream, AMissingDeviceIsRefusedAndTheCurrentOneStays) {
  int before = -1;
  ASSERT_EQ(cudaGetDevice(&before), cudaSuccess);
  const Dequantize4bitCase c{"no such device", 64};
  const Dequantize4bitInput in = make_input(c);
  qfuse_dequantize_4bit_params p = make_params(c, in);
  std::vector<float> out(64);
  p.out = out.data();
  qfuse_exec exec = QFUSE_EXEC_INIT;
  exec.device = {QFUSE_CUDA, 63};
  qfuse_error error{};
  EXPECT_EQ(qfuse_dequantize_4bit(&p, &exec, &error), QFUSE_UNSUPPORTED);
  EXPECT_NE(std::string(error.message).find("dequantize_4bit"), std::string::npos) << error.message;
  int after = -1;
  ASSERT_EQ(cudaGetDevice(&after), cudaSuccess);
  EXPECT_EQ(before, after);
}

// On a machine with several, each op runs on the device it names, and the caller's current one stays.
TEST_F(Stream, AnotherDeviceThanTheCurrentOne) {
  if (qfuse_device_count(QFUSE_CUDA) < 2) GTEST_SKIP() << "there is no second GPU here";
  ASSERT_EQ(cudaSetDevice(1), cudaSuccess);
  Weight weight(kCase);
  weight.enqueue(nullptr);
  int current = -1;
  ASSERT_EQ(cudaGetDevice(&current), cudaSuccess);
  EXPECT_EQ(current, 1);
  ASSERT_EQ(cudaSetDevice(0), cudaSuccess);
  ASSERT_EQ(cudaDeviceSynchronize(), cudaSuccess);
  weight.expect_right();
}

}  // namespace
}  // namespace qfuse::tests
