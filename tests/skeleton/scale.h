/* The skeleton op, to be copied: what would stand in qfuse.h. Write this first: it is the manual. */
#ifndef QFUSE_TESTS_SKELETON_SCALE_H
#define QFUSE_TESTS_SKELETON_SCALE_H

#include <qfuse/qfuse.h>

#ifdef __cplusplus
extern "C" {
#endif

/* Every value multiplied by one factor: out[i] = round_to_dtype(in[i] * factor), the product rounded to nearest even in
 * fp32. NaN results are the canonical quiet NaN. */
typedef struct qfuse_scale_params {
  size_t struct_size;
  int64_t n;         /* values, >= 0 */
  qfuse_dtype dtype; /* element type of `in` and `out` */
  float factor;
  const void* in; /* [n] of dtype */
  void* out;      /* [n] of dtype */
} qfuse_scale_params;

/* INVALID_ARGUMENT: a field outside the ranges above, a missing or an overlapping array.
 * UNSUPPORTED: the device, target or stream of `exec` cannot be had here. */
qfuse_status qfuse_scale(const qfuse_scale_params* params, const qfuse_exec* exec, qfuse_error* error);

#ifdef __cplusplus
}
#endif

#endif /* QFUSE_TESTS_SKELETON_SCALE_H */
