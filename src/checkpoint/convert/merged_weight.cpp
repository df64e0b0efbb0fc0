#include "checkpoint/convert/merged_weight.h"

#include <algorithm>
#include <cmath>
#include <cstring>
#include <map>
#include <utility>

#include "checkpoint/convert/decode.h"
#include "checkpoint/device/pipeline.h"
#include "checkpoint/files/adapter.h"
#include "format/elements.h"
#include "format/mean.h"

namespace qfuse::checkpoint {
namespace {

constexpr auto kFp32Bytes = static_cast<std::int64_t>(sizeof(float));

// The arrays of a piece.
constexpr std::size_t kBase = 0;
constexpr std::size_t kFactors = 1;
constexpr std::size_t kSums = 2;  // and kSums + 1: sums in fp32 that are not the last
constexpr std::size_t kMerged = 4;

std::int64_t size_of(Dtype dtype) { return static_cast<std::int64_t>(dtype_size(dtype)); }

std::span<float> floats(std::span<std::byte> bytes) {
  return {reinterpret_cast<float*>(bytes.data()), bytes.size() / sizeof(float)};
}

Exec on_cpu(const Exec& exec) {
  Exec cpu;
  cpu.threads = exec.threads;
  if (exec.device.type == QFUSE_REFERENCE) cpu.device = exec.device;
  return cpu;
}

// ---- the matrices of an adapter --------------------------------------------------------------------------------

// `count` elements of a factor's tensor, `stride` apart. What lies between them is read with them: experts lie so.
void read_apart(const StoredTensor& stored, std::int64_t first, std::int64_t count, std::int64_t stride,
                std::vector<float>& buffer, float* out, std::int64_t out_stride) {
  buffer.resize(static_cast<std::size_t>((count - 1) * stride + 1));
  read_as_float(stored, first, buffer);
  for (std::int64_t i = 0; i < count; ++i) out[i * out_stride] = buffer[static_cast<std::size_t>(i * stride)];
}

struct Window {
  std::int64_t first_row = 0;
  std::int64_t rows = 0;
  std::int64_t first_column = 0;
  std::int64_t columns = 0;
};

// That part of a factor's block, row by row. Reads along the axis whose elements lie closer.
void read_factor(const Factor& factor, std::int64_t block, const Window& window, std::span<float> out) {
  if (!factor.stored) return static_cast<void>(std::ranges::fill(out, 1.0F));
  if (window.rows == 0 || window.columns == 0) return;
  const std::int64_t first = factor.offset + block * factor.block_stride + window.first_row * factor.row_stride +
                             window.first_column * factor.column_stride;
  std::vector<float> buffer;
  if (factor.column_stride == 1 && factor.row_stride == window.columns)
    return read_as_float(*factor.stored, first, out);
  if (factor.column_stride <= factor.row_stride) {
    for (std::int64_t row = 0; row < window.rows; ++row)
      read_apart(*factor.stored, first + row * factor.row_stride, window.columns, factor.column_stride, buffer,
                 out.data() + row * window.columns, 1);
  } else {
    for (std::int64_t column = 0; column < window.columns; ++column)
      read_apart(*factor.stored, first + column * factor.column_stride, window.rows, factor.row_stride, buffer,
                 out.data() + column, window.columns);
  }
}

// ---- the sum ---------------------------------------------------------------------------------------------------

// What lies within one block and is either whole rows or a part of one.
struct Tile {
  std::int64_t begin = 0;  // the number of its first element in the tensor
  std::int64_t block = 0;
  Window window;
  [[nodiscard]] std::int64_t elements() const { return window.rows * window.columns; }
};

std::vector<Tile> tiles_of(const MergedShape& shape, std::int64_t begin, std::int64_t end) {
  std::vector<Tile> tiles;
  for (std::int64_t at = begin; at < end;) {
    const std::int64_t row = at / shape.columns;
    const std::int64_t column = at % shape.columns;
    const std::int64_t rows_left = shape.rows - row % shape.rows;
    const std::int64_t whole_rows = std::min((end - at) / shape.columns, rows_left);
    Tile tile{at, row / shape.rows, {row % shape.rows, 1, column, std::min(shape.columns - column, end - at)}};
    if (column == 0 && whole_rows > 0) tile.window = {row % shape.rows, whole_rows, 0, shape.columns};
    tiles.push_back(tile);
    at += tile.elements();
  }
  return tiles;
}

void round_to(Dtype dtype, std::span<const float> values, std::span<std::byte> out) {
  for (std::size_t i = 0; i < values.size(); ++i)
    format::store_rounded(out.data(), static_cast<std::int64_t>(i), static_cast<qfuse_dtype>(dtype), values[i]);
}

// DoRA: what the rows of a tile, or its columns, are multiplied by, of all rows or columns of the tensor.
void apply_norm_scales(const Tile& tile, bool of_columns, std::span<const float> scales, std::span<float> sums) {
  const auto columns = static_cast<std::size_t>(tile.window.columns);
  for (std::size_t i = 0; i < sums.size(); ++i)
    sums[i] *= scales[of_columns ? static_cast<std::size_t>(tile.window.first_column) + i % columns
                                 : static_cast<std::size_t>(tile.window.first_row) + i / columns];
}

// One tensor on its way. Its pieces are made one after the other by one thread.
class Sum {
 public:
  Sum(PlainWeight base, Merging merging, Dtype dtype)
      : base_(std::move(base)), merging_(std::move(merging)), dtype_(dtype), whole_a_(merging_.addends.size()) {}

