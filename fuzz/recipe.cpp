#include "recipe.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <fmt/ranges.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <charconv>
#include <map>
#include <random>
#include <span>
#include <vector>

#include "checkpoint/files/safetensors.h"
#include "expect.h"

namespace qfuse::fuzz {
namespace {

namespace fs = std::filesystem;
using Words = std::vector<std::string_view>;

constexpr std::int64_t kMostBytes = 16'384;  // of one tensor's data; a tensor that claims more gets none

// Splits `text` at the separators.
Words split(std::string_view text, char separator) {
  Words parts;
  while (!text.empty()) {
    const std::size_t length = std::min(text.find(separator), text.size());
    parts.push_back(text.substr(0, length));
    text.remove_prefix(std::min(length + 1, text.size()));
  }
  return parts;
}

Words words_of(std::string_view line) {
  Words words = split(line, ' ');
  std::erase(words, "");
  return words;
}

std::int64_t number_of(std::string_view word) {
  std::int64_t number = 0;
  std::from_chars(word.data(), word.data() + word.size(), number);
  return number;
}

bool is_plain(std::string_view name) {
  return name.size() < 100 && name != "." && name != ".." &&
         name.find_first_of(std::string_view("/\0", 2)) == std::string_view::npos;
}

std::int64_t element_count(std::span<const std::string_view> shape) {
  std::vector<std::int64_t> dimensions;
  for (const std::string_view word : shape) dimensions.push_back(number_of(word));
  return checkpoint::element_count(dimensions).value_or(0);
}

std::int64_t byte_count(std::string_view dtype, std::int64_t elements) {
  const auto type = checkpoint::type_from_name(dtype).value_or(checkpoint::TensorType::u8);
  std::int64_t bits = 0;
  return __builtin_mul_overflow(elements, type_bits(type), &bits) ? 0 : bits / 8;
}

// Returns bytes that repeat only after 256, the first one zero.
std::string pattern(std::int64_t size) {
  if (size < 0 || size > kMostBytes) return "";
  std::string bytes(static_cast<std::size_t>(size), '\0');
  for (std::size_t i = 0; i < bytes.size(); ++i) bytes[i] = static_cast<char>(i * 37);
  return bytes;
}

class Directory {
 public:
  explicit Directory(fs::path path) : path_(std::move(path)) {}

  void read(std::string_view line) {
    if (!line.starts_with('@')) return is_shard_ ? add_tensors(line) : add_text(line);
    finish_shard();
    const Words words = words_of(line);
    for (std::size_t i = 1; i < words.size() && i < 3; ++i)
      if (!is_plain(words[i])) return;
    if (words[0] == "@index") return add_index();
    if (words.size() > 1) obey(words);
  }

  void write() {
    finish_shard();
    for (const auto& [name, bytes] : files_) {
      const int fd = ::open((path_ / name).c_str(), O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0600);
      if (fd < 0) continue;  // the name is already a link or a directory
      expect(::write(fd, bytes.data(), bytes.size()) == static_cast<ssize_t>(bytes.size()), "there is space");
      ::close(fd);
    }
  }

 private:
  void obey(const Words& words) {
    const std::string name(words[1]);
    if (words[0] == "@safetensors" || words[0] == "@text") {
      file_ = name;
      is_shard_ = words[0] == "@safetensors";
      files_[file_].clear();
    } else if (words[0] == "@fifo") {
      ::mkfifo((path_ / name).c_str(), 0600);
    } else if (words[0] == "@directory") {
      ::mkdir((path_ / name).c_str(), 0700);
    } else if (words[0] == "@link" && words.size() > 2) {
      std::error_code exists;
      fs::create_symlink(words[2], path_ / name, exists);
    } else if (words.size() > 2 && files_.contains(name)) {
      damage(words, files_[name]);
    }
  }

  static void damage(const Words& words, std::string& bytes) {
    const auto at = static_cast<std::size_t>(number_of(words[2]));
    if (at >= bytes.size()) return;
    if (words[0] == "@cut") bytes.resize(at);
    if (words[0] == "@set" && words.size() > 3) bytes[at] = static_cast<char>(number_of(words[3]));
  }

  void add_text(std::string_view line) {
    if (!file_.empty()) files_[file_].append(line) += '\n';
  }

  void add_tensors(std::string_view line) {
    const std::size_t equals = line.find(" = ");
    const Words words = words_of(line.substr(0, equals));
    if (words.size() < 2) return;
    const std::string name(words[0]);
    const auto shape = std::span(words).subspan(2);
    if (equals != std::string_view::npos)
      add_bytes(name, words[1], shape, line.substr(equals + 3));
    else if (words.size() > 4 && (words[1] == "NF4" || words[1] == "FP4"))
      add_4bit(name, words);
    else if (words.size() == 4 && words[1] == "INT8")
      add_int8(name, words);
    else
      add(name, words[1], fmt::format("{}", fmt::join(shape, ",")), byte_count(words[1], element_count(shape)));
  }

