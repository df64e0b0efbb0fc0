// Conversions and reports of whole checkpoints for python/qfuse/native/library.py, which calls them through ctypes.
// This is a separate library that does not need torch. It takes paths and named options, and returns numbers and texts.
#include <qfuse/checkpoint.hpp>

#include <algorithm>
#include <charconv>
#include <cstdint>
#include <cstring>
#include <exception>
#include <filesystem>
#include <initializer_list>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <system_error>
#include <type_traits>
#include <vector>

namespace {

namespace checkpoint = qfuse::checkpoint;

using Take = void (*)(const char* text);  // receives one result; the text is valid only during the call
using ReportProgress = std::int32_t (*)(const char* tensor, std::int64_t bytes_done, std::int64_t bytes_total);

// Runs `work` and returns its status. If it throws, `take` receives the message.
template <class Work>
qfuse_status guarded(Take take, const Work& work) {
  try {
    work();
    return QFUSE_OK;
  } catch (const qfuse::Error& error) {
    take(error.what());
    return static_cast<qfuse_status>(error.status());
  } catch (const std::exception& error) {  // such as out of memory for a path
    take(error.what());
    return QFUSE_OUT_OF_MEMORY;
  }
}

void fill(std::int64_t* numbers, std::initializer_list<std::int64_t> found) {
  std::copy(found.begin(), found.end(), numbers);
}

}  // namespace

// An option's name as in checkpoint.hpp and its value as text. A list is passed as one option per entry.
extern "C" struct qfuse_python_option {
  const char* name;
  const char* value;
};

namespace {

struct Option {
  std::string_view name;
  const char* value;

  // Sets `field` and returns true if this option is named field_name; otherwise returns false.
  template <class Field>
  bool sets(std::string_view field_name, Field& field) const;
};

void read(const Option& option, std::string& to) { to = option.value; }
void read(const Option& option, std::filesystem::path& to) { to = option.value; }

template <class Number>
requires std::is_arithmetic_v<Number>
void read(const Option& option, Number& to) {
  const char* end = option.value + std::strlen(option.value);
  const auto [behind, error] = std::from_chars(option.value, end, to);
  if (behind != end || error != std::errc())
    throw qfuse::Error(qfuse::Status::invalid_argument,
                       std::string(option.name) + " is '" + option.value + "', which is no number that it can be");
}

template <class Enum>
requires std::is_enum_v<Enum>
void read(const Option& option, Enum& to) {
  std::underlying_type_t<Enum> number{};
  read(option, number);
  to = static_cast<Enum>(number);
}

void read(const Option& option, bool& to) {
  int number = 0;
  read(option, number);
  to = number != 0;
}

void read(const Option& option, qfuse_device& to) {
  to = std::string_view(option.value) == "auto" ? checkpoint::best_device() : qfuse::parse_device(option.value);
}

void read(const Option& option, std::vector<std::string>& to) { to.emplace_back(option.value); }
void read(const Option& option, std::vector<checkpoint::AdapterInput>& to) { to.push_back({option.value, 1.0}); }

template <class Value>
void read(const Option& option, std::optional<Value>& to) {
  read(option, to.emplace());
}

template <class Field>
bool Option::sets(std::string_view field_name, Field& field) const {
  if (name != field_name) return false;
  read(*this, field);
  return true;
}

// Inputs of merge besides the base model. An option "weight" applies to the last "adapter" before it.
struct MergeInput : checkpoint::MergeOptions {
  std::vector<checkpoint::AdapterInput> adapters;
};

// Each function below sets the field that the option names and returns false if there is none. A new field of a struct
// in checkpoint.hpp needs a line here and a parameter in the signatures of qfuse/checkpoint.py.

bool set_shared(const Option& option, checkpoint::ConversionOptions& to) {
  if (option.name.starts_with("shard_")) {
    if (!to.shard) to.shard.emplace();
    return option.sets("shard_index", to.shard->index) || option.sets("shard_count", to.shard->count);
  }
  return option.sets("dtype", to.dtype) || option.sets("max_shard_size", to.max_shard_size) ||
         option.sets("force", to.force) || option.sets("components", to.components) ||
         option.sets("allow_other_names", to.allow_other_names) || option.sets("dry_run", to.dry_run) ||
         option.sets("device", to.exec.device) || option.sets("threads", to.exec.threads);
}

template <class Options>
bool set_of_4bit(const Option& option, Options& to) {
  return option.sets("blocksize", to.blocksize) || option.sets("double_quant", to.double_quant) ||
         option.sets("include", to.include) || option.sets("exclude", to.exclude);
}

bool set(const Option& option, checkpoint::DequantizeOptions& to) { return set_shared(option, to); }

bool set(const Option& option, checkpoint::QuantizeOptions& to) {
  return set_shared(option, to) || set_of_4bit(option, to) || option.sets("quant_type", to.quant_type) ||
         option.sets("experts", to.experts) || option.sets("importance", to.importance);
}

bool set(const Option& option, MergeInput& to) {
  if (!to.adapters.empty() && option.sets("weight", to.adapters.back().weight)) return true;
  return set_shared(option, to) || set_of_4bit(option, to) || option.sets("adapter", to.adapters) ||
         option.sets("to_4bit", to.to_4bit) || option.sets("to_blocks", to.to_blocks) ||
         option.sets("ue8m0", to.ue8m0) || option.sets("keep_scales", to.keep_scales) ||
         option.sets("base_as", to.base_as) || option.sets("fail_below", to.fail_below) ||
         option.sets("allow_nonfinite", to.allow_nonfinite) || option.sets("head", to.head) ||
         option.sets("lora_b_layout", to.lora_b_layout) || option.sets("prefix", to.prefix);
}

bool set(const Option& option, checkpoint::FinishOptions& to) { return option.sets("force", to.force); }
bool set(const Option& option, checkpoint::CompareOptions& to) { return option.sets("threads", to.threads); }

template <class Options>
Options options_of(std::span<const qfuse_python_option> given, ReportProgress report) {
  Options options;
  options.progress = [report](const checkpoint::Progress& progress) {
    return report(std::string(progress.tensor).c_str(), progress.bytes_done, progress.bytes_total) != 0;
  };
  for (const auto [name, value] : given)
    if (!set({name, value}, options))
      throw qfuse::Error(qfuse::Status::invalid_argument, "there is no option '" + std::string(name) + "'");
  return options;
}

// Returns the kept tensors as JSON. Kinds are plain words that need no escapes.
std::string json_of(const std::vector<checkpoint::KeptTensors>& all) {
  std::string json;
  for (const checkpoint::KeptTensors& kept : all)
    json += (json.empty() ? "" : ", ") + ("{\"kind\": \"" + kept.kind) +
            "\", \"tensors\": " + std::to_string(kept.tensors) + ", \"bytes\": " + std::to_string(kept.bytes) + "}";
  return "[" + json + "]";
}

// Fills `numbers` with tensors, converted, files, bytes_read, bytes_written; takes the kept tensors as JSON, then
// notes.
void give(const checkpoint::ConversionReport& done, std::int64_t* numbers, Take take) {
  fill(numbers, {done.tensors, done.converted, done.files, done.bytes_read, done.bytes_written});
  take(json_of(done.kept).c_str());
  for (const std::string& note : done.notes) take(note.c_str());
}

}  // namespace

