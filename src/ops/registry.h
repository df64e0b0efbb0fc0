// Which backend has which op, and the single path on which every op runs: check, choose, launch.
#ifndef QFUSE_OPS_REGISTRY_H
#define QFUSE_OPS_REGISTRY_H

#include <span>
#include <string>
#include <tuple>

#include "contract/device_types.h"
#include "contract/float_mode.h"
#include "contract/ops.h"
#include "contract/outcome.h"

namespace qfuse::ops {

template <class Op>
using Launch = contract::Outcome (*)(const Op&, const qfuse_exec&);

template <class List>
struct KernelsOf;
template <class... Ops>
struct KernelsOf<contract::OpList<Ops...>> {
  using Type = std::tuple<Launch<Ops>...>;
};

// A kernel entry for an oracle. It runs on one host thread and cannot fail if check_values() accepts the values.
template <class Op, void (*kOracle)(const Op&)>
contract::Outcome oracle(const Op& p, const qfuse_exec& /*exec*/) {
  if (contract::Outcome o = check_values(p); !o.ok()) return o;
  const contract::DefaultFloatMode mode;
  kOracle(p);
  return {};
}

// A backend's kernels, in the order of the op list. Null: the backend does not have the op in this build.
template <class List>
struct Backend {
  qfuse_device_type type;
  typename KernelsOf<List>::Type kernels;
};

template <class List>
using Backends = std::span<const Backend<List>>;

template <class Op, class List>
Launch<Op> find_kernel(Backends<List> backends, qfuse_device_type type) {
  for (const Backend<List>& backend : backends)
    if (backend.type == type) return std::get<Launch<Op>>(backend.kernels);
  return nullptr;
}

// Returns UNSUPPORTED, with a message that lists the devices that have the op.
template <class Op, class List>
contract::Outcome no_kernel(Backends<List> backends, qfuse_device_type type) {
  const auto name_of = [](qfuse_device_type of) { return std::string(contract::find_device_type(of)->name); };
  std::string have;
  for (const Backend<List>& backend : backends)
    if (std::get<Launch<Op>>(backend.kernels) != nullptr) have += (have.empty() ? "" : ", ") + name_of(backend.type);
  return contract::unsupported(std::string(Op::kName) + ": this build of qfuse has no kernel for " + name_of(type) +
                               (have.empty() ? "" : ", only for " + have));
}

// Runs a call whose structs have been copied: checks it, chooses the backend for its device, and launches.
template <class List, class Op>
contract::Outcome run_on(Backends<List> backends, const Op& p, const qfuse_exec& exec) {
  using contract::Outcome;
  if (Outcome o = contract::check(p); !o.ok()) return o;
  if (Outcome o = contract::check(exec); !o.ok()) return o;
  if (Outcome o = check_device(p, exec.device); !o.ok()) return o;
  const Launch<Op> launch = find_kernel<Op>(backends, exec.device.type);
  if (launch == nullptr) return no_kernel<Op>(backends, exec.device.type);
  if (is_empty(p)) return {};
  Outcome outcome = launch(p, exec);
  if (!outcome.ok()) outcome.message.insert(0, std::string(Op::kName).append(": "));
  return outcome;
}

using Row = Backend<contract::AllOps>;

// The backends of this build: reference, cpu, and the GPU backends that it was built with.
Backends<contract::AllOps> backends();

// For tests, before any op runs: `row` replaces the backend of its type.
void replace_backend(const Row& row);

}  // namespace qfuse::ops

#endif  // QFUSE_OPS_REGISTRY_H
