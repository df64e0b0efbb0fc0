// Whole checkpoints: what the qfuse command does, as a C++ interface.
// A checkpoint is one .safetensors file, or a model directory: model.safetensors, or shards with
// model.safetensors.index.json, and config.json beside them; or a diffusers pipeline: a directory whose
// model_index.json names folders, some of which are model directories. Which weights are quantized is decided by the
// keys in the files (<name>.quant_state.bitsandbytes__nf4|fp4 and siblings, <name>'s SCB, in FP8 <name>_scale_inv and
// others, and what other libraries store of 4-bit weights, docs/FORMAT.md), never by config.json, which only says how
// large their blocks are, and how the words of GPTQ and AWQ are packed.
// In the place of a path that does not exist, the name of a model on the Hub ("org/name") or its address there means
// its snapshot in the Hub's cache on this machine (HF_HUB_CACHE, HF_HOME, ~/.cache/huggingface/hub). Nothing is
// downloaded.
// Every function throws qfuse::Error: invalid_data for what a file holds, io_error for what the system refuses,
// unsupported for what is well-formed but cannot be read or done here (pickle files, a GPU that is not there),
// invalid_argument for the options, device_error or out_of_memory for what a GPU refuses, cancelled when `progress`
// returned false. Messages name file, tensor and values, and options `as_here`, in backquotes.
// Memory is bounded by a constant per thread, whatever the size of a checkpoint or of one tensor; on a GPU, about 100
// MiB of the host's, pinned, and as much of its own.
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
  std::string_view tensor;      // being worked on
  std::int64_t bytes_done = 0;  // of output (dequantize, finish), of input (quantize), of values (compare)
  std::int64_t bytes_total = 0;
};
// Called now and then on the calling thread; return false to stop. May be empty.
using ProgressCallback = std::function<bool(const Progress&)>;

// The first GPU that works here and now, otherwise the CPU; to find out, it decodes a weight. Which device converts is
// a matter of speed alone: the bytes are the same. A CPU decodes faster than disks write, so that a GPU is worth its
// start where few cores are free.
QFUSE_API qfuse_device best_device();

// As checkpoints and the command spell it.
constexpr std::string_view name_of(QuantType quant_type) {
  switch (quant_type) {
    case QuantType::fp4: return "fp4";
    case QuantType::nf4: return "nf4";
    case QuantType::e2m1: return "e2m1";
    case QuantType::int4: return "int4";
  }
  return "";
}

// One part of a conversion that several processes share, each on a host of its own if need be: the files of the output
// are dealt out in turn, file i to shard i % count. What one makes gathers in <out>.qfuse-shards beside the output,
// until finish() makes it the output. All must have the same options and input, down to the times of its files.
struct Shard {
  std::int64_t index = 0;  // from 0, as ranks count
  std::int64_t count = 1;  // more than there are files is fine: the last ones have nothing to do
};

// ---- conversions -----------------------------------------------------------------------------------------------

// What all conversions have in common.
struct ConversionOptions {
  std::optional<Dtype> dtype;                   // what quantized weights (will) decode to; none: see each conversion
  std::int64_t max_shard_size = 5'000'000'000;  // bytes of tensor data a file of an output directory may hold; a
                                                // larger weight gets a file of its own
  bool force = false;                           // replace an existing output, once the new one is complete
  std::optional<Shard> shard;                   // of a model directory: make this part of the output alone
  std::vector<std::string> components;          // of a diffusers pipeline: convert these folders; none: see each
  // Convert a quantized model of a known class (see check) also where a layer lacks a tensor that another, which is
  // else alike, has, and has one instead that the class has not.
  bool allow_other_names = false;
  bool dry_run = false;  // only plan it, report what would be, and write nothing
  Exec exec;             // its stream is NULL: on a GPU there are several
  ProgressCallback progress;
};

// Tensors that a conversion to 4 bits leaves as they are.
struct KeptTensors {
  // "experts", "embeddings", "output heads", "routers", "vision and audio towers", "others" (norms, biases and such),
  // or "excluded", which the caller asked for.
  std::string kind;
  std::int64_t tensors = 0;
  std::int64_t bytes = 0;
};

