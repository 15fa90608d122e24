# golden of pytest-compile-golden; accept changes with --snapshot-update, not by hand
# stage: dynamo_graph, torch: 2.12.1, triton: 3.7.1, normaliser: 1

def graph_0(l_x_: f32[8]):
    # generator_expression: return sum(part.sin() for part in x.unbind()).cos()  # type: ignore[union-attr]
    unbind = l_x_.unbind()
    part: f32[()] = unbind[0]
    part_1: f32[()] = unbind[1]
    part_2: f32[()] = unbind[2]
    part_3: f32[()] = unbind[3]
    part_4: f32[()] = unbind[4]
    part_5: f32[()] = unbind[5]
    part_6: f32[()] = unbind[6]
    part_7: f32[()] = unbind[7]
    # <genexpr>: return sum(part.sin() for part in x.unbind()).cos()  # type: ignore[union-attr]
    element: f32[()] = part.sin()
    # generator_expression: return sum(part.sin() for part in x.unbind()).cos()  # type: ignore[union-attr]
    value: f32[()] = operator.add(0, element)
    # <genexpr>: return sum(part.sin() for part in x.unbind()).cos()  # type: ignore[union-attr]
    element_1: f32[()] = part_1.sin()
    # generator_expression: return sum(part.sin() for part in x.unbind()).cos()  # type: ignore[union-attr]
    value_1: f32[()] = operator.add(value, element_1)
    # <genexpr>: return sum(part.sin() for part in x.unbind()).cos()  # type: ignore[union-attr]
    element_2: f32[()] = part_2.sin()
    # generator_expression: return sum(part.sin() for part in x.unbind()).cos()  # type: ignore[union-attr]
    value_2: f32[()] = operator.add(value_1, element_2)
    # <genexpr>: return sum(part.sin() for part in x.unbind()).cos()  # type: ignore[union-attr]
    element_3: f32[()] = part_3.sin()
    # generator_expression: return sum(part.sin() for part in x.unbind()).cos()  # type: ignore[union-attr]
    value_3: f32[()] = operator.add(value_2, element_3)
    # <genexpr>: return sum(part.sin() for part in x.unbind()).cos()  # type: ignore[union-attr]
    element_4: f32[()] = part_4.sin()
    # generator_expression: return sum(part.sin() for part in x.unbind()).cos()  # type: ignore[union-attr]
    value_4: f32[()] = operator.add(value_3, element_4)
    # <genexpr>: return sum(part.sin() for part in x.unbind()).cos()  # type: ignore[union-attr]
    element_5: f32[()] = part_5.sin()
    # generator_expression: return sum(part.sin() for part in x.unbind()).cos()  # type: ignore[union-attr]
    value_5: f32[()] = operator.add(value_4, element_5)
    # <genexpr>: return sum(part.sin() for part in x.unbind()).cos()  # type: ignore[union-attr]
    element_6: f32[()] = part_6.sin()
    # generator_expression: return sum(part.sin() for part in x.unbind()).cos()  # type: ignore[union-attr]
    value_6: f32[()] = operator.add(value_5, element_6)
    # <genexpr>: return sum(part.sin() for part in x.unbind()).cos()  # type: ignore[union-attr]
    element_7: f32[()] = part_7.sin()
    # generator_expression: return sum(part.sin() for part in x.unbind()).cos()  # type: ignore[union-attr]
    value_7: f32[()] = operator.add(value_6, element_7)
    cos: f32[()] = value_7.cos()
    return (cos,)
