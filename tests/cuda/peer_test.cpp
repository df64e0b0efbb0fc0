// Compares with bitsandbytes' CUDA library in the same process on the same arrays: equal bytes for all types, dtypes,
// block sizes and counts. QFUSE_BITSANDBYTES names its shared object (libbitsandbytes_cuda130.so of the PyPI wheel).
#include <cuda_runtime_api.h>
#include <dlfcn.h>
#include <gtest/gtest.h>
#include <qfuse/qfuse.h>

#include <array>
#include <cmath>
#include <cstdint>
#include <cstdlib>
#include <memory>
#include <qfuse/qfuse.hpp>
#include <random>
#include <string>
#include <vector>

#include "format/elements.h"
#include "support/buffer.h"
#include "support/compare.h"
#include "support/run.h"

namespace qfuse::tests {
namespace {

constexpr std::array kDtypes = {std::pair{QFUSE_FLOAT32, "fp32"}, std::pair{QFUSE_FLOAT16, "fp16"},
                                std::pair{QFUSE_BFLOAT16, "bf16"}};
constexpr std::array kQuantTypes = {std::pair{QFUSE_NF4, "nf4"}, std::pair{QFUSE_FP4, "fp4"}};
constexpr std::array<std::int64_t, 4> kCounts = {64 * 256 * 3, 4096 * 7 + 33, 1, 12345};

// bitsandbytes' C interface, as declared in its csrc/pythonInterface.cpp.
using Decode = void (*)(const float* code, const void* in, const float* absmax, void* out, int blocksize, int n,
                        void* stream);
using Encode = void (*)(const float* code, const void* in, float* absmax, void* out, int blocksize, int n);

class Peer : public testing::Test {
 protected:
  void SetUp() override {
    if (qfuse_device_count(QFUSE_CUDA) == 0) GTEST_SKIP() << "there is no GPU here";
    const char* const path = std::getenv("QFUSE_BITSANDBYTES");
    if (path == nullptr) GTEST_SKIP() << "QFUSE_BITSANDBYTES does not name bitsandbytes' CUDA library";
    library_ = dlopen(path, RTLD_NOW | RTLD_LOCAL);
    ASSERT_NE(library_, nullptr) << dlerror();
    exec_.device = {QFUSE_CUDA, 0};  // legacy default stream, like bitsandbytes' encoders
  }

  template <class Function>
  Function function(const std::string& name) {
    void* const symbol = dlsym(library_, name.c_str());
    EXPECT_NE(symbol, nullptr) << dlerror();
    return reinterpret_cast<Function>(symbol);
  }

  // Copies `bytes` to GPU memory.
  template <class T = void>
  T* there(const std::vector<std::uint8_t>& bytes) {
    memory_.push_back(std::make_unique<DeviceMemory>(exec_.device, bytes.size()));
    EXPECT_EQ(cudaMemcpy(memory_.back()->data(), bytes.data(), bytes.size(), cudaMemcpyDefault), cudaSuccess);
    return reinterpret_cast<T*>(memory_.back()->data());
  }
  template <class T = void>
  T* poisoned(std::int64_t size) {
    return there<T>(std::vector<std::uint8_t>(static_cast<std::size_t>(size), kPoison));
  }
  static std::vector<std::uint8_t> back(const void* from, std::int64_t size) {
    std::vector<std::uint8_t> bytes(static_cast<std::size_t>(size));
    EXPECT_EQ(cudaMemcpy(bytes.data(), from, bytes.size(), cudaMemcpyDefault), cudaSuccess);
    return bytes;
  }

  std::vector<std::uint8_t> random_bytes(std::int64_t size) {
    std::vector<std::uint8_t> bytes(static_cast<std::size_t>(size));
    for (auto& byte : bytes) byte = static_cast<std::uint8_t>(random_());
    return bytes;
  }
  // Random values of one random magnitude; about one in fifty is zero, infinite or NaN.
  std::vector<std::uint8_t> random_values(std::int64_t n, qfuse_dtype dtype, int exponents) {
    constexpr std::array kOdd = {0.0F, -0.0F, NAN, INFINITY, -INFINITY};
    std::vector<std::uint8_t> values(static_cast<std::size_t>(n) * qfuse_dtype_size(dtype));
    const int scale = std::uniform_int_distribution(-exponents, exponents)(random_);
    for (std::int64_t i = 0; i < n; ++i) {
      const float normal = std::ldexp(std::normal_distribution<float>()(random_), scale);
      format::store_rounded(values.data(), i, dtype, random_() % 50 == 0 ? kOdd[random_() % kOdd.size()] : normal);
    }
    return values;
  }

  std::mt19937 random_{17};
  qfuse_exec exec_ = QFUSE_EXEC_INIT;

