// A fake libcuda.so.1 of CUDA 12.4. The runtime asks only for its version.
int cuInit(unsigned flags);
int cuDriverGetVersion(int* version);

int cuInit(unsigned flags) { return flags == 0 ? 0 : 1; }

int cuDriverGetVersion(int* version) {
  *version = 12040;
  return 0;
}
