// How wide the text for people may be.
#ifndef QFUSE_CLI_TERMINAL_H
#define QFUSE_CLI_TERMINAL_H

#include <optional>

namespace qfuse::cli {

// Of what the terminal behind a file descriptor says and what $COLUMNS says, the smaller; none where neither does.
std::optional<int> columns_of(int file_descriptor);

}  // namespace qfuse::cli

#endif  // QFUSE_CLI_TERMINAL_H
