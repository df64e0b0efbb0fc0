// Whole checkpoints: what the qfuse command does, as a C++ interface. A checkpoint is one of:
// - a .safetensors file;
// - a model directory: config.json, and model.safetensors or shards with model.safetensors.index.json;
// - a diffusers pipeline: a directory whose model_index.json names folders, some of which are model directories.
//
// The keys in the files decide which weights are quantized: <name>.quant_state.bitsandbytes__nf4|fp4 and siblings, SCB
// for LLM.int8, <name>_scale_inv and others for FP8, and those of other libraries' 4-bit weights (docs/FORMAT.md).
// config.json never decides; it only gives their block sizes, and how GPTQ and AWQ pack their words.
// A path that does not exist can be the name of a model on the Hub ("org/name") or its address there: its snapshot in
// the Hub's cache on this machine (HF_HUB_CACHE, HF_HOME, ~/.cache/huggingface/hub). Nothing is downloaded.
// Every function throws qfuse::Error. Messages name the file, the tensor and values, and options `as_here`.
// - invalid_data: a file's content. io_error: the operating system failed to read or write.
// - unsupported: well-formed, but cannot be read or done here (pickle files, a missing GPU).
// - invalid_argument: the options. device_error, out_of_memory: a GPU. cancelled: `progress` returned false.
//
// Memory per thread has a constant upper bound for any size of checkpoint or tensor. A conversion on a GPU takes about
// 100 MiB of pinned host memory and as much GPU memory.
#ifndef QFUSE_CHECKPOINT_HPP
#define QFUSE_CHECKPOINT_HPP

#include <qfuse/qfuse.hpp>

#include <cstdint>
#include <filesystem>
#include <functional>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace qfuse::checkpoint {

struct Progress {
  std::string_view tensor;      // name of the current one
  std::int64_t bytes_done = 0;  // bytes of output (dequantize, finish), of input (quantize) or of values (compare)
  std::int64_t bytes_total = 0;
};
// Called from time to time on the calling thread. Return false to stop. May be empty.
using ProgressCallback = std::function<bool(const Progress&)>;

// Returns the first GPU that works now, or else the CPU. To find out, it decodes a weight on the GPU. Devices differ
// only in speed, not in the bytes. CPUs decode faster than disks write, so a GPU pays off only if few cores are free.
QFUSE_API qfuse_device best_device();

// Name as in checkpoints and on the command line.
constexpr std::string_view name_of(QuantType quant_type) {
  switch (quant_type) {
    case QuantType::fp4: return "fp4";
    case QuantType::nf4: return "nf4";
    case QuantType::e2m1: return "e2m1";
    case QuantType::int4: return "int4";
  }
  return "";
}

// One part of a conversion that several processes share, each on its own host if needed. The output's files are dealt
// round-robin: file i goes to shard i % count. A shard writes into <out>.qfuse-shards next to the output; finish()
// turns all shards into the output. All must have the same options and input, including the files' modification times.
struct Shard {
  std::int64_t index = 0;  // from 0, like a rank
  std::int64_t count = 1;  // may exceed the number of files: the last shards then do nothing
};

// ---- conversions -----------------------------------------------------------------------------------------------

// Options of all conversions.
struct ConversionOptions {
  std::optional<Dtype> dtype;                   // what quantized weights (will) decode to; none: see each conversion
  std::int64_t max_shard_size = 5'000'000'000;  // maximum bytes of tensor data per file of an output directory; a
                                                // larger weight gets a file of its own
  bool force = false;                           // replace an existing output after the new one is complete
  std::optional<Shard> shard;                   // model directory: write only this part of the output
  std::vector<std::string> components;          // diffusers pipeline: folders to convert; none: see each conversion
  // Convert a quantized model of a known class (see check) even if one of its layers lacks a tensor that an otherwise
  // equal layer has, and has another one that the class does not know.
  bool allow_other_names = false;
  bool dry_run = false;  // plan and report, but write nothing
  Exec exec;             // stream must be NULL: a GPU uses several
  ProgressCallback progress;
};

// Tensors of one kind that a conversion to 4 bits does not quantize.
struct KeptTensors {
  // "experts", "embeddings", "output heads", "routers", "vision and audio towers", "others" (norms, biases and such),
  // or "excluded" (by the caller).
  std::string kind;
  std::int64_t tensors = 0;
  std::int64_t bytes = 0;
};

