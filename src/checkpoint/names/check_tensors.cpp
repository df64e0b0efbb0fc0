#include "checkpoint/names/check_tensors.h"

#include <fmt/ranges.h>

#include <algorithm>
#include <map>
#include <string_view>
#include <unordered_map>
#include <utility>

#include "checkpoint/files/errors.h"
#include "checkpoint/files/name_pattern.h"
#include "checkpoint/names/names.h"
#include "checkpoint/names/tensor_names.h"

namespace qfuse::checkpoint {
namespace {

using Presence = ExpectedTensor::Presence;
using Numbers = std::vector<std::int64_t>;  // numbers of layers and experts, one per # of a pattern

struct SplitName {
  std::string pattern;
  Numbers numbers;
};

constexpr std::size_t kMostNumbers = 4;      // in a name; only the first ones count
constexpr std::int64_t kMostMissing = 4096;  // per pattern; a config may state any number of layers
// Limit on missing tensors; a config may also state any number of experts.
constexpr std::int64_t kMostProblems = std::int64_t{1} << 16;

// Returns patterns with # for each subset of the numbers in a name: the full set first, the empty one last.
std::vector<SplitName> splits_of(const std::string& name) {
  std::vector<std::string> parts;
  std::vector<std::size_t> numbered;
  for (std::size_t begin = 0, end = 0; end != name.npos; begin = end + 1) {
    end = name.find('.', begin);
    parts.push_back(name.substr(begin, end - begin));
    if (is_number(parts.back()) && parts.back().size() < 10 && numbered.size() < kMostNumbers)
      numbered.push_back(parts.size() - 1);
  }
  std::vector<SplitName> splits;
  for (std::size_t chosen = std::size_t{1} << numbered.size(); chosen-- > 0;) {
    SplitName split;
    std::vector<std::string> now = parts;
    for (std::size_t i = 0; i < numbered.size(); ++i) {
      if ((chosen >> i & 1U) == 0) continue;
      split.numbers.push_back(std::stoll(parts[numbered[i]]));
      now[numbered[i]] = "#";
    }
    split.pattern = fmt::format("{}", fmt::join(now, "."));
    splits.push_back(std::move(split));
  }
  return splits;
}

std::string numbered(std::string pattern, const Numbers& numbers) {
  for (const std::int64_t number : numbers) pattern.replace(pattern.find('#'), 1, std::to_string(number));
  return pattern;
}

std::string shape_text(const std::vector<std::optional<std::int64_t>>& shape) {
  std::string text;
  for (const auto& size : shape) text += (text.empty() ? "" : ", ") + (size ? std::to_string(*size) : "?");
  return fmt::format("[{}]", text);
}

bool fits(const std::vector<std::optional<std::int64_t>>& expected, const std::vector<std::int64_t>& shape) {
  return std::ranges::equal(expected, shape, [](const auto& a, std::int64_t b) { return !a || *a == b; });
}

bool fits(const ExpectedTensor& expected, const NamedShape& tensor) {
  if (!expected.shape || !tensor.shape || fits(*expected.shape, *tensor.shape)) return true;
  const std::vector<std::int64_t> transposed(tensor.shape->rbegin(), tensor.shape->rend());
  return tensor.may_be_transposed && fits(*expected.shape, transposed);
}

bool is_empty(const ExpectedTensor& tensor) {
  return tensor.shape && std::ranges::find(*tensor.shape, std::optional<std::int64_t>(0)) != tensor.shape->end();
}

// Converts old names as transformers does when it loads a file.
std::string renamed(const std::string& name) {
  for (const auto& [old, now] : {std::pair(".gamma", ".weight"), std::pair(".beta", ".bias")})
    if (name.ends_with(old)) return name.substr(0, name.rfind('.')) + now;
  return name;
}

class Comparison {
 public:
  Comparison(const ExpectedTensors& expected, std::span<const NamedShape> tensors) : expected_(expected) {
    for (std::size_t i = 0; i < expected.tensors.size(); ++i) {
      const std::string& pattern = expected.tensors[i].pattern;
      by_pattern_.emplace(pattern, i);
      by_essence_[essential_parts(pattern)].push_back(i);
    }
    add_layouts();
    for (const std::string& ignored : expected.ignored) ignored_.emplace_back(ignored, "the pattern " + ignored);
    for (const NamedShape& tensor : tensors) take(tensor);
  }

