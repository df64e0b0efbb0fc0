// Has one vendor's instruction.
__global__ void wait() { asm volatile("membar.gl;" ::: "memory"); }
