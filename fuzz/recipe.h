// A model directory written as text, so that a corpus can be read, and so that most mutations of one are a model again:
// sizes, ranges and lengths follow from the rest, and wrong ones have to be asked for.
//   @safetensors <file>     its tensors are the lines that follow, each one of
//       <name> <dtype> <dimension>... [= <bytes>]
//       <name> NF4|FP4 <blocksize> <nested blocksize, 0: none> <dtype it decodes to> <dimension>...     all its parts
//       <prefix> INT8 <rows> <columns>                                                                  all its parts
//   @text <file>            its lines follow
//   @index                  an index of the tensors of all files so far
//   @link <file> <file>     a symbolic link and what it names
//   @fifo <file>, @directory <file>
//   @cut <file> <size>, @set <file> <offset> <byte>     damage to a file that stands above
// A file is a plain name. Lines that say nothing are skipped.
#ifndef QFUSE_FUZZ_RECIPE_H
#define QFUSE_FUZZ_RECIPE_H

#include <cstdint>
#include <filesystem>
#include <string>
#include <string_view>

namespace qfuse::fuzz {

// Fills an empty directory.
void write_model(std::string_view recipe, const std::filesystem::path& directory);

// The recipe with one line left out, repeated, or moved to another's place.
std::string with_lines_changed(std::string_view recipe, std::uint32_t seed);

}  // namespace qfuse::fuzz

#endif  // QFUSE_FUZZ_RECIPE_H