// Runs `verb`, a function of checkpoint.hpp, on one path or two; options that are not given keep its defaults.
// Conversions return what give() returns, and merge first passes the merged tensors to `take` as JSON. finish fills
// `numbers` with shards, files, tensors and bytes. The other verbs pass their report to `take` as JSON; that of compare
// includes equal tensors.
extern "C" QFUSE_API qfuse_status qfuse_python_run(const char* verb, const char* in, const char* out,
                                                   const qfuse_python_option* options, std::int64_t count,
                                                   ReportProgress report, std::int64_t* numbers, Take take) {
  return guarded(take, [&] {
    const std::string_view asked = verb;
    const std::span given(options, static_cast<std::size_t>(count));
    if (asked == "dequantize") {
      give(checkpoint::dequantize(in, out, options_of<checkpoint::DequantizeOptions>(given, report)), numbers, take);
    } else if (asked == "quantize") {
      give(checkpoint::quantize(in, out, options_of<checkpoint::QuantizeOptions>(given, report)), numbers, take);
    } else if (asked == "merge") {
      const auto input = options_of<MergeInput>(given, report);
      const checkpoint::MergeReport done = checkpoint::merge(in, input.adapters, out, input);
      if (!done.refused.empty()) throw qfuse::Error(qfuse::Status::invalid_data, done.refused);
      take(to_json(done).c_str());
      give(done, numbers, take);
    } else if (asked == "finish") {
      const checkpoint::FinishReport done =
          checkpoint::finish(in, options_of<checkpoint::FinishOptions>(given, report));
      fill(numbers, {done.shards, done.files, done.tensors, done.bytes});
    } else if (asked == "inspect") {
      take(to_json(checkpoint::inspect(in)).c_str());
    } else if (asked == "check") {
      take(to_json(checkpoint::check(in)).c_str());
    } else if (asked == "compare") {
      const auto compared = options_of<checkpoint::CompareOptions>(given, report);
      take(to_json(checkpoint::compare(in, out, compared), true).c_str());
    } else {
      throw qfuse::Error(qfuse::Status::invalid_argument, "there is no function '" + std::string(asked) + "'");
    }
  });
}

// Fills `numbers` with the fields of the checkpoint::WeightShard, in declaration order.
extern "C" QFUSE_API qfuse_status qfuse_python_shard_plan(const std::int64_t* shape, std::int32_t dims,
                                                          std::int32_t dim, std::int64_t rank, std::int64_t ranks,
                                                          std::int64_t blocksize, std::int64_t nested_blocksize,
                                                          std::int64_t* numbers, Take take) {
  return guarded(take, [&] {
    const std::span sizes(shape, static_cast<std::size_t>(dims));
    const checkpoint::WeightShard shard = checkpoint::shard_plan(sizes, blocksize, nested_blocksize, dim, rank, ranks);
    fill(numbers, {shard.begin, shard.length, shard.runs, shard.first_block, shard.run_blocks, shard.stride_blocks,
                   shard.nested_blocksize, shard.nested_blocks});
  });
}
