// Calls bitsandbytes' own CUDA library through its C interface, as the Python code of bitsandbytes and unsloth does.
#ifndef QFUSE_BENCH_GPU_PEER_H
#define QFUSE_BENCH_GPU_PEER_H

#include <cstdint>
#include <memory>
#include <string>

#include "contract/ops.h"

namespace qfuse::bench {

class Peer {
 public:
  // Throws if `path` cannot be loaded or lacks a function.
  explicit Peer(const std::string& path);

  // Decodes nested NF4 to fp16 or bf16 in the peer's three launches. scratch holds one fp32 value per block.
  void decode(const contract::Dequantize4bit& p, float* scratch, void* stream) const;
  // Encodes fp16 or bf16 to plain NF4. The interface takes no stream, so that it runs on the legacy default stream.
  void encode(const contract::Quantize4bit& p) const;

 private:
  using Decode8 = void (*)(float* code, unsigned char* codes, float* absmax, float* out, int blocksize, int n,
                           void* stream);
  using Decode4 = void (*)(float* code, unsigned char* packed, float* absmax, void* out, int blocksize, int n,
                           void* stream);
  using Encode4 = void (*)(float* code, void* in, float* absmax, unsigned char* packed, int blocksize, int n);

  struct Close {
    void operator()(void* library) const;
  };
  std::unique_ptr<void, Close> library_;
  Decode8 decode_8bit_;
  Decode4 decode_fp16_;
  Decode4 decode_bf16_;
  Encode4 encode_fp16_;
  Encode4 encode_bf16_;
};

}  // namespace qfuse::bench

#endif  // QFUSE_BENCH_GPU_PEER_H
