# Compile options of every target. All targets link `qfuse_compile` privately, and it is never installed.
add_library(qfuse_compile INTERFACE)
target_compile_features(qfuse_compile INTERFACE cxx_std_20)
# Results must be bit-exact, so that no compiler may fuse a multiply and an add into one rounding.
target_compile_options(qfuse_compile INTERFACE $<$<COMPILE_LANGUAGE:C,CXX>:-ffp-contract=off -Wall -Wextra -Wpedantic>)

# -fmad=false is the same option for nvcc. --expt-relaxed-constexpr lets kernels use the constexpr functions of
# src/format. ptxas warns of kernels that keep variables in local memory instead of registers.
set(qfuse_cuda_options -std=c++20 -fmad=false --expt-relaxed-constexpr -Xcompiler=-ffp-contract=off,-Wall,-Wextra
                       -Xptxas=-warn-spills,-warn-lmem-usage)
if(CMAKE_CUDA_COMPILER_VERSION VERSION_GREATER_EQUAL 13)  # all drivers of CUDA 13 decompress it, once per kernel
  list(APPEND qfuse_cuda_options --compress-mode=size)
endif()
target_compile_options(qfuse_compile INTERFACE "$<$<COMPILE_LANGUAGE:CUDA>:${qfuse_cuda_options}>")

if(NOT QFUSE_TEST_ALL)
  set(qfuse_left_out ${QFUSE_TARGETS_LEFT_OUT})
endif()
# Every SIMD target the processor may have, including scalar, because the tests run each of them. SVE is excluded: its
# vectors have no size at compile time, so Highway 1.0.3 cannot store them in the arrays that our kernels use. NEON
# serves there. The last target is SCALAR with every compiler: EMU128, which Highway prefers with some compilers, is the
# same fallback with other code and another name.
set(qfuse_cpu_definitions HWY_COMPILE_ALL_ATTAINABLE HWY_BROKEN_EMU128=1
                          "HWY_DISABLED_TARGETS=(${qfuse_left_out}HWY_SVE|HWY_SVE2|HWY_SVE_256|HWY_SVE2_128)")

# qfuse_kernels(<name> <architectures> <sources...>): an object library of kernels for architectures other than the
# default ones, such as 90a-real, which has instructions of its own.
function(qfuse_kernels name architectures)
  add_library(${name} OBJECT ${ARGN})
  set_target_properties(${name} PROPERTIES CUDA_ARCHITECTURES "${architectures}")
  target_include_directories(${name} PRIVATE ${PROJECT_SOURCE_DIR}/include ${PROJECT_SOURCE_DIR}/src)
  target_link_libraries(${name} PRIVATE qfuse_compile)
endfunction()

# qfuse_machine_code(<target>): omits PTX from a program that runs only on the GPUs it was built for, to save compile
# time. Keeps PTX if it is the only architecture.
function(qfuse_machine_code target)
  set(architectures ${CMAKE_CUDA_ARCHITECTURES})
  list(FILTER architectures EXCLUDE REGEX virtual)
  if(architectures)
    set_target_properties(${target} PROPERTIES CUDA_ARCHITECTURES "${architectures}")
  endif()
endfunction()

# qfuse_software_kernels(<target> <sources...>): compiles a target's kernels as C++ for the GPU in tests/software_gpu,
# which has no fp64. Unroll pragmas are meant for GPUs: to obey them would take most of the time to compile.
function(qfuse_software_kernels target)
  set_source_files_properties(${ARGN} PROPERTIES LANGUAGE CXX SKIP_UNITY_BUILD_INCLUSION ON
                              COMPILE_OPTIONS "-Wno-pass-failed;-mllvm;-pragma-unroll-threshold=0")
  target_sources(${target} PRIVATE ${ARGN})
  target_include_directories(${target} SYSTEM PRIVATE ${PROJECT_SOURCE_DIR}/tests/software_gpu/include)
  target_compile_definitions(${target} PRIVATE QFUSE_PORTABLE QFUSE_NO_FP64)
endfunction()

if(QFUSE_WERROR)
  target_compile_options(qfuse_compile INTERFACE
    $<$<COMPILE_LANGUAGE:C,CXX>:-Werror>
    "$<$<COMPILE_LANGUAGE:CUDA>:-Xptxas=-Werror;-Xcompiler=-Werror;-Werror=all-warnings>")
endif()
if(QFUSE_SANITIZE)
  target_compile_options(qfuse_compile INTERFACE
    "$<$<COMPILE_LANGUAGE:C,CXX>:-fsanitize=${QFUSE_SANITIZE};-fno-sanitize-recover=all;-fno-omit-frame-pointer>"
    # GCC 12 warns of this in libstdc++'s <regex> when sanitizers keep it from inlining.
    $<$<AND:$<COMPILE_LANGUAGE:CXX>,$<CXX_COMPILER_ID:GNU>>:-Wno-maybe-uninitialized>)
  target_link_options(qfuse_compile INTERFACE -fsanitize=${QFUSE_SANITIZE})
endif()

# Applies if CMAKE_UNITY_BUILD is on. Each unit compiles the headers and the templates that it uses again. With many
# processors, several units finish sooner. Presets that only test use one unit per target, which is less work in total.
if(NOT DEFINED CMAKE_UNITY_BUILD_BATCH_SIZE)
  set(CMAKE_UNITY_BUILD_BATCH_SIZE 32)
endif()
set(CMAKE_CXX_EXTENSIONS OFF)
set(CMAKE_CUDA_EXTENSIONS OFF)
set(CMAKE_CUDA_RUNTIME_LIBRARY Static)
set(CMAKE_POSITION_INDEPENDENT_CODE ON)
set(CMAKE_CXX_VISIBILITY_PRESET hidden)
set(CMAKE_C_VISIBILITY_PRESET hidden)
set(CMAKE_VISIBILITY_INLINES_HIDDEN ON)
set(CMAKE_EXPORT_COMPILE_COMMANDS ON)
if(NOT CMAKE_BUILD_TYPE)
  set(CMAKE_BUILD_TYPE Release)
endif()
