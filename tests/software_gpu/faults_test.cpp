// Tests that the software GPU detects faults: runs correct kernels, and the same kernels with a planted fault each.
#include <cuda_runtime.h>
#include <gtest/gtest.h>

#include <cstdio>
#include <cstdlib>
#include <string>
#include <thread>
#include <vector>

#include "backend/cuda/device/current.h"
#include "backend/cuda/device/hopper_portable.cuh"

namespace {

constexpr int kThreads = 96;
constexpr int kBlocks = 5;

// Faults of a kernel whose threads pass pieces to one another.
enum class Fault {
  none,
  no_wait_for_data,     // the reader of a slot does not wait until it is full
  no_wait_for_room,     // the loader of a slot does not wait until it is empty
  arrival_too_many,     // a slot is signaled empty twice
  arrival_before_data,  // a slot's reader signals that it is full
  no_fence,             // no fence between plain stores and a bulk store
  no_wait_for_products  // the writer does not wait for the products that read its data
};

struct Arguments {
  const int* in;
  int* out;
  int barriers;  // number of the kernel's barriers that are kept
  Fault fault;
};

// Reverses each block's values through shared memory.
void turn_round(Arguments a) {
  __shared__ int values[kThreads];
  const int me = static_cast<int>(threadIdx.x);
  const int first = static_cast<int>(blockIdx.x) * kThreads;
  values[me] = a.in[first + me];
  if (a.barriers > 0) __syncthreads();
  a.out[first + me] = values[kThreads - 1 - me];
}

// Computes the sum of each warp in every one of its threads.
void sum_warps(Arguments a) {
  const int at = static_cast<int>(blockIdx.x) * kThreads + static_cast<int>(threadIdx.x);
  int sum = a.in[at];
  for (int step = 16; step > 0; step /= 2) sum += __shfl_xor_sync(0xffffffffU, sum, step);
  a.out[at] = sum;
}

void read_what_nobody_wrote(Arguments a) {
  __shared__ int values[2 * kThreads];
  const int me = static_cast<int>(threadIdx.x);
  values[me] = a.in[me];
  __syncthreads();
  a.out[me] = values[kThreads + me];
}

void wait_apart(Arguments a) {
  if (threadIdx.x == 0)
    __syncwarp(0xffffffffU);
  else
    __syncthreads();
  a.out[threadIdx.x] = 0;
}

void return_before_the_barrier(Arguments a) {
  if (threadIdx.x == kThreads - 1) return;
  __syncthreads();
  a.out[threadIdx.x] = 0;
}

void exchange_with_a_thread_that_is_not_there(Arguments a) {
  a.out[threadIdx.x] = __shfl_xor_sync(0xffffffffU, a.in[threadIdx.x], 64);
}

// For a block whose last warp is not whole.
void multiply_with_threads_that_are_not_there(Arguments a) {
  float sums[4] = {};
  qfuse::cuda::portable::multiply_half({1, 2, 3, 4}, {5, 6}, sums);
  a.out[threadIdx.x] = static_cast<int>(sums[0]);
}

// Thread 0 passes values to all other threads, which add them. Before the next value it waits until all took it.
constexpr int kRounds = 5;
void hand_out(Arguments a) {
  namespace steps = qfuse::cuda::portable;
  __shared__ steps::Mbarrier given;
  __shared__ steps::Mbarrier taken;
  __shared__ int value;
  if (threadIdx.x == 0) {
    steps::init_mbarrier(given);
    steps::init_mbarrier(taken, kThreads - 1);
    steps::fence_mbarrier_init();
  }
  __syncthreads();
  int sum = 0;
  for (unsigned round = 0; round < kRounds; ++round) {
    if (threadIdx.x == 0) {
      if (a.barriers == 0 && round == kRounds - 1) return;
      value = a.in[round];
      steps::arrive(given);
      steps::wait_for(taken, round);
    } else {
      steps::wait_for(given, round);
      sum += value;
      steps::arrive(taken);
    }
  }
  a.out[blockIdx.x * kThreads + threadIdx.x] = sum;
}

// One thread loads pieces into a ring of slots. A warp adds one to each number and stores the pieces.
constexpr int kSlots = 3;
constexpr int kPieces = kBlocks * kThreads / 32;
struct alignas(128) Piece {
  int numbers[32];
};
void add_one_in_bulk(Arguments a) {
  namespace steps = qfuse::cuda::portable;
  __shared__ Piece slots[kSlots];
  __shared__ Piece sums;
  __shared__ steps::Mbarrier full[kSlots];
  __shared__ steps::Mbarrier empty[kSlots];
  if (threadIdx.x == 0) {
    for (int i = 0; i < kSlots; ++i) steps::init_mbarrier(full[i]), steps::init_mbarrier(empty[i]);
    steps::fence_mbarrier_init();
  }
  __syncthreads();
  const int lane = static_cast<int>(threadIdx.x) % 32;
  for (int i = 0; i < kPieces; ++i) {
    const int slot = i % kSlots;
    const auto phase = static_cast<unsigned>(i / kSlots);
    if (threadIdx.x == 32) {
      if (a.fault != Fault::no_wait_for_room) steps::wait_for(empty[slot], phase - 1);
      steps::load_bulk(&slots[slot], a.in + i * 32, sizeof(Piece), full[slot]);
    }
    if (threadIdx.x >= 32) continue;
    if (a.fault == Fault::arrival_before_data && lane == 0) steps::arrive(full[slot]);
    if (a.fault != Fault::no_wait_for_data) steps::wait_for(full[slot], phase);
    sums.numbers[lane] = slots[slot].numbers[lane] + 1;
    if (a.fault != Fault::no_fence) steps::fence_proxy_async();
    __syncwarp(0xffffffffU);
    if (lane == 0) {
      steps::arrive(empty[slot]);
      if (a.fault == Fault::arrival_too_many) steps::arrive(empty[slot]);
      steps::store_bulk(a.out + i * 32, &sums, sizeof(Piece));
    }
    __syncwarp(0xffffffffU);
  }
}

// Multiplies two tiles of ones, which are overwritten afterward. Each thread holds some of the sums.
struct alignas(1024) Ones {
  std::uint16_t values[64][64];
};
constexpr int kProductThreads = 128;
void multiply_ones(Arguments a) {
  namespace steps = qfuse::cuda::portable;
  constexpr std::uint16_t kOne = 0x3f80;  // 1 in bf16
  __shared__ Ones ones;
  const int me = static_cast<int>(threadIdx.x);
  for (int i = me; i < 64 * 64; i += kProductThreads) ones.values[i / 64][i % 64] = kOne;
  steps::fence_proxy_async();
  __syncthreads();
  float sums[32] = {};
  const steps::TileOperand tile = steps::tile_operand<128>(&ones, 16);
  steps::wgmma_fence();
  steps::wgmma_bfloat16<64, false, false>(sums, tile, tile, false);
  steps::wgmma_commit();
  if (a.fault != Fault::no_wait_for_products) steps::wgmma_wait<0>();
  __syncthreads();
  for (int i = me; i < 64 * 64; i += kProductThreads) ones.values[i / 64][i % 64] = 0;
  steps::fence_proxy_async();
  __syncthreads();
  steps::wgmma_wait<0>();
  a.out[me] = static_cast<int>(sums[0]);
}

void write_past_the_end(Arguments a) { a.out[kBlocks * kThreads + static_cast<int>(threadIdx.x)] = 1; }

class SoftwareGpu : public testing::Test {
 protected:
  SoftwareGpu() : in_(kBlocks * kThreads), out_(in_.size()) {
    for (std::size_t i = 0; i < in_.size(); ++i) in_[i] = static_cast<int>(i * i % 1009);
  }
  ~SoftwareGpu() override { ::unsetenv("QFUSE_GPU_ORDER"); }