  void read(std::int64_t begin, std::span<std::byte> out, Piece& piece) {
    const std::int64_t first = begin / size_of(dtype_);
    const std::int64_t count = std::ssize(out) / size_of(dtype_);
    const std::span<std::byte> base = piece.host(kBase, static_cast<std::size_t>(count * size_of(base_.dtype)));
    base_.read(first * size_of(base_.dtype), base);
    for (const TokenRows& tokens : merging_.token_rows) replace_rows(tokens, first, base);
    if (merging_.addends.empty()) return round_only(base, out);
    find_norm_scales(piece);
    const std::vector<Tile> tiles = tiles_of(merging_.shape, first, first + count);
    merge_tiles(tiles, base, send_factors(tiles, piece), out, piece);
  }

 private:
  // The rows of `base`, which begins with element `first`, that were trained.
  void replace_rows(const TokenRows& tokens, std::int64_t first, std::span<std::byte> base) const {
    const std::int64_t columns = merging_.shape.columns;
    const std::int64_t element = size_of(base_.dtype);
    const std::int64_t end = first + std::ssize(base) / element;
    std::vector<float> row(static_cast<std::size_t>(columns));
    for (std::size_t i = 0; i < tokens.rows.size(); ++i) {
      const std::int64_t begin = tokens.rows[i] * columns;
      const std::int64_t from = std::max(begin, first);
      const std::int64_t to = std::min(begin + columns, end);
      if (from >= to) continue;
      read_as_float(tokens.values, static_cast<std::int64_t>(i) * columns, row);
      for (std::int64_t at = from; at < to; ++at)
        format::store_rounded(base.data() + (at - first) * element, 0, static_cast<qfuse_dtype>(base_.dtype),
                              row[static_cast<std::size_t>(at - begin)]);
    }
  }

  void round_only(std::span<const std::byte> base, std::span<std::byte> out) const {
    if (base_.dtype == dtype_) return static_cast<void>(std::ranges::copy(base, out.begin()));
    for (std::int64_t i = 0; i < std::ssize(out) / size_of(dtype_); ++i)
      format::store_rounded(out.data(), i, static_cast<qfuse_dtype>(dtype_),
                            format::load_as_float(base.data(), i, static_cast<qfuse_dtype>(base_.dtype)));
  }

