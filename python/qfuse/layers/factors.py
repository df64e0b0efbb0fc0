"""A and B of an adapter over a tensor-parallel layer: DTensor parameters, of which the local part is used."""

from typing import Any

from torch import Tensor, nn


class Factor(nn.Linear):
    """lora_A or lora_B of a tensor-parallel layer: an nn.Linear whose class was changed in place.

    Its weight is a DTensor, so that gradient norms, checkpoints and FSDP know what each rank has. If it is replicated,
    each rank uses it for a part of the result, so its gradient is the sum over ranks.
    """

    def used(self) -> Tensor:
        from torch.distributed.tensor import DTensor, Replicate

        from .collectives import copied

        weight: Any = self.weight
        if not isinstance(weight, DTensor):
            raise TypeError("a factor of a tensor-parallel adapter was replaced by a plain tensor: cut the layer anew")
        local = weight.to_local()
        is_alike = all(isinstance(placement, Replicate) for placement in weight.placements)
        return copied(local, weight.device_mesh.get_group()) if is_alike else local

    def forward(self, x: Tensor) -> Tensor:
        return nn.functional.linear(x, self.used())


def factor_of(linear: nn.Module) -> Tensor:
    """Returns the weight that a bare linear layer multiplies by."""
    if isinstance(linear, Factor):
        return linear.used()
    parameters: dict[str, Any] = linear._parameters
    weight: Tensor = parameters["weight"]
    return weight


def bias_of(layer: nn.Module) -> Any:
    """Returns the bias that this rank adds. If the weight's columns are cut, only the first rank adds it."""
    bias: Any = layer.bias
    if getattr(bias, "to_local", None) is None:
        return bias
    from .collectives import copied

    local, mesh = bias.to_local(), bias.device_mesh
    if not bias.placements[0].is_replicate():
        return local
    if bias.requires_grad:  # must be in every rank's graph, because each rank needs the sum of its gradients
        local = copied(local, mesh.get_group())
        return local if mesh.get_local_rank() == 0 else local * 0
    return local if mesh.get_local_rank() == 0 else None


def local_of(parameter: Any) -> Any:
    """Returns this rank's part of a parameter."""
    to_local = getattr(parameter, "to_local", None)
    return parameter if to_local is None else to_local()
