// What the software GPU finds: kernels that are right, and the same with a fault planted in each.
#include <cuda_runtime.h>
#include <gtest/gtest.h>

#include <cstdlib>
#include <string>
#include <vector>

#include "backend/cuda/device/hopper_portable.cuh"

namespace {

constexpr int kThreads = 96;
constexpr int kBlocks = 5;

struct Arguments {
  const int* in;
  int* out;
  int barriers;  // how many of the kernel's barriers are there
};

// Turns each block's values round, through shared memory.
void turn_round(Arguments a) {
  __shared__ int values[kThreads];
  const int me = static_cast<int>(threadIdx.x);
  const int first = static_cast<int>(blockIdx.x) * kThreads;
  values[me] = a.in[first + me];
  if (a.barriers > 0) __syncthreads();
  a.out[first + me] = values[kThreads - 1 - me];
}

// The sum of each warp, in every one of its threads.
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

// Thread 0 hands values to all others, one after the other, when they have taken the one before; they add them.
constexpr int kRounds = 5;
void hand_out(Arguments a) {
  namespace steps = qfuse::cuda::portable;
  __shared__ steps::Arrival given;
  __shared__ steps::Arrival taken;
  __shared__ int value;
  if (threadIdx.x == 0) {
    steps::prepare(given);
    steps::prepare(taken, kThreads - 1);
    steps::show_arrivals();
  }
  __syncthreads();
  int sum = 0;
  for (unsigned round = 0; round < kRounds; ++round) {
    if (threadIdx.x == 0) {
      if (a.barriers == 0 && round == kRounds - 1) return;
      value = a.in[round];
      steps::arrive(given);
      steps::wait_for(taken, round % 2);
    } else {
      steps::wait_for(given, round % 2);
      sum += value;
      steps::arrive(taken);
    }
  }
  a.out[blockIdx.x * kThreads + threadIdx.x] = sum;
}

void write_past_the_end(Arguments a) { a.out[kBlocks * kThreads + static_cast<int>(threadIdx.x)] = 1; }

class SoftwareGpu : public testing::Test {
 protected:
  SoftwareGpu() : in_(kBlocks * kThreads), out_(in_.size()) {
    for (std::size_t i = 0; i < in_.size(); ++i) in_[i] = static_cast<int>(i * i % 1009);
  }
  ~SoftwareGpu() override { ::unsetenv("QFUSE_GPU_ORDER"); }

  void run(void (*kernel)(Arguments), const std::string& order, int barriers = 1) {
    ::setenv("QFUSE_GPU_ORDER", order.c_str(), 1);
    Arguments a{in_.data(), out_.data(), barriers};
    void* arguments[] = {&a};
    EXPECT_EQ(cudaLaunchKernel(kernel, {kBlocks, 1, 1}, {kThreads, 1, 1}, arguments, 0, nullptr), cudaSuccess);
  }

  std::vector<int> in_;
  std::vector<int> out_;
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

using SoftwareGpuDeathTest = SoftwareGpu;

TEST_F(SoftwareGpuDeathTest, stops_where_threads_wait_apart) {
  constexpr const char* kApart = "software GPU: block .*: threads of a block wait at different barriers.*shuffle:7";
  EXPECT_DEATH(run(wait_apart, "shuffle:7"), kApart);
  EXPECT_DEATH(run(return_before_the_barrier, "shuffle:7"), kApart);
  EXPECT_DEATH(run(exchange_with_a_thread_that_is_not_there, "forward"), "exchanges with a thread that is not there");
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
