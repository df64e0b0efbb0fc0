# Finds nvcc outside PATH too, and prints nvcc's own output if it cannot compile. CMake alone searches only PATH, and
# hides the compiler's output in a log.
#
# qfuse_nvcc is the nvcc that enable_language(CUDA) will use, or empty. CMAKE_CUDA_COMPILER and CUDACXX have precedence,
# as in CMake.
set(qfuse_nvcc "${CMAKE_CUDA_COMPILER}")
if(NOT qfuse_nvcc AND NOT "$ENV{CUDACXX}" STREQUAL "")
  set(qfuse_nvcc "$ENV{CUDACXX}")
elseif(NOT qfuse_nvcc)
  find_program(qfuse_nvcc_found nvcc NO_CACHE NO_CMAKE_PATH NO_CMAKE_ENVIRONMENT_PATH NO_CMAKE_SYSTEM_PATH)
  find_program(qfuse_nvcc_found nvcc NO_CACHE PATHS ENV CUDA_HOME ENV CUDA_PATH /usr/local/cuda /opt/cuda
               PATH_SUFFIXES bin NO_DEFAULT_PATH)
  if(qfuse_nvcc_found)
    set(qfuse_nvcc "${qfuse_nvcc_found}")
    set(ENV{CUDACXX} "${qfuse_nvcc}")
  endif()
endif()

# qfuse_check_nvcc(<version>) stops if there is no nvcc, if nvcc is older, or if it cannot compile a program. It checks
# each nvcc once. CMake checks other CUDA compilers.
function(qfuse_check_nvcc least)
  if(NOT qfuse_nvcc)
    message(FATAL_ERROR "The CUDA backend needs nvcc, and none is on PATH, in $CUDA_HOME/bin, $CUDA_PATH/bin, "
                        "/usr/local/cuda/bin or /opt/cuda/bin: CUDACXX names one elsewhere, QFUSE_CUDA=OFF leaves "
                        "CUDA out")
  endif()
  if(NOT qfuse_nvcc MATCHES "nvcc[^/]*$" OR "${qfuse_nvcc}" STREQUAL "${QFUSE_CHECKED_NVCC}")
    return()
  endif()
  set(folder ${CMAKE_CURRENT_BINARY_DIR}/CMakeFiles)
  file(WRITE ${folder}/check_nvcc.cu "int main() {}\n")
  set(command "${qfuse_nvcc}")
  if(NOT EXISTS "${qfuse_nvcc}")  # a name on PATH, perhaps with options
    separate_arguments(command UNIX_COMMAND "${qfuse_nvcc}")
  endif()
  execute_process(COMMAND ${command} --version OUTPUT_VARIABLE said ERROR_QUIET)
  if(said MATCHES "release ([0-9.]+)" AND CMAKE_MATCH_1 VERSION_LESS least)
    message(FATAL_ERROR "${qfuse_nvcc} is of CUDA ${CMAKE_MATCH_1}, but qfuse needs ${least} or later: CUDACXX names "
                        "another nvcc, QFUSE_CUDA=OFF leaves CUDA out")
  endif()
  separate_arguments(options UNIX_COMMAND "${CMAKE_CUDA_FLAGS} $ENV{CUDAFLAGS}")
  foreach(host_compiler IN ITEMS "${CMAKE_CUDA_HOST_COMPILER}" "$ENV{CUDAHOSTCXX}")
    if(host_compiler)
      list(APPEND options -ccbin ${host_compiler})
      break()
    endif()
  endforeach()
  execute_process(COMMAND ${command} ${options} -c check_nvcc.cu -o check_nvcc.o WORKING_DIRECTORY ${folder}
                  RESULT_VARIABLE result OUTPUT_VARIABLE said ERROR_VARIABLE said)
  if(result STREQUAL "0")
    set(QFUSE_CHECKED_NVCC "${qfuse_nvcc}" CACHE INTERNAL "nvcc that has compiled a program")
    return()
  endif()
  string(STRIP "${said}" said)
  string(REPLACE "\n" "\n  " said "${said}")
  message(FATAL_ERROR "${qfuse_nvcc} cannot compile an empty program (${result}):\n  ${said}\n"
                      "CUDACXX names another nvcc, CUDAHOSTCXX another C++ compiler for it, and QFUSE_CUDA=OFF leaves "
                      "CUDA out:\n  pip install . --config-settings=cmake.define.QFUSE_CUDA=OFF")
endfunction()
