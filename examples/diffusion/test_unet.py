import torch
from compile_tests import TorchCompileTesterMixin
from unet import Denoiser


class TestDenoiserCompile(TorchCompileTesterMixin):
    different_shapes_for_compilation = ((16, 24), (32, 40), (64, 64))

    def get_model(self):
        return Denoiser()

    def get_dummy_input(self, height=16, width=16):
        return torch.randn(2, 4, height, width), torch.rand(2) * 1000

    def get_repeated_block_input(self):
        return torch.randn(2, 64, 16, 16), torch.randn(2, 128)
