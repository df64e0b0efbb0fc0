// The safetensors container: what the format forbids is refused with a message that says why, what it allows is read.
#include <rapidcheck.h>
#include <sys/stat.h>

#include "checkpoint/files/errors.h"
#include "checkpoint/files/safetensors.h"
#include "support.h"

namespace qfuse::checkpoint {
namespace {

struct Rejected {
  const char* name;
  std::string bytes;  // of the file
  const char* message;
};

std::string entry(const std::string& fields) { return R"({"a":{)" + fields + "}}"; }

const std::string kFour(4, 'x');

// Every file that the reference implementation rejects, and duplicate names.
std::vector<Rejected> rejected_files() {
  const auto length_only = [](std::uint64_t n) { return file_bytes("").replace(0, 8, bytes_of<std::uint64_t>({n})); };
  const auto f = [](const std::string& header, const std::string& data = "") { return file_bytes(header, data); };
  const auto tensor = [&](const std::string& fields) { return f(entry(fields), kFour); };
  return {
      {"empty_file", "", "has 0 bytes, a safetensors file at least 8"},
      {"seven_bytes", "1234567", "has 7 bytes, a safetensors file at least 8"},
      {"header_above_the_limit", length_only(100'000'001), "the header claims 100000001 bytes, more than 100000000"},
      {"header_of_2_to_the_64", length_only(~0ULL), "the header claims 18446744073709551615 bytes"},
      {"header_past_the_end", length_only(3) + "{}",
       "is incomplete, or no safetensors file: its header claims 3 bytes, the file has 2"},
      {"header_empty", f(""), "is not valid JSON"},
      {"json_cut", f(R"({"a":)"), "is not valid JSON"},
      {"json_rest", f("{}x"), "is not valid JSON"},
      {"json_zero_padded", f(std::string("{}\0\0", 4)), "byte 2 is zero"},
      {"json_byte_order_mark", f("\xEF\xBB\xBF{}"), "byte order mark"},
      {"json_bad_utf8", f("{\"\xFF\":{}}"), "is not valid JSON"},
      {"json_control_character", f("{\"a\nb\":{}}"), "is not valid JSON"},
      {"top_is_array", f("[]"), "the header is an array, not an object"},
      {"top_is_number", f("1"), "the header is a number, not an object"},
      {"entry_is_null", f(R"({"a":null})"), "tensor 'a': its entry is null, not an object"},
      {"entry_is_array", f(R"({"a":["F32",[1],[0,4]]})"), "tensor 'a': its entry is an array"},
      {"metadata_is_array", f(R"({"__metadata__":[]})"), "its entry is an array, not an object"},
      {"metadata_value_is_number", f(R"({"__metadata__":{"k":1}})"), "a value of __metadata__ is a number"},
      {"metadata_value_is_object", f(R"({"__metadata__":{"k":{}}})"), "a value of __metadata__ is an object"},
      {"metadata_twice", f(R"({"__metadata__":{},"__metadata__":{}})"), "'__metadata__': occurs twice"},
      {"name_twice",
       f(R"({"a":{"dtype":"U8","shape":[0],"data_offsets":[0,0]},)"
         R"("a":{"dtype":"U8","shape":[0],"data_offsets":[0,0]}})"),
       "tensor 'a': occurs twice"},
      {"name_with_a_zero", f(R"({"a\u0000":{"dtype":"U8","shape":[0],"data_offsets":[0,0]}})"),
       "its name holds a zero character"},
      {"no_dtype", tensor(R"("shape":[4],"data_offsets":[0,4])"), "tensor 'a': dtype is missing"},
      {"no_shape", tensor(R"("dtype":"U8","data_offsets":[0,4])"), "tensor 'a': shape is missing"},
      {"no_offsets", tensor(R"("dtype":"U8","shape":[4])"), "tensor 'a': data_offsets is missing"},
      {"dtype_twice", tensor(R"("dtype":"U8","dtype":"U8","shape":[4],"data_offsets":[0,4])"), "dtype occurs twice"},
      {"dtype_unknown", tensor(R"("dtype":"F31","shape":[1],"data_offsets":[0,4])"), "dtype 'F31' is unknown"},
      {"dtype_lower_case", tensor(R"("dtype":"f32","shape":[1],"data_offsets":[0,4])"), "dtype 'f32' is unknown"},
      {"dtype_is_number", tensor(R"("dtype":8,"shape":[4],"data_offsets":[0,4])"), "dtype is a number"},
      {"shape_is_number", tensor(R"("dtype":"U8","shape":4,"data_offsets":[0,4])"), "shape is a number"},
      {"shape_is_object", tensor(R"("dtype":"U8","shape":{},"data_offsets":[0,4])"), "shape is an object"},
      {"shape_negative", tensor(R"("dtype":"U8","shape":[-4],"data_offsets":[0,4])"), "shape is a negative number"},
      {"shape_float", tensor(R"("dtype":"U8","shape":[4.0],"data_offsets":[0,4])"), "shape is no 64-bit integer"},
      {"shape_above_64_bits", tensor(R"("dtype":"U8","shape":[18446744073709551616],"data_offsets":[0,4])"),
       "shape is no 64-bit integer"},
      {"shape_above_63_bits", tensor(R"("dtype":"U8","shape":[9223372036854775808],"data_offsets":[0,4])"),
       "shape is a number above 2^63 - 1"},
      {"shape_of_strings", tensor(R"("dtype":"U8","shape":["4"],"data_offsets":[0,4])"), "shape is a string"},
      {"shape_nested", tensor(R"("dtype":"U8","shape":[[4]],"data_offsets":[0,4])"), "shape is an array"},
      {"offsets_of_one", tensor(R"("dtype":"U8","shape":[4],"data_offsets":[4])"),
       "data_offsets has 1 numbers, needs 2"},
      {"offsets_of_three", tensor(R"("dtype":"U8","shape":[4],"data_offsets":[0,4,4])"), "has 3 numbers, needs 2"},
      {"offsets_backward",
       f(entry(R"("dtype":"U8","shape":[0],"data_offsets":[0,0])")
             .replace(1, 0, R"("b":{"dtype":"U8","shape":[0],"data_offsets":[4,0]},)"),
         kFour),
       "tensor 'b': its bytes begin at 4, the tensors before it end at 0"},
      {"offsets_end_before_begin",
       f(R"({"a":{"dtype":"U8","shape":[4],"data_offsets":[0,4]},)"
         R"("b":{"dtype":"U8","shape":[0],"data_offsets":[4,2]}})",
         kFour),
       "tensor 'b': its bytes end at 2, before they begin at 4"},
      {"does_not_begin_at_0", tensor(R"("dtype":"U8","shape":[3],"data_offsets":[1,4])"),
       "tensor 'a': its bytes begin at 1, the tensors before it end at 0"},
      {"hole",
       f(R"({"a":{"dtype":"U8","shape":[1],"data_offsets":[0,1]},"b":{"dtype":"U8","shape":[2],"data_offsets":[2,4]}})",
         kFour),
       "tensor 'b': its bytes begin at 2, the tensors before it end at 1"},
      {"overlap",
       f(R"({"a":{"dtype":"U8","shape":[3],"data_offsets":[0,3]},"b":{"dtype":"U8","shape":[2],"data_offsets":[2,4]}})",
         kFour),
       "tensor 'b': its bytes begin at 2, the tensors before it end at 3"},
      {"same_range_twice",
       f(R"({"a":{"dtype":"U8","shape":[4],"data_offsets":[0,4]},"b":{"dtype":"U8","shape":[4],"data_offsets":[0,4]}})",
         kFour),
       "begin at 0, the tensors before it end at 4"},
      {"size_overflows", tensor(R"("dtype":"U8","shape":[4294967296,4294967296],"data_offsets":[0,4])"),
       "the size of shape [4294967296, 4294967296] overflows"},
      {"bits_overflow", tensor(R"("dtype":"F64","shape":[1152921504606846976],"data_offsets":[0,4])"), "overflows"},
      {"half_a_byte", tensor(R"("dtype":"F4","shape":[7],"data_offsets":[0,4])"), "7 elements of F4 fill 28 bits"},
      {"range_too_long", tensor(R"("dtype":"U8","shape":[3],"data_offsets":[0,4])"),
       "its byte range has 4 bytes, U8 of shape [3] needs 3"},
      {"range_too_short", tensor(R"("dtype":"F32","shape":[2],"data_offsets":[0,4])"),
       "its byte range has 4 bytes, F32 of shape [2] needs 8"},
      {"bytes_after_the_data", f("{}", "x"), "the tensors fill 0 bytes, the file has 1 after its header"},
      {"range_past_the_end", f(entry(R"("dtype":"U8","shape":[5],"data_offsets":[0,5])"), kFour),
       "is incomplete: its tensors fill 5 bytes, and 4 of them are there: download or copy it again"},
  };
}

TEST(Safetensors, refuses_what_the_format_forbids) {
  const TemporaryDirectory directory;
  for (const Rejected& file : rejected_files()) {
    SCOPED_TRACE(file.name);
    write_file(directory / "x.safetensors", file.bytes);
    const std::string error = error_of(Status::invalid_data, [&] { SafetensorsFile(directory / "x.safetensors"); });
    EXPECT_TRUE(holds(error, file.message));
    EXPECT_TRUE(error.starts_with((directory / "x.safetensors").native())) << error;
  }
}

struct Accepted {
  const char* name;
  std::string bytes;
  std::size_t tensors;
};

TEST(Safetensors, reads_what_the_format_allows) {
  const std::vector<Accepted> files{
      {"no_tensors", file_bytes("{}"), 0},
      {"space_around", file_bytes(" \n\t{} \r\n"), 0},
      {"metadata_null", file_bytes(R"({"__metadata__":null})"), 0},
      {"metadata", file_bytes(R"({"__metadata__":{"format":"pt","a":""}})"), 0},
      {"scalar", file_bytes(entry(R"("dtype":"F32","shape":[],"data_offsets":[0,4])"), kFour), 1},
      {"zero_size", file_bytes(entry(R"("dtype":"F32","shape":[0,5],"data_offsets":[0,0])")), 1},
      {"zero_size_between",
       file_bytes(R"({"a":{"dtype":"U8","shape":[2],"data_offsets":[0,2]},)"
                  R"("z":{"dtype":"U8","shape":[0],"data_offsets":[2,2]},)"
                  R"("b":{"dtype":"U8","shape":[2],"data_offsets":[2,4]}})",
                  kFour),
       3},
      {"unaligned",
       file_bytes(R"({"a":{"dtype":"U8","shape":[1],"data_offsets":[0,1]},)"
                  R"("b":{"dtype":"F16","shape":[1],"data_offsets":[1,3]}})",
                  "xyz"),
       2},
      {"unknown_fields",
       file_bytes(entry(R"("x":{"y":[1,{"z":null}],"shape":"no"},"dtype":"U8","w":-1.5,"shape":[4],)"
                        R"("data_offsets":[0,4],"v":[[]])"),
                  kFour),
       1},
      {"escaped_name", file_bytes(R"({"\u00e9\n":{"dtype":"U8","shape":[4],"data_offsets":[0,4]}})", kFour), 1},
      {"four_bits", file_bytes(entry(R"("dtype":"F4","shape":[8],"data_offsets":[0,4])"), kFour), 1},
      {"six_bits", file_bytes(entry(R"("dtype":"F6_E2M3","shape":[4],"data_offsets":[0,3])"), "xyz"), 1},
  };
  const TemporaryDirectory directory;
  for (const Accepted& file : files) {
    SCOPED_TRACE(file.name);
    write_file(directory / "x.safetensors", file.bytes);
    EXPECT_EQ(SafetensorsFile(directory / "x.safetensors").entries().size(), file.tensors);
  }
}

TEST(Safetensors, any_truncation_is_an_error) {
  const TemporaryDirectory directory;
  const std::string whole = safetensors(small_nested_nf4("a.weight"));
  for (std::size_t length = 0; length < whole.size(); ++length) {
    write_file(directory / "x.safetensors", whole.substr(0, length));
    EXPECT_NE(error_of(Status::invalid_data, [&] { SafetensorsFile(directory / "x.safetensors"); }), "") << length;
  }
  write_file(directory / "x.safetensors", whole);
  EXPECT_EQ(SafetensorsFile(directory / "x.safetensors").entries().size(), 6U);
}

TEST(Safetensors, a_file_that_shrinks_while_open_is_an_error) {
  const TemporaryDirectory directory;
  write_file(directory / "x.safetensors", safetensors({{"a", u8(std::vector<std::uint8_t>(100))}}));
  const SafetensorsFile file(directory / "x.safetensors");
  fs::resize_file(directory / "x.safetensors", 100);
  std::vector<std::byte> bytes(100);
  EXPECT_REFUSED(Status::io_error, "ends at byte 100", file.read(file.entries()[0], 0, bytes));
}

TEST(Safetensors, what_is_not_a_regular_file_is_refused_without_waiting) {
  const TemporaryDirectory directory;
  ASSERT_EQ(::mkfifo((directory / "x.safetensors").c_str(), 0600), 0);
  EXPECT_REFUSED(Status::io_error, "regular file", SafetensorsFile(directory / "x.safetensors"));
  EXPECT_REFUSED(Status::io_error, "regular file", SafetensorsFile(directory.path()));
  EXPECT_REFUSED(Status::io_error, "cannot open", SafetensorsFile(directory / "none"));
}

TEST(Safetensors, a_file_larger_than_arithmetic_on_sizes_is_refused) {
  const TemporaryDirectory directory;
  write_file(directory / "x.safetensors", "");
  std::error_code unsupported_here;
  fs::resize_file(directory / "x.safetensors", (std::uintmax_t{1} << 48) + 1, unsupported_here);
  if (unsupported_here) GTEST_SKIP() << "this file system has no such files";
  EXPECT_REFUSED(Status::unsupported, "more than", SafetensorsFile(directory / "x.safetensors"));
}

TEST(Safetensors, long_and_hostile_names_leave_messages_one_short_line) {
  const std::string name(1'000'000, 'n');
  const std::string error = error_of(Status::invalid_data, [&] {
    parse_header(R"({")" + name + R"(\n\u001b[2J":{"dtype":"?","shape":[],"data_offsets":[0,0]}})", 0, "f");
  });
  EXPECT_LT(error.size(), 500U);
  std::string shape = "18";
  for (int i = 0; i < 100'000; ++i) shape += ",18";
  const std::string ranks = error_of(Status::invalid_data, [&] {
    parse_header(entry(R"("dtype":"U8","data_offsets":[0,0],"shape":[)" + shape + "]"), 0, "f");
  });
  EXPECT_TRUE(holds(ranks, "the size of shape [18, 18, "));
  EXPECT_LT(ranks.size(), 500U);
  const std::string escaped = error_of(Status::invalid_data, [&] { parse_header("{\"a\\n\\u001b[2J\":1}", 0, "f"); });
  EXPECT_TRUE(holds(escaped, "tensor 'a\\x0a\\x1b[2J'"));
  const std::string broken = error_of(Status::invalid_data, [&] { parse_header("{\"ä\xED\xA0\x80\":1}", 0, "f"); });
  EXPECT_TRUE(holds(broken, "ä\\xed"));
}

TEST(Safetensors, messages_are_utf8_without_control_characters) {
  EXPECT_EQ(printable("a~ä€\U0001F999\uFFFF\U0010FFFF"), "a~ä€\U0001F999\uFFFF\U0010FFFF");
  EXPECT_EQ(printable("\x7F\t\u009B"), "\\x7f\\x09\\xc2\\x9b");
  EXPECT_EQ(printable("\x80\xC0\x80\xE0\x9F\xBF"), "\\x80\\xc0\\x80\\xe0\\x9f\\xbf");  // overlong
  EXPECT_EQ(printable("\xED\xA0\x80\xF4\x90\x80\x80"), "\\xed\\xa0\\x80\\xf4\\x90\\x80\\x80");
  EXPECT_EQ(printable("\xE2\x82"), "\\xe2\\x82");  // a truncated sequence
  EXPECT_EQ(printable(std::string(299, 'n') + "ä"), std::string(299, 'n') + "...");
  EXPECT_EQ(printable(std::string(298, 'n') + "ä"), std::string(298, 'n') + "ä");
  EXPECT_EQ(printable(std::string(1000, '\n')).size(), 303U);
}

TEST(Safetensors, unknown_fields_nest_as_deep_as_the_reference_reads_and_cost_no_stack) {
  const auto header = [](std::size_t depth) {  // depth of the field; the document and the entry add two levels
    return entry(R"("x":)" + std::string(depth, '[') + std::string(depth, ']') +
                 R"(,"dtype":"U8","shape":[0],"data_offsets":[0,0])");
  };
  EXPECT_EQ(parse_header(header(125), 0, "f").size(), 1U);
  for (const std::size_t depth : {126, 1'000'000}) {
    const std::string error = error_of(Status::invalid_data, [&] { parse_header(header(depth), 0, "f"); });
    EXPECT_TRUE(holds(error, "tensor 'a': field 'x' is nested more than 127 deep"));
  }
}

// Orders and places `entries`, and returns their header.
std::string write_header(std::vector<TensorEntry>& entries) {
  order_entries(entries);
  place_entries(entries);
  return print_header(entries);
}

TEST(Safetensors, writes_later_types_first_then_by_name) {
  std::vector<TensorEntry> entries{{"b", TensorType::u8, {3}, 0, 3},
                                   {"z", TensorType::bf16, {2}, 0, 4},
                                   {"a\"", TensorType::u8, {1}, 0, 1},
                                   {"y", TensorType::f32, {}, 0, 4}};
  const std::string bytes = write_header(entries);
  EXPECT_EQ(bytes.size() % 8, 0U);
  const std::string header = bytes.substr(8);
  EXPECT_EQ(header.substr(0, header.find_last_not_of(' ') + 1),
            R"({"__metadata__":{"format":"pt"},)"
            R"("y":{"dtype":"F32","shape":[],"data_offsets":[0,4]},)"
            R"("z":{"dtype":"BF16","shape":[2],"data_offsets":[4,8]},)"
            R"("a\"":{"dtype":"U8","shape":[1],"data_offsets":[8,9]},)"
            R"("b":{"dtype":"U8","shape":[3],"data_offsets":[9,12]}})");
}

TEST(Safetensors, reads_what_it_writes) {
  const bool ok = rc::check("parse_header(write_header(entries)) == entries", [] {
    const auto names = *rc::gen::unique<Names>(rc::gen::nonEmpty(rc::gen::string<std::string>()));
    std::vector<TensorEntry> entries;
    for (std::string name : names) {
      for (char& c : name) c = static_cast<char>(std::max(c & 0x7F, 1));  // ASCII, no zero
      const auto shape = *rc::gen::container<std::vector<std::int64_t>>(rc::gen::inRange<std::int64_t>(0, 5));
      const auto type = static_cast<TensorType>(*rc::gen::inRange(4, 22));  // only types of whole bytes
      const std::int64_t bytes = element_count(shape).value() * type_bits(type) / 8;
      const bool is_new = std::none_of(entries.begin(), entries.end(), [&](const auto& e) { return e.name == name; });
      if (is_new && name != "__metadata__") entries.push_back({name, type, shape, 0, bytes});
    }
    const std::string bytes = write_header(entries);
    const auto parsed = parse_header(bytes.substr(8), entries.empty() ? 0 : entries.back().end, "f");
    RC_ASSERT(parsed.size() == entries.size());
    for (const TensorEntry& written : entries) {
      const auto read =
          std::find_if(parsed.begin(), parsed.end(), [&](const auto& e) { return e.name == written.name; });
      RC_ASSERT(read != parsed.end());
      RC_ASSERT(read->type == written.type && read->shape == written.shape);
      RC_ASSERT(read->begin == written.begin && read->end == written.end);
    }
  });
  EXPECT_TRUE(ok);
}

}  // namespace
}  // namespace qfuse::checkpoint