// Of a shard: its part alone. A quantized weight counts as one tensor.
struct ConversionReport {
  std::int64_t tensors = 0;        // of the model
  std::int64_t converted = 0;      // of those, decoded or encoded; the rest were copied byte for byte
  std::int64_t files = 0;          // .safetensors files written
  std::int64_t bytes_read = 0;     // tensor data of the input
  std::int64_t bytes_written = 0;  // tensor data of the output
  std::vector<KeptTensors> kept;   // of quantize, and of merge from 16 bits to 4; those of most bytes first
  std::vector<std::string> notes;  // a line each: what the caller should know of the output, and did not ask for
};

// The family of a model (model_type in config.json, of which a single file has one beside it) says which matrices the
// model keeps as [in, out], as GPT-2's Conv1D does. A quantized checkpoint stores these transposed, so quantize and
// dequantize transpose them. docs/FAMILIES.md lists the families that were tested with transformers and diffusers; for
// any other the report has a note.
// A diffusers pipeline becomes a pipeline: chosen components are converted as a model directory is. The files of the
// others are copied, and so are those beside the components that are no weights; the report names what is left out.

// Without `dtype`, a 4-bit weight decodes to the dtype in its quant_state; any other, of LLM.int8, FP8 or other
// libraries' 4-bit codes, to that of a directory's config.json, or else to bf16, of GPTQ and AWQ to that of its scales.
// Without `components`, those with quantized weights are converted.
struct DequantizeOptions : ConversionOptions {};

// Reads a checkpoint of bitsandbytes, in FP8, or in the 4-bit formats of GPTQ, AWQ, compressed-tensors, modelopt, gpt-
// oss and DeepSeek-V4, and writes the same model unquantized: a file gives a file, a directory a directory with shards,
// index and config.json (without quantization_config; its dtype that of most decoded elements). The other files of the
// directory are copied, but for weights of any common format (.bin, .gguf, .h5, .onnx, ...) and their indexes, and so
// are its folders with all that they hold. A note names each folder that is not: one with weights that modules.json
// does not name, one of another format, a checkpoint of training. A tensor that is not quantized keeps its bytes.
// invalid_data if none is quantized, unsupported if some are by a method whose layout is not read. Scales of
// activations are not in the output; a note says so. The output appears under its name only when complete, whatever
// happens; the input is never written to.
QFUSE_API ConversionReport dequantize(const std::filesystem::path& in, const std::filesystem::path& out,
                                      const DequantizeOptions& options = {});

// Without `dtype`, a weight will decode to the type that it has. Without `components`, those of a pipeline are
// converted that are large as a rule: text encoders, transformers and UNets.
struct QuantizeOptions : ConversionOptions {
  QuantType quant_type = QuantType::nf4;
  std::int64_t blocksize = 64;  // elements: a power of two, 32 to 4096
  bool double_quant = true;     // nested absmax, in blocks of 256
  bool experts = false;         // also experts: one by one for transformers 4, and stacks of them for other readers
  std::vector<std::string> include;  // shell patterns of tensor names to quantize beside the default
  std::vector<std::string> exclude;  // of tensor names to leave as they are; wins over `include`
};

// Reads a plain checkpoint and writes the same model as transformers saves it with bitsandbytes' Linear4bit: a file
// gives a file, a directory gives a directory with shards, index and config.json (with quantization_config). What else
// a directory holds is treated as by dequantize. The codes and scales are those of qfuse_quantize_4bit.
// By default the weights of linear layers are quantized, but for output heads, routers, experts and vision towers:
// matrices of fp32, fp16 or bf16 named *.weight, told from others by their names (docs/FORMAT.md lists them) and by
// what transformers loads of the model's family. `include` can name any tensor of these types with two or more
// dimensions.
// Experts that are one tensor of three dimensions become one weight each, as bitsandbytes' replace_parameter_4bit makes
// of it, which transformers refuses to load; those whose experts are no whole blocks stay. Notes say so.
// invalid_data if the input is quantized already, or holds nothing to quantize; invalid_argument for a pattern that
// matches no such tensor; unsupported for a model whose config.json says that it is quantized otherwise, or of a family
// that transformers cannot load quantized, unless its experts are asked for.
// The output appears under its name only when complete, whatever happens; the input is never written to.
QFUSE_API ConversionReport quantize(const std::filesystem::path& in, const std::filesystem::path& out,
                                    const QuantizeOptions& options = {});