// For a shard, numbers cover only its part. A quantized weight counts as one tensor.
struct ConversionReport {
  std::int64_t tensors = 0;        // number in the model
  std::int64_t converted = 0;      // how many of them were decoded or encoded; the rest were copied byte for byte
  std::int64_t files = 0;          // .safetensors files written
  std::int64_t bytes_read = 0;     // tensor data of the input
  std::int64_t bytes_written = 0;  // tensor data of the output
  std::vector<KeptTensors> kept;   // for quantize, and merge from 16 bits to 4; most bytes first
  std::vector<std::string> notes;  // one line each: what the caller should know about the output
};

// A model's family (model_type in config.json; for a file, in the config.json next to it) decides which matrices are
// [in, out], as in GPT-2's Conv1D. Quantized checkpoints store these transposed, so quantize and dequantize transpose
// them. docs/FAMILIES.md lists the families tested with transformers and diffusers; for others the report has a note.
// A diffusers pipeline becomes a pipeline. The chosen components are converted like model directories. Files of the
// others are copied, and so are files next to the components, except weights. The report says what is left out.

// Without `dtype`, a 4-bit weight of bitsandbytes decodes to the dtype in its quant_state. GPTQ and AWQ decode to the
// dtype of their scales. LLM.int8, FP8 and other libraries' 4-bit codes decode to the dtype of the directory's
// config.json, or else to bf16. Without `components`, those with quantized weights are converted.
struct DequantizeOptions : ConversionOptions {};

// Reads a quantized checkpoint and writes the same model unquantized. Formats: bitsandbytes, FP8, and the 4-bit formats
// of GPTQ, AWQ, compressed-tensors, modelopt, gpt-oss and DeepSeek-V4.
// - A file gives a file. A directory gives a directory with shards, index and config.json, without quantization_config
//   and with the dtype of most decoded elements.
// - A tensor that is not quantized keeps its bytes. Scales of activations are dropped, with a note.
// - The directory's other files are copied, except weights of any common format (.bin, .gguf, .h5, .onnx, ...) and
//   their indexes.
// - Its folders are copied with their contents. Not copied, with a note each: folders with weights that modules.json
//   does not name, folders of another format, training checkpoints; nor, without a note, names that begin with a dot.
//
// invalid_data: no weight is quantized. unsupported: some weights are quantized by a method whose layout is not known.
// The output gets its name only when it is complete, whatever happens; the input is never written to.
QFUSE_API ConversionReport dequantize(const std::filesystem::path& in, const std::filesystem::path& out,
                                      const DequantizeOptions& options = {});

// Without `dtype`, a weight will decode to its present dtype. Without `components`, a pipeline's usually large ones are
// converted: text encoders, transformers and UNets.
struct QuantizeOptions : ConversionOptions {
  QuantType quant_type = QuantType::nf4;
  std::int64_t blocksize = 64;       // elements: a power of two, 32 to 4096
  bool double_quant = true;          // nested absmax, in blocks of 256
  bool experts = false;              // also experts: single ones for transformers 4, and stacks for other readers
  std::vector<std::string> include;  // shell patterns of tensor names to quantize in addition to the default
  std::vector<std::string> exclude;  // patterns of names not to quantize; takes precedence over `include`
  // Not empty: a .safetensors file with the mean square of each input of a weight, fp32 [cols] under the weight's name;
  // qfuse_quantize_4bit chooses scales by it. Needs double_quant = false. Weights without one have absmax.
  std::filesystem::path importance;
};

// Reads an unquantized checkpoint and writes the same model as transformers saves it with bitsandbytes' Linear4bit. A
// file gives a file, a directory gives a directory with shards, index and config.json (with quantization_config). Other
// files and folders are treated as by dequantize. The codes and scales are those of qfuse_quantize_4bit.
// - By default the weights of linear layers are quantized, except output heads, routers, experts and vision towers:
//   matrices of fp32, fp16 or bf16 named *.weight. Their names (docs/FORMAT.md lists them), and what transformers loads
//   for the model's family, tell them from other matrices.
// - `include` can name any tensor of these types with two or more dimensions.
// - Experts that are one tensor of three dimensions become one weight each, as by bitsandbytes' replace_parameter_4bit;
//   transformers refuses to load these. Experts that are not whole blocks stay unquantized. Notes say so.
//
// invalid_data: the input is already quantized, or has nothing to quantize; an importance has another length, or a
// number that is negative or not finite. invalid_argument: a pattern matches no such tensor; `importance` with
// double_quant, or of no weight. unsupported: `importance` for a pipeline; by config.json the model is quantized
// otherwise, or transformers cannot load its family quantized and `experts` is not set.
// The output gets its name only when it is complete, whatever happens; the input is never written to.
QFUSE_API ConversionReport quantize(const std::filesystem::path& in, const std::filesystem::path& out,
                                    const QuantizeOptions& options = {});

