// Compiles only with the flags of sm_90a, because sm_90 lacks Hopper's matrix instructions. Shows that qfuse_kernels()
// passes an architecture's own flags.
namespace qfuse::cuda {

__global__ void fence_matrices() { asm volatile("wgmma.fence.sync.aligned;" ::: "memory"); }

}  // namespace qfuse::cuda