  [[nodiscard]] std::vector<TensorProblem> problems(const std::set<std::string>& made) && {
    std::vector<TensorProblem> all;
    for (const Layout& layout : layouts_) add_missing_of_layout(layout, made, all);
    std::map<std::string, std::set<Numbers>> groups;  // numbers for which any tensor of the group exists
    for (std::size_t i = 0; i < expected_.tensors.size(); ++i)
      if (expected_.tensors[i].presence == Presence::grouped)
        groups[expected_.tensors[i].group].insert(present_[i].begin(), present_[i].end());
    for (std::size_t i = 0; i < expected_.tensors.size(); ++i) {
      const ExpectedTensor& tensor = expected_.tensors[i];
      const std::size_t begin = all.size();
      if (tensor.presence == Presence::always) add_missing(i, {}, made, all);
      if (tensor.presence == Presence::alike) add_missing_beside_alike(i, made, all);
      if (tensor.presence == Presence::grouped)
        for (const Numbers& numbers : groups[tensor.group]) add_missing(i, numbers, made, all);
      mark_sure(i, std::span(all).subspan(begin));
    }
    std::ranges::move(problems_, std::back_inserter(all));
    return all;
  }

 private:
  using Member = std::pair<std::string, std::vector<std::int64_t>>;  // name within a module, shape
  using Members = std::set<Member>;

  struct Place {
    std::size_t tensor = 0;
    Numbers numbers;
  };

  // Tensors that files may store in another layout.
  struct Layout {
    std::ptrdiff_t depth = 0;  // numbers in the names of `whole`
    std::vector<std::size_t> whole, parts;
  };

  [[nodiscard]] std::optional<Place> place_at(std::size_t i, SplitName& split) const {
    if (split.numbers.size() != expected_.tensors[i].counts.size()) return std::nullopt;
    return Place{i, std::move(split.numbers)};
  }

  [[nodiscard]] std::optional<Place> find_exactly(const std::string& name) const {
    for (SplitName& split : splits_of(name))
      if (const auto found = by_pattern_.find(split.pattern); found != by_pattern_.end())
        return place_at(found->second, split);
    return std::nullopt;
  }

  [[nodiscard]] std::optional<Place> find_essence(const std::string& name) const {
    for (SplitName& split : splits_of(name)) {
      const auto found = by_essence_.find(essential_parts(split.pattern));
      if (found != by_essence_.end() && found->second.size() == 1) return place_at(found->second.front(), split);
    }
    return std::nullopt;
  }

  // Finds the name as it is, then with or without the prefix of the class's inner model, then by its essential parts.
  [[nodiscard]] std::optional<Place> find(const std::string& stored) const {
    if (std::optional<Place> place = find_exactly(stored)) return place;
    const std::string name = renamed(stored);
    const std::string prefix = expected_.prefix + ".";
    if (std::optional<Place> place = find_exactly(name)) return place;
    if (std::optional<Place> place = find_exactly(prefix + name)) return place;
    if (name.starts_with(prefix))
      if (std::optional<Place> place = find_exactly(name.substr(prefix.size()))) return place;
    return find_essence(name);
  }

  [[nodiscard]] bool is_passed_over(const std::string& name) const {
    const auto is_of = [&](const std::string& module) { return name.starts_with(module + "."); };
    return name.ends_with(".rotary_emb.inv_freq") || name.ends_with("position_ids") ||
           std::ranges::any_of(ignored_, [&](const NamePattern& it) { return it.fits_within(name); }) ||
           std::ranges::any_of(expected_.open, is_of) || std::ranges::any_of(expected_.unstated, is_of);
  }

