// What marks a function that kernels call too, for compilers that do not take every constexpr function for one.
#ifndef QFUSE_FORMAT_HOST_DEVICE_H
#define QFUSE_FORMAT_HOST_DEVICE_H

#if defined(__CUDACC__) || defined(__CUDA__) || defined(__HIP__)
#define QFUSE_HOST_DEVICE __host__ __device__
#else
#define QFUSE_HOST_DEVICE
#endif

#endif  // QFUSE_FORMAT_HOST_DEVICE_H
