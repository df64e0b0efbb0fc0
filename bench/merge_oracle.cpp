#include "merge_oracle.h"

#include <algorithm>
#include <random>

#include "backend/cpu/parallel_for.h"
#include "format/layout.h"
#include "reference/reference.h"

namespace qfuse::bench {

// Sums row by row. Each row is a weight of its own.
MergeAnswers::MergeAnswers(Shape its_shape, std::int64_t its_rank)
    : shape(its_shape),
      rank(its_rank),
      in(trained_weights(shape.count(), QFUSE_BFLOAT16)),
      a(static_cast<std::size_t>(rank * shape.cols)),
      b(static_cast<std::size_t>(shape.rows * rank)),
      merged(in.size()) {
  std::mt19937 random(2);
  std::normal_distribution<float> normal(0.0F, 0.02F);
  for (std::vector<float>* const factor : {&a, &b}) std::ranges::generate(*factor, [&] { return normal(random); });
  const std::int64_t row_bytes = shape.cols * format::dtype_size(QFUSE_BFLOAT16);
  cpu::parallel_for(shape.rows, 1, 0, [&](std::int64_t first, std::int64_t last) {
    for (std::int64_t row = first; row < last; ++row)
      reference::lora_merge(merge_params({1, shape.cols}, rank, in.data() + row * row_bytes, a.data(),
                                         b.data() + row * rank, merged.data() + row * row_bytes));
  });
}

contract::LoraMerge merge_params(Shape shape, std::int64_t rank, const void* in, const float* a, const float* b,
                                 void* out) {
  contract::LoraMerge p{};
  p.rows = shape.rows;
  p.cols = shape.cols;
  p.rank = rank;
  p.scale = 2.0F;
  p.in_dtype = p.out_dtype = QFUSE_BFLOAT16;
  p.in = in;
  p.a = a;
  p.b = b;
  p.out = out;
  return p;
}

}  // namespace qfuse::bench
