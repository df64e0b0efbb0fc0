// tools/checks/includes must refuse two includes: one against the layers' order, and a library in the wrong place.
#include <fmt/format.h>

#include "ops/registry.h"
