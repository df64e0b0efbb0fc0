// A model directory as text, so that people can read a corpus and most mutations are still valid models: sizes, ranges
// and lengths follow from the other values, and a wrong one needs an explicit command.
//   @safetensors <file>     each following line is one tensor, or all parts of one weight
//       <name> <dtype> <dimension>... [= <bytes>]
//       <name> NF4|FP4 <blocksize> <nested blocksize, 0: none> <dtype it decodes to> <dimension>...     all its parts
//       <prefix> INT8 <rows> <columns>                                                                  all its parts
//   @text <file>            the following lines are its text
//   @index                  an index of all tensors so far
//   @link <file> <file>     a symbolic link and its target
//   @fifo <file>, @directory <file>
//   @cut <file> <size>, @set <file> <offset> <byte>     damage to a file that is above
// <file> is a plain name, without folders. Lines without meaning are skipped.
#ifndef QFUSE_FUZZ_RECIPE_H
#define QFUSE_FUZZ_RECIPE_H

#include <cstdint>
#include <filesystem>
#include <string>
#include <string_view>

namespace qfuse::fuzz {

// Fills an empty directory from a recipe.
void write_model(std::string_view recipe, const std::filesystem::path& directory);

// Returns the recipe with one line deleted, duplicated or moved.
std::string with_lines_changed(std::string_view recipe, std::uint32_t seed);

}  // namespace qfuse::fuzz

#endif  // QFUSE_FUZZ_RECIPE_H