// ---- merge -----------------------------------------------------------------------------------------------------

struct AdapterInput {
  // A directory as peft saves it (adapter_config.json and adapter_model.safetensors); a LoRA file with names of
  // diffusers or of kohya's scripts; or a directory with pytorch_lora_weights.safetensors.
  std::filesystem::path path;
  double weight = 1.0;  // factor of its scale
};

// What to do with an output head that is tied to the input embedding, if an adapter changes one of them.
enum class Head {
  as_trained,  // tied if both changes are equal, else two tensors: the function that was trained
  tie,         // one tensor with the changes of either, as peft merges
  untie,       // two tensors
};

// Order of the columns of lora_B if one pair of matrices serves all experts of a layer. The shapes are the same, so
// only the field `lora_B_layout` of adapter_config.json can tell.
enum class LoraBLayout {
  as_said,            // what the adapter says, else peft's; one that has signs of unsloth and says nothing is refused
  peft,               // [rank][expert]: "rank_major"
  grouped_by_expert,  // [expert][rank], as unsloth trained until September 2026
};

// Formats with block scales that a merge writes: as DeepSeek and Qwen ship, as gpt-oss, and as compressed-tensors or
// modelopt.
enum class BlockFormat { fp8, mxfp4, nvfp4, int4 };
inline std::string_view name_of(BlockFormat format) {
  constexpr std::string_view kNames[] = {"fp8", "mxfp4", "nvfp4", "int4"};
  return kNames[static_cast<int>(format)];
}

// - `dtype`: of the output, or what its 4-bit weights decode to. Tensors that the base keeps in more bits than most of
//   its tensors keep their dtype. None: what each tensor was, or decodes to.
// - `components`: for a pipeline, only these are merged into; none: those that LoRA files name, or whose layers they
//   name. If it is a single one, it takes a file for one component under any name; for example, Wan 2.2's
//   transformer_2 takes a file for transformer.
struct MergeOptions : ConversionOptions {
  std::optional<QuantType> to_4bit;  // encode the linear layers of the result, as quantize() does
  // Or: the base's weights stay in this format, in which it has some, and those that adapters change are encoded again.
  // In a plain base, fp8 encodes linear layers in blocks of 128 x 128. Excludes `dtype`.
  std::optional<BlockFormat> to_blocks;
  bool ue8m0 = false;        // fp8: scales are powers of two, even if the base's are not
  bool keep_scales = false;  // keep the absmax or scales of a base in 4 bits or FP8, as nvfp4 always does: only codes
                             // are made again
  std::optional<QuantType> base_as;  // quantize and decode the base as bitsandbytes does, before merging: this is the
                                     // base of QLoRA training. All linear layers except output heads
  std::int64_t blocksize = 64;       // for to_4bit and base_as
  bool double_quant = true;          // for both
  std::vector<std::string> include;  // for both: shell patterns of names to quantize in addition to the default
  std::vector<std::string> exclude;  // for both: patterns not to quantize; takes precedence over `include`
  double fail_below = 0.5;           // quantized results: refuse if less than this share of an adapter's change is left
  bool allow_nonfinite = false;      // accept NaN and infinities in an adapter
  Head head = Head::as_trained;
  LoraBLayout lora_b_layout = LoraBLayout::as_said;
  std::string prefix;  // the base's module that the adapters' names are relative to, such as "text_encoder" or
                       // "model.vision_tower"; "": the whole model
};

// A tensor that adapters change.
struct MergedTensor {
  std::string name;
  std::vector<std::int64_t> shape;
  std::string rule;       // "lora", "dora", "replaced", "rows", ... and several with " + "
  std::int64_t rank = 0;  // of the last adapter that adds to it; 0: none
  double scale = 0.0;     // alpha / rank, or alpha / sqrt(rank), times the weight
  // Measured by a dry run, and if the result is quantized; else NaN.
  double added_rms = 0.0;   // root mean square of the added values
  double weight_rms = 0.0;  // root mean square of the base
  double survival = 0.0;    // quantized result: the share of what was added that is left after decoding
};

