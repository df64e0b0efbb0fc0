#include "checkpoint/names/class_tensors.h"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <utility>

#include "checkpoint/files/split.h"

namespace qfuse::checkpoint {
namespace {

using Number = std::optional<std::int64_t>;

// Takes the first `size` characters off `text` and returns them.
std::string_view take(std::string_view& text, std::size_t size) {
  const std::string_view taken = text.substr(0, size);
  text.remove_prefix(std::min(size, text.size()));
  return taken;
}

// Takes the text up to `end` and the character `end` off `text`; returns it without `end`.
std::string_view take_until(std::string_view& text, char end) {
  const std::string_view taken = take(text, text.find(end));
  take(text, 1);
  return taken;
}

bool has_word(std::string_view text, std::string_view wanted) {
  const std::vector<std::string_view> words = split(text, ' ');
  return std::ranges::find(words, wanted) != words.end();
}

const ClassRow* find_class(std::string_view name) {
  const auto found =
      std::ranges::find_if(class_table(), [&](const ClassRow& row) { return has_word(row.classes, name); });
  return found == class_table().end() ? nullptr : &*found;
}

const ClassRow* find_model_type(std::string_view type) {
  const auto found =
      std::ranges::find_if(class_table(), [&](const ClassRow& row) { return has_word(row.model_types, type); });
  return found == class_table().end() ? nullptr : &*found;
}

// A part of a config, named by a path such as "text_config".
struct ConfigPart {
  const Config* config = nullptr;
  std::string path;  // "", or ends with a dot

  [[nodiscard]] Number number(std::string_view field) const {
    return field == "num_labels" ? config->labels(path) : config->number(path + std::string(field));
  }
  [[nodiscard]] ConfigPart part(std::string_view name) const {
    return {config, name.empty() ? path : path + std::string(name) + "."};
  }
};

// Evaluates numbers, fields, + - * / and parentheses; every operation is in parentheses of its own.
class Expression {
 public:
  Expression(std::string_view text, const ConfigPart& config) : text_(text), config_(config) {}

  // Returns nullopt if a field is missing or a result does not fit in 63 bits.
  Number value() {
    const Number first = operand();
    return text_.empty() || text_.front() == ')' ? first : apply(first);
  }

 private:
  Number operand() {
    if (text_.starts_with('(')) {
      take(text_, 1);
      const Number inner = value();
      take(text_, 1);
      return inner;
    }
    const std::string_view word = take(text_, text_.find_first_of("+-*/)"));
    std::int64_t number = 0;
    const auto [end, error] = std::from_chars(word.data(), word.data() + word.size(), number);
    return error == std::errc() && end == word.data() + word.size() ? Number(number) : config_.number(word);
  }

  Number apply(const Number& a) {
    const char operation = take(text_, 1).front();
    const Number b = operand();
    if (!a || !b) return std::nullopt;
    std::int64_t result = 0;
    switch (operation) {
      case '+': return __builtin_add_overflow(*a, *b, &result) ? std::nullopt : Number(result);
      case '-': return __builtin_sub_overflow(*a, *b, &result) ? std::nullopt : Number(result);
      case '*': return __builtin_mul_overflow(*a, *b, &result) ? std::nullopt : Number(result);
      default: return *a < 0 || *b <= 0 ? std::nullopt : Number(*a / *b);
    }
  }

  std::string_view text_;
  const ConfigPart& config_;
};

// Expands the tree in a class's row to expected tensors.
class Expansion {
 public:
  explicit Expansion(ExpectedTensors& expected) : expected_(expected) {}

  // Reads forms up to the ")" that ends a module, or to the end of the text.
  void read(std::string_view& text, const std::string& prefix, const ConfigPart& config) {
    while (!text.empty() && text.front() != ')') {
      if (text.front() == ' ') take(text, 1);
      read_form(text, prefix, config);
    }
    take(text, 1);
  }

