#include "checkpoint/convert/planned.h"

#include <utility>

#include "checkpoint/convert/encode.h"
#include "checkpoint/files/bitsandbytes.h"

namespace qfuse::checkpoint {
namespace {

PlannedTensor planned(const std::string& name, const PlannedSource& source) {
  return {.name = name,
          .converted = true,
          .measured = source.measured,
          .input_bytes = source.input_bytes,
          .progress_bytes = source.bytes(),
          .scratch_bytes = source.scratch_bytes};
}

}  // namespace

std::int64_t PlannedSource::bytes() const { return element_count(shape).value() * size_of(dtype); }

PlannedTensor copied(const StoredTensor& tensor) {
  const std::int64_t bytes = tensor.entry->bytes();
  return {.name = tensor.entry->name,
          .outputs = {*tensor.entry},
          .input_bytes = bytes,
          .progress_bytes = bytes,
          .open = [tensor](ScratchFile*) { return OpenedTensor{{stored(tensor)}}; }};
}

PlannedTensor planned_plain(const std::string& name, const PlannedSource& source) {
  PlannedTensor plain = planned(name, source);
  plain.outputs = {{name, type_of(source.dtype), source.shape, 0, source.bytes()}};
  plain.open = [open = source.open](ScratchFile* scratch) { return OpenedTensor{{open(scratch)}}; };
  return plain;
}

PlannedTensor planned_encoded(const std::string& name, const PlannedSource& source, const QuantState& state,
                              const Vector& importance) {
  PlannedTensor encoded_one = planned(name, source);
  EncodedParts parts = encoded_parts(name, state);
  encoded_one.outputs = std::move(parts.arrays);
  encoded_one.text = std::move(parts.quant_state);
  encoded_one.scratch_bytes += absmax_bytes(state);
  encoded_one.open = [source, state, importance](ScratchFile* scratch) {
    return encoded(source.open(scratch), state, *scratch, source.scratch_bytes, importance);
  };
  return encoded_one;
}

PlannedTensor planned_codes(const std::string& name, const PlannedSource& source, const StoredTensor& codes,
                            const std::vector<StoredTensor>& parts) {
  std::vector<StoredTensor> kept = parts;
  std::erase_if(kept, [&](const StoredTensor& part) { return part.entry == codes.entry; });
  PlannedTensor coded = planned(name, source);
  coded.outputs = {*codes.entry};
  for (const StoredTensor& part : kept) coded.outputs.push_back(*part.entry);
  coded.open = [source, kept](ScratchFile* scratch) {
    OpenedTensor opened{{encoded_codes(source.open(scratch))}};
    for (const StoredTensor& part : kept) opened.sources.push_back(stored(part));
    return opened;
  };
  return coded;
}

}  // namespace qfuse::checkpoint