  // Each addend's sum is the next one's base; only the last is rounded to the output's dtype. What is on its way to a
  // device or back is not touched before it is there.
  void merge_tiles(const std::vector<Tile>& tiles, std::span<std::byte> base, std::span<const float> factors,
                   std::span<std::byte> out, Piece& piece) {
    const std::size_t count = base.size() / dtype_size(base_.dtype);
    std::span<const std::byte> in = piece.send(kBase, base);
    Dtype in_dtype = base_.dtype;
    const std::size_t last = merging_.addends.size() - 1;
    for (std::size_t i = 0; i <= last; ++i) {
      const Addend& addend = merging_.addends[i];
      const bool rounded = i == last && !addend.magnitude;
      const std::size_t array = rounded ? kMerged : kSums + i % 2;
      const Dtype made_dtype = rounded ? dtype_ : Dtype::float32;
      const std::span<std::byte> sums = rounded ? out : piece.host(array, count * sizeof(float));
      const std::span<std::byte> made = piece.output(array, sums);
      for (const Tile& tile : tiles) {
        const auto at = static_cast<std::size_t>(tile.begin - tiles.front().begin);
        const auto elements = static_cast<std::size_t>(tile.elements());
        lora_merge(in.subspan(at * dtype_size(in_dtype), elements * dtype_size(in_dtype)), in_dtype, tile.window.rows,
                   tile.window.columns, next_product(addend, tile, factors),
                   made.subspan(at * dtype_size(made_dtype), elements * dtype_size(made_dtype)), made_dtype,
                   piece.exec());
      }
      in = made;
      in_dtype = made_dtype;
      if (rounded) return piece.fetch(array, sums);
      if (!addend.magnitude) continue;
      piece.fetch(array, sums);
      piece.complete();
      for (const Tile& tile : tiles)
        apply_norm_scales(tile, addend.of_columns, norm_scales_[i],
                          floats(sums).subspan(static_cast<std::size_t>(tile.begin - tiles.front().begin),
                                               static_cast<std::size_t>(tile.elements())));
      if (i == last) return round_to(dtype_, floats(sums), out);
      in = piece.send(array, sums);
    }
  }

  // The matrices of each addend for each tile, b and then a.
  std::span<const float> send_factors(const std::vector<Tile>& tiles, Piece& piece) {
    std::int64_t count = 0;
    for (const Addend& addend : merging_.addends)
      for (const Tile& tile : tiles) count += addend.rank * (tile.window.rows + tile.window.columns);
    return piece.input<float>(kFactors, count, [&](std::span<std::byte> bytes) {
      std::span<float> rest = floats(bytes);
      const auto next = [&](std::int64_t size) {
        const std::span<float> part = rest.first(static_cast<std::size_t>(size));
        rest = rest.subspan(part.size());
        return part;
      };
      for (std::size_t i = 0; i < merging_.addends.size(); ++i)
        for (const Tile& tile : tiles) {
          const Addend& addend = merging_.addends[i];
          const Window& window = tile.window;
          read_factor(addend.b, tile.block, {window.first_row, window.rows, 0, addend.rank},
                      next(addend.rank * window.rows));
          const std::span<float> a = next(addend.rank * window.columns);
          if (window.columns < merging_.shape.columns)
            read_factor(addend.a, tile.block, {0, addend.rank, window.first_column, window.columns}, a);
          else
            std::ranges::copy(whole_a(i, tile.block), a.begin());
        }
    });
  }

  // Takes its matrices off the beginning of `factors`.
  static LoraProduct next_product(const Addend& addend, const Tile& tile, std::span<const float>& factors) {
    const auto b = factors.first(static_cast<std::size_t>(addend.rank * tile.window.rows));
    const auto a = factors.subspan(b.size(), static_cast<std::size_t>(addend.rank * tile.window.columns));
    factors = factors.subspan(b.size() + a.size());
    return {.a = a, .b = b, .rank = addend.rank, .scale = addend.scale};
  }

  // Of all columns, kept for the pieces to come.
  std::span<const float> whole_a(std::size_t i, std::int64_t block) {
    const Addend& addend = merging_.addends[i];
    Kept& kept = whole_a_[i];
    if (kept.block != block) {
      kept.values.resize(static_cast<std::size_t>(addend.rank * merging_.shape.columns));
      read_factor(addend.a, block, {0, addend.rank, 0, merging_.shape.columns}, kept.values);
      kept.block = block;
    }
    return kept.values;
  }

  // ---- DoRA: on the host ----

