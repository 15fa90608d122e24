"""Post-training quantisation to int8 with the operators that torch itself has, since torchao need not be installed."""

import torch
import torch.ao.quantization.fx._decomposed
from torch import nn

ops = torch.ops.quantized_decomposed


class Mlp(nn.Module):
    def __init__(self, width, hidden):
        super().__init__()
        self.up, self.down = nn.Linear(width, hidden), nn.Linear(hidden, width)

    def forward(self, x):
        return self.down(self.up(x).relu())


class Int8Linear(nn.Module):
    """A linear layer with int8 weights, per output channel, and uint8 activations, as torchao's x86 quantizer asks."""

    def __init__(self, linear, scale=0.05, zero_point=128):
        super().__init__()
        scales = linear.weight.detach().abs().amax(1) / 127
        zeros = torch.zeros_like(scales, dtype=torch.int64)
        weight = ops.quantize_per_channel(linear.weight.detach(), scales, zeros, 0, -127, 127, torch.int8)
        for name, value in {"weight": weight, "scales": scales, "zeros": zeros, "bias": linear.bias.detach()}.items():
            self.register_buffer(name, value)
        self.scale, self.zero_point = scale, zero_point

    def forward(self, x):
        x = ops.quantize_per_tensor(x, self.scale, self.zero_point, 0, 255, torch.uint8)
        x = ops.dequantize_per_tensor(x, self.scale, self.zero_point, 0, 255, torch.uint8)
        weight = ops.dequantize_per_channel(self.weight, self.scales, self.zeros, 0, -127, 127, torch.int8)
        return nn.functional.linear(x, weight, self.bias)


def quantised(model):
    """The model with its linear layers in int8."""
    for name, part in list(model.named_children()):
        if isinstance(part, nn.Linear):
            setattr(model, name, Int8Linear(part))
    return model.eval()