  void take(const NamedShape& tensor) {
    const std::optional<Place> place = find(tensor.name);
    if (!place) {
      if (!is_passed_over(tensor.name))
        add("unexpected", tensor.name, "the class has no such tensor, so that it is lost");
      return;
    }
    const ExpectedTensor& its = expected_.tensors[place->tensor];
    for (std::size_t i = 0; i < place->numbers.size(); ++i)
      if (its.counts[i] && place->numbers[i] >= *its.counts[i]) {
        if (!is_passed_over(tensor.name))
          add("unexpected", tensor.name,
              fmt::format("by config.json there are {} of these, so that it is lost", *its.counts[i]));
        return;
      }
    present_[place->tensor].insert(place->numbers);
    if (const std::string_view module = numbered_module(its.pattern); !module.empty())
      members_[std::string(module)][place->numbers].emplace(its.pattern.substr(module.size()),
                                                            tensor.shape.value_or(Numbers()));
    for (std::size_t at = its.pattern.find('#'), depth = 1; at != its.pattern.npos; at = its.pattern.find('#', at + 1))
      seen_[its.pattern.substr(0, at + 1)].insert(
          Numbers(place->numbers.begin(), place->numbers.begin() + static_cast<std::ptrdiff_t>(depth++)));
    if (!fits(its, tensor))
      add("mismatched", tensor.name,
          fmt::format("is [{}], and {} by config.json", fmt::join(*tensor.shape, ", "), shape_text(*its.shape)));
  }

  // Adds the numbers for which a required tensor must exist: those that the config states, or else those that other
  // tensors have.
  void add_wanted(const ExpectedTensor& tensor, std::size_t at, Numbers& numbers, std::vector<Numbers>& all) const {
    if (numbers.size() == tensor.counts.size()) {
      all.push_back(numbers);
      return;
    }
    at = tensor.pattern.find('#', at) + 1;
    const auto add_further = [&](std::int64_t number) {
      numbers.push_back(number);
      if (std::ssize(all) < kMostMissing) add_wanted(tensor, at, numbers, all);
      numbers.pop_back();
    };
    const auto seen = seen_.find(tensor.pattern.substr(0, at));
    if (const std::optional<std::int64_t> count = tensor.counts[numbers.size()])
      for (std::int64_t i = 0; i < std::min(*count, kMostMissing); ++i) add_further(i);
    else if (seen != seen_.end())
      for (const Numbers& others : seen->second)
        if (std::equal(numbers.begin(), numbers.end(), others.begin())) add_further(others.back());
  }

  // Adds problems for missing tensors of pattern `i` whose numbers begin with `first`.
  void add_missing(std::size_t i, Numbers first, const std::set<std::string>& made, std::vector<TensorProblem>& all) {
    const ExpectedTensor& tensor = expected_.tensors[i];
    if (std::ssize(all) >= kMostProblems || is_empty(tensor)) return;
    std::size_t at = 0;
    for (std::size_t depth = 0; depth < first.size(); ++depth) at = tensor.pattern.find('#', at) + 1;
    std::vector<Numbers> wanted;
    add_wanted(tensor, at, first, wanted);
    for (const Numbers& numbers : wanted) {
      const std::string name = numbered(tensor.pattern, numbers);
      if (present_[i].contains(numbers) || made.contains(name)) continue;
      all.push_back({{"missing", name,
                      fmt::format("{}is in no file, so that its values are random",
                                  tensor.shape ? shape_text(*tensor.shape) + " " : "")}});
    }
  }

  // For each module with tensor `i`: the numbers of its parent modules, and its other tensors.
  [[nodiscard]] std::set<std::pair<Numbers, Members>> having(std::size_t i) {
    const std::string& pattern = expected_.tensors[i].pattern;
    const std::string_view module = numbered_module(pattern);
    std::set<std::pair<Numbers, Members>> all;
    for (auto [numbers, members] : members_[std::string(module)]) {
      if (!present_[i].contains(numbers)) continue;
      std::erase_if(members, [&](const Member& it) { return it.first == pattern.substr(module.size()); });
      all.emplace(Numbers(numbers.begin(), numbers.end() - 1), std::move(members));
    }
    return all;
  }

