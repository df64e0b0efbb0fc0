#include "alike.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <charconv>
#include <map>
#include <tuple>

#include "text.h"

namespace qfuse::cli {
namespace {

using Parts = std::vector<std::string>;  // parts of a tensor name, split at the dots

struct Row {
  Parts parts;
  std::string shape;
  std::string stored;
  std::int64_t bytes = 0;
};

Parts parts_of(std::string_view name) {
  Parts parts;
  for (;;) {
    const std::size_t dot = name.find('.');
    parts.emplace_back(name.substr(0, dot));
    if (dot == name.npos) return parts;
    name.remove_prefix(dot + 1);
  }
}

// Returns a name part as a number, or a negative value if it is not a number in its shortest decimal form.
std::int64_t number_of(const std::string& part) {
  std::int64_t number = -1;
  const char* const end = part.data() + part.size();
  const auto [stop, error] = std::from_chars(part.data(), end, number);
  return error == std::errc() && stop == end && std::to_string(number) == part ? number : -1;
}

std::string stored_as(const checkpoint::TensorInfo& tensor) {
  if (tensor.format == "activation_scale")
    return fmt::format("{} {}", tensor.format, tensor.dtype);  // it scales activations, not a weight
  std::string blocks =
      tensor.blocksize == 0 ? "" : fmt::format(" {}{}", tensor.blocksize, tensor.nested ? " nested" : "");
  if (!tensor.block.empty()) blocks = " " + scaling_of(tensor);
  return tensor.format == tensor.dtype ? tensor.format : fmt::format("{}{} -> {}", tensor.format, blocks, tensor.dtype);
}

// Formats two or more numbers like shell braces: "{0..31}", "{0..2,7}", or with a step other than 1 "{3,7..47}".
std::string set_of(std::vector<std::int64_t> numbers) {
  std::sort(numbers.begin(), numbers.end());
  const std::size_t count = numbers.size();
  const auto has_steps = [&](std::int64_t step) {
    return std::adjacent_find(numbers.begin(), numbers.end(), [&](auto a, auto b) { return b - a != step; }) ==
           numbers.end();
  };
  const std::int64_t step = numbers[1] - numbers[0];
  if (count > 2 && step > 1 && has_steps(step))
    return fmt::format("{{{},{}..{}}}", numbers[0], numbers[1], numbers.back());
  std::vector<std::string> runs;
  for (std::size_t begin = 0, end = 0; begin < count; begin = end) {
    for (end = begin + 1; end < count && numbers[end] == numbers[end - 1] + 1;) ++end;
    runs.push_back(end - begin == 1 ? std::to_string(numbers[begin])
                                    : fmt::format("{}..{}", numbers[begin], numbers[end - 1]));
  }
  return fmt::format("{{{}}}", fmt::join(runs, ","));
}

// Joins rows that differ only in the number of part `place` into one.
std::vector<Row> joined(const std::vector<Row>& rows, std::size_t place) {
  struct Group {
    Row row;
    std::vector<std::int64_t> numbers = {};
  };
  std::vector<Group> groups;
  std::map<std::tuple<Parts, std::string, std::string>, std::size_t> known;
  for (const Row& row : rows) {
    const std::int64_t number = place < row.parts.size() ? number_of(row.parts[place]) : -1;
    Parts others = row.parts;
    if (number >= 0) others[place].clear();
    const auto [found, is_new] = known.try_emplace({std::move(others), row.shape, row.stored}, groups.size());
    if (is_new)
      groups.push_back({row});
    else
      groups[found->second].row.bytes += row.bytes;
    if (number >= 0) groups[found->second].numbers.push_back(number);
  }
  std::vector<Row> result;
  for (Group& group : groups) {
    if (group.numbers.size() > 1) group.row.parts[place] = set_of(std::move(group.numbers));
    result.push_back(std::move(group.row));
  }
  return result;
}

}  // namespace

std::string scaling_of(const checkpoint::TensorInfo& tensor) {
  std::int64_t elements = 1;
  for (const std::int64_t size : tensor.shape) elements *= size;
  const std::int64_t columns = tensor.shape.empty() ? 1 : tensor.shape.back();
  const std::int64_t block_rows = tensor.block[0];
  const std::int64_t block_columns = tensor.block[1];
  const bool is_whole = block_columns >= columns && block_rows >= elements / std::max<std::int64_t>(columns, 1);
  const std::string block = is_whole ? "per tensor"
                            : block_rows == 1 && block_columns >= columns
                                ? "per row"
                                : fmt::format("{}x{}", block_rows, block_columns);
  return fmt::format("{} {}", block, tensor.scale_dtype);
}

std::vector<AlikeTensors> alike_tensors(const checkpoint::Inventory& inventory, bool apart) {
  std::vector<Row> rows;
  std::size_t most_parts = 0;
  for (const checkpoint::TensorInfo& tensor : inventory.tensors) {
    rows.push_back({parts_of(tensor.name), shape_text(tensor.shape), stored_as(tensor), tensor.bytes});
    most_parts = std::max(most_parts, rows.back().parts.size());
  }
  constexpr std::size_t kMostParts = 32;  // real names have fewer than 20; later parts are not joined
  for (std::size_t place = std::min(most_parts, kMostParts); place-- > 0 && !apart;) rows = joined(rows, place);
  std::vector<AlikeTensors> all;
  for (const Row& row : rows)
    all.push_back({printable(fmt::format("{}", fmt::join(row.parts, "."))), row.shape, row.stored, row.bytes});
  return all;
}

}  // namespace qfuse::cli
