#include "checkpoint/convert/encode_blocks.h"

#include <algorithm>
#include <cstring>
#include <memory>
#include <numeric>
#include <utility>

namespace qfuse::checkpoint {
namespace {

// State shared by the sources of one weight. Scales are made with the codes, and wait in a file until they are read.
class EncodedBlocks {
 public:
  EncodedBlocks(Source source, const BlockEncoding& encoding, ScratchFile* scratch, std::int64_t place)
      : source_(std::move(source)), encoder_(encoding), scratch_(scratch), place_(place) {}

  // Elements are encoded in multiples of this number.
  [[nodiscard]] std::int64_t unit() const { return std::lcm(encoding().unit(), source_.unit_elements()); }
  [[nodiscard]] std::int64_t chunk() const {
    return std::max<std::int64_t>(kPieceBytes / size_of(source_.dtype) / unit(), 1) * unit();
  }

  // Makes the codes from byte `begin` on, in the order of the file.
  void read_codes(std::int64_t begin, std::span<std::byte> out, Piece& piece) {
    const std::int64_t matrix_bytes = encoding().code_bytes(encoding().rows);
    if (!encoding().is_upright()) return encode(begin / encoding().code_bytes(1), out, piece);
    for (; !out.empty(); out = out.subspan(static_cast<std::size_t>(matrix_bytes)), begin += matrix_bytes)
      encode_matrix(begin / matrix_bytes, out.first(static_cast<std::size_t>(matrix_bytes)), piece);
  }

  void read_scales(std::int64_t begin, std::span<std::byte> out) const { scratch_->read(place_ + begin, out); }

 private:
  [[nodiscard]] const BlockEncoding& encoding() const { return encoder_.encoding(); }

  // Encodes `rows` rows from `row` on into all of `codes`, in chunks. Calls take(first row, rows) when scales_ is set.
  template <class Take>
  void encode_rows(std::int64_t row, std::int64_t rows, std::span<std::byte> codes, Piece& piece, const Take& take) {
    const std::int64_t columns = encoding().columns;
    const std::int64_t width = size_of(source_.dtype);
    const std::int64_t most = chunk() / columns;  // in rows
    for (std::int64_t count = 0; rows > 0; row += count, rows -= count) {
      count = std::min(most, rows);
      const auto values = piece.host(array::kToEncode, static_cast<std::size_t>(count * columns * width));
      read_now(source_, row * columns * width, values, piece, array::kToEncode);
      const auto size = static_cast<std::size_t>(encoding().code_bytes(count));
      if (source_.encoded != nullptr) {
        std::ranges::copy(source_.encoded->codes, codes.first(size).begin());
        scales_ = source_.encoded->scales;
      } else {
        scales_.resize(static_cast<std::size_t>(encoding().scale_bytes(count)));
        encoder_.encode(row * columns, values, source_.dtype, codes.first(size), scales_, piece.host_exec());
      }
      take(row, count);
      codes = codes.subspan(size);
    }
  }

  void encode(std::int64_t row, std::span<std::byte> codes, Piece& piece) {
    encode_rows(row, std::ssize(codes) / encoding().code_bytes(1), codes, piece, [&](std::int64_t first, std::int64_t) {
      if (!encoding().scales) scratch_->write(place_ + encoding().scale_bytes(first), scales_);
    });
  }