  // The norm of a row is known only when all of it was summed, so that the tensor is read once more, before its first
  // piece is made. Behind another adapter it would be the norm of both; find_rules() lets none come there.
  void find_norm_scales(const Piece& piece) {
    if (!norm_scales_.empty()) return;
    norm_scales_.resize(merging_.addends.size());
    for (std::size_t i = 0; i < merging_.addends.size(); ++i) {
      if (!merging_.addends[i].magnitude) continue;
      Merging until = merging_;
      until.addends.resize(i + 1);
      until.addends[i].magnitude.reset();
      Sum sum(base_, until, Dtype::float32);
      sum.norm_scales_ = norm_scales_;
      norm_scales_[i] = magnitudes_by_norm(sum, merging_.addends[i], piece);
    }
  }

  // Squares are exact in fp64, and are added there in ascending order.
  [[nodiscard]] std::vector<float> magnitudes_by_norm(Sum& sum, const Addend& addend, const Piece& piece) const {
    const auto columns = static_cast<std::size_t>(merging_.shape.columns);
    const auto rows = static_cast<std::size_t>(merging_.shape.rows);
    std::vector<double> squares(addend.of_columns ? columns : rows);
    Pipeline pipeline(piece.host_exec());
    const std::size_t most = std::max(static_cast<std::size_t>(kPieceBytes) / sizeof(float) / columns, std::size_t{1});
    std::vector<float> sums;
    for (std::size_t row = 0; row < rows; row += most) {
      sums.resize(std::min(most, rows - row) * columns);
      sum.read(static_cast<std::int64_t>(row * columns * sizeof(float)), std::as_writable_bytes(std::span(sums)),
               pipeline.next());
      for (std::size_t i = 0; i < sums.size(); ++i) {
        const double v = sums[i];
        squares[addend.of_columns ? i % columns : row + i / columns] += v * v;
      }
    }
    std::vector<float> scales(squares.size());
    read_as_float(*addend.magnitude, 0, scales);
    for (std::size_t i = 0; i < scales.size(); ++i)
      scales[i] = static_cast<float>(static_cast<double>(scales[i]) / std::sqrt(squares[i]));
    return scales;
  }

  struct Kept {
    std::int64_t block = -1;
    std::vector<float> values;
  };

  PlainWeight base_;
  Merging merging_;
  Dtype dtype_;
  std::vector<Kept> whole_a_;                    // by addend
  std::vector<std::vector<float>> norm_scales_;  // by addend; of those with magnitudes: magnitude / norm
};

// A private pipeline on the CPU, for what is made of what another reader gives.
class OnHost {
 public:
  explicit OnHost(const Exec& exec) : pipeline_(std::make_shared<Pipeline>(on_cpu(exec))) {}
  [[nodiscard]] Piece& piece() const { return pipeline_->next(); }

 private:
  std::shared_ptr<Pipeline> pipeline_;
};

// ---- through bitsandbytes' codes -------------------------------------------------------------------------------

class ThroughCodes {
 public:
  ThroughCodes(PlainWeight plain, QuantState state, ScratchFile& scratch, std::int64_t scratch_begin, const Exec& exec)
      : plain_(std::move(plain)),
        state_(std::move(state)),
        scratch_(scratch),
        begin_(scratch_begin),
        exec_(on_cpu(exec)) {}

  // From any element on: what is made are the blocks that this touches.
  void read(std::int64_t begin, std::span<std::byte> out) {
    if (!made_) make_scales();
    const std::int64_t element = size_of(plain_.dtype);
    const std::int64_t unit = state_.blocksize * element;
    const std::int64_t from = begin / unit * unit;
    const std::int64_t to = std::min((begin + std::ssize(out) + unit - 1) / unit * unit, plain_.bytes);
    encode(from, to - from);
    scratch_.read(begin_ + from / unit * kFp32Bytes, std::as_writable_bytes(std::span(absmax_)));
    decoded_.resize(static_cast<std::size_t>(to - from));
    const std::int64_t count = (to - from) / element;
    dequantize_4bit({.cols = count,
                     .blocksize = state_.blocksize,
                     .quant_type = state_.quant_type,
                     .packed = codes_,
                     .absmax = absmax_},
                    decoded_, plain_.dtype, exec_);
    std::ranges::copy(std::span(decoded_).subspan(static_cast<std::size_t>(begin - from), out.size()), out.begin());
  }

