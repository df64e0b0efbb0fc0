#include "terminal.h"

#include <sys/ioctl.h>

#include <algorithm>
#include <charconv>
#include <cstdlib>
#include <string_view>

namespace qfuse::cli {

std::optional<int> columns_of(int file_descriptor) {
  std::optional<int> columns;
  winsize size{};
  if (::ioctl(file_descriptor, TIOCGWINSZ, &size) == 0 && size.ws_col > 0) columns = size.ws_col;
  const char* const variable = std::getenv("COLUMNS");
  const std::string_view text = variable == nullptr ? "" : variable;
  int asked = 0;
  if (std::from_chars(text.data(), text.data() + text.size(), asked).ec == std::errc() && asked > 0)
    columns = std::min(columns.value_or(asked), asked);
  return columns;
}

}  // namespace qfuse::cli
