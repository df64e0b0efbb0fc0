# Finds every third-party library once, under one name. ARCHITECTURE.md gives the reason for each. All missing libraries
# are reported in one message, with the packages that provide them.
find_package(Threads REQUIRED)
set(missing "")
list(APPEND CMAKE_MODULE_PATH ${CMAKE_CURRENT_LIST_DIR})

# qfuse_need(<package> <package names in Debian, Fedora, conda and Homebrew>... [<minimum version>])
macro(qfuse_need package debian fedora conda homebrew)
  find_package(${package} ${ARGN} QUIET)
  if(NOT ${package}_FOUND)
    list(APPEND missing ${package})
    list(APPEND missing_debian ${debian})
    list(APPEND missing_fedora ${fedora})
    list(APPEND missing_conda ${conda})
    list(APPEND missing_homebrew ${homebrew})
  endif()
endmacro()

qfuse_need(fmt libfmt-dev fmt-devel fmt fmt)
# Installed files must not need libfmt, so each unit that formats text compiles fmt itself, which takes half of the
# unit's time or more. Builds from which nothing is installed link libfmt.
set(qfuse_fmt fmt::fmt-header-only)
if(QFUSE_SHARED_FMT)
  set(qfuse_fmt fmt::fmt)
endif()
qfuse_need(hwy libhwy-dev highway-devel libhwy highway)
qfuse_need(nlohmann_json nlohmann-json3-dev json-devel nlohmann_json nlohmann-json 3.11)
qfuse_need(PCRE2 libpcre2-dev pcre2-devel pcre2 pcre2 10.34)
if(QFUSE_PARALLEL STREQUAL "tbb")
  qfuse_need(TBB libtbb-dev tbb-devel tbb-devel tbb)
elseif(NOT QFUSE_PARALLEL STREQUAL "threads")
  message(FATAL_ERROR "QFUSE_PARALLEL is '${QFUSE_PARALLEL}': it can be tbb or threads")
endif()
if(QFUSE_TOOLS OR QFUSE_BENCH)
  qfuse_need(CLI11 libcli11-dev cli11-devel cli11 cli11)
endif()
if(QFUSE_OPENCL)
  qfuse_need(OpenCL ocl-icd-opencl-dev "ocl-icd-devel opencl-headers" "ocl-icd khronos-opencl-icd-loader"
             "opencl-headers opencl-icd-loader")
endif()
if(QFUSE_TESTS)
  qfuse_need(GTest libgtest-dev gtest-devel gtest googletest)
  qfuse_need(rapidcheck librapidcheck-dev rapidcheck-devel rapidcheck rapidcheck)
endif()
if(missing)
  foreach(list IN ITEMS missing missing_debian missing_fedora missing_conda missing_homebrew)
    list(JOIN ${list} " " ${list})
  endforeach()
  message(FATAL_ERROR
          "Not found: ${missing}. Install them:\n"
          "  Debian, Ubuntu  apt-get install ${missing_debian}\n"
          "  Fedora          dnf install ${missing_fedora}\n"
          "  conda           conda install -c conda-forge ${missing_conda}\n"
          "  Homebrew        brew install ${missing_homebrew}\n"
          "On Debian, tools/install_dependencies build installs all that a build needs.")
endif()

if(QFUSE_CUDA)
  find_package(CUDAToolkit REQUIRED)
endif()
if(QFUSE_HIP)  # found by hand: HIP's own CMake package requires hipcc, which is not needed here
  find_path(qfuse_hip_headers hip/hip_runtime.h HINTS ENV ROCM_PATH PATHS /opt/rocm PATH_SUFFIXES include)
  find_library(qfuse_hip_runtime amdhip64 HINTS ENV ROCM_PATH PATHS /opt/rocm PATH_SUFFIXES lib)
  if(NOT qfuse_hip_headers OR NOT qfuse_hip_runtime)
    message(FATAL_ERROR "Not found: HIP, its headers and libamdhip64. They come with ROCm (name its folder in "
                        "ROCM_PATH), on Debian with libamdhip64-dev")
  endif()
  add_library(qfuse_hip INTERFACE)
  target_include_directories(qfuse_hip SYSTEM INTERFACE ${qfuse_hip_headers})
  target_compile_definitions(qfuse_hip INTERFACE __HIP_PLATFORM_AMD__)
  target_link_libraries(qfuse_hip INTERFACE ${qfuse_hip_runtime})
endif()