  void run(void (*kernel)(Arguments), const std::string& order, int barriers = 1) {
    launch(kernel, order, {in_.data(), out_.data(), barriers, Fault::none}, kBlocks, kThreads);
  }
  // Launches one block.
  void run_with(Fault fault, void (*kernel)(Arguments), const std::string& order, unsigned threads = kThreads) {
    launch(kernel, order, {in_.data(), out_.data(), 1, fault}, 1, threads);
  }

  std::vector<int> in_;
  std::vector<int> out_;

 private:
  static void launch(void (*kernel)(Arguments), const std::string& order, Arguments a, unsigned blocks,
                     unsigned threads) {
    ::setenv("QFUSE_GPU_ORDER", order.c_str(), 1);
    void* arguments[] = {&a};
    EXPECT_EQ(cudaLaunchKernel(kernel, {blocks, 1, 1}, {threads, 1, 1}, arguments, 0, nullptr), cudaSuccess);
  }
};

const std::vector<std::string> kOrders{"forward", "backward", "shuffle:1", "shuffle:2"};

TEST_F(SoftwareGpu, runs_every_thread_in_every_order) {
  for (const std::string& order : kOrders) {
    SCOPED_TRACE(order);
    out_.assign(out_.size(), -1);
    run(turn_round, order);
    for (int i = 0; i < kBlocks * kThreads; ++i)
      ASSERT_EQ(out_[i], in_[i / kThreads * kThreads + kThreads - 1 - i % kThreads]);
    run(sum_warps, order);
    for (int i = 0; i < kBlocks * kThreads; ++i) {
      int sum = 0;
      for (int lane = 0; lane < 32; ++lane) sum += in_[i / 32 * 32 + lane];
      ASSERT_EQ(out_[i], sum);
    }
  }
}

TEST_F(SoftwareGpu, lets_threads_wait_for_each_other_in_every_order) {
  int sum = 0;
  for (int round = 0; round < kRounds; ++round) sum += in_[round];
  for (const std::string& order : kOrders) {
    SCOPED_TRACE(order);
    out_.assign(out_.size(), -1);
    run(hand_out, order);
    for (int i = 0; i < kBlocks * kThreads; ++i) ASSERT_EQ(out_[i], i % kThreads == 0 ? 0 : sum);
  }
}

TEST_F(SoftwareGpu, finds_a_barrier_that_is_missing) {
  run(turn_round, "forward");
  const std::vector<int> right = out_;
  for (const std::string& order : kOrders) {
    run(turn_round, order, 0);
    EXPECT_NE(out_, right) << order;
  }
}

TEST_F(SoftwareGpu, finds_a_read_of_shared_memory_that_nobody_wrote) {
  run(read_what_nobody_wrote, "forward");
  for (int i = 0; i < kThreads; ++i) EXPECT_EQ(out_[i], -1);
}

TEST_F(SoftwareGpu, copies_and_products_come_in_every_order) {
  for (const std::string& order : kOrders) {
    SCOPED_TRACE(order);
    out_.assign(out_.size(), -1);
    run_with(Fault::none, add_one_in_bulk, order);
    for (std::size_t i = 0; i < in_.size(); ++i) ASSERT_EQ(out_[i], in_[i] + 1);
    run_with(Fault::none, multiply_ones, order, kProductThreads);
    for (int i = 0; i < kProductThreads; ++i) ASSERT_EQ(out_[i], 16);
  }
}

TEST_F(SoftwareGpu, finds_a_store_without_the_fence_that_its_reader_needs) {
  for (const std::string& order : kOrders) {
    run_with(Fault::none, add_one_in_bulk, order);
    const std::vector<int> right = out_;
    run_with(Fault::no_fence, add_one_in_bulk, order);
    EXPECT_NE(out_, right) << order;
  }
}

TEST_F(SoftwareGpu, finds_products_that_nobody_waits_for) {
  bool is_found = false;
  for (const std::string& order : kOrders) {
    run_with(Fault::no_wait_for_products, multiply_ones, order, kProductThreads);
    for (int i = 0; i < kProductThreads; ++i) is_found = is_found || out_[i] != 16;
  }
  EXPECT_TRUE(is_found);
}

TEST_F(SoftwareGpu, maps_no_tiles_for_a_thread_without_a_context) {
  qfuse::contract::Outcome without;
  qfuse::contract::Outcome with;
  const auto map = [&] {
    qfuse::cuda::portable::TensorMap made{};
    return qfuse::cuda::portable::make_tensor_map(made, reinterpret_cast<const void*>(1024), 8, 64, 64, 8, 64);
  };
  std::thread([&] {
    without = map();
    const qfuse::cuda::CurrentDevice current(0);
    with = map();
  }).join();
  EXPECT_NE(without.message.find("CUDA_ERROR_INVALID_CONTEXT (201)"), std::string::npos) << without.message;
  EXPECT_TRUE(with.ok()) << with.message;
}

using SoftwareGpuDeathTest = SoftwareGpu;

TEST_F(SoftwareGpuDeathTest, stops_where_waits_and_arrivals_are_of_different_phases) {
  for (const std::string& order : kOrders) {
    run_with(Fault::none, add_one_in_bulk, order);
    const std::vector<int> right = out_;
    const auto stop_if_wrong = [&] {
      run_with(Fault::no_wait_for_data, add_one_in_bulk, order);
      if (out_ == right) return;
      std::fputs("wrong numbers\n", stderr);
      std::abort();
    };
    EXPECT_DEATH(stop_if_wrong(), "wrong numbers|an arrival too many|two phases late");
    EXPECT_DEATH(run_with(Fault::no_wait_for_room, add_one_in_bulk, order), "an arrival too many|two phases late");
    EXPECT_DEATH(run_with(Fault::arrival_too_many, add_one_in_bulk, order), "a wait comes two phases late");
    EXPECT_DEATH(run_with(Fault::arrival_before_data, add_one_in_bulk, order), "an arrival too many|two phases late");
  }
}

TEST_F(SoftwareGpuDeathTest, stops_where_threads_wait_apart) {
  constexpr const char* kApart = "software GPU: block .*: threads of a block wait at different barriers.*shuffle:7";
  EXPECT_DEATH(run(wait_apart, "shuffle:7"), kApart);
  EXPECT_DEATH(run(return_before_the_barrier, "shuffle:7"), kApart);
  EXPECT_DEATH(run(exchange_with_a_thread_that_is_not_there, "forward"), "exchanges with a thread that is not there");
  EXPECT_DEATH(run_with(Fault::none, multiply_with_threads_that_are_not_there, "forward", kThreads - 1),
               "exchanges with threads that are not there");
}

TEST_F(SoftwareGpuDeathTest, stops_where_threads_wait_for_an_arrival_that_never_comes) {
  for (const std::string& order : kOrders)
    EXPECT_DEATH(run(hand_out, order, 0), "software GPU: block .*: threads wait for arrivals that do not come");
}

TEST_F(SoftwareGpuDeathTest, finds_an_address_past_an_array) {
#if __has_feature(address_sanitizer)
  EXPECT_DEATH(run(write_past_the_end, "forward"), "heap-buffer-overflow");
#else
  static_cast<void>(write_past_the_end);
  GTEST_SKIP() << "without the address sanitizer nobody looks";
#endif
}

}  // namespace
