#include "checkpoint/files/name_pattern.h"

#define PCRE2_CODE_UNIT_WIDTH 8
#include <pcre2.h>

#include <array>
#include <cstdint>
#include <new>
#include <utility>

#include "checkpoint/files/errors.h"

namespace qfuse::checkpoint {
namespace {

constexpr std::size_t kLongestExpression = 10'000;  // bytes of an expression; real ones have fewer than 1000
constexpr std::uint32_t kMostSteps = 50'000;        // of a match, a few milliseconds; real ones take fewer than 1000
constexpr std::uint32_t kMostMemory = 1024;         // KiB for backtracking

constexpr std::uint32_t kAsPython =
    PCRE2_UTF | PCRE2_MATCH_INVALID_UTF | PCRE2_UCP | PCRE2_ALT_BSUX | PCRE2_NEVER_BACKSLASH_C;

template <class T, void (*release)(T*)>
struct Release {
  void operator()(T* object) const { release(object); }
};
template <class T, void (*release)(T*)>
using Owned = std::unique_ptr<T, Release<T, release>>;

template <class T>
T* made(T* object) {
  if (object == nullptr) throw std::bad_alloc();
  return object;
}

PCRE2_SPTR units(const std::string& text) { return reinterpret_cast<PCRE2_SPTR>(text.data()); }

std::string reason(int error) {
  std::array<PCRE2_UCHAR, 256> text{};
  pcre2_get_error_message(error, text.data(), text.size());
  return reinterpret_cast<const char*>(text.data());
}

}  // namespace

NamePattern::NamePattern(const std::string& expression, std::string what) : what_(std::move(what)) {
  const auto refuse = [&](const std::string& why) {
    fail(Status::unsupported, "{} is no regular expression that is understood here: {}", what_, why);
  };
  if (expression.find("{,") != expression.npos) refuse("write {0,n} for {,n}");  // PCRE2 would match it literally
  const Owned<pcre2_compile_context, pcre2_compile_context_free> context(made(pcre2_compile_context_create(nullptr)));
  pcre2_set_newline(context.get(), PCRE2_NEWLINE_LF);
  pcre2_set_max_pattern_length(context.get(), kLongestExpression);
  int error = 0;
  PCRE2_SIZE at = 0;
  code_.reset(pcre2_compile(units(expression), expression.size(), kAsPython, &error, &at, context.get()),
              pcre2_code_free);
  if (code_ == nullptr) refuse(reason(error));
}

bool NamePattern::fits(const std::string& name, bool at_beginning) const {
  const Owned<pcre2_match_context, pcre2_match_context_free> context(made(pcre2_match_context_create(nullptr)));
  pcre2_set_match_limit(context.get(), kMostSteps);
  pcre2_set_heap_limit(context.get(), kMostMemory);
  const Owned<pcre2_match_data, pcre2_match_data_free> found(made(pcre2_match_data_create(1, nullptr)));
  const int result = pcre2_match(code_.get(), units(name), name.size(), 0, at_beginning ? PCRE2_ANCHORED : 0,
                                 found.get(), context.get());
  if (result < 0 && result != PCRE2_ERROR_NOMATCH)
    fail(Status::unsupported, "{} cannot be matched with '{}': {}", what_, printable(name), reason(result));
  return result >= 0;
}

bool NamePattern::fits_beginning_of(const std::string& name) const { return fits(name, true); }

bool NamePattern::fits_within(const std::string& name) const { return fits(name, false); }

}  // namespace qfuse::checkpoint