  // Adds tensor `i` of modules that lack it, if a module with otherwise the same tensors has it.
  void add_missing_beside_alike(std::size_t i, const std::set<std::string>& made, std::vector<TensorProblem>& all) {
    const auto others = having(i);
    for (const auto& [numbers, members] : members_[std::string(numbered_module(expected_.tensors[i].pattern))])
      if (!present_[i].contains(numbers) && others.contains({Numbers(numbers.begin(), numbers.end() - 1), members}))
        add_missing(i, numbers, made, all);
  }

  // Marks problems that are certain, because otherwise equal modules have the tensor.
  void mark_sure(std::size_t i, std::span<TensorProblem> missing) {
    if (missing.empty() || expected_.tensors[i].counts.empty()) return;
    std::vector<TensorProblem> found;
    add_missing_beside_alike(i, {}, found);
    std::set<std::string_view> sure;
    for (const TensorProblem& problem : found) sure.insert(problem.tensor);
    for (TensorProblem& problem : missing) problem.is_sure = sure.contains(problem.tensor);
  }

  // If any part of the other layout exists, all of its parts are required, and count as the whole.
  void add_missing_of_layout(const Layout& layout, const std::set<std::string>& made, std::vector<TensorProblem>& all) {
    std::set<Numbers> found;
    for (const std::size_t part : layout.parts)
      for (const Numbers& numbers : present_[part]) found.emplace(numbers.begin(), numbers.begin() + layout.depth);
    for (const std::size_t whole : layout.whole) present_[whole].insert(found.begin(), found.end());
    for (const Numbers& numbers : found)
      for (const std::size_t part : layout.parts) add_missing(part, numbers, made, all);
  }

  // Finds the parts of each layout in its numbered module.
  void add_layouts() {
    std::map<std::string, std::size_t> by_module;
    for (std::size_t i = 0; i < expected_.tensors.size(); ++i) {
      const ExpectedTensor& it = expected_.tensors[i];
      if (it.layout.empty() || it.presence == Presence::of_one_layout) continue;
      const auto [found, is_new] =
          by_module.emplace(std::string(numbered_module(it.pattern)) + it.layout, layouts_.size());
      if (is_new) layouts_.push_back({std::ssize(it.counts), {}, {}});
      layouts_[found->second].whole.push_back(i);
    }
    for (std::size_t i = 0; i < expected_.tensors.size(); ++i) {
      const ExpectedTensor& it = expected_.tensors[i];
      if (it.layout.empty() || it.presence != Presence::of_one_layout) continue;
      for (std::string_view module = numbered_module(it.pattern); !module.empty();
           module = numbered_module(module.substr(0, module.size() - 1)))
        if (const auto found = by_module.find(std::string(module) + it.layout); found != by_module.end())
          layouts_[found->second].parts.push_back(i);
    }
  }

  void add(std::string kind, const std::string& tensor, std::string message) {
    problems_.push_back({{std::move(kind), tensor, std::move(message)}});
  }

  const ExpectedTensors& expected_;
  std::unordered_map<std::string, std::size_t> by_pattern_;
  std::unordered_map<std::string, std::vector<std::size_t>> by_essence_;
  std::vector<NamePattern> ignored_;
  std::vector<Layout> layouts_;
  std::map<std::size_t, std::set<Numbers>> present_;
  std::map<std::string, std::map<Numbers, Members>> members_;  // by pattern of a numbered module
  std::map<std::string, std::set<Numbers>> seen_;              // by pattern up to a #: the numbers that occur there
  std::vector<TensorProblem> problems_;
};

}  // namespace

std::vector<TensorProblem> check_tensors(const ExpectedTensors& expected, std::span<const NamedShape> tensors,
                                         const std::set<std::string>& made) {
  return Comparison(expected, tensors).problems(made);
}

}  // namespace qfuse::checkpoint
