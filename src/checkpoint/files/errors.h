// Errors of this folder: a qfuse::Error with one line that names file, tensor and the checked values. Messages name
// options in backquotes, as C++ and Python spell them; the command replaces them by its own option names.
#ifndef QFUSE_CHECKPOINT_FILES_ERRORS_H
#define QFUSE_CHECKPOINT_FILES_ERRORS_H

#include <fmt/format.h>
#include <qfuse/qfuse.hpp>

#include <cstdint>
#include <filesystem>
#include <new>
#include <span>
#include <string>
#include <string_view>
#include <system_error>
#include <utility>

namespace qfuse::checkpoint {

// Makes text from a file fit for a one-line UTF-8 message: control characters and bytes that are not UTF-8 become \xNN,
// and long text is cut off.
std::string printable(std::string_view text);
inline std::string shown(const std::filesystem::path& path) { return printable(path.native()); }
// Formats a shape as "[2, 3]", also cut off, because a file can declare millions of dimensions.
std::string printable(std::span<const std::int64_t> shape);

// Formats bytes like "4.97 GB": three digits, powers of 1000.
std::string human_size(std::int64_t bytes);

template <class... Args>
[[noreturn]] void fail(Status status, fmt::format_string<Args...> format, Args&&... args) {
  throw Error(status, fmt::format(format, std::forward<Args>(args)...));
}

// Fails with io_error and the reason from errno: "<path>: cannot <verb>: <reason>".
[[noreturn]] void fail_errno(std::string_view path, std::string_view verb);

// Calls `work` and converts exceptions of the standard library to qfuse::Error, as the public interface promises.
template <class Work>
auto with_qfuse_errors(Work work) {
  try {
    return work();
  } catch (const std::filesystem::filesystem_error& error) {
    fail(Status::io_error, "{}: {}", printable(error.path1().native()), error.code().message());
  } catch (const std::system_error& error) {  // such as a thread that could not be started
    fail(Status::io_error, "{}", error.what());
  } catch (const std::bad_alloc&) {
    throw Error(Status::out_of_memory, "out of memory");
  }
}

}  // namespace qfuse::checkpoint

#endif  // QFUSE_CHECKPOINT_FILES_ERRORS_H
