// Source, a pull interface for a tensor's bytes, which are made when they are requested. Each step of a conversion is a
// function that returns a Source: stored(), decoded() (decode.h), merged() (merged.h), through_codes(), transposed().
// encoded() (encode.h) makes from one source those of all tensors that bitsandbytes saves for a 4-bit weight.
#ifndef QFUSE_CHECKPOINT_CONVERT_SOURCE_H
#define QFUSE_CHECKPOINT_CONVERT_SOURCE_H

#include <qfuse/qfuse.hpp>

#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "checkpoint/device/pipeline.h"
#include "checkpoint/files/file.h"
#include "checkpoint/files/model.h"

namespace qfuse::checkpoint {

// Approximate bytes of a weight made at a time: enough to keep every core busy, and few enough to fit in memory for any
// tensor size. A power of two, like every unit.
#ifndef QFUSE_PIECE_BYTES  // sanitized builds have less, so that their tests need no large weights
#define QFUSE_PIECE_BYTES (16 << 20)
#endif
inline constexpr std::int64_t kPieceBytes = QFUSE_PIECE_BYTES;

inline std::int64_t size_of(Dtype dtype) { return static_cast<std::int64_t>(dtype_size(dtype)); }

struct Encoded;  // round_trip.h

// Where a source makes its bytes.
enum class Made {
  on_host,    // in host memory; complete when read() returns
  on_device,  // in memory of the piece's device, ready for work queued after it; on a CPU same as on_host
};

struct Source {
  Dtype dtype = Dtype::float32;  // of its elements, if they are fp32, fp16 or bf16
  std::int64_t bytes = 0;
  std::int64_t unit = 1;             // in bytes: reads begin at multiples of it, and end at one or at the end
  std::int64_t piece = kPieceBytes;  // bytes to request at a time, a multiple of `unit`
  Made made = Made::on_host;
  // Fills `out`, which must not reach beyond the tensor, with the bytes from `begin` on.
  std::function<void(std::int64_t begin, std::span<std::byte> out, Piece& piece)> read = {};
  // What the last read() returned, in the output's codes, if the source has encoded it already, as measured() does.
  std::shared_ptr<const Encoded> encoded = {};

  [[nodiscard]] std::int64_t elements() const { return bytes / size_of(dtype); }
  [[nodiscard]] std::int64_t unit_elements() const { return unit < size_of(dtype) ? 1 : unit / size_of(dtype); }
};

// Numbers of a piece's arrays. Several functions work on one piece, so each has arrays of its own.
namespace array {
enum : std::size_t {
  kCodes,
  kAbsmax8bit,
  kScales,  // absmax, nested_absmax or SCB
  kQuantMap,
  kNestedOffset,
  kWaiting,  // bytes for a scratch file
  kCut,      // whole units of which only a part is needed
  kBase,     // the base weight into which an adapter is merged
  kSums,     // fp32 sums so far; successive addends alternate between this array and kMoreSums
  kMoreSums,
  kNorms,  // fp32 sums whose rows or columns are rescaled to another norm
  kMeasuredSums,
  kSeenBase,  // the base, to be encoded and decoded again
  kToEncode,
  kEncodedAbsmax,
  kImportance,
  kWritten,
  kZeroPoints,  // zero points of 4-bit codes with block scales; next, the scale of the whole tensor
  kGlobalScale,
  kReadAhead,
  kNumbers,
  kFactors = kNumbers,  // and the following numbers: one for each addend
};
}  // namespace array

// Three ways to read a source; `number` is the array to use, if one is needed. read_to_host() reads to `out`, which is
// a buffer of the Pipeline or piece.host(number); it is filled when `piece` is complete.
void read_to_host(const Source& source, std::int64_t begin, std::span<std::byte> out, Piece& piece, std::size_t number);
// Like read_to_host(), but waits until `out` is filled.
void read_now(const Source& source, std::int64_t begin, std::span<std::byte> out, Piece& piece, std::size_t number);
// Reads to memory that the device can access, and returns it.
std::span<const std::byte> read_to_device(const Source& source, std::int64_t begin, std::int64_t size, Piece& piece,
                                          std::size_t number);

// A tensor's bytes, unchanged.
Source stored(const StoredTensor& tensor);

// The first `bytes` bytes of `source`, zero-padded if it has fewer.
Source resized(const Source& source, std::int64_t bytes);

// `source`, rounded to `dtype`.
Source rounded(const Source& source, Dtype dtype);

// Keeps a stretch of `source` in memory, for sources whose reads cost much whatever their size. Reads must ascend.
Source read_ahead(const Source& source);

// Concatenates parts of the same size and dtype so that reads can begin at any byte. The first read makes all parts and
// writes them to `scratch`, which needs room for all of them.
Source kept(const std::vector<Source>& parts, ScratchFile& scratch);

// Widens elements of `dtype` to floats, exactly; rounds floats to `dtype`.
void widen(Dtype dtype, std::span<const std::byte> elements, std::span<float> out);
void round_to(Dtype dtype, std::span<const float> values, std::span<std::byte> out);

// Tensors that are made together. The driver reads the sources in this order, each as a whole, and completes its pieces
// before it begins the next source. So a source may depend on results of the source before it.
struct OpenedTensor {
  std::vector<Source> sources;
  // Returns the bytes of one more tensor, known only after all sources were read; may be empty.
  std::function<std::string()> text = {};
};

}  // namespace qfuse::checkpoint

#endif  // QFUSE_CHECKPOINT_CONVERT_SOURCE_H