// ---- merge -----------------------------------------------------------------------------------------------------

struct AdapterInput {
  // Of its directory, as peft saves it (adapter_config.json and adapter_model.safetensors); or of a LoRA file in the
  // names of diffusers or of kohya's scripts, or the directory with pytorch_lora_weights.safetensors.
  std::filesystem::path path;
  double weight = 1.0;  // that its scale is multiplied by
};

// What becomes of an output head that is tied to the input embedding, where an adapter changes one of them.
enum class Head {
  as_trained,  // tied if both were changed alike, else two tensors: the function that was trained
  tie,         // one tensor, with what either of them got, as peft merges
  untie,       // two tensors
};

// How the columns of lora_B follow each other, where one pair of matrices is for all experts of a layer. Shapes are the
// same, so that no file shows it but for the field `lora_B_layout` of adapter_config.json.
enum class LoraBLayout {
  as_said,  // what the adapter says, else peft's; an adapter with a sign of unsloth that says nothing is refused
  peft,     // [rank][expert]: "rank_major"
  grouped_by_expert,  // [expert][rank], as unsloth trained until September 2026
};

// The formats with scales of blocks that a merge writes: what DeepSeek and Qwen ship, gpt-oss, and compressed-tensors
// or modelopt.
enum class BlockFormat { fp8, mxfp4, nvfp4 };
inline std::string_view name_of(BlockFormat format) {
  return format == BlockFormat::fp8 ? "fp8" : format == BlockFormat::mxfp4 ? "mxfp4" : "nvfp4";
}

// `dtype`: that of the output, or that its 4-bit weights decode to; what the base keeps in more bits than most of it
// stays so. None: what each tensor was, or decodes to. Of a pipeline, those components are merged into that LoRA files
// name, or whose layers they name; where `components` are given, no others. A single one of these takes a file for one
// component whatever name that has, as Wan 2.2's transformer_2 one for transformer.
struct MergeOptions : ConversionOptions {
  std::optional<QuantType> to_4bit;  // encode the linear layers of the result, as quantize() does
  // Or write the weights of a quantized base as they are stored there, those that adapters change encoded anew; it has
  // some in this format. Of a plain base, fp8 encodes linear layers in blocks of 128 x 128. Not with `dtype`.
  std::optional<BlockFormat> to_blocks;
  bool ue8m0 = false;        // of fp8: scales are powers of two, also where the base's are not
  bool keep_scales = false;  // only codes are made anew, by the scales that the base has, as of nvfp4 in any case
  std::optional<QuantType> base_as;  // take the base as it is when bitsandbytes has quantized and decoded it: as it was
                                     // when a QLoRA adapter was trained on it, every linear layer but output heads
  std::int64_t blocksize = 64;       // of both
  bool double_quant = true;          // of both
  std::vector<std::string> include;  // of both: shell patterns of tensor names to quantize beside the default
  std::vector<std::string> exclude;  // of both: of tensor names to leave as they are; wins over `include`
  double fail_below = 0.5;           // of what is quantized: refuse where less than this share of an adapter is left
  bool allow_nonfinite = false;      // of NaN and infinities in an adapter
  Head head = Head::as_trained;
  LoraBLayout lora_b_layout = LoraBLayout::as_said;
  std::string
      prefix;  // the base's module in which the adapters' names lie, "text_encoder" or "model.vision_tower"; "":
               // they are those of the whole model
};

// A tensor that adapters change.
struct MergedTensor {
  std::string name;
  std::vector<std::int64_t> shape;
  std::string rule;       // "lora", "dora", "replaced", "rows", ... and several with " + "
  std::int64_t rank = 0;  // of the last adapter that adds to it; 0: none does
  double scale = 0.0;     // alpha / rank, or alpha / sqrt(rank), times the weight
  // Measured by a dry run, and where the result is quantized; NaN otherwise.
  double added_rms = 0.0;   // root of the mean square of what is added
  double weight_rms = 0.0;  // and of the base
  double survival = 0.0;    // quantized: the share of what was added that is left when it is decoded again
};

