# golden of pytest-compile-golden; accept changes with --snapshot-update, not by hand
# stage: exported_graph, torch: 2.12.1, triton: 3.7.1, normaliser: 1

inputs = [
    ("x", "user_input"),
    ("y", "user_input"),
]
outputs = [
    ("mm", "user_output"),
]
ranges = [
    ("s17", "[2, 64]"),
]

def program(x: f32[s17, 16], y: f32[s17, 16]):
    permute: f32[16, s17][1, 16] = aten.permute.default(y, [1, 0])
    mm: f32[s17, s17] = aten.mm.default(x, permute)
    return (mm,)
