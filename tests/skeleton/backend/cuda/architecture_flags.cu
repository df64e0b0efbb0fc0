// Compiles only with the flags of sm_90a: the matrix instructions of Hopper are not in sm_90's own set. Shows that
// qfuse_kernels() gives an architecture's kernels their flags.
namespace qfuse::cuda {

__global__ void fence_matrices() { asm volatile("wgmma.fence.sync.aligned;" ::: "memory"); }

}  // namespace qfuse::cuda
