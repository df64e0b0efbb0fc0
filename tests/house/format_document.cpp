// Checks that the tables of docs/FORMAT.md match format/codebook4.h and block_codes.h. A failure prints the correct
// table to paste.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include <bit>
#include <cstdint>
#include <fstream>
#include <iterator>
#include <string>

#include "format/block_codes.h"
#include "format/codebook4.h"

namespace qfuse::format {
namespace {

std::string cells(float value) {
  return fmt::format(" {:.9g} | `{:08x}` |", value, std::bit_cast<std::uint32_t>(value));
}

void expect_in_document(const std::string& table) {
  std::ifstream file(QFUSE_FORMAT_DOCUMENT);
  const std::string document(std::istreambuf_iterator<char>(file), {});
  EXPECT_NE(document.find(table), std::string::npos) << "docs/FORMAT.md has no table\n" << table;
}

TEST(FormatDocument, has_the_codebooks) {
  std::string table = "| code | NF4 | bits | FP4 | bits |\n|---|---|---|---|---|\n";
  for (std::size_t code = 0; code < kCodes4; ++code)
    table += fmt::format("| {} |{}{}\n", code, cells(kNf4.values[code]), cells(kFp4.values[code]));
  expect_in_document(table);
}

TEST(FormatDocument, has_the_thresholds) {
  std::string table =
      "| rank above | NF4 threshold | bits | FP4 threshold | bits | FP4 code |\n|---|---|---|---|---|---|\n";
  for (std::size_t i = 0; i < kNf4.used_thresholds().size(); ++i) {
    const bool in_fp4 = i < kFp4.used_thresholds().size();
    table += fmt::format(
        "| {} |{}{}\n", i + 1, cells(kNf4.thresholds[i]),
        in_fp4 ? fmt::format("{} {} |", cells(kFp4.thresholds[i]), kFp4.code_of_rank[i + 1]) : std::string(" | | |"));
  }
  expect_in_document(table);
}

TEST(FormatDocument, has_a_block_of_mxfp4) {
  const float most = 0.80078125F;
  const float up = mx_factor(mx_exponent_rounded_up(most));
  const float even = mx_factor(mx_exponent_of_nearest(most));
  std::string table = fmt::format("| v | v * {} | up | v * {} | even |\n|---|---|---|---|---|\n", up, even);
  for (const float v : {most, 0.3125F, -0.05078125F, 0.0F})
    table += fmt::format("| {} | {} | {:x} | {} | {:x} |\n", v, v * up, to_e2m1_up(v * up), v * even,
                         to_e2m1_even(v * even));
  expect_in_document(table);
}

TEST(FormatDocument, has_a_block_of_nvfp4) {
  const float scale = from_e4m3(0x45) / 7264.0F;
  std::string table = "| v | v / A | even |\n|---|---|---|\n";
  for (const float v : {0x1.2p-10F, -0x1.6p-9F})
    table += fmt::format("| {:.9g} | {:.9g} | {:x} |\n", v, v / scale, to_e2m1_even(v / scale));
  expect_in_document(table);
}

}  // namespace
}  // namespace qfuse::format
