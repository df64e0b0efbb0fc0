// Products with a nested NF4 weight in bf16: parameters, inputs, and the oracle's answers, computed on all cores.
#ifndef QFUSE_BENCH_MATMUL_ORACLE_H
#define QFUSE_BENCH_MATMUL_ORACLE_H

#include <array>
#include <cstdint>
#include <string>

#include "contract/ops.h"
#include "nf4_oracle.h"
#include "report.h"

namespace qfuse::bench {

// Number of distinct rows (tokens) of `in`. The other rows repeat them, because the oracle is slow. A row of out
// depends only on its own row of in.
inline constexpr std::int64_t kOracleTokens = 4;

inline constexpr std::array kDirections = {QFUSE_FORWARD, QFUSE_BACKWARD};
const char* name_of(qfuse_direction direction);

// Parameters for a weight [rows, cols]. The caller sets the weight's arrays, in and out.
contract::Matmul4bit matmul_params(Shape weight, qfuse_direction direction, std::int64_t m, qfuse_sum sum);

// Normally distributed values for p.in.
Bytes random_inputs(const contract::Matmul4bit& p);

// The oracle's output for p's first kOracleTokens tokens, summed in the order that p.sum names.
Bytes multiply_by_oracle(const contract::Matmul4bit& p, const Codes& codes, const Bytes& inputs);

// Describes where p's output on the host first differs from the oracle's. Returns an empty string if nowhere.
std::string difference(const contract::Matmul4bit& p, const Bytes& oracle, const void* out);

// Norm of the output's difference from the oracle's, relative to the oracle's norm.
double distance(const contract::Matmul4bit& p, const Bytes& oracle, const void* out);

}  // namespace qfuse::bench

#endif  // QFUSE_BENCH_MATMUL_ORACLE_H
