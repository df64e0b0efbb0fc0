template <bool kAligned>
__device__ void load(int* to) {
  if constexpr (kAligned)
#pragma unroll
    for (int i = 0; i < 4; ++i) to[i] = i;
}
// Loads four words. Of these the last is wrong.
template <class Way>
void choose(LaunchShape& shape) {
  shape = {.blocks = 4, .threads = Way::kThreads, .rows = 2};
}
