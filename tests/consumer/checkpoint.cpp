// Uses both libraries and all three public headers, and catches an exception that a library threw.
#include <qfuse/qfuse.h>

#include <cstdio>
#include <cstring>
#include <qfuse/checkpoint.hpp>
#include <qfuse/qfuse.hpp>

int main() {
  try {
    qfuse::checkpoint::inspect("no such checkpoint");
  } catch (const qfuse::Error& error) {
    std::printf("qfuse %s: %s\n", qfuse_version(), error.what());
    const bool named = std::strstr(error.what(), "no such checkpoint") != nullptr;
    return error.status() == qfuse::Status::io_error && named ? 0 : 1;
  }
  return 1;
}
