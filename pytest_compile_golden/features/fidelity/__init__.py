"""Whether a virtual target shows what torch does on the device itself, byte for byte; asked once per card."""