  void add_bytes(const std::string& name, std::string_view dtype, std::span<const std::string_view> shape,
                 std::string_view bytes) {
    const auto size = static_cast<std::int64_t>(bytes.size());
    add(name, dtype, shape.empty() ? std::to_string(size) : fmt::format("{}", fmt::join(shape, ",")), size, bytes);
  }

  void add_4bit(const std::string& name, const Words& words) {
    const std::int64_t blocksize = std::max<std::int64_t>(number_of(words[2]), 1);
    const std::int64_t nested_blocksize = number_of(words[3]);
    const auto shape = std::span(words).subspan(5);
    const std::int64_t elements = std::max<std::int64_t>(element_count(shape), 0);
    const std::int64_t blocks = (elements / blocksize) + (elements % blocksize == 0 ? 0 : 1);
    const std::string type = words[1] == "NF4" ? "nf4" : "fp4";
    std::string state = fmt::format(R"({{"quant_type":"{}","blocksize":{},"dtype":"{}","shape":[{}])", type, words[2],
                                    words[4], fmt::join(shape, ","));
    add_array(name, "U8", (elements / 2) + (elements % 2));
    if (nested_blocksize <= 0) {
      add_array(name + ".absmax", "F32", blocks);
    } else {
      state += fmt::format(R"(,"nested_blocksize":{},"nested_dtype":"float32","nested_offset":0.5)", words[3]);
      add_array(name + ".absmax", "U8", blocks);
      add_array(name + ".nested_absmax", "F32", (blocks + nested_blocksize - 1) / nested_blocksize);
      add_array(name + ".nested_quant_map", "F32", 256);
    }
    add_bytes(name + ".quant_state.bitsandbytes__" + type, "U8", {}, state + "}");
  }

  void add_int8(const std::string& prefix, const Words& words) {
    add(prefix + ".weight", "I8", fmt::format("{},{}", words[2], words[3]), element_count(std::span(words).subspan(2)));
    add_array(prefix + ".SCB", "F32", number_of(words[2]));
  }

  void add_array(const std::string& name, std::string_view dtype, std::int64_t elements) {
    add(name, dtype, std::to_string(elements), byte_count(dtype, elements));
  }

  void add(const std::string& name, std::string_view dtype, const std::string& shape, std::int64_t size) {
    add(name, dtype, shape, size, pattern(size));
  }

  // Copies every value into the JSON unchanged, including quotes.
  void add(const std::string& name, std::string_view dtype, const std::string& shape, std::int64_t size,
           std::string_view bytes) {
    const auto begin = static_cast<std::int64_t>(data_.size());
    header_ +=
        fmt::format(R"({}"{}":{{"dtype":"{}","shape":[{}],"data_offsets":[{},{}]}})", header_.empty() ? "" : ",", name,
                    dtype, shape, begin, static_cast<std::uint64_t>(begin) + static_cast<std::uint64_t>(size));
    data_ += bytes;
    weight_map_ += fmt::format(R"({}"{}":"{}")", weight_map_.empty() ? "" : ",", name, file_);
  }

  void add_index() { files_["model.safetensors.index.json"] = R"({"weight_map":{)" + weight_map_ + "}}"; }

  void finish_shard() {
    if (is_shard_) {
      const std::string header = "{" + header_ + "}";
      const std::uint64_t length = header.size();
      files_[file_].assign(reinterpret_cast<const char*>(&length), sizeof length) += header + data_;
    }
    is_shard_ = false;
    file_.clear();
    header_.clear();
    data_.clear();
  }

  fs::path path_;
  std::map<std::string, std::string> files_;  // name to content
  std::string weight_map_;
  std::string file_;  // file that the current lines belong to; empty for none
  bool is_shard_ = false;
  std::string header_;
  std::string data_;
};

}  // namespace

void write_model(std::string_view recipe, const fs::path& path) {
  Directory directory(path);
  for (const std::string_view line : split(recipe, '\n')) directory.read(line);
  directory.write();
}

std::string with_lines_changed(std::string_view recipe, std::uint32_t seed) {
  Words lines = split(recipe, '\n');
  if (lines.empty()) return "";
  std::minstd_rand random(seed);
  const auto any_line = [&] { return lines.begin() + static_cast<std::ptrdiff_t>(random() % lines.size()); };
  const auto from = any_line();
  const std::string_view line = *from;
  const unsigned change = random() % 3;
  if (change != 0) lines.erase(from);
  if (change != 1) lines.insert(lines.empty() ? lines.begin() : any_line(), line);
  return fmt::format("{}\n", fmt::join(lines, "\n"));
}

}  // namespace qfuse::fuzz
