// qfuse-bench [nf4|swiglu|ladder|swiglu-ladder] [flags]: times qfuse's kernels beside the memory roof of the same
// bytes.
#include <qfuse/qfuse.h>

#include <cstdio>
#include <exception>

#include "cpu.h"
#include "gpu/run.h"
#include "options.h"

namespace {

constexpr const char* kHelp =
    "qfuse-bench [nf4|swiglu|ladder|swiglu-ladder] [FLAGS]: times qfuse's kernels beside the memory roof of the same "
    "bytes\n"
    "\n"
    "  nf4      NF4 decode and encode, block 64, nested in blocks of 256\n"
    "  swiglu   the SwiGLU backward with two INT8 layouts: 12 published shapes on a GPU, 3 of them on a CPU\n"
    "  ladder   the designs that were published for NF4 decode on GPUs, from three launches to qfuse's kernel\n"
    "  swiglu-ladder   likewise those that the SwiGLU backward's kernel was chosen from\n"
    "\n"
    "  --device auto|cpu|cuda[:N]   where to run; auto: the first GPU if there is one, else the CPU\n"
    "  --json FILE                  every figure, for machines\n"
    "  --commit HASH                of qfuse: kept with the figures\n"
    "  --peer PATH                  GPU: bitsandbytes' own shared object, libbitsandbytes_cuda*.so, to be timed in "
    "turn\n"
    "                               with qfuse and to agree with it to the bit; find libcudart and libcublas for it\n"
    "                               with LD_LIBRARY_PATH\n"
    "\n"
    "Every result is compared with the scalar oracle before it is timed; a difference is a failure, exit status 1.\n"
    "\n"
    "On a GPU the roof is a kernel that reads and writes the same bytes with no arithmetic, in the best of several\n"
    "shapes. Candidates run in turn, each as a CUDA graph that goes round enough buffers that the L2 cache holds "
    "none;\n"
    "'in L2': one buffer over and over. Columns: median, p10 to p90, bytes moved a second, share of the roof's speed\n"
    "in the same run, and how many times faster than the peer.\n"
    "\n"
    "On the CPU: every SIMD target, one thread and all; kernel and roof (plain and streaming stores) in turn, 15 "
    "times.\n"
    "nf4 is 4096 x 14336; for encode, 'input' counts the bytes of the weights alone. For swiglu the oracle is timed, "
    "too.\n"
    "Other flags are Google Benchmark's, such as\n"
    "  --benchmark_filter=decode/bf16   only the rows whose name matches\n";

int run_gpu(const qfuse::bench::Options& options, int device) {
  if (!options.others.empty())
    throw qfuse::bench::UsageError("'" + options.others.front() + "' is no flag for a GPU (for the CPU: --device cpu)");
  if (options.what == "ladder") return qfuse::bench::run_gpu_ladder(options, device);
  if (options.what == "swiglu") return qfuse::bench::run_gpu_swiglu(options, device);
  if (options.what == "swiglu-ladder") return qfuse::bench::run_gpu_swiglu_ladder(options, device);
  return qfuse::bench::run_gpu_nf4(options, device);
}

int run(const qfuse::bench::Options& options) {
  if (options.help) {
    std::fputs(kHelp, stdout);
    return 0;
  }
  if (options.device ? options.device->type == QFUSE_CUDA : qfuse_device_count(QFUSE_CUDA) > 0)
    return run_gpu(options, options.device ? options.device->index : 0);
  if (options.what.ends_with("ladder"))
    throw qfuse::bench::UsageError(options.what + " is for GPUs, and there is none here");
  return qfuse::bench::run_cpu(options);
}

}  // namespace

int main(int argc, char** argv) {
  try {
    return run(qfuse::bench::parse_options(argc, argv));
  } catch (const qfuse::bench::UsageError& error) {
    std::fprintf(stderr, "qfuse-bench: %s\n", error.what());
    return 2;
  } catch (const std::exception& error) {
    std::fprintf(stderr, "qfuse-bench: %s\n", error.what());
    return 1;
  }
}
