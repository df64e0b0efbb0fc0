#include "checkpoint/convert/source.h"

#include <algorithm>
#include <memory>
#include <utility>

#include "checkpoint/convert/element_loops.h"
#include "checkpoint/files/types.h"

namespace qfuse::checkpoint {
namespace {

// Writes all of `part` to the scratch file, piece by piece; each piece is complete before the next one starts.
void keep(const Source& part, std::int64_t place, ScratchFile& scratch, Piece& piece) {
  for (std::int64_t at = 0; at < part.bytes; at += part.piece) {
    const auto size = static_cast<std::size_t>(std::min(part.piece, part.bytes - at));
    const std::span<std::byte> bytes = piece.host(array::kWaiting, size);
    read_now(part, at, bytes, piece, array::kWaiting);
    scratch.write(place + at, bytes);
  }
}

}  // namespace

void read_to_host(const Source& source, std::int64_t begin, std::span<std::byte> out, Piece& piece,
                  std::size_t number) {
  if (source.made == Made::on_host) return source.read(begin, out, piece);
  source.read(begin, piece.output(number, out), piece);
  piece.fetch(number, out);
}

void read_now(const Source& source, std::int64_t begin, std::span<std::byte> out, Piece& piece, std::size_t number) {
  read_to_host(source, begin, out, piece, number);
  if (source.made == Made::on_device) piece.complete();
}

std::span<const std::byte> read_to_device(const Source& source, std::int64_t begin, std::int64_t size, Piece& piece,
                                          std::size_t number) {
  const auto bytes = static_cast<std::size_t>(size);
  if (source.made == Made::on_host)
    return piece.input<std::byte>(number, size, [&](std::span<std::byte> out) { source.read(begin, out, piece); });
  const std::span<std::byte> there = piece.on_device(number, bytes);
  source.read(begin, there, piece);
  return there;
}

Source stored(const StoredTensor& tensor) {
  constexpr std::int64_t kCopied = kPieceBytes / 4;  // smaller pieces, because there is nothing to compute
  return {.dtype = dtype_of(tensor.entry->type).value_or(Dtype::float32),
          .bytes = tensor.entry->bytes(),
          .piece = kCopied,
          .read = [tensor](std::int64_t begin, std::span<std::byte> out, Piece&) { tensor.read(begin, out); }};
}

Source resized(const Source& source, std::int64_t bytes) {
  Source other = source;
  other.bytes = bytes;
  other.made = Made::on_host;
  other.encoded = nullptr;
  other.read = [source](std::int64_t begin, std::span<std::byte> out, Piece& piece) {
    const std::int64_t there = std::clamp(source.bytes - begin, std::int64_t{0}, std::ssize(out));
    // Reads whole units, even if the last one is cut.
    const std::int64_t whole = std::min((there + source.unit - 1) / source.unit * source.unit, source.bytes - begin);
    if (there > 0) {
      const std::span<std::byte> values = piece.host(array::kCut, static_cast<std::size_t>(whole));
      read_now(source, begin, values, piece, array::kCut);
      std::copy_n(values.begin(), there, out.begin());
    }
    std::ranges::fill(out.subspan(static_cast<std::size_t>(there)), std::byte{0});
  };
  return other;
}

Source rounded(const Source& source, Dtype dtype) {
  if (source.dtype == dtype) return source;
  const std::int64_t unit = source.unit_elements() * size_of(dtype);
  return {.dtype = dtype,
          .bytes = source.elements() * size_of(dtype),
          .unit = unit,
          .piece = std::max(kPieceBytes, unit),
          .read = [source, dtype](std::int64_t begin, std::span<std::byte> out, Piece& piece) {
            const std::int64_t count = std::ssize(out) / size_of(dtype);
            const auto elements = piece.host(array::kBase, static_cast<std::size_t>(count * size_of(source.dtype)));
            read_now(source, begin / size_of(dtype) * size_of(source.dtype), elements, piece, array::kBase);
            std::vector<float> values(static_cast<std::size_t>(count));
            widen(source.dtype, elements, values);
            round_to(dtype, values, out);
          }};
}

Source read_ahead(const Source& source) {
  struct Stretch {
    std::int64_t begin = 0;
    std::vector<std::byte> bytes;
  };
  Source other = source;
  other.made = Made::on_host;
  other.encoded = nullptr;
  other.read = [source, stretch = std::make_shared<Stretch>()](std::int64_t begin, std::span<std::byte> out,
                                                               Piece& piece) {
    const std::int64_t end = begin + std::ssize(out);
    if (begin < stretch->begin || end > stretch->begin + std::ssize(stretch->bytes)) {
      const std::int64_t size = std::max(std::ssize(out), std::min(source.piece, source.bytes - begin));
      stretch->begin = begin;
      stretch->bytes.resize(static_cast<std::size_t>(size));
      read_now(source, begin, stretch->bytes, piece, array::kReadAhead);
    }
    std::copy_n(stretch->bytes.begin() + (begin - stretch->begin), out.size(), out.begin());
  };
  return other;
}

Source kept(const std::vector<Source>& parts, ScratchFile& scratch) {
  Source all = parts.front();
  all.bytes *= std::ssize(parts);
  all.unit = 1;
  all.piece = kPieceBytes;
  all.made = Made::on_host;
  all.encoded = nullptr;
  all.read = [parts, &scratch, made = std::make_shared<bool>(false)](std::int64_t begin, std::span<std::byte> out,
                                                                     Piece& piece) {
    if (!std::exchange(*made, true))
      for (std::size_t i = 0; i < parts.size(); ++i)
        keep(parts[i], static_cast<std::int64_t>(i) * parts.front().bytes, scratch, piece);
    scratch.read(begin, out);
  };
  return all;
}

void widen(Dtype dtype, std::span<const std::byte> elements, std::span<float> out) {
  element_loops().widen(dtype, elements, out);
}

void round_to(Dtype dtype, std::span<const float> values, std::span<std::byte> out) {
  element_loops().round_to(dtype, values, out);
}

}  // namespace qfuse::checkpoint
