#include "gpu/peer.h"

#include <dlfcn.h>

#include <stdexcept>

#include "gpu/kernels.h"

namespace qfuse::bench {
namespace {

template <class Function>
void find(void* library, const char* name, Function& function) {
  function = reinterpret_cast<Function>(dlsym(library, name));
  if (function == nullptr) throw std::runtime_error(std::string("--peer: ") + dlerror());
}

// The C interface takes only non-const pointers, but it writes only through `out`.
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

void Peer::decode(const contract::Dequantize4bit& p, float* scratch, void* stream) const {
  const qfuse_weight_4bit& w = p.weight;
  const std::int64_t blocks = contract::block_count(w);
  decode_8bit_(mutable_pointer(w.nested_quant_map), mutable_pointer(w.absmax_8bit), mutable_pointer(w.nested_absmax),
               scratch, static_cast<int>(w.nested_blocksize), static_cast<int>(blocks), stream);
  add_offset(scratch, blocks, w.nested_offset, static_cast<cudaStream_t>(stream));
  const Decode4 decode = p.out_dtype == QFUSE_FLOAT16 ? decode_fp16_ : decode_bf16_;
  decode(nullptr, mutable_pointer(w.packed), scratch, p.out, static_cast<int>(w.blocksize),
         static_cast<int>(contract::element_count(w)), stream);
}

void Peer::encode(const contract::Quantize4bit& p) const {
  const qfuse_weight_4bit_out& w = p.weight;
  const Encode4 encode = p.in_dtype == QFUSE_FLOAT16 ? encode_fp16_ : encode_bf16_;
  encode(nullptr, const_cast<void*>(p.in), w.absmax, w.packed, static_cast<int>(w.blocksize),
         static_cast<int>(contract::element_count(w)));
}

}  // namespace qfuse::bench