struct MergeReport : ConversionReport {
  std::vector<MergedTensor> merged;  // by name
  std::string refused;               // dry run: message with which `fail_below` would refuse the run; "": it would not
};

// Finds the base model that adapter_config.json of a peft adapter names: a directory relative to the current one, to
// the adapter or to its parent; or a model on the Hub, at `revision` of the config, in the Hub's cache on this machine.
// invalid_argument: the adapter names no base. io_error, with the command that downloads it: the base is not there.
QFUSE_API std::filesystem::path find_base(const std::filesystem::path& adapter);

// Merges LoRA adapters into `base`, or if that is empty into find_base() of the first adapter, and writes the result.
// The output is unquantized (a quantized base is decoded) or 4-bit. Each element is the sum of qfuse_lora_merge over
// all adapters in their order, rounded once; with DoRA, it is then multiplied by magnitude / length of its row.
// - Every tensor of an adapter is used exactly once, or the merge is refused. invalid_data: a tensor that fits nothing,
//   or has NaN. unsupported: kinds of adapters that cannot be merged.
// - Tensors that no adapter changes are copied, and so are the base's other files and folders. Tokenizers, processors
//   and modules of sentence-transformers are taken whole from the adapter if it has them.
QFUSE_API MergeReport merge(const std::filesystem::path& base, std::span<const AdapterInput> adapters,
                            const std::filesystem::path& out, const MergeOptions& options = {});

// Returns what `qfuse merge --json` prints about the tensors: the fields above under their names. NaN is null.
QFUSE_API std::string to_json(const MergeReport& report);

// ---- finish ----------------------------------------------------------------------------------------------------

struct FinishOptions {
  bool force = false;  // replace an existing output
  ProgressCallback progress;
};

struct FinishReport {
  std::int64_t shards = 0;   // 0: unknown, because an earlier run did all except removing their leftovers
  std::int64_t files = 0;    // .safetensors files of the output
  std::int64_t tensors = 0;  // tensors in them
  std::int64_t bytes = 0;    // bytes of tensor data in them
};

// Makes `out` from what a conversion's shards left in <out>.qfuse-shards: the same bytes as by one process. io_error: a
// shard is still being written. invalid_data, with the shards to run again: files are missing, or not as planned.
QFUSE_API FinishReport finish(const std::filesystem::path& out, const FinishOptions& options = {});

// ---- inspect ---------------------------------------------------------------------------------------------------

// An array as stored, and where: what a loader needs to read or map it.
struct StoredArray {
  std::string name;                 // name in the file: the tensor's own for its values or codes, else
                                    // <name>.absmax, .nested_absmax, ..., or <prefix>.SCB (docs/FORMAT.md)
  std::filesystem::path path;       // path of the file
  std::int64_t offset = 0;          // bytes from the start of the file; may be unaligned
  std::int64_t bytes = 0;           // size; offset + bytes was within the file
  std::string dtype;                // as in safetensors; for 4-bit codes, meaningless (quant_storage)
  std::vector<std::int64_t> shape;  // as stored; 4-bit codes: [ceil(n/2), 1], or fewer elements of a wider dtype
};

struct TensorInfo {
  std::string name;                 // in a pipeline, after its component's: "transformer/proj_out.weight"
  std::string file;                 // name within the checkpoint
  std::string format;               // "nf4", "fp4", "int8", "fp8", "int4", "mxfp4", "nvfp4", "gptq", "awq",
                                    // "activation_scale" (dropped by dequantize), or the safetensors dtype
                                    // ("BF16", "F32", ...)
  std::vector<std::int64_t> shape;  // shape of the decoded tensor
  std::string dtype;                // safetensors dtype of the tensor, if quantized of the decoded tensor
  std::int64_t blocksize = 0;       // elements per block; 0: no such blocks
  bool nested = false;              // double quantization
  std::int64_t bytes = 0;           // as stored, including siblings
  std::int64_t decoded_bytes = 0;   // in `dtype`

  std::int64_t nested_blocksize = 0;  // absmax values per nested block; 0: not nested
  float nested_offset = 0.0F;         // any value, including NaN and infinity
  std::vector<std::int64_t> block;    // rows and columns per scale; empty for bitsandbytes' formats
  std::string scale_dtype;            // safetensors dtype of these scales, or empty
  std::vector<StoredArray> arrays;  // all arrays of the tensor, in no order; each array in a file belongs to one tensor
};

