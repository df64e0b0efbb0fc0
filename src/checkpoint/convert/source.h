// The one pull type of a conversion: a tensor's bytes, made as they are asked for. What is done to a tensor is a
// function from Source to Source: stored, decoded (decode.h), merged (merged.h), through_codes, transposed; encoded
// (encode.h) makes of one the sources of the tensors that bitsandbytes saves for it.
#ifndef QFUSE_CHECKPOINT_CONVERT_SOURCE_H
#define QFUSE_CHECKPOINT_CONVERT_SOURCE_H

#include <qfuse/qfuse.hpp>

#include <cstddef>
#include <cstdint>
#include <functional>
#include <span>
#include <string>
#include <vector>

#include "checkpoint/device/pipeline.h"
#include "checkpoint/files/file.h"
#include "checkpoint/files/model.h"

namespace qfuse::checkpoint {

// About how many bytes of a weight are made at a time: enough to keep every core busy, little enough to stay in memory
// whatever the tensor's size. A power of two, as every unit is.
inline constexpr std::int64_t kPieceBytes = 16 << 20;

inline std::int64_t size_of(Dtype dtype) { return static_cast<std::int64_t>(dtype_size(dtype)); }

// Where a source makes its bytes.
enum class Made {
  on_host,    // in the host's memory; they are there when read() returns
  on_device,  // in memory of the piece's device; they are there for what is queued on it next. On a CPU the same
};

struct Source {
  Dtype dtype = Dtype::float32;  // of its elements, if they are fp32, fp16 or bf16
  std::int64_t bytes = 0;
  std::int64_t unit = 1;             // reads begin at multiples of so many bytes, and end at one or at the end
  std::int64_t piece = kPieceBytes;  // of units: how many bytes to ask for at a time
  Made made = Made::on_host;
  // Fills `out`, which must not reach beyond the tensor, with its bytes from `begin` on.
  std::function<void(std::int64_t begin, std::span<std::byte> out, Piece& piece)> read = {};

  [[nodiscard]] std::int64_t elements() const { return bytes / size_of(dtype); }
  [[nodiscard]] std::int64_t unit_elements() const { return unit < size_of(dtype) ? 1 : unit / size_of(dtype); }
};

// The arrays of a piece. Several functions work on one piece, so each has arrays of its own.
namespace array {
enum : std::size_t {
  kCodes,
  kAbsmax8bit,
  kScales,  // absmax, nested_absmax or SCB
  kQuantMap,
  kNestedOffset,
  kWaiting,  // on the way to a scratch file
  kCut,      // of what gets another size
  kBase,     // what an adapter is merged into
  kSums,     // fp32, with the addends so far; the next addend's are in the other one of these two
  kMoreSums,
  kNorms,  // fp32 sums whose rows or columns get another length
  kMeasuredSums,
  kSeenBase,  // what is encoded and decoded again
  kToEncode,
  kEncodedAbsmax,
  kWritten,
  kZeroPoints,  // of 4-bit codes with scales of blocks, and the scale of the whole tensor
  kGlobalScale,
  kReadAhead,
  kNumbers,
  kFactors = kNumbers,  // and those behind it, one for each addend
};
}  // namespace array

// The three ways to read a source; `number` is the array to use, if one is needed.
// To `out`, memory of the host, which is filled when `piece` is complete: a buffer of the Pipeline or
// piece.host(number).
void read_to_host(const Source& source, std::int64_t begin, std::span<std::byte> out, Piece& piece, std::size_t number);
// The same, and waits until it is there.
void read_now(const Source& source, std::int64_t begin, std::span<std::byte> out, Piece& piece, std::size_t number);
// To where the device finds it.
std::span<const std::byte> read_to_device(const Source& source, std::int64_t begin, std::int64_t size, Piece& piece,
                                          std::size_t number);

// A tensor's bytes as they are.
Source stored(const StoredTensor& tensor);

// The first bytes of `source`, or, behind all of them, zeros.
Source resized(const Source& source, std::int64_t bytes);

// `source`, rounded to `dtype`.
Source rounded(const Source& source, Dtype dtype);

// `source`, of which memory keeps a stretch: for one whose reads cost much whatever their size, read in
// ascending order.
Source read_ahead(const Source& source);

// Alike, one behind the other, and to be read at any byte: all are made, and wait in `scratch`, when the first is asked
// for. That needs room for all of them.
Source kept(const std::vector<Source>& parts, ScratchFile& scratch);

// Elements of `dtype` as floats, exactly, and floats rounded to it.
void widen(Dtype dtype, std::span<const std::byte> elements, std::span<float> out);
void round_to(Dtype dtype, std::span<const float> values, std::span<std::byte> out);

// The tensors that are made together: the driver reads them in this order, each wholly, and its pieces are complete
// before the next one is begun. So a source may rest on what the one before it made.
struct OpenedTensor {
  std::vector<Source> sources;
  // The bytes of a further tensor, which are known only when those were read; may be empty.
  std::function<std::string()> text = {};
};

}  // namespace qfuse::checkpoint

#endif  // QFUSE_CHECKPOINT_CONVERT_SOURCE_H
