// Tests what callers rely on: streams, graph capture, no allocation. threads_test.cpp tests the current device.
#include <cuda_runtime_api.h>
#include <gtest/gtest.h>
#include <qfuse/qfuse.h>

#include <cstdint>
#include <memory>
#include <qfuse/qfuse.hpp>
#include <vector>

#include "cases/quantize_4bit.h"
#include "support/compare.h"
#include "support/encoded.h"
#include "support/run.h"

namespace qfuse::tests {
namespace {

constexpr qfuse_device kGpu = {QFUSE_CUDA, 0};

class Streams : public testing::Test {
 protected:
  void SetUp() override {
    if (qfuse_device_count(QFUSE_CUDA) == 0) GTEST_SKIP() << "there is no GPU here";
  }
};

// Returns the call that decodes a nested weight from the arrays into which it was encoded.
contract::Dequantize4bit decoding_of(const qfuse_weight_4bit_out& encoded, void* out) {
  contract::Dequantize4bit p{};
  p.weight = flat_weight(encoded.cols, encoded.blocksize, encoded.quant_type);
  p.weight.packed = encoded.packed;
  p.weight.absmax_8bit = encoded.absmax_8bit;
  p.weight.nested_absmax = encoded.nested_absmax;
  p.weight.nested_quant_map = encoded.nested_quant_map;
  p.weight.nested_offset = encoded.nested_offset;
  p.weight.nested_blocksize = encoded.nested_blocksize;
  p.out_dtype = QFUSE_BFLOAT16;
  p.out = out;
  return p;
}

// A weight in GPU memory that is encoded and then decoded.
class Weight {
 public:
  explicit Weight(const Quantize4bitCase& c)
      : case_(c), values_(make_weights(c, QFUSE_BFLOAT16)), encode_(make_params(c, nullptr, QFUSE_BFLOAT16)) {
    const std::int64_t blocks = qfuse_block_count(c.n, c.blocksize);
    encode_.in = in_ = allocate<std::uint8_t>(values_.size());
    qfuse_weight_4bit_out& w = encode_.weight;
    w.packed = allocate<std::uint8_t>(static_cast<std::size_t>(qfuse_packed_size(c.n)));
    w.absmax_8bit = allocate<std::uint8_t>(static_cast<std::size_t>(blocks));
    w.nested_absmax = allocate<float>(static_cast<std::size_t>(qfuse_block_count(blocks, c.nested_blocksize)));
    w.nested_quant_map = allocate<float>(QFUSE_QUANT_MAP_SIZE);
    w.nested_offset = allocate<float>(1);
    encode_.workspace_size = workspace_size(encode_);
    encode_.workspace = allocate<std::uint8_t>(static_cast<std::size_t>(encode_.workspace_size));
    out_ = allocate<std::uint8_t>(values_.size());
    stream_.copy(in_, values_.data(), values_.size());
    stream_.synchronize();
  }

  // Encodes and decodes. Decoding reads the map and the offset from GPU memory, so no step waits for the host.
  void enqueue(void* stream) {
    qfuse_exec exec = QFUSE_EXEC_INIT;
    exec.device = kGpu;
    exec.stream = stream;
    qfuse_error error{};
    ASSERT_EQ(call(encode_, &exec, &error), QFUSE_OK) << error.message;
    ASSERT_EQ(call(decoding_of(encode_.weight, out_), &exec, &error), QFUSE_OK) << error.message;
  }

  void clear_output() { ASSERT_EQ(cudaMemset(out_, 0xa5, values_.size()), cudaSuccess); }

  // Compares the result with the CPU's.
  void expect_right() {
    std::vector<std::uint8_t> actual(values_.size());
    stream_.copy(actual.data(), out_, actual.size());
    stream_.synchronize();
    Encoded encoded(case_.n, case_.blocksize, case_.nested_blocksize);
    contract::Quantize4bit q = make_params(case_, values_.data(), QFUSE_BFLOAT16);
    encoded.point(q);
    ASSERT_EQ(run(q, QFUSE_EXEC_INIT, nullptr), QFUSE_OK);
    std::vector<std::uint8_t> expected(values_.size());
    ASSERT_EQ(call(decoding_of(q.weight, expected.data())), QFUSE_OK);
    EXPECT_TRUE(same_bytes(expected, actual));
  }

 private:
  template <class T>
  T* allocate(std::size_t count) {
    memory_.push_back(std::make_unique<DeviceMemory>(kGpu, count * sizeof(T)));
    return reinterpret_cast<T*>(memory_.back()->data());
  }

  Quantize4bitCase case_;
  std::vector<std::uint8_t> values_;
  Stream stream_{kGpu};
  std::vector<std::unique_ptr<DeviceMemory>> memory_;
  contract::Quantize4bit encode_;
  std::uint8_t* in_ = nullptr;
  std::uint8_t* out_ = nullptr;
};

constexpr Quantize4bitCase kCase{"several chunks of the mean", 64 * 4096 * 3 + 64 * 777 + 5};

TEST_F(Streams, ops_may_be_captured_into_a_graph) {
  Weight weight(kCase);
  Stream stream(kGpu);
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

TEST_F(Streams, nothing_is_allocated) {
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

TEST_F(Streams, an_error_of_the_callers_own_is_not_the_ops) {
  Weight weight(kCase);
  ASSERT_NE(cudaMemset(nullptr, 0, 16), cudaSuccess);  // leaves an error as the thread's last error
  weight.enqueue(nullptr);
  ASSERT_EQ(cudaDeviceSynchronize(), cudaSuccess);
  weight.expect_right();
  EXPECT_EQ(cudaGetLastError(), cudaErrorInvalidValue) << "it is still the caller's to see";
}

}  // namespace
}  // namespace qfuse::tests
