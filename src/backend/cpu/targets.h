// The SIMD targets that Highway compiled and this machine can run, by name, and the choice of one for a call.
#ifndef QFUSE_BACKEND_CPU_TARGETS_H
#define QFUSE_BACKEND_CPU_TARGETS_H

#include <qfuse/qfuse.h>

#include <cstddef>
#include <string>

#include "contract/outcome.h"

namespace qfuse::cpu {

// Name of the index-th target, best first, ending with "scalar"; null past the last.
const char* target_name(int index);

// Finds the row of Highway's dispatch tables for a target. A null name stands for the environment variable
// QFUSE_CPU_TARGET or, if that is not set, for the best target. UNSUPPORTED: no such target.
contract::Outcome choose_target(const char* name, std::size_t& dispatch_row);

// Name of the target that the code in this row was compiled for, as that code itself reports it.
std::string compiled_target(std::size_t dispatch_row);

}  // namespace qfuse::cpu

#endif  // QFUSE_BACKEND_CPU_TARGETS_H
