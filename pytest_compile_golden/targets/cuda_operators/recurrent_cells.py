"""The cells of recurrent networks, which a GPU fuses, computed on the CPU.

Gates of a cell are (batch, gates * size) and biases (gates * size); the state is (batch, size)
(aten/src/ATen/native/cuda/RNN.cu).
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import torch
from torch import Tensor


def _with_bias(gates: Tensor, bias: Tensor | None) -> Tensor:
    return gates if bias is None else gates + bias


def _lstm_cell(
    input_gates: Tensor,
    hidden_gates: Tensor,
    cx: Tensor,
    input_bias: Tensor | None,
    hidden_bias: Tensor | None,
) -> tuple[Tensor, Tensor, Tensor]:
    """hy, cy and the four gates, which backward reads."""
    gates = _with_bias(input_gates, input_bias) + _with_bias(hidden_gates, hidden_bias)
    i, f, g, o = gates.chunk(4, 1)
    i, f, g, o = i.sigmoid(), f.sigmoid(), g.tanh(), o.sigmoid()
    cy = f * cx + i * g
    return o * cy.tanh(), cy, torch.cat([i, f, g, o], 1)


def _lstm_cell_backward(
    grad_hy: Tensor | None,
    grad_cy: Tensor | None,
    cx: Tensor,
    cy: Tensor,
    workspace: Tensor,
    has_bias: bool,
) -> tuple[Tensor | None, ...]:
    """Gradients of the gates, of cx and of the biases."""
    if grad_hy is None and grad_cy is None:
        return None, None, None
    i, f, g, o = workspace.chunk(4, 1)
    of_output = torch.zeros_like(cx) if grad_hy is None else grad_hy
    of_cell = of_output * o * (1 - cy.tanh() ** 2) + (0 if grad_cy is None else grad_cy)
    of_gates = torch.cat(
        [
            of_cell * g * i * (1 - i),
            of_cell * cx * f * (1 - f),
            of_cell * i * (1 - g * g),
            of_output * cy.tanh() * o * (1 - o),
        ],
        1,
    )
    return of_gates, of_cell * f, of_gates.sum(0) if has_bias else None


def _gru_cell(
    input_gates: Tensor,
    hidden_gates: Tensor,
    hx: Tensor,
    input_bias: Tensor | None,
    hidden_bias: Tensor | None,
) -> tuple[Tensor, Tensor]:
    """hy and, for backward, the gates, hx and the hidden part of the new state."""
    ir, iz, new = _with_bias(input_gates, input_bias).chunk(3, 1)
    hr, hz, hidden = _with_bias(hidden_gates, hidden_bias).chunk(3, 1)
    reset, update = (ir + hr).sigmoid(), (iz + hz).sigmoid()
    new = (new + reset * hidden).tanh()
    return new + update * (hx - new), torch.cat([reset, update, new, hx, hidden], 1)


def _gru_cell_backward(
    grad_hy: Tensor, workspace: Tensor, has_bias: bool
) -> tuple[Tensor | None, ...]:
    """Gradients of both gates, of hx and of both biases."""
    reset, update, new, hx, hidden = workspace.chunk(5, 1)
    of_new = grad_hy * (1 - update) * (1 - new * new)
    of_update = grad_hy * (hx - new) * (1 - update) * update
    of_reset = of_new * hidden * (1 - reset) * reset
    of_input = torch.cat([of_reset, of_update, of_new], 1)
    of_hidden = torch.cat([of_reset, of_update, of_new * reset], 1)
    biases = (of_input.sum(0), of_hidden.sum(0)) if has_bias else (None, None)
    return of_input, of_hidden, grad_hy * update, *biases


STAND_INS: dict[str, Callable[..., Any]] = {
    "aten::_thnn_fused_lstm_cell": _lstm_cell,
    "aten::_thnn_fused_lstm_cell_backward_impl": _lstm_cell_backward,
    "aten::_thnn_fused_gru_cell": _gru_cell,
    "aten::_thnn_fused_gru_cell_backward": _gru_cell_backward,
}