 private:
  // Codes and absmax of the weight's bytes from `begin` on, where a block begins.
  void encode(std::int64_t begin, std::int64_t bytes) {
    const std::int64_t count = bytes / size_of(plain_.dtype);
    weight_.resize(static_cast<std::size_t>(bytes));
    plain_.read(begin, weight_);
    codes_.resize(static_cast<std::size_t>(qfuse_packed_size(count)));
    absmax_.resize(static_cast<std::size_t>(qfuse_block_count(count, state_.blocksize)));
    quantize_4bit(weight_, plain_.dtype,
                  {.cols = count,
                   .blocksize = state_.blocksize,
                   .quant_type = state_.quant_type,
                   .packed = codes_,
                   .absmax = absmax_},
                  exec_);
  }

  // Every absmax, as it is when it was decoded: nested ones are encoded less their mean.
  void make_scales() {
    const std::int64_t unit = format::kMeanChunk * state_.blocksize * size_of(plain_.dtype);
    const std::int64_t piece = std::max(kPieceBytes / unit, std::int64_t{1}) * unit;
    format::Mean mean;
    for (std::int64_t at = 0; at < plain_.bytes; at += piece) {
      encode(at, std::min(piece, plain_.bytes - at));
      scratch_.write(place_of(at), std::as_bytes(std::span(absmax_)));
      if (state_.nested) mean.add(absmax_.data(), std::ssize(absmax_));
    }
    if (state_.nested && plain_.bytes > 0) nest_scales(mean.value());
    made_ = true;
  }

  void nest_scales(float offset) {
    const std::int64_t count = absmax_bytes(state_) / kFp32Bytes;
    const std::int64_t piece = kPieceBytes / kFp32Bytes;  // a multiple of any nested blocksize
    std::vector<float> absmax;
    std::vector<float> nested;
    std::vector<std::uint8_t> codes;
    const std::vector<float> map = stored_nested_quant_map();
    for (std::int64_t at = 0; at < count; at += piece) {
      absmax.resize(static_cast<std::size_t>(std::min(piece, count - at)));
      codes.resize(absmax.size());
      nested.resize(static_cast<std::size_t>(qfuse_block_count(std::ssize(absmax), state_.nested->blocksize)));
      scratch_.read(begin_ + at * kFp32Bytes, std::as_writable_bytes(std::span(absmax)));
      quantize_blockwise(absmax, state_.nested->blocksize, offset, codes, nested, exec_);
      dequantize_blockwise(codes, nested, map, state_.nested->blocksize, std::as_writable_bytes(std::span(absmax)),
                           Dtype::float32, exec_);
      for (float& scale : absmax) scale += offset;
      scratch_.write(begin_ + at * kFp32Bytes, std::as_bytes(std::span(absmax)));
    }
  }

  [[nodiscard]] std::int64_t place_of(std::int64_t byte) const {
    return begin_ + byte / size_of(plain_.dtype) / state_.blocksize * kFp32Bytes;
  }

