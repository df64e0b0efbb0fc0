#include "gpu/peer.h"

#include <dlfcn.h>

#include <stdexcept>

#include "format/layout.h"
#include "gpu/kernels.h"

namespace qfuse::bench {
namespace {

template <class Function>
void find(void* library, const char* name, Function& function) {
  function = reinterpret_cast<Function>(dlsym(library, name));
  if (function == nullptr) throw std::runtime_error(std::string("--peer: ") + dlerror());
}

// The interface takes everything by pointers that are not const; it writes through `out` alone.
template <class T>
T* mutable_pointer(const T* pointer) {
  return const_cast<T*>(pointer);
}

}  // namespace

void Peer::Close::operator()(void* library) const { dlclose(library); }

Peer::Peer(const std::string& path) : library_(dlopen(path.c_str(), RTLD_NOW | RTLD_LOCAL)) {
  if (library_ == nullptr) throw std::runtime_error(std::string("--peer: ") + dlerror());
  find(library_.get(), "cdequantize_blockwise_fp32", decode_8bit_);
  find(library_.get(), "cdequantize_blockwise_fp16_nf4", decode_fp16_);
  find(library_.get(), "cdequantize_blockwise_bf16_nf4", decode_bf16_);
  find(library_.get(), "cquantize_blockwise_fp16_nf4", encode_fp16_);
  find(library_.get(), "cquantize_blockwise_bf16_nf4", encode_bf16_);
}

void Peer::decode(const format::Dequantize4bit& p, float* scratch, void* stream) const {
  const std::int64_t blocks = format::block_count(p.n, p.blocksize);
  decode_8bit_(mutable_pointer(p.nested_quant_map), mutable_pointer(p.absmax_8bit), mutable_pointer(p.nested_absmax),
               scratch, static_cast<int>(p.nested_blocksize), static_cast<int>(blocks), stream);
  add_offset(scratch, blocks, p.nested_offset, static_cast<cudaStream_t>(stream));
  const Decode4 decode = p.out_dtype == QFUSE_FLOAT16 ? decode_fp16_ : decode_bf16_;
  decode(nullptr, mutable_pointer(p.packed), scratch, p.out, static_cast<int>(p.blocksize), static_cast<int>(p.n),
         stream);
}

void Peer::encode(const format::Quantize4bit& p) const {
  const Encode4 encode = p.in_dtype == QFUSE_FLOAT16 ? encode_fp16_ : encode_bf16_;
  encode(nullptr, const_cast<void*>(p.in), p.absmax, p.packed, static_cast<int>(p.blocksize), static_cast<int>(p.n));
}

}  // namespace qfuse::bench