struct MergeReport : ConversionReport {
  std::vector<MergedTensor> merged;  // by name
  std::string refused;  // of a dry run: with which message the run would be refused by `fail_below`; "": it would not
};

// The base of an adapter of peft's, as its adapter_config.json names it: a directory below the current one, below the
// adapter or beside it; or a model on the Hub, at `revision` of the config, in the Hub's cache on this machine.
// invalid_argument if the adapter names none; io_error, with the command that downloads it, if it is not there.
QFUSE_API std::filesystem::path find_base(const std::filesystem::path& adapter);

// Writes `base`, or where that is empty find_base() of the first adapter, with LoRA adapters merged into it: an
// unquantized checkpoint, that a quantized base is decoded for, or a 4-bit one. Each element is the sum of
// qfuse_lora_merge over all adapters in their order, rounded once; with
// DoRA, then multiplied by magnitude / length of its row. Every tensor of an adapter is used exactly once, or the merge
// is refused: invalid_data for one that fits nothing, or has NaN; unsupported for kinds of adapters that cannot be
// merged. Tensors that no adapter changes are copied, and so are the base's other files and folders; tokenizers,
// processors and modules of sentence-transformers are the adapter's where it has them, whole.
QFUSE_API MergeReport merge(const std::filesystem::path& base, std::span<const AdapterInput> adapters,
                            const std::filesystem::path& out, const MergeOptions& options = {});

// What `qfuse merge --json` prints of the tensors: the fields above under their names. NaN is null.
QFUSE_API std::string to_json(const MergeReport& report);

// ---- finish ----------------------------------------------------------------------------------------------------

struct FinishOptions {
  bool force = false;  // replace an existing output
  ProgressCallback progress;
};

struct FinishReport {
  std::int64_t shards = 0;   // 0: unknown, because an earlier run had finished all but the removal of what they left
  std::int64_t files = 0;    // .safetensors files of the output
  std::int64_t tensors = 0;  // in them
  std::int64_t bytes = 0;    // of tensor data
};

// Makes `out` of what the shards of a conversion left in <out>.qfuse-shards: the bytes are those that one process would
// have written. invalid_data if files are missing or not what was planned, with the shards to run again; io_error while
// a shard is still being written.
QFUSE_API FinishReport finish(const std::filesystem::path& out, const FinishOptions& options = {});

// ---- inspect ---------------------------------------------------------------------------------------------------

// An array as the files have it, and where: what a loader needs to read or map it.
struct StoredArray {
  std::string name;                 // as the file spells it: the tensor's own for its values or codes, else
                                    // <name>.absmax, .nested_absmax, ..., or <prefix>.SCB (docs/FORMAT.md)
  std::filesystem::path path;       // of the file, to open
  std::int64_t offset = 0;          // bytes from the file's beginning; may be unaligned
  std::int64_t bytes = 0;           // offset + bytes is within the size that the file had
  std::string dtype;                // as safetensors spells it; of 4-bit codes it says nothing (quant_storage)
  std::vector<std::int64_t> shape;  // as stored, so of 4-bit codes [ceil(n/2), 1] or what another dtype makes of it
};

struct TensorInfo {
  std::string name;                 // of a pipeline, behind its component's: "transformer/proj_out.weight"
  std::string file;                 // name within the checkpoint
  std::string format;               // "nf4", "fp4", "int8", "fp8", "int4", "mxfp4", "nvfp4", "gptq", "awq",
                                    // "activation_scale", which a decoded model has not, or the safetensors dtype
                                    // ("BF16", "F32", ...)
  std::vector<std::int64_t> shape;  // of the decoded tensor
  std::string dtype;                // safetensors dtype it decodes to, or is
  std::int64_t blocksize = 0;       // elements; 0 where there are no such blocks
  bool nested = false;              // double quantization
  std::int64_t bytes = 0;           // stored, siblings included
  std::int64_t decoded_bytes = 0;   // as `dtype`

