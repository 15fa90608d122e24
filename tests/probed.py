"""Importing this has torch find out which instructions the processor has: forks need not compile what shows that.

See torch/_inductor/cpu_vec_isa.py: each process tries it at its first compile for its own processor.
"""

from torch._inductor.cpu_vec_isa import valid_vec_isa_list

valid_vec_isa_list()