  // Encodes one matrix of a stack, decoded [rows, columns]. The file has all bands of a column before the next column.
  void encode_matrix(std::int64_t matrix, std::span<std::byte> out, Piece& piece) {
    const std::int64_t columns = encoding().columns;
    const std::int64_t bands = encoding().rows / encoding().block_rows;
    const std::int64_t block_bytes = encoding().block_rows / 2;
    bands_.resize(out.size());
    placed_scales_.resize(static_cast<std::size_t>(encoding().scales ? 0 : bands * columns));
    const std::int64_t first_row = matrix * encoding().rows;
    encode_rows(first_row, encoding().rows, bands_, piece, [&](std::int64_t row, std::int64_t count) {
      if (encoding().scales) return;
      const std::int64_t first = (row - first_row) / encoding().block_rows;
      for (std::int64_t band = 0; band < count / encoding().block_rows; ++band)
        for (std::int64_t c = 0; c < columns; ++c)
          placed_scales_[static_cast<std::size_t>(c * bands + first + band)] =
              scales_[static_cast<std::size_t>(band * columns + c)];
    });
    for (std::int64_t c = 0; c < columns; ++c)
      for (std::int64_t band = 0; band < bands; ++band)
        std::memcpy(&out[static_cast<std::size_t>((c * bands + band) * block_bytes)],
                    &bands_[static_cast<std::size_t>((band * columns + c) * block_bytes)],
                    static_cast<std::size_t>(block_bytes));
    if (!encoding().scales) scratch_->write(place_ + matrix * bands * columns, placed_scales_);
  }

  Source source_;
  BlockEncoder encoder_;
  ScratchFile* scratch_;
  std::int64_t place_;
  std::vector<std::byte> scales_;
  std::vector<std::byte> bands_;
  std::vector<std::byte> placed_scales_;
};

Source codes_of(const std::shared_ptr<EncodedBlocks>& blocks, const BlockEncoding& encoding) {
  Source codes{.bytes = encoding.code_bytes(encoding.matrices * encoding.rows)};
  if (codes.bytes == 0) return codes;
  codes.unit = encoding.is_upright() ? encoding.code_bytes(encoding.rows)
                                     : encoding.code_bytes(blocks->unit() / encoding.columns);
  codes.piece = encoding.is_upright() ? codes.unit : encoding.code_bytes(blocks->chunk() / encoding.columns);
  codes.read = [blocks](std::int64_t begin, std::span<std::byte> out, Piece& piece) {
    blocks->read_codes(begin, out, piece);
  };
  return codes;
}

}  // namespace

PlannedTensor planned_blocks(const std::string& name, const PlannedSource& source, const BlockTensors& tensors) {
  PlannedTensor planned{.name = name,
                        .converted = true,
                        .measured = source.measured,
                        .outputs = {tensors.codes},
                        .input_bytes = source.input_bytes,
                        .progress_bytes = source.bytes(),
                        .scratch_bytes = source.scratch_bytes};
  if (tensors.scales) {
    planned.outputs.push_back(*tensors.scales);
    planned.scratch_bytes += tensors.scales->bytes();
  }
  for (const StoredTensor& part : tensors.kept) planned.outputs.push_back(*part.entry);
  planned.open = [source, tensors](ScratchFile* scratch) {
    const auto blocks =
        std::make_shared<EncodedBlocks>(source.open(scratch), tensors.encoding, scratch, source.scratch_bytes);
    OpenedTensor opened{{codes_of(blocks, tensors.encoding)}};
    if (tensors.scales)
      opened.sources.push_back(
          {.bytes = tensors.scales->bytes(), .read = [blocks](std::int64_t begin, std::span<std::byte> out, Piece&) {
             blocks->read_scales(begin, out);
           }});
    for (const StoredTensor& part : tensors.kept) opened.sources.push_back(stored(part));
    return opened;
  };
  return planned;
}

RoundTrip through_blocks(const BlockEncoding& encoding) {
  const auto begin = [encoding]() -> RoundTrip::Pass {
    return [encoder = std::make_shared<BlockEncoder>(encoding)](std::int64_t first, std::span<const std::byte> values,
                                                                Dtype dtype, Encoded& encoded, std::span<float> left,
                                                                const Exec& exec) {
      const BlockEncoding& of = encoder->encoding();
      const std::int64_t rows = std::ssize(left) / of.columns;
      const std::span<std::byte> codes = append_room(encoded.codes, of.code_bytes(rows));
      const std::span<std::byte> scales = append_room(encoded.scales, of.scale_bytes(rows));
      encoder->encode(first, values, dtype, codes, scales, exec);
      encoder->decode(codes, scales, left, exec);
    };
  };
  return {encoding.unit(), begin};
}

}  // namespace qfuse::checkpoint