 private:
  void* library_ = nullptr;
  std::vector<std::unique_ptr<DeviceMemory>> memory_;
};

TEST_F(Peer, decodes_to_4bit_weights_of_the_same_bits) {
  for (const auto& [quant_type, type_name] : kQuantTypes) {
    for (const auto& [dtype, dtype_name] : kDtypes) {
      const auto decode = function<Decode>(std::string("cdequantize_blockwise_") + dtype_name + "_" + type_name);
      for (std::int64_t blocksize = 32; blocksize <= 4096; blocksize *= 2) {
        for (const std::int64_t n : kCounts) {
          SCOPED_TRACE(std::string(type_name) + ", " + dtype_name + ", blocksize " + std::to_string(blocksize) +
                       ", n " + std::to_string(n));
          const std::int64_t size = n * static_cast<std::int64_t>(qfuse_dtype_size(dtype));
          contract::Dequantize4bit p{};
          p.weight = flat_weight(n, blocksize, quant_type);
          p.out_dtype = dtype;
          p.weight.packed = there<std::uint8_t>(random_bytes(qfuse_packed_size(n)));
          p.weight.absmax = there<float>(random_values(qfuse_block_count(n, blocksize), QFUSE_FLOAT32, 130));
          p.out = poisoned(size);
          qfuse_error error{};
          ASSERT_EQ(call(p, &exec_, &error), QFUSE_OK) << error.message;
          void* const theirs = poisoned(size);
          decode(nullptr, p.weight.packed, p.weight.absmax, theirs, static_cast<int>(blocksize), static_cast<int>(n),
                 nullptr);
          ASSERT_EQ(cudaDeviceSynchronize(), cudaSuccess);
          ASSERT_TRUE(same_elements(back(theirs, size).data(), back(p.out, size).data(), n, dtype));
        }
      }
    }
  }
}

TEST_F(Peer, encodes_to_4bit_codes_of_the_same_bytes) {
  for (const auto& [quant_type, type_name] : kQuantTypes) {
    for (const auto& [dtype, dtype_name] : kDtypes) {
      const auto encode = function<Encode>(std::string("cquantize_blockwise_") + dtype_name + "_" + type_name);
      for (std::int64_t blocksize = 32; blocksize <= 4096; blocksize *= 2) {
        for (const std::int64_t n : kCounts) {
          SCOPED_TRACE(std::string(type_name) + ", " + dtype_name + ", blocksize " + std::to_string(blocksize) +
                       ", n " + std::to_string(n));
          const std::int64_t blocks = qfuse_block_count(n, blocksize);
          contract::Quantize4bit p{};
          p.weight = flat_weight_out(n, blocksize, quant_type);
          p.in_dtype = dtype;
          p.in = there(random_values(n, dtype, dtype == QFUSE_FLOAT16 ? 14 : 126));
          p.weight.packed = poisoned<std::uint8_t>(qfuse_packed_size(n));
          p.weight.absmax = poisoned<float>(blocks * 4);
          p.reciprocal = QFUSE_RECIPROCAL_APPROX;
          qfuse_error error{};
          ASSERT_EQ(call(p, &exec_, &error), QFUSE_OK) << error.message;
          void* const packed = poisoned(qfuse_packed_size(n));
          auto* const absmax = poisoned<float>(blocks * 4);
          encode(nullptr, p.in, absmax, packed, static_cast<int>(blocksize), static_cast<int>(n));
          ASSERT_EQ(cudaDeviceSynchronize(), cudaSuccess);
          ASSERT_TRUE(same_elements(back(absmax, blocks * 4).data(), back(p.weight.absmax, blocks * 4).data(), blocks,
                                    QFUSE_FLOAT32));
          const std::int64_t size = qfuse_packed_size(n);
          ASSERT_TRUE(same_bytes(back(packed, size).data(), back(p.weight.packed, size).data(), size));
        }
      }
    }
  }
}

TEST_F(Peer, encodes_and_decodes_8bit_blocks_to_the_same_bytes) {
  std::vector<std::uint8_t> map(1024);
  qfuse_nested_quant_map(reinterpret_cast<float*>(map.data()));
  auto* const code = there<float>(map);
  for (const auto& [dtype, dtype_name] : kDtypes) {
    const auto encode = function<Encode>(std::string("cquantize_blockwise_") + dtype_name);
    const auto decode = function<Decode>(std::string("cdequantize_blockwise_") + dtype_name);
    for (std::int64_t blocksize = 64; blocksize <= 4096; blocksize *= 2) {
      for (const std::int64_t n : kCounts) {
        SCOPED_TRACE(std::string(dtype_name) + ", blocksize " + std::to_string(blocksize) + ", n " + std::to_string(n));
        const std::int64_t blocks = qfuse_block_count(n, blocksize);
        const std::int64_t size = n * static_cast<std::int64_t>(qfuse_dtype_size(dtype));
        contract::QuantizeBlockwise q{};
        q.n = n;
        q.blocksize = blocksize;
        q.in_dtype = dtype;
        q.in = there(random_values(n, dtype, dtype == QFUSE_FLOAT16 ? 14 : 126));
        q.codes = poisoned<std::uint8_t>(n);
        q.absmax = poisoned<float>(blocks * 4);
        q.reciprocal = QFUSE_RECIPROCAL_APPROX;
        qfuse_error error{};
        ASSERT_EQ(call(q, &exec_, &error), QFUSE_OK) << error.message;
        void* const codes = poisoned(n);
        auto* const absmax = poisoned<float>(blocks * 4);
        encode(code, q.in, absmax, codes, static_cast<int>(blocksize), static_cast<int>(n));
        ASSERT_EQ(cudaDeviceSynchronize(), cudaSuccess);
        ASSERT_TRUE(
            same_elements(back(absmax, blocks * 4).data(), back(q.absmax, blocks * 4).data(), blocks, QFUSE_FLOAT32));
        ASSERT_TRUE(same_bytes(back(codes, n).data(), back(q.codes, n).data(), n));

        contract::DequantizeBlockwise d{};
        d.n = n;
        d.blocksize = blocksize;
        d.out_dtype = dtype;
        d.codes = q.codes;
        d.absmax = q.absmax;
        d.quant_map = code;
        d.out = poisoned(size);
        ASSERT_EQ(call(d, &exec_, &error), QFUSE_OK) << error.message;
        void* const out = poisoned(size);
        decode(code, q.codes, q.absmax, out, static_cast<int>(blocksize), static_cast<int>(n), nullptr);
        ASSERT_EQ(cudaDeviceSynchronize(), cudaSuccess);
        ASSERT_TRUE(same_elements(back(out, size).data(), back(d.out, size).data(), n, dtype));
      }
    }
  }
}

}  // namespace
}  // namespace qfuse::tests
