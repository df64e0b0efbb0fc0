// QFUSE_HOST_DEVICE marks functions that kernels call too, for compilers that do not accept every constexpr function in
// a kernel. QFUSE_UNROLL marks loops in them, so that a GPU keeps their arrays in registers.
#ifndef QFUSE_FORMAT_HOST_DEVICE_H
#define QFUSE_FORMAT_HOST_DEVICE_H

#if defined(__CUDACC__) || defined(__CUDA__) || defined(__HIP__)
#define QFUSE_HOST_DEVICE __host__ __device__
#else
#define QFUSE_HOST_DEVICE
#endif

#ifdef __CUDA_ARCH__
#define QFUSE_UNROLL _Pragma("unroll")
#else
#define QFUSE_UNROLL
#endif

#endif  // QFUSE_FORMAT_HOST_DEVICE_H
