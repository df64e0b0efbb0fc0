# With QFUSE_PRECOMPILE, foreign headers that take longer to compile than the files that include them are compiled once
# per program instead. The files go on including what they use; builds without it (a plain cmake, the wheel) see to that.
# ccache cannot look into precompiled headers: with it, they are left out.
option(QFUSE_PRECOMPILE "Precompile the largest foreign headers" OFF)
if(NOT QFUSE_PRECOMPILE OR CMAKE_CXX_COMPILER_LAUNCHER MATCHES ccache)
  return()
endif()

# qfuse_precompile(<target> <headers...>): for its C++ files, where such a target is built.
function(qfuse_precompile target)
  if(TARGET ${target})
    list(TRANSFORM ARGN REPLACE "(.+)" "$<$<COMPILE_LANGUAGE:CXX>:<\\1$<ANGLE-R>>" OUTPUT_VARIABLE headers)
    target_precompile_headers(${target} PRIVATE ${headers})
  endif()
endfunction()
set(json string vector filesystem fmt/format.h nlohmann/json.hpp)
qfuse_precompile(qfuse_checkpoint ${json})
qfuse_precompile(qfuse_command string fmt/format.h CLI/CLI.hpp)
qfuse_precompile(test_checkpoint ${json} gtest/gtest.h)
qfuse_precompile(test_gpu_double ${json} gtest/gtest.h)
qfuse_precompile(test_ops string vector gtest/gtest.h)
