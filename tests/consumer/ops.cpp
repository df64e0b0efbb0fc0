// Uses only libqfuse, through its C++ header.
#include <cstdio>
#include <cstring>
#include <qfuse/qfuse.hpp>

int main() {
  try {
    qfuse::parse_device("no such device");
  } catch (const qfuse::Error& error) {
    std::printf("%s\n", error.what());
    const bool named = std::strstr(error.what(), "no such device") != nullptr;
    return error.status() == qfuse::Status::invalid_argument && named ? 0 : 1;
  }
  return 1;
}
