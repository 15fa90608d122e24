"""Does the suite notice a change to torch's compiler, does it say where, and does it stay quiet otherwise?"""
