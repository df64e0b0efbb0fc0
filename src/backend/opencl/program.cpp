#include "backend/opencl/program.h"

#include <fmt/format.h>

#include <array>
#include <bit>
#include <cstdint>
#include <utility>

#include "backend/opencl/launch.h"
#include "contract/float_mode.h"
#include "format/fp8_groups.h"
#include "format/layout.h"
#include "format/quotient.h"
#include "format/rounding.h"

namespace qfuse::opencl {
namespace {

using contract::Outcome;

// Returns the constants that format/ defines, as text to be placed before the kernels.
std::string constants() {
  using namespace format;
  const std::pair<const char*, std::uint32_t> integers[] = {{"kSignBit", kSignBit},
                                                            {"kInfBits", kInfBits},
                                                            {"kMinNormalBits", kMinNormalBits},
                                                            {"kNan16", kNan16},
                                                            {"kNan32", kNan32},
                                                            {"kFlushedBits", kFlushedBits},
                                                            {"kHalfMinNormalBits", kHalfMinNormalBits},
                                                            {"kHalfOverflowBits", kHalfOverflowBits},
                                                            {"kHalfInf", kHalfInf},
                                                            {"kHalfRebias", kHalfRebias},
                                                            {"kHalfMinNormal", kHalfMinNormal},
                                                            {"kE4m3Rebias", kE4m3Rebias},
                                                            {"kE4m3MinNormal", kE4m3MinNormal},
                                                            {"kFp8Nan", kFp8Nan},
                                                            {"kUe8m0Nan", kUe8m0Nan},
                                                            {"kUe8m0Least", kUe8m0Least},
                                                            {"QFUSE_SCALES_FLOAT32", QFUSE_SCALES_FLOAT32},
                                                            {"QFUSE_SCALES_UE8M0", QFUSE_SCALES_UE8M0},
                                                            {"QFUSE_SCALES_FLOAT16", QFUSE_SCALES_FLOAT16},
                                                            {"QFUSE_SCALES_E4M3", QFUSE_SCALES_E4M3},
                                                            {"QFUSE_FLOAT16", QFUSE_FLOAT16},
                                                            {"QFUSE_BFLOAT16", QFUSE_BFLOAT16},
                                                            {"QFUSE_FLOAT32", QFUSE_FLOAT32}};
  const std::pair<const char*, int> counts[] = {{"kCodes4", kCodes4},
                                                {"kCodes8", kCodes8},
                                                {"kGroup", kGroup},
                                                {"kE4m3Shift", kE4m3Shift},
                                                {"kHasFactor", kHasFactor},
                                                {"kHasDivisor", kHasDivisor},
                                                {"kHasZeroPoints", kHasZeroPoints},
                                                {"kQuotientBits", kQuotientBits}};
  const std::pair<const char*, float> floats[] = {{"kFlushScale", kFlushScale},
                                                  {"kHalfSubnormalMagic", kHalfSubnormalMagic},
                                                  {"kInt8Scale", kInt8Scale},
                                                  {"kHalfSubnormalUnit", kHalfSubnormalUnit},
                                                  {"kE4m3SubnormalUnit", kE4m3SubnormalUnit}};
  std::string text;
  for (const auto& [name, value] : integers) text += fmt::format("#define {} {:#x}u\n", name, value);
  for (const auto& [name, value] : counts) text += fmt::format("#define {} {}\n", name, value);
  for (const auto& [name, value] : floats)
    text += fmt::format("#define {} as_float({:#x}u)\n", name, std::bit_cast<std::uint32_t>(value));
  return text;
}

// Returns the compiler's log as a single line.
std::string build_log(cl_program program, cl_device_id id) {
  std::size_t size = 0;
  if (clGetProgramBuildInfo(program, id, CL_PROGRAM_BUILD_LOG, 0, nullptr, &size) != CL_SUCCESS) return {};
  std::string log(size, '\0');
  if (clGetProgramBuildInfo(program, id, CL_PROGRAM_BUILD_LOG, size, log.data(), nullptr) != CL_SUCCESS) return {};
  for (char& c : log)
    if (c == '\n') c = ' ';
  return log.substr(0, log.find('\0'));
}

struct Operands {
  float a;
  float b;
  float c;
};
using Results = std::array<std::uint32_t, 4>;

constexpr Operands kOperands[] = {
    {0.0F, 1.0F, 0x1p-130F},                               // a subnormal sum
    {1.0F, 0x1.8p-126F, -0x1p-126F},                       // a subnormal sum of normal numbers
    {0x1p-100F, 0x1.8p-30F, 0.0F},                         // a subnormal product: mul_ftz flushes it, int8 keeps it
    {0x1p-130F, 0x1p20F, 0x1p-149F},                       // a subnormal operand
    {0x1.001p0F, 0x1.001p0F, -0x1.002p0F},                 // a product that must be rounded before the addition
    {0x1.fffffep-1F, 0x1p-126F, 0.0F},                     // a product that plain rounding would not flush
    {3.4e38F, 127.0F, 0.0F},                               // infinite before int8's scale is applied
    {0x1.ffcp15F, 1.0F, 15.99F},                           // beyond the largest fp16 number, which it rounds to
    {0x1p-17F, 1.0F, 0x1p-25F},                            // subnormal in fp16, halfway between two numbers
    {0x1.01p0F, 1.0F, 0x1p-20F},                           // more than halfway between two bf16 numbers
    {0x1.01p0F, 1.0F, 0.0F},                               // halfway, the lower one even
    {0x1.03p0F, 1.0F, 0.0F},                               // halfway, the lower one odd
    {std::bit_cast<float>(format::kInfBits), 0.0F, 1.0F},  // NaN
};

// The results that the kernel check_arithmetic should give, computed with the steps of format/.
Results expected_of(const Operands& o) {
  const float sum = format::mul_ftz(o.a, o.b) + o.c;
  return {std::bit_cast<std::uint32_t>(format::canonical(sum)),
          std::bit_cast<std::uint32_t>(format::canonical(o.a * o.b * format::kInt8Scale)), format::to_float16(sum),
          format::to_bfloat16(sum)};
}

}  // namespace

Outcome build_program(const std::string& build_options, Device& device) {
  const std::string defined = constants();
  const char* texts[] = {defined.c_str(), kSource};
  cl_int error = CL_SUCCESS;
  device.program.reset(clCreateProgramWithSource(device.context.get(), 2, texts, nullptr, &error));
  if (error != CL_SUCCESS) return outcome_of(error, "clCreateProgramWithSource");
  const std::string options = "-cl-std=CL1.2 " + build_options;
  error = clBuildProgram(device.program.get(), 1, &device.id, options.c_str(), nullptr, nullptr);
  Outcome outcome = outcome_of(error, "clBuildProgram");
  if (error == CL_BUILD_PROGRAM_FAILURE) outcome.message += ": " + build_log(device.program.get(), device.id);
  return outcome;
}

Outcome check_arithmetic(const Device& device) {
  constexpr std::size_t kCount = std::size(kOperands);
  std::array<Results, kCount> results{};
  const auto release = [&](void* memory) { free_shared(device, memory); };
  const auto allocate = [&](std::size_t size) {
    return std::unique_ptr<void, decltype(release)>(allocate_shared(device, size), release);
  };
  const auto operands_there = allocate(sizeof kOperands);
  const auto results_there = allocate(sizeof results);
  if (operands_there == nullptr || results_there == nullptr)
    return {QFUSE_OUT_OF_MEMORY, "OpenCL: no shared virtual memory is left for a check of the arithmetic"};

  cl_command_queue queue = device.queue.get();
  const auto copy = [&](void* to, const void* from, std::size_t size) {
    return outcome_of(clEnqueueSVMMemcpy(queue, CL_TRUE, to, from, size, 0, nullptr, nullptr), "clEnqueueSVMMemcpy");
  };
  if (Outcome o = copy(operands_there.get(), kOperands, sizeof kOperands); !o.ok()) return o;
  const auto count = static_cast<cl_int>(kCount);
  if (Outcome o = launch(device, queue, "check_arithmetic", kCount, count, operands_there.get(), results_there.get());
      !o.ok())
    return o;
  if (Outcome o = copy(results.data(), results_there.get(), sizeof results); !o.ok()) return o;

  const contract::DefaultFloatMode mode;
  for (std::size_t i = 0; i < kCount; ++i)
    if (results[i] != expected_of(kOperands[i]))
      return contract::unsupported(fmt::format(
          "OpenCL: its arithmetic is not exact: of {}, {} and {} it makes {:08x}, and should {:08x}", kOperands[i].a,
          kOperands[i].b, kOperands[i].c, fmt::join(results[i], " "), fmt::join(expected_of(kOperands[i]), " ")));
  return {};
}

}  // namespace qfuse::opencl
