"""What a training step of a whole model takes beside its products: the loss of a head, and the step as a CUDA graph."""
