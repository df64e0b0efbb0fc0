// Products with an NF4 weight, nested, in bf16: parameters, inputs, and the oracle's answers, found on all cores.
#ifndef QFUSE_BENCH_MATMUL_ORACLE_H
#define QFUSE_BENCH_MATMUL_ORACLE_H

#include <array>
#include <cstdint>
#include <string>

#include "contract/ops.h"
#include "nf4_oracle.h"
#include "report.h"

namespace qfuse::bench {

// A row of out depends on its row of in alone, so that a few tokens stand for many, which repeat them: the oracle is
// slow.
inline constexpr std::int64_t kOracleTokens = 4;

inline constexpr std::array kDirections = {QFUSE_FORWARD, QFUSE_BACKWARD};
const char* name_of(qfuse_direction direction);

// Of a weight [rows, cols]; its arrays, in and out are still to be set.
contract::Matmul4bit matmul_params(Shape weight, qfuse_direction direction, std::int64_t m, qfuse_sum sum);

// What p multiplies: normal numbers.
Bytes random_inputs(const contract::Matmul4bit& p);

// The first tokens of p's output, added as p says.
Bytes multiply_by_oracle(const contract::Matmul4bit& p, const Codes& codes, const Bytes& inputs);

// Where p's output, on the host, first differs from that, in words; empty: nowhere.
std::string difference(const contract::Matmul4bit& p, const Bytes& oracle, const void* out);

// How far the output is from that, in parts of its norm.
double distance(const contract::Matmul4bit& p, const Bytes& oracle, const void* out);

}  // namespace qfuse::bench

#endif  // QFUSE_BENCH_MATMUL_ORACLE_H
