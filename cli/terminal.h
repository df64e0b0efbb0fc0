// The width of the terminal.
#ifndef QFUSE_CLI_TERMINAL_H
#define QFUSE_CLI_TERMINAL_H

#include <optional>

namespace qfuse::cli {

// Returns the smaller of the terminal's width and $COLUMNS, or whichever is known; nullopt if neither is.
std::optional<int> columns_of(int file_descriptor);

}  // namespace qfuse::cli

#endif  // QFUSE_CLI_TERMINAL_H
