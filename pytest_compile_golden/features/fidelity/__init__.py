"""Whether a virtual target shows what torch does on the device itself, byte for byte; asked once per card.

fidelity_command: `compile-golden fidelity`: whether a virtual target shows what torch does on the device itself
fidelity_comparison: a native recording against a virtual one of the same device, byte for byte
local_devices: this machine's own devices, as the properties of virtual targets like them
"""
