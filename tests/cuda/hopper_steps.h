// The steps of device/hopper.cuh in small kernels: NVIDIA's instructions on the first GPU, or their portable twins.
#ifndef QFUSE_TESTS_CUDA_HOPPER_STEPS_H
#define QFUSE_TESTS_CUDA_HOPPER_STEPS_H

#include <cstdint>
#include <vector>

#include "contract/outcome.h"

namespace qfuse::tests {

// Of bytes, rows one after the other, `stride` bytes apart; its address is aligned.
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
inline constexpr int kProductTerms = 64;  // four steps of a product

// sums[row][column], where it adds, then + a[row][term] * b[column][term], all 64 terms; either may be stored by terms.
struct TileProduct {
  bool half;  // else bf16
  int columns;
  bool left_in_registers;
  bool left_transposed;   // a is [term][row]
  bool right_transposed;  // b is [term][column]
  bool adds;
  std::vector<std::uint16_t> a;
  std::vector<std::uint16_t> b;
  std::vector<float> sums;
};

// Of int8, with integer sums; all 128 terms.
inline constexpr int kInt8ProductTerms = 128;  // likewise four steps
struct Int8Product {
  int columns;
  bool adds;
  std::vector<std::uint8_t> a;
  std::vector<std::uint8_t> b;
  std::vector<int> sums;
};

inline constexpr int kPipelineColumns = 32;  // of a thread block

// bf16. sums[row][column] = a[row][term] * -b[column][term], in steps of 64 terms; rows and terms beyond a and b are
// zeros.
struct Pipeline {
  ByteArray a;  // up to 64 rows
  ByteArray b;  // a multiple of 32
};

struct HopperSteps {
  const char* name;
  int most_columns;                                                                  // of a product
  contract::Outcome (*load)(const TileLoad& load, std::vector<std::uint8_t>& tile);  // as it lies in shared memory
  contract::Outcome (*multiply)(TileProduct& product);
  contract::Outcome (*multiply_int8)(Int8Product& product);
  contract::Outcome (*run)(const Pipeline& pipeline, std::vector<float>& sums);
};

extern const HopperSteps kPortableHopperSteps;
#ifndef QFUSE_SOFTWARE_GPU
extern const HopperSteps kPtxHopperSteps;
bool is_hopper();  // the first GPU
#endif

}  // namespace qfuse::tests

#endif  // QFUSE_TESTS_CUDA_HOPPER_STEPS_H
