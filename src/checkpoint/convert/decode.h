// Stored tensors as readers: decoded, or as they are.
#ifndef QFUSE_CHECKPOINT_CONVERT_DECODE_H
#define QFUSE_CHECKPOINT_CONVERT_DECODE_H

#include <qfuse/qfuse.hpp>

#include <cstdint>
#include <vector>

#include "checkpoint/convert/tensor_reader.h"
#include "checkpoint/files/bitsandbytes.h"
#include "checkpoint/files/file.h"

namespace qfuse::checkpoint {

// Throws unless weights can be decoded there; finds out by decoding one.
void require_decodable(Pipeline& pipeline);

// About how many bytes of a decoded or encoded weight a piece has; a power of two.
inline constexpr std::int64_t kPieceBytes = 16 << 20;

// The values of `tensor`: decoded to `dtype` if it is quantized, else as they are. Pieces of a decoded one are whole
// (nested) blocks, so that they may be larger than `piece_bytes`: 64 MiB at most (blocks of 4096, nested in blocks of
// 4096, as fp32).
TensorReader open_decoded(const Tensor& tensor, Dtype dtype, std::int64_t piece_bytes = kPieceBytes);

// Matrices one behind the other, each made of tensors whose rows stand one below the other; or the transposes of such.
// All are alike, and quantized or of `dtype`. They are decoded to `scratch`, which needs room for all of them, when the
// first piece is asked for.
TensorReader open_joined(const std::vector<std::vector<Tensor>>& matrices, bool transpose, Dtype dtype,
                         ScratchFile& scratch, std::int64_t piece_bytes = kPieceBytes);

// Each of `parts` is so many equal stretches: the first of each, then the second of each, and so on. The rest as above.
TensorReader open_interleaved(const std::vector<Tensor>& parts, std::int64_t stretches, Dtype dtype,
                              ScratchFile& scratch, std::int64_t piece_bytes = kPieceBytes);

// A tensor's bytes as they are.
TensorReader open_stored(const StoredTensor& stored);

}  // namespace qfuse::checkpoint

#endif  // QFUSE_CHECKPOINT_CONVERT_DECODE_H