 private:
  void read_form(std::string_view& text, const std::string& prefix, const ConfigPart& config) {
    const bool is_numbered = text.starts_with("#{");
    if (is_numbered) {
      take(text, 2);
      const std::string_view count = take_until(text, '}');
      counts_.push_back(count.empty() ? std::nullopt : Expression(count, config).value());
    }
    const std::string name = prefix + (is_numbered ? "#" : std::string(take(text, text.find_first_of("[(@="))));
    switch (take(text, 1).front()) {
      case '[': read_tensor(text, name, config); break;
      case '(': read(text, name + ".", config); break;
      case '@': {
        const std::string_view number = take(text, text.find_first_of(" )"));
        std::size_t i = 0;
        std::from_chars(number.data(), number.data() + number.size(), i);
        std::string_view shared = shared_modules()[i];
        read(shared, name + ".", config);
        break;
      }
      default: read_part(take(text, text.find_first_of(" )")), name, config);
    }
    if (is_numbered) counts_.pop_back();
  }

  void read_tensor(std::string_view& text, const std::string& name, const ConfigPart& config) {
    std::string_view sizes = take_until(text, ']');
    ExpectedTensor& tensor = expected_.tensors.emplace_back(ExpectedTensor{name, counts_, {}, {}, {}, {}});
    read_mark(take(text, text.find_first_of(" )")), tensor);
    if (sizes == "*") return;
    tensor.shape.emplace();
    while (!sizes.empty()) {
      const std::string_view size = take_until(sizes, ',');
      tensor.shape->push_back(size == "?" ? std::nullopt : Expression(size, config).value());
    }
  }

  void read_mark(std::string_view mark, ExpectedTensor& tensor) const {
    using Presence = ExpectedTensor::Presence;
    const std::string_view presence = take(mark, std::min(mark.find_first_of("=~"), mark.size()));
    if (mark.starts_with('~')) tensor.presence = Presence::of_one_layout;
    if (!mark.empty()) tensor.layout = mark.substr(1);
    if (presence.empty()) return;
    tensor.presence = presence.size() == 1 ? Presence::optional
                      : presence == "?!"   ? Presence::alike
                                           : Presence::grouped;
    if (tensor.presence != Presence::grouped) return;
    // without a numbered module, the group is the part of the model
    const std::string_view module = numbered_module(tensor.pattern);
    tensor.group = fmt::format("{}{}", module.empty() ? part_ : module, presence);
  }

  // Reads a part as the class that it names, or as that of its config's model_type if this is another family's.
  void read_part(std::string_view part, const std::string& name, const ConfigPart& config) {
    const std::string_view path = take_until(part, ':');
    const ConfigPart its = config.part(path);
    const ClassRow* row = find_class(part);
    const std::optional<std::string> type = its.config->word(its.path + "model_type");
    if (!path.empty() && !has_word(row->config_types, type.value_or("")))
      row = type && !row->model_types.empty() ? find_model_type(*type) : nullptr;
    if (row == nullptr || depth_ == kDeepest) {
      (path.empty() || type ? expected_.open : expected_.unstated).push_back(name);
      return;
    }
    std::string_view tensors = row->tensors;
    const std::string outer = std::exchange(part_, name);
    ++depth_;
    read(tensors, name + ".", its);
    --depth_;
    part_ = outer;
  }

  static constexpr int kDeepest = 8;  // nesting limit, because a config may give a part the family of the whole

  ExpectedTensors& expected_;
  std::vector<Number> counts_;
  std::string part_;  // the module whose class is being read
  int depth_ = 0;
};

}  // namespace

std::string_view numbered_module(std::string_view pattern) { return pattern.substr(0, pattern.rfind('#') + 1); }

std::optional<ExpectedTensors> expected_tensors(const Config& config) {
  const ClassRow* row = config.has_own_code() ? nullptr : find_class(config.class_name());
  if (row == nullptr) return std::nullopt;
  ExpectedTensors expected;
  expected.prefix = row->prefix;
  for (const std::string_view pattern : split(row->ignored, ' ')) expected.ignored.emplace_back(pattern);
  std::string_view tensors = row->tensors;
  Expansion(expected).read(tensors, "", {&config, ""});
  return expected;
}

}  // namespace qfuse::checkpoint
