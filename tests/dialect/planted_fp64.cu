// Uses fp64 on a platform without fp64.
__global__ void add(double* sum, const float* x) { *sum += *x; }