struct Inventory {
  std::vector<TensorInfo> tensors;  // by name; siblings are part of their weight
  std::int64_t files = 0;
  std::int64_t bytes = 0;  // bytes of tensor data as stored
  std::int64_t decoded_bytes = 0;
  std::vector<std::string> notes;  // one line each: another method quantized it, or it is an adapter
};

// Lists the tensors of a checkpoint. Reads only headers, quant_states and shapes of packed integers. Checks every size,
// type and relation that decoding relies on, as dequantize does.
QFUSE_API Inventory inspect(const std::filesystem::path& in);

// Returns what `qfuse inspect --json` prints: the fields above under their names, one tensor per line, in UTF-8 except
// for bytes of paths. nested_offset is the string "nan", "inf" or "-inf" if JSON has no number for it.
QFUSE_API std::string to_json(const Inventory& inventory);

// ---- check -----------------------------------------------------------------------------------------------------

// Something that prevents a model from loading with every weight in its place.
struct CheckProblem {
  // "missing": a tensor of the class that is in no file, so its values would be random.
  // "unexpected": a tensor that the class does not have, so it would be lost.
  // "mismatched": the shape is not that of config.json.
  // "tokenizer": tokens without rows, or files that contradict each other about a token.
  // "quantization": weights and config.json disagree. "config", "content": not a model of transformers.
  std::string kind;
  std::string tensor;   // its name in the files, or the name that it should have; "": no single tensor
  std::string message;  // one line
};

struct CheckReport {
  std::int64_t files = 0;
  std::int64_t tensors = 0;
  std::vector<CheckProblem> problems;
  std::vector<std::string> notes;  // one line each: what could not be compared, or is unusual but harmless
  bool cannot_tell = false;        // something could not be compared
};

// Checks whether transformers would load a model. Compares the names and shapes of its tensors with those of its class
// (`architectures` in config.json), from a table that was made from transformers (docs/FAMILIES.md), and the tokenizer
// with the embedding. Reads only headers and quant_states, which it checks as dequantize does.
QFUSE_API CheckReport check(const std::filesystem::path& in);

// Returns what `qfuse check --json` prints: the fields above under their names, one problem per line.
QFUSE_API std::string to_json(const CheckReport& report);

// ---- compare ---------------------------------------------------------------------------------------------------

enum class Difference { equal, values, dtype, shape, only_in_a, only_in_b };

// Name for people and in JSON.
constexpr std::string_view name_of(Difference difference) {
  switch (difference) {
    case Difference::equal: return "equal";
    case Difference::values: return "values";
    case Difference::dtype: return "dtype";
    case Difference::shape: return "shape";
    case Difference::only_in_a: return "only in A";
    case Difference::only_in_b: return "only in B";
  }
  return "";
}

struct TensorComparison {
  std::string name;  // as in TensorInfo
  Difference difference = Difference::equal;
  std::string note;  // the two dtypes or shapes, if they differ
  std::int64_t elements = 0;
  std::int64_t differing = 0;  // elements whose bits differ; any NaN equals any NaN
  // These figures, in fp64, are for F64, F32, F16 and BF16. Other dtypes are compared by their bytes and have NaN.
  double max_abs = 0.0;  // over elements that are finite on both sides
  double max_rel = 0.0;  // |a-b| / max(|a|, |b|)
  double rmse = 0.0;
  double snr_db = 0.0;                // 10 log10(sum a^2 / sum (a-b)^2); infinite if nothing differs
  std::int64_t first_differing = -1;  // flat index; the next two are the values there
  double first_a = 0.0;
  double first_b = 0.0;
};

struct CompareReport {
  std::vector<TensorComparison> tensors;  // by name
  bool equal = true;                      // whether all are equal
  std::int64_t different = 0;             // number of tensors that are not equal
  // Over all tensors whose values differ, as if they were one; infinite and 0 if there are none.
  double snr_db = 0.0;
  double relative_error = 0.0;  // root of (sum (a-b)^2 / sum a^2)
};

// Compares tensor by tensor. A quantized weight is first decoded by the scalar oracle: to its own dtype, or to the
// other side's if only one side is quantized.
QFUSE_API CompareReport compare(const std::filesystem::path& a, const std::filesystem::path& b,
                                const ProgressCallback& progress = {});