  PlainWeight plain_;
  QuantState state_;
  ScratchFile& scratch_;
  std::int64_t begin_;
  Exec exec_;
  bool made_ = false;
  std::vector<std::byte> weight_;
  std::vector<std::byte> decoded_;
  std::vector<std::uint8_t> codes_;
  std::vector<float> absmax_;
};

}  // namespace

void require_mergeable(Pipeline& pipeline) {
  Piece& piece = pipeline.next();
  const auto zero = [](std::span<std::byte> bytes) { std::ranges::fill(bytes, std::byte{}); };
  const auto base = piece.input<std::byte>(kBase, kFp32Bytes, zero);
  const auto factors = piece.input<float>(kFactors, 2, zero);
  const std::span<std::byte> sum = piece.host(kMerged, sizeof(float));
  lora_merge(base, Dtype::float32, 1, 1, {.a = factors.first(1), .b = factors.last(1), .rank = 1},
             piece.output(kMerged, sum), Dtype::float32, piece.exec());
  piece.fetch(kMerged, sum);
  piece.complete();
}

TensorReader open_merged(const PlainWeight& base, const Merging& merging, Dtype dtype, std::int64_t piece_bytes) {
  const auto sum = std::make_shared<Sum>(base, merging, dtype);
  return {piece_bytes, [sum](std::int64_t begin, std::span<std::byte> out, Piece& piece) {
            sum->read(begin, out, piece);
            return std::ssize(out);
          }};
}

PlainWeight merged_weight(const PlainWeight& base, const Merging& merging, Dtype dtype, const Exec& exec) {
  const auto sum = std::make_shared<Sum>(base, merging, dtype);
  return {dtype, merging.shape.elements() * size_of(dtype),
          [sum, host = OnHost(exec)](std::int64_t begin, std::span<std::byte> out) {
            sum->read(begin, out, host.piece());
          }};
}

bool same_product(const Addend& one, const Addend& other, const MergedShape& shape) {
  if (one.rank != other.rank || one.scale != other.scale || one.magnitude || other.magnitude) return false;
  const auto same = [&](const Factor& a, const Factor& b, std::int64_t rows, std::int64_t columns) {
    if (rows == 0 || columns == 0) return true;
    std::vector<float> row_of_a(static_cast<std::size_t>(columns));
    std::vector<float> row_of_b(row_of_a.size());
    for (std::int64_t row = 0; row < rows; ++row) {
      read_factor(a, 0, {row, 1, 0, columns}, row_of_a);
      read_factor(b, 0, {row, 1, 0, columns}, row_of_b);
      if (std::memcmp(row_of_a.data(), row_of_b.data(), row_of_a.size() * sizeof(float)) != 0) return false;
    }
    return true;
  };
  return same(one.b, other.b, shape.rows, one.rank) && same(one.a, other.a, one.rank, shape.columns);
}

PlainWeight resized_weight(const PlainWeight& plain, std::int64_t elements) {
  return {plain.dtype, elements * static_cast<std::int64_t>(dtype_size(plain.dtype)),
          [plain](std::int64_t begin, std::span<std::byte> out) {
            const std::int64_t there = std::clamp(plain.bytes - begin, std::int64_t{0}, std::ssize(out));
            if (there > 0) plain.read(begin, out.first(static_cast<std::size_t>(there)));
            std::ranges::fill(out.subspan(static_cast<std::size_t>(there)), std::byte{0});
          }};
}

PlainWeight decoded_weight(const Tensor& tensor, Dtype dtype, const Exec& exec) {
  if (!tensor.quantized_dtype()) return plain_weight(tensor.values());
  const TensorReader reader = open_decoded(tensor, dtype);
  const std::int64_t unit = reader.piece_bytes;
  const std::int64_t bytes = tensor.decoded_bytes(dtype);
  return {dtype, bytes,
          [=, host = OnHost(exec), piece_at = std::make_shared<std::int64_t>(-1),
           decoded = std::make_shared<std::vector<std::byte>>()](std::int64_t begin, std::span<std::byte> out) {
            // Pieces of the reader's own, kept until the next is needed: reads go on where the last one ended.
            for (std::int64_t at = begin; at < begin + std::ssize(out);) {
              const std::int64_t piece = at / unit * unit;
              if (*piece_at != piece) {
                decoded->resize(static_cast<std::size_t>(std::min(unit, bytes - piece)));
                reader.read(piece, *decoded, host.piece());
                *piece_at = piece;
              }
              const std::int64_t size = std::min(begin + std::ssize(out), piece + std::ssize(*decoded)) - at;
              std::memcpy(out.data() + (at - begin), decoded->data() + (at - piece), static_cast<std::size_t>(size));
              at += size;
            }
          }};
}

PlainWeight weight_through_codes(const PlainWeight& plain, const QuantState& state, ScratchFile& scratch,
                                 std::int64_t scratch_begin, const Exec& exec) {
  const auto codes = std::make_shared<ThroughCodes>(plain, state, scratch, scratch_begin, exec);
  return {plain.dtype, plain.bytes, [codes](std::int64_t begin, std::span<std::byte> out) { codes->read(begin, out); }};
}

}  // namespace qfuse::checkpoint
