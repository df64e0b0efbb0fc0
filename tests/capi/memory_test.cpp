// Tests the refusals of the functions for GPU memory and streams. Success is tested on GPUs and the software GPU.
#include <gtest/gtest.h>
#include <qfuse/qfuse.h>

#include <string>

namespace qfuse::tests {
namespace {

constexpr qfuse_device kGpu = {QFUSE_CUDA, 0};
int something = 0;  // a valid address for arguments

struct Refusal {
  qfuse_status status;
  std::string message;
};

template <class Call>
Refusal refusal_of(const Call& call) {
  qfuse_error error{};
  EXPECT_EQ(call(&error), error.status);
  return {error.status, error.message};
}

// Calls each function that takes a device, with every other argument valid.
template <class Body>
void for_each_call(qfuse_device device, const Body& body) {
  body(refusal_of([&](qfuse_error* error) {
    void* memory = nullptr;
    return qfuse_memory_allocate(device, QFUSE_MEMORY_DEVICE, 16, &memory, error);
  }));
  body(refusal_of([&](qfuse_error* error) {
    void* memory = nullptr;
    return qfuse_memory_allocate(device, QFUSE_MEMORY_PINNED, 16, &memory, error);
  }));
  body(refusal_of([&](qfuse_error* error) {
    void* stream = nullptr;
    return qfuse_stream_create(device, &stream, error);
  }));
  body(refusal_of([&](qfuse_error* error) { return qfuse_copy(device, &something, &something, 0, nullptr, error); }));
  body(refusal_of([&](qfuse_error* error) { return qfuse_stream_synchronize(device, nullptr, error); }));
}

TEST(Memory, of_what_is_no_gpu_is_refused) {
  for_each_call({QFUSE_CPU, 0}, [](const Refusal& refusal) {
    EXPECT_EQ(refusal.status, QFUSE_INVALID_ARGUMENT);
    EXPECT_EQ(refusal.message, "device cpu is no GPU");
  });
  for_each_call({QFUSE_REFERENCE, 0}, [](const Refusal& refusal) {
    EXPECT_EQ(refusal.status, QFUSE_INVALID_ARGUMENT);
    EXPECT_EQ(refusal.message, "device reference is no GPU");
  });
  for_each_call({static_cast<qfuse_device_type>(7), 0}, [](const Refusal& refusal) {
    EXPECT_EQ(refusal.status, QFUSE_INVALID_ARGUMENT);
    EXPECT_EQ(refusal.message, "device of type 7 is no GPU");
  });
}

TEST(Memory, of_a_gpu_that_is_not_here_is_refused) {
  for (const int index : {-1, qfuse_device_count(QFUSE_CUDA)})
    for_each_call({QFUSE_CUDA, index}, [](const Refusal& refusal) {
      EXPECT_EQ(refusal.status, QFUSE_UNSUPPORTED) << refusal.message;
      EXPECT_NE(refusal.message, "");
    });
}

TEST(Memory, wrong_arguments_are_refused) {
  const auto expect = [](const std::string& message, const auto& call) {
    const Refusal refusal = refusal_of(call);
    EXPECT_EQ(refusal.status, QFUSE_INVALID_ARGUMENT) << refusal.message;
    EXPECT_EQ(refusal.message, message);
  };
  void* memory = nullptr;
  expect("memory is NULL",
         [&](qfuse_error* e) { return qfuse_memory_allocate(kGpu, QFUSE_MEMORY_DEVICE, 16, nullptr, e); });
  expect("size is -1, it must not be negative",
         [&](qfuse_error* e) { return qfuse_memory_allocate(kGpu, QFUSE_MEMORY_DEVICE, -1, &memory, e); });
  expect("kind is 5, it must be QFUSE_MEMORY_DEVICE (0) or QFUSE_MEMORY_PINNED (1)", [&](qfuse_error* e) {
    return qfuse_memory_allocate(kGpu, static_cast<qfuse_memory_kind>(5), 16, &memory, e);
  });
  expect("stream is NULL", [&](qfuse_error* e) { return qfuse_stream_create(kGpu, nullptr, e); });
  expect("size is -16, it must not be negative",
         [&](qfuse_error* e) { return qfuse_copy(kGpu, &something, &something, -16, nullptr, e); });
  expect("to is NULL, it must hold 16 bytes",
         [&](qfuse_error* e) { return qfuse_copy(kGpu, nullptr, &something, 16, nullptr, e); });
  expect("from is NULL, it must hold 16 bytes",
         [&](qfuse_error* e) { return qfuse_copy(kGpu, &something, nullptr, 16, nullptr, e); });
  EXPECT_EQ(memory, nullptr);
}

TEST(Memory, nothing_is_released_of_what_is_nothing) {
  for (const qfuse_device device : {kGpu, qfuse_device{QFUSE_CPU, 0}, qfuse_device{QFUSE_CUDA, 1000}}) {
    qfuse_memory_release(device, QFUSE_MEMORY_DEVICE, nullptr);
    qfuse_memory_release(device, QFUSE_MEMORY_PINNED, nullptr);
    qfuse_stream_destroy(device, nullptr);
  }
}

}  // namespace
}  // namespace qfuse::tests
