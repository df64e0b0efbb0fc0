// Two ranges of one parallel_for write the same variable. ThreadSanitizer must detect the race.
#include <barrier>
#include <cstdint>

#include "backend/cpu/parallel_for.h"

int main() {
  std::int64_t sum = 0;
  std::barrier both_are_here(2);  // else one thread could end before the other starts, without a race
  qfuse::cpu::parallel_for(2, 1, 2, [&](std::int64_t begin, std::int64_t end) {
    both_are_here.arrive_and_wait();
    sum += end - begin;
  });
  return sum == 2 ? 0 : 1;
}
