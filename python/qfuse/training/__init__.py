"""Parts of a training step besides its products: the head's loss, CUDA graphs of a step, and offload of checkpoints."""