// Options to compare a merged model `b` with its base `a` and adapters. The expected sums are computed by separate
// code, in the oracle's order. Merged tensors are compared in b's dtype.
struct CompareOptions {
  std::vector<AdapterInput> adapters;  // merged into `a`, in this order
  std::optional<QuantType> base_as;    // this and the following ones are as in MergeOptions
  std::int64_t blocksize = 64;
  bool double_quant = true;
  std::vector<std::string> include;
  std::vector<std::string> exclude;
  Head head = Head::as_trained;
  LoraBLayout lora_b_layout = LoraBLayout::as_said;
  std::string prefix;
  std::vector<std::string> components;  // of the pipeline `a`: as in MergeOptions, those that the adapters are for
  int threads = 0;  // for reading and comparing; 0: one per core, up to 16. Does not change the figures
  ProgressCallback progress;
};
QFUSE_API CompareReport compare(const std::filesystem::path& a, const std::filesystem::path& b,
                                const CompareOptions& options);

// Returns what `qfuse compare --json` prints: the fields of CompareReport and TensorComparison under their names, and
// `compared`, the number of tensors. One tensor per line; equal ones only with `equal_too`. NaN and infinity are null.
QFUSE_API std::string to_json(const CompareReport& report, bool equal_too);

// ---- a shard of a weight ---------------------------------------------------------------------------------------

// The part of a 4-bit weight (qfuse_weight_4bit) that one of several processes holds. It consists of whole blocks:
// `runs` runs, each of `run_blocks` consecutive blocks of the whole weight. Run after run, their codes and scales are
// again a 4-bit weight, which decodes to the same bits as that part of the whole. The codes of a block are whole bytes,
// blocksize / 2. The weight's last block may be shorter; then it is the end of a shard with one run.
struct WeightShard {
  std::int64_t begin = 0;             // first index in the cut dimension; its size if `length` is 0, as in DTensor
  std::int64_t length = 0;            // number of indices; 0: the shard is empty, and so are those of higher ranks
  std::int64_t runs = 0;              // 0 if the shard has no elements; then all counts of blocks are 0 too
  std::int64_t first_block = 0;       // block of the whole weight at which the first run begins
  std::int64_t run_blocks = 0;        // blocks per run
  std::int64_t stride_blocks = 0;     // from the start of a run to the next start; 0 if there is one run
  std::int64_t nested_blocksize = 0;  // of the shard: a power of two that divides the whole's; 0: plain
  std::int64_t nested_blocks = 0;     // length of the shard's nested_absmax

  // Returns the nested block of the whole weight that contains the shard's nested block `j`, 0 <= j < nested_blocks. It
  // is the entry of nested_absmax to take. `whole_nested_blocksize` is what shard_plan was given.
  [[nodiscard]] constexpr std::int64_t nested_block_of_whole(std::int64_t j,
                                                             std::int64_t whole_nested_blocksize) const {
    const std::int64_t block = j * nested_blocksize;
    return (first_block + block / run_blocks * stride_blocks + block % run_blocks) / whole_nested_blocksize;
  }
};

// Cuts a row-major weight with one dimension or more ([out, in], or [experts, out, in]) along `dim` for `ranks`
// processes, as torch.chunk and DTensor's Shard(dim) do: ceil(size / ranks) indices each; the last ones may have fewer
// or none. Blocks are those of the whole weight: `blocksize` in elements, a power of two from 32 to 4096;
// `nested_blocksize` in blocks, a power of two, or 0 if absmax is plain.
// A shard along the first dimension, or with all indices, is one run; else there is one run for each index of the
// dimensions before `dim`. The shard's nested_blocksize is the largest power of two that divides the whole's,
// first_block and, with several runs, run_blocks and stride_blocks: so each of its nested blocks is within one of the
// whole's.
// invalid_argument: an argument out of range, or a run that begins or ends within a block, except at the weight's end.
// Only this rank's runs are checked: other ranks of the same cut may be refused when this one is not.
QFUSE_API WeightShard shard_plan(std::span<const std::int64_t> shape, std::int64_t blocksize,
                                 std::int64_t nested_blocksize, int dim, std::int64_t rank, std::int64_t ranks);

}  // namespace qfuse::checkpoint

#endif  // QFUSE_CHECKPOINT_HPP
