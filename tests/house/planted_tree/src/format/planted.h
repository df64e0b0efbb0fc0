// Two includes that tools/checks/includes must refuse: an arrow that points down, and a library in the wrong place.
#include <fmt/format.h>

#include "ops/registry.h"