  std::int64_t nested_blocksize = 0;  // absmax in a block of nested_absmax; 0 where not nested
  float nested_offset = 0.0F;         // any value, also NaN and infinite
  std::vector<std::int64_t> block;    // rows and columns that share a scale; empty of bitsandbytes' formats
  std::string scale_dtype;            // safetensors dtype of such scales; else empty
  std::vector<StoredArray> arrays;    // all that it is made of, in no order; each array of a file is one tensor's
};

struct Inventory {
  std::vector<TensorInfo> tensors;  // by name; siblings are folded into their weight
  std::int64_t files = 0;
  std::int64_t bytes = 0;  // tensor data stored
  std::int64_t decoded_bytes = 0;
  std::vector<std::string> notes;  // a line each: that another method quantized it, or that it is an adapter
};

// Reads headers, quant_states and the shapes of packed integers alone. Every size, type and relation that decoding
// relies on is checked, as for dequantize.
QFUSE_API Inventory inspect(const std::filesystem::path& in);

// What `qfuse inspect --json` prints: the fields above under their names, a tensor on a line, UTF-8 but for what paths
// hold. nested_offset, which JSON cannot always say, may be the string "nan", "inf" or "-inf".
QFUSE_API std::string to_json(const Inventory& inventory);

// ---- check -----------------------------------------------------------------------------------------------------

// What keeps a model from loading with every weight in its place.
struct CheckProblem {
  // "missing": a tensor of the class that no file has, whose values would be random. "unexpected": one that the class
  // has not, which would be lost. "mismatched": of another shape than config.json says. "tokenizer": tokens without
  // rows, or files that contradict each other about a token.
  // "quantization": weights and config.json do not say the same. "config", "content": it is no model of transformers.
  std::string kind;
  std::string tensor;   // as it is, or should be, called in the files; "" where none is meant
  std::string message;  // a line
};

struct CheckReport {
  std::int64_t files = 0;
  std::int64_t tensors = 0;
  std::vector<CheckProblem> problems;
  std::vector<std::string> notes;  // a line each: what could not be compared, and what is unusual and does no harm
  bool cannot_tell = false;        // something could not be compared
};

// Would transformers load this? Compares the names and shapes of a model's tensors with those that its class, which
// config.json names as `architectures`, has by a table made from transformers (docs/FAMILIES.md), and the tokenizer
// with the embedding. Reads headers and quant_states alone, which are checked as for dequantize.
QFUSE_API CheckReport check(const std::filesystem::path& in);

// What `qfuse check --json` prints: the fields above under their names, a problem on a line.
QFUSE_API std::string to_json(const CheckReport& report);

// ---- compare ---------------------------------------------------------------------------------------------------

enum class Difference { equal, values, dtype, shape, only_in_a, only_in_b };

// For people and in JSON.
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
  std::string name;  // of a pipeline as in TensorInfo
  Difference difference = Difference::equal;
  std::string note;  // the two dtypes or shapes, where they are the difference
  std::int64_t elements = 0;
  std::int64_t differing = 0;  // elements whose bits differ; any NaN equals any NaN
  // For F64, F32, F16 and BF16, in fp64; NaN for any other dtype, which is compared by its bytes.
  double max_abs = 0.0;  // over elements finite on both sides
  double max_rel = 0.0;  // |a-b| / max(|a|, |b|)
  double rmse = 0.0;
  double snr_db = 0.0;                // 10 log10(sum a^2 / sum (a-b)^2); infinite where nothing differs
  std::int64_t first_differing = -1;  // flat index, and the values there
  double first_a = 0.0;
  double first_b = 0.0;
};

struct CompareReport {
  std::vector<TensorComparison> tensors;  // by name
  bool equal = true;                      // every one of them
  std::int64_t different = 0;             // how many are not
  // Of all tensors whose values differ, as if they were one; infinite and 0 where no values do.
  double snr_db = 0.0;
  double relative_error = 0.0;  // root of (sum (a-b)^2 / sum a^2)
};

// Compares tensor by tensor. A quantized weight is decoded by the scalar oracle first, to its own dtype, or to the
// other side's where only one side is quantized.
QFUSE_API CompareReport compare(const std::filesystem::path& a, const std::filesystem::path& b,
                                const ProgressCallback& progress = {});

