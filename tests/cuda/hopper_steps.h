// Runs the steps of device/hopper.cuh in small kernels: as PTX on the first GPU, or as portable code.
#ifndef QFUSE_TESTS_CUDA_HOPPER_STEPS_H
#define QFUSE_TESTS_CUDA_HOPPER_STEPS_H

#include <cstdint>
#include <vector>

#include "contract/outcome.h"

namespace qfuse::tests {

// A 2D array of bytes, with rows `stride` bytes apart. Tests copy it to GPU memory, which is aligned as TMA needs it.
struct ByteArray {
  std::int64_t rows;
  std::int64_t row_bytes;
  std::int64_t stride;
  std::vector<std::uint8_t> bytes;
};

struct TileLoad {
  ByteArray array;
  int box_rows;
  int box_bytes;
  int byte;
  int row;
};

inline constexpr int kProductRows = 64;
inline constexpr int kProductTerms = 64;  // four steps of wgmma

// Adds over 64 terms (elements of K): sums[row][column] = (adds ? old : 0) + a[row][term] * b[column][term].
struct TileProduct {
  bool half;  // otherwise bf16
  int columns;
  bool left_in_registers;
  bool left_transposed;   // a is [term][row]
  bool right_transposed;  // b is [term][column]
  bool adds;
  std::vector<std::uint16_t> a;
  std::vector<std::uint16_t> b;
  std::vector<float> sums;
};

// Like TileProduct, but int8 with integer sums over 128 terms.
inline constexpr int kInt8ProductTerms = 128;  // also four steps
struct Int8Product {
  int columns;
  bool adds;
  std::vector<std::uint8_t> a;
  std::vector<std::uint8_t> b;
  std::vector<int> sums;
};

inline constexpr int kPipelineColumns = 32;  // per thread block

// sums[row][column] = a[row][term] * -b[column][term] in bf16, in steps of 64 terms. Rows and terms beyond a and b are
// zeros.
struct Pipeline {
  ByteArray a;  // at most 64 rows
  ByteArray b;  // rows: a multiple of 32
};

struct HopperSteps {
  const char* name;
  int most_columns;                                                                  // upper bound for `columns`
  contract::Outcome (*load)(const TileLoad& load, std::vector<std::uint8_t>& tile);  // bytes as in shared memory
  contract::Outcome (*multiply)(TileProduct& product);
  contract::Outcome (*multiply_int8)(Int8Product& product);
  contract::Outcome (*run)(const Pipeline& pipeline, std::vector<float>& sums);
};

extern const HopperSteps kPortableHopperSteps;
#ifndef QFUSE_SOFTWARE_GPU
extern const HopperSteps kPtxHopperSteps;
bool is_hopper();  // whether the first GPU is one
#endif

}  // namespace qfuse::tests

#endif  // QFUSE_TESTS_CUDA_HOPPER_STEPS_H
