"""Sources of locally installed torch versions, read as text: none is imported.

changed_functions: what changed in torch's source in the function that wrote a line, or in one that it calls
config_defaults: defaults of torch's configuration that differ between two installed torch versions
definitions: a source text as a syntax tree, and what it defines by name; when two do, or take, the same
installed_sources: one installed torch, or another package: where its files are, and the commit it was built from
module_effect: what of a module has an effect on what runs, and which of its functions differ in that
moved_names: where private names of torch are in another torch's sources: as before, moved, renamed, changed or gone
torch_package: torch's sources as texts and as syntax trees, from a folder that holds the package or from a wheel
"""
