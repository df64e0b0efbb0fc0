// What a checkpoint holds and where, for python/qfuse/checkpoint.py. It takes a path and gives text, so it is no op of
// torch's but a plain function for ctypes.
#include <qfuse/checkpoint.hpp>

#include <exception>

// Calls `take` once: with the inventory of the checkpoint at `path` as JSON, or, where the status is not OK, with a
// message. The text lives as long as that call.
extern "C" QFUSE_API qfuse_status qfuse_python_inspect(const char* path, void (*take)(const char* text)) {
  try {
    take(qfuse::checkpoint::to_json(qfuse::checkpoint::inspect(path)).c_str());
    return QFUSE_OK;
  } catch (const qfuse::Error& error) {
    take(error.what());
    return static_cast<qfuse_status>(error.status());
  } catch (const std::exception& error) {  // no memory for the path
    take(error.what());
    return QFUSE_OUT_OF_MEMORY;
  }
}
