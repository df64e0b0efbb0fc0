#include "contract/arrays.h"

#include <fmt/format.h>

#include <string_view>

namespace qfuse::contract {
namespace {

const char* name_of(Direction direction) {
  switch (direction) {
    case Direction::input: return "input";
    case Direction::output: return "output";
    case Direction::workspace: return "scratch memory";
  }
  return "";
}

bool overlap(const Array& a, const Array& b) {
  if (a.size == 0 || b.size == 0) return false;
  const auto a_begin = reinterpret_cast<std::uintptr_t>(a.data);
  const auto b_begin = reinterpret_cast<std::uintptr_t>(b.data);
  return a_begin < b_begin + static_cast<std::uintptr_t>(b.size) &&
         b_begin < a_begin + static_cast<std::uintptr_t>(a.size);
}

bool is_in_place(const Array& written, const Array& other) {
  using namespace std::string_view_literals;
  return written.name == "out"sv && other.name == "in"sv && written.data == other.data && written.size == other.size;
}

Outcome check_overlap(const Array& written, const Array& other) {
  if (!overlap(written, other)) return {};
  return invalid_argument(fmt::format("{} {} overlaps {} {}", name_of(written.direction), written.name,
                                      name_of(other.direction), other.name));
}

}  // namespace

Outcome check_arrays(const ArrayList& arrays, bool in_place) {
  const std::span<const Array> all = arrays.all();
  for (const Array& array : all)
    if (array.data == nullptr && array.size > 0)
      return invalid_argument(fmt::format("{} is NULL, it must hold {} bytes", array.name, array.size));
  for (std::size_t i = 0; i < all.size(); ++i) {
    if (all[i].direction == Direction::input) continue;
    for (std::size_t j = 0; j < all.size(); ++j)
      if ((j > i || (j < i && all[j].direction == Direction::input)) && !(in_place && is_in_place(all[i], all[j])))
        if (Outcome o = check_overlap(all[i], all[j]); !o.ok()) return o;
  }
  return {};
}

Outcome check_outputs_apart(const ArrayList& written, const ArrayList& other) {
  for (const Array& output : written.all())
    for (const Array& array : other.all())
      if (Outcome o = output.direction == Direction::input ? Outcome{} : check_overlap(output, array); !o.ok())
        return o;
  return {};
}

std::int64_t total_size(const ArrayList& arrays) {
  std::int64_t sum = 0;
  for (const Array& array : arrays.all())
    if (array.direction != Direction::workspace) sum += array.size;
  return sum;
}

}  // namespace qfuse::contract
