#include "checkpoint/merge/merged.h"

#include <algorithm>

#include "checkpoint/files/adapter.h"
#include "checkpoint/merge/dora.h"
#include "checkpoint/merge/sum.h"
#include "format/elements.h"

namespace qfuse::checkpoint {
namespace {

// Stores the trained rows in `values`, which holds the tensor from element `first` on.
void replace_rows(const TokenRows& tokens, std::int64_t columns, Dtype dtype, std::int64_t first,
                  std::span<std::byte> values) {
  const std::int64_t end = first + std::ssize(values) / size_of(dtype);
  std::vector<float> row(static_cast<std::size_t>(columns));
  for (std::size_t i = 0; i < tokens.rows.size(); ++i) {
    const std::int64_t begin = tokens.rows[i] * columns;
    const std::int64_t from = std::max(begin, first);
    const std::int64_t to = std::min(begin + columns, end);
    if (from >= to) continue;
    read_as_float(tokens.values, static_cast<std::int64_t>(i) * columns, row);
    for (std::int64_t at = from; at < to; ++at)
      format::store_rounded(values.data(), at - first, static_cast<qfuse_dtype>(dtype),
                            row[static_cast<std::size_t>(at - begin)]);
  }
}

Source with_rows(const Source& base, const std::vector<TokenRows>& token_rows, std::int64_t columns) {
  Source source = base;
  source.made = Made::on_host;
  source.read = [base, token_rows, columns](std::int64_t begin, std::span<std::byte> out, Piece& piece) {
    read_now(base, begin, out, piece, array::kBase);
    for (const TokenRows& tokens : token_rows)
      replace_rows(tokens, columns, base.dtype, begin / size_of(base.dtype), out);
  };
  return source;
}

}  // namespace

Source merged(const Source& base, const Merging& merging, Dtype dtype, AddProduct add) {
  Source source = merging.token_rows.empty() ? base : with_rows(base, merging.token_rows, merging.shape.columns);
  for (std::size_t i = 0; i < merging.addends.size(); ++i) {
    const Addend& addend = merging.addends[i];
    const bool is_last = i + 1 == merging.addends.size();
    source = added(source, addend, merging.shape, is_last && !addend.magnitude ? dtype : Dtype::float32, i, add);
    if (addend.magnitude) source = with_lengths(source, addend, merging.shape, is_last ? dtype : Dtype::float32);
  }
  return rounded(source, dtype);
}

}  // namespace qfuse::checkpoint
