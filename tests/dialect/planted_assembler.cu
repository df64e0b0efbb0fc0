// Uses an instruction of one vendor.
__global__ void wait() { asm volatile("membar.gl;" ::: "memory"); }
