# Checks an nvcc that says it is of CUDA 12.4, which must be refused. Run in an empty folder: cmake -P old_nvcc.cmake
set(CMAKE_CUDA_COMPILER ${CMAKE_CURRENT_BINARY_DIR}/nvcc)
file(WRITE ${CMAKE_CUDA_COMPILER} "#!/bin/sh\necho Cuda compilation tools, release 12.4, V12.4.131\n")
file(CHMOD ${CMAKE_CUDA_COMPILER} PERMISSIONS OWNER_READ OWNER_WRITE OWNER_EXECUTE)
include(${CMAKE_CURRENT_LIST_DIR}/../../cmake/find_nvcc.cmake)
qfuse_check_nvcc(12.8)
