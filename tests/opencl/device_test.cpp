// Tests which OpenCL devices are used, and the messages about the others.
#include <gtest/gtest.h>
#include <qfuse/qfuse.h>

#include <memory>
#include <qfuse/qfuse.hpp>
#include <string>
#include <utility>

#include "backend/opencl/device.h"
#include "opencl/devices.h"
#include "support/run.h"
#include "support/samples.h"

namespace qfuse::tests {
namespace {

using contract::Outcome;

bool holds(const std::string& text, const std::string& part) { return text.find(part) != std::string::npos; }

cl_device_id id_of(qfuse_device device) { return opencl::device_ids().at(static_cast<std::size_t>(device.index)); }

TEST(OpenclDevice, is_refused_where_it_lacks_something) {
  const opencl::Abilities all{.available = true,
                              .compiler = true,
                              .little_endian = true,
                              .shared_memory = true,
                              .floats = CL_FP_DENORM | CL_FP_INF_NAN | CL_FP_ROUND_TO_NEAREST};
  EXPECT_EQ(opencl::what_it_lacks(all), "");
  const auto without = [&](auto change) {
    opencl::Abilities abilities = all;
    change(abilities);
    return opencl::what_it_lacks(abilities);
  };
  EXPECT_TRUE(holds(without([](auto& a) { a.available = false; }), "not available"));
  EXPECT_TRUE(holds(without([](auto& a) { a.compiler = false; }), "no compiler"));
  EXPECT_TRUE(holds(without([](auto& a) { a.little_endian = false; }), "big-endian"));
  EXPECT_TRUE(holds(without([](auto& a) { a.shared_memory = false; }), "CL_DEVICE_SVM_COARSE_GRAIN_BUFFER"));
  for (const auto& [ability, name] : {std::pair{CL_FP_DENORM, "CL_FP_DENORM"},
                                      {CL_FP_INF_NAN, "CL_FP_INF_NAN"},
                                      {CL_FP_ROUND_TO_NEAREST, "CL_FP_ROUND_TO_NEAREST"}})
    EXPECT_TRUE(holds(without([&](auto& a) { a.floats &= ~static_cast<cl_device_fp_config>(ability); }), name));
}

// A compiler option breaks the arithmetic, because nothing else would show that the check detects it.
TEST(OpenclDevice, that_flushes_subnormals_is_found_out) {
  for_each_opencl_device([](qfuse_device device) {
    std::unique_ptr<opencl::Device> made;
    EXPECT_TRUE(opencl::make_device(id_of(device), "", made).ok());
    EXPECT_NE(made, nullptr);
    made.reset();
    const Outcome flushing = opencl::make_device(id_of(device), "-cl-denorms-are-zero", made);
    EXPECT_EQ(flushing.status, QFUSE_UNSUPPORTED);
    EXPECT_TRUE(holds(flushing.message, "its arithmetic is not exact")) << flushing.message;
    EXPECT_EQ(made, nullptr);
  });
}

TEST(OpenclDevice, whose_compiler_fails_says_what_it_says) {
  for_each_opencl_device([](qfuse_device device) {
    std::unique_ptr<opencl::Device> made;
    const Outcome outcome = opencl::make_device(id_of(device), "-D__kernel=nonsense", made);
    EXPECT_EQ(outcome.status, QFUSE_DEVICE_ERROR);
    EXPECT_TRUE(holds(outcome.message, "clBuildProgram")) << outcome.message;
    EXPECT_TRUE(holds(outcome.message, "nonsense")) << outcome.message;
  });
}

TEST(OpenclDevice, has_a_name_and_a_number) {
  qfuse_device device{};
  ASSERT_EQ(qfuse_device_parse("opencl", &device, nullptr), QFUSE_OK);
  EXPECT_EQ(device.type, QFUSE_OPENCL);
  EXPECT_EQ(device.index, 0);
  ASSERT_EQ(qfuse_device_parse("opencl:3", &device, nullptr), QFUSE_OK);
  EXPECT_EQ(device.index, 3);
  EXPECT_EQ(qfuse_device_parse("opencl:", &device, nullptr), QFUSE_INVALID_ARGUMENT);
  EXPECT_EQ(qfuse_device_has_own_memory(QFUSE_OPENCL), 1);
  for_each_opencl_device([](qfuse_device usable) {
    EXPECT_TRUE(holds(describe_device(usable), "compute units"));
    EXPECT_FALSE(holds(describe_device(usable), "cannot be used"));
  });
  for (const std::int32_t index : {-1, qfuse_device_count(QFUSE_OPENCL)}) {
    void* memory = nullptr;
    qfuse_error error{};
    EXPECT_EQ(qfuse_memory_allocate({QFUSE_OPENCL, index}, QFUSE_MEMORY_DEVICE, 16, &memory, &error),
              QFUSE_UNSUPPORTED);
    EXPECT_TRUE(holds(error.message, "OpenCL: no such device")) << error.message;
  }
}

// OpenCL has only the ops that decode. The others say so for any parameters.
TEST(OpenclDevice, decodes_and_refuses_the_other_ops) {
  for_each_opencl_device([](qfuse_device device) {
    qfuse_exec exec = QFUSE_EXEC_INIT;
    exec.device = device;
    for_each_sample([&](const std::string& name, auto p, Arena& arena) {
      if constexpr (requires { p.workspace; }) p.workspace = nullptr;
      qfuse_error error{};
      if (!name.starts_with("dequantize")) {
        if constexpr (requires { p.workspace; }) p = placed(p, arena);
        EXPECT_EQ(call(p, &exec, &error), QFUSE_UNSUPPORTED) << name;
        EXPECT_TRUE(holds(error.message, "this build of qfuse has no kernel for opencl, only for")) << error.message;
        return;
      }
      ASSERT_EQ(run(p, QFUSE_EXEC_INIT, nullptr), QFUSE_OK);
      const std::vector<std::uint8_t> expected = arena.bytes();
      arena.clear();
      ASSERT_EQ(run(p, exec, &error), QFUSE_OK) << name << ": " << error.message;  // on the device's own queue
      EXPECT_EQ(arena.bytes(), expected) << name;
    });
  });
}

}  // namespace
}  // namespace qfuse::tests