// The same, where `a` is a base with adapters: what they make of it, summed by code of its own in the oracle's order,
// against a model that they were merged into. Merged tensors are compared in b's dtype.
struct CompareOptions {
  std::vector<AdapterInput> adapters;  // merged into `a`, in this order
  std::optional<QuantType> base_as;    // as in MergeOptions, and so are the next
  std::int64_t blocksize = 64;
  bool double_quant = true;
  std::vector<std::string> include;
  std::vector<std::string> exclude;
  Head head = Head::as_trained;
  LoraBLayout lora_b_layout = LoraBLayout::as_said;
  std::string prefix;
  std::vector<std::string> components;  // as in MergeOptions: of the pipeline `a`, those that the adapters are for
  int threads = 0;  // that read and compare; 0: one per core, up to 16. The figures do not depend on it
  ProgressCallback progress;
};
QFUSE_API CompareReport compare(const std::filesystem::path& a, const std::filesystem::path& b,
                                const CompareOptions& options);

// What `qfuse compare --json` prints: the fields of CompareReport and of TensorComparison under their names, and
// `compared`, the number of tensors. Each tensor is on a line of its own, equal ones only with `equal_too`. NaN and
// infinities are null.
QFUSE_API std::string to_json(const CompareReport& report, bool equal_too);

// ---- a shard of a weight ---------------------------------------------------------------------------------------

// What one of several processes has of a 4-bit weight (qfuse_weight_4bit), as whole blocks of it: `runs` pieces, each
// of `run_blocks` blocks that follow one another in the whole. Run after run, the blocks' codes and scales are a 4-bit
// weight too, which decodes to the bits that the whole has there. A block's codes are whole bytes, blocksize / 2; the
// weight's last block, which may be shorter, is in a shard of one run alone, as its end.
struct WeightShard {
  std::int64_t begin = 0;   // in the cut dimension, the first index; its size where `length` is 0, as DTensor has it
  std::int64_t length = 0;  // and how many; 0: the shard is empty, and so are those of the ranks behind it
  std::int64_t runs = 0;    // 0 where the shard has no elements, and so are all counts of blocks
  std::int64_t first_block = 0;       // of the whole, where the first run begins
  std::int64_t run_blocks = 0;        // of each run
  std::int64_t stride_blocks = 0;     // from a run's beginning to the next one's; 0 where there is one run
  std::int64_t nested_blocksize = 0;  // of the shard: a power of two, which divides the whole's; 0 of a plain weight
  std::int64_t nested_blocks = 0;     // the length of the shard's nested_absmax

  // The nested block of the whole in which all of the shard's nested block `j` lies, 0 <= j < nested_blocks: the entry
  // of nested_absmax to take. `whole_nested_blocksize` is what shard_plan was given.
  [[nodiscard]] constexpr std::int64_t nested_block_of_whole(std::int64_t j,
                                                             std::int64_t whole_nested_blocksize) const {
    const std::int64_t block = j * nested_blocksize;
    return (first_block + block / run_blocks * stride_blocks + block % run_blocks) / whole_nested_blocksize;
  }
};

// Cuts a weight of this shape, row-major with one dimension or more ([out, in], or [experts, out, in]), along `dim` for
// `ranks` processes, as torch.chunk and DTensor's Shard(dim) do: ceil(size / ranks) indices each, so that the last ones
// may have fewer or none. Blocks are those of the whole: `blocksize` in elements, a power of two from 32 to 4096;
// `nested_blocksize` in blocks, a power of two, 0 where absmax is plain.
// A shard along the first dimension, or of all indices, is one run; else there is one for each index of the dimensions
// before `dim`. The shard's nested_blocksize is the largest power of two that divides the whole's, first_block and, of
// several runs, run_blocks and stride_blocks: so each of its nested blocks lies in one of the whole's.
// invalid_argument for arguments out of range, and where a run begins or ends within a block, but for the weight's own
// end. That is asked of this rank's runs alone: others of the same cut may be refused where this one is not.
QFUSE_API WeightShard shard_plan(std::span<const std::int64_t> shape, std::int64_t blocksize,
                                 std::int64_t nested_blocksize, int dim, std::int64_t rank, std::int64_t ranks);

}  // namespace qfuse::checkpoint

#endif  // QFUSE_CHECKPOINT_HPP
