# How every target is compiled. `qfuse_compile` is linked privately by all of them and never installed.
add_library(qfuse_compile INTERFACE)
target_compile_features(qfuse_compile INTERFACE cxx_std_20)
# The bits are the contract: no compiler may fuse a multiply and an add into one rounding.
target_compile_options(qfuse_compile INTERFACE $<$<COMPILE_LANGUAGE:C,CXX>:-ffp-contract=off -Wall -Wextra -Wpedantic>)

# -fmad=false says so to nvcc, which may also use the constexpr functions of format in kernels. A kernel that keeps
# variables in memory instead of registers is warned of.
set(qfuse_cuda_options -std=c++20 -fmad=false --expt-relaxed-constexpr -Xcompiler=-ffp-contract=off,-Wall,-Wextra
                       -Xptxas=-warn-spills,-warn-lmem-usage)
if(CMAKE_CUDA_COMPILER_VERSION VERSION_GREATER_EQUAL 13)  # whose drivers all unpack this; kernels are unpacked once
  list(APPEND qfuse_cuda_options --compress-mode=size)
endif()
target_compile_options(qfuse_compile INTERFACE "$<$<COMPILE_LANGUAGE:CUDA>:${qfuse_cuda_options}>")

if(QFUSE_FEWER_TARGETS AND NOT QFUSE_TEST_ALL)
  set(qfuse_fewer_targets "HWY_SSSE3|HWY_SSE4|")
endif()
# Every SIMD target the processor may have, scalar included: the tests run each of them. SVE is left out: its vectors
# have no size at compile time, which Highway 1.0.3 cannot put into the arrays that our kernels hold; NEON serves there.
# The last one is SCALAR with every compiler: what Highway prefers to it with some, EMU128, is other code by another
# name.
set(qfuse_cpu_definitions HWY_COMPILE_ALL_ATTAINABLE HWY_BROKEN_EMU128=1
                          "HWY_DISABLED_TARGETS=(${qfuse_fewer_targets}HWY_SVE|HWY_SVE2|HWY_SVE_256|HWY_SVE2_128)")

# qfuse_kernels(<name> <architectures> <sources...>): an object library of kernels for other architectures than the
# rest, such as 90a-real, which has instructions of its own.
function(qfuse_kernels name architectures)
  add_library(${name} OBJECT ${ARGN})
  set_target_properties(${name} PROPERTIES CUDA_ARCHITECTURES "${architectures}")
  target_include_directories(${name} PRIVATE ${PROJECT_SOURCE_DIR}/include ${PROJECT_SOURCE_DIR}/src)
  target_link_libraries(${name} PRIVATE qfuse_compile)
endfunction()

# qfuse_machine_code(<target>): no PTX for a program that runs only where it was built for: it would take time to
# compile. Unless PTX is all that there is.
function(qfuse_machine_code target)
  set(architectures ${CMAKE_CUDA_ARCHITECTURES})
  list(FILTER architectures EXCLUDE REGEX virtual)
  if(architectures)
    set_target_properties(${target} PROPERTIES CUDA_ARCHITECTURES "${architectures}")
  endif()
endfunction()

# qfuse_software_kernels(<target> <sources...>): kernels of a target as C++, for the GPU in tests/software_gpu, which
# has no fp64.
function(qfuse_software_kernels target)
  set_source_files_properties(${ARGN} PROPERTIES LANGUAGE CXX SKIP_UNITY_BUILD_INCLUSION ON
                              COMPILE_OPTIONS -Wno-pass-failed)  # what to unroll is a GPU's affair
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
    # What GCC warns of in libstdc++'s <regex> once sanitizers keep it from inlining (GCC 12).
    $<$<AND:$<COMPILE_LANGUAGE:CXX>,$<CXX_COMPILER_ID:GNU>>:-Wno-maybe-uninitialized>)
  target_link_options(qfuse_compile INTERFACE -fsanitize=${QFUSE_SANITIZE})
endif()

# Where CMAKE_UNITY_BUILD is asked for: each unit compiles the headers and what it uses of their templates again. With
# many processors several units are done sooner; presets that only test have one of each target, which is less work.
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
