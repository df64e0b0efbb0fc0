// Checks of single fields that the contracts share. A failure's message names the field and its value.
#ifndef QFUSE_CONTRACT_RANGES_H
#define QFUSE_CONTRACT_RANGES_H

#include <qfuse/qfuse.h>

#include <cstdint>
#include <initializer_list>

#include "contract/outcome.h"

namespace qfuse::contract {

// Checks that a count, or rows * cols, is not negative and so small that 4 bytes per element do not overflow.
Outcome check_count(const char* name, std::int64_t count);
Outcome check_matrix(const char* rows_name, std::int64_t rows, const char* cols_name, std::int64_t cols);
inline Outcome check_matrix(std::int64_t rows, std::int64_t cols) { return check_matrix("rows", rows, "cols", cols); }
Outcome check_positive(const char* name, std::int64_t value);
Outcome check_power_of_two(const char* name, std::int64_t value);
Outcome check_dtype(const char* name, qfuse_dtype dtype);
// `names`: all enumerators, starting at value 0.
Outcome check_enumerator(const char* name, int value, std::initializer_list<const char*> names);
Outcome check_direction(qfuse_direction direction);
Outcome check_reciprocal(qfuse_reciprocal reciprocal);
// A stride of 0 stands for rows of `cols` elements without gaps. The limit on m rows is so low that the bytes of all
// arrays together do not overflow either.
Outcome check_rows(const char* name, std::int64_t stride, std::int64_t m, const char* cols_name, std::int64_t cols);
// Elements from the first to the last one of `rows` such rows, including gaps.
inline std::int64_t strided_count(std::int64_t rows, std::int64_t cols, std::int64_t stride) {
  return rows == 0 || cols == 0 ? 0 : (rows - 1) * stride + cols;
}
// Checks that the given workspace is as large as the op needs.
Outcome check_workspace(std::int64_t given, std::int64_t needed);

Outcome check(const qfuse_exec& exec);

// UNSUPPORTED if the device has no approximate reciprocal.
Outcome check_device(qfuse_reciprocal reciprocal, const qfuse_device& device);

}  // namespace qfuse::contract

#endif  // QFUSE_CONTRACT_RANGES_H
