# golden of pytest-compile-golden; accept changes with --snapshot-update, not by hand
# stage: post_grad_graph, torch: 2.14.1, triton: 3.8.0, normaliser: 1

def graph_0(arg0_1: f32[32, 64]):
    # f: x = x * 1.5 + step
    mul: f32[32, 64] = aten.mul.Tensor(arg0_1, 1.5)
    # f: outputs.append(x.sum(-1))
    sum_1: f32[32] = aten.sum.dim_IntList(mul, [-1])
    # f: x = x * 1.5 + step
    mul_1: f32[32, 64] = aten.mul.Tensor(mul, 1.5)
    add_1: f32[32, 64] = aten.add.Tensor(mul_1, 1)
    # f: outputs.append(x.sum(-1))
    sum_2: f32[32] = aten.sum.dim_IntList(add_1, [-1])
    # f: x = x * 1.5 + step
    mul_2: f32[32, 64] = aten.mul.Tensor(add_1, 1.5)
    add_2: f32[32, 64] = aten.add.Tensor(mul_2, 2)
    # f: outputs.append(x.sum(-1))
    sum_3: f32[32] = aten.sum.dim_IntList(add_2, [-1])
    # f: x = x * 1.5 + step
    mul_3: f32[32, 64] = aten.mul.Tensor(add_2, 1.5)
    add_3: f32[32, 64] = aten.add.Tensor(mul_3, 3)
    # f: outputs.append(x.sum(-1))
    sum_4: f32[32] = aten.sum.dim_IntList(add_3, [-1])
    # f: x = x * 1.5 + step
    mul_4: f32[32, 64] = aten.mul.Tensor(add_3, 1.5)
    add_4: f32[32, 64] = aten.add.Tensor(mul_4, 4)
    # f: outputs.append(x.sum(-1))
    sum_5: f32[32] = aten.sum.dim_IntList(add_4, [-1])
    # f: x = x * 1.5 + step
    mul_5: f32[32, 64] = aten.mul.Tensor(add_4, 1.5)
    add_5: f32[32, 64] = aten.add.Tensor(mul_5, 5)
    # f: outputs.append(x.sum(-1))
    sum_6: f32[32] = aten.sum.dim_IntList(add_5, [-1])
    # f: x = x * 1.5 + step
    mul_6: f32[32, 64] = aten.mul.Tensor(add_5, 1.5)
    add_6: f32[32, 64] = aten.add.Tensor(mul_6, 6)
    # f: outputs.append(x.sum(-1))
    sum_7: f32[32] = aten.sum.dim_IntList(add_6, [-1])
    # f: x = x * 1.5 + step
    mul_7: f32[32, 64] = aten.mul.Tensor(add_6, 1.5)
    add_7: f32[32, 64] = aten.add.Tensor(mul_7, 7)
    # f: outputs.append(x.sum(-1))
    sum_8: f32[32] = aten.sum.dim_IntList(add_7, [-1])
    # f: x = x * 1.5 + step
    mul_8: f32[32, 64] = aten.mul.Tensor(add_7, 1.5)
    add_8: f32[32, 64] = aten.add.Tensor(mul_8, 8)
    # f: outputs.append(x.sum(-1))
    sum_9: f32[32] = aten.sum.dim_IntList(add_8, [-1])
    # f: x = x * 1.5 + step
    mul_9: f32[32, 64] = aten.mul.Tensor(add_8, 1.5)
    add_9: f32[32, 64] = aten.add.Tensor(mul_9, 9)
    # f: outputs.append(x.sum(-1))
    sum_10: f32[32] = aten.sum.dim_IntList(add_9, [-1])
    # f: x = x * 1.5 + step
    mul_10: f32[32, 64] = aten.mul.Tensor(add_9, 1.5)
    add_10: f32[32, 64] = aten.add.Tensor(mul_10, 10)
    # f: outputs.append(x.sum(-1))
    sum_11: f32[32] = aten.sum.dim_IntList(add_10, [-1])
    # f: x = x * 1.5 + step
    mul_11: f32[32, 64] = aten.mul.Tensor(add_10, 1.5)
    add_11: f32[32, 64] = aten.add.Tensor(mul_11, 11)
    # f: outputs.append(x.sum(-1))
    sum_12: f32[32] = aten.sum.dim_IntList(add_11, [-1])
    # f: x = x * 1.5 + step
    mul_12: f32[32, 64] = aten.mul.Tensor(add_11, 1.5)
    add_12: f32[32, 64] = aten.add.Tensor(mul_12, 12)
    # f: outputs.append(x.sum(-1))
    sum_13: f32[32] = aten.sum.dim_IntList(add_12, [-1])
    # f: x = x * 1.5 + step
    mul_13: f32[32, 64] = aten.mul.Tensor(add_12, 1.5)
    add_13: f32[32, 64] = aten.add.Tensor(mul_13, 13)
    # f: outputs.append(x.sum(-1))
    sum_14: f32[32] = aten.sum.dim_IntList(add_13, [-1])
    # f: x = x * 1.5 + step
    mul_14: f32[32, 64] = aten.mul.Tensor(add_13, 1.5)
    add_14: f32[32, 64] = aten.add.Tensor(mul_14, 14)
    # f: outputs.append(x.sum(-1))
    sum_15: f32[32] = aten.sum.dim_IntList(add_14, [-1])
    # f: x = x * 1.5 + step
    mul_15: f32[32, 64] = aten.mul.Tensor(add_14, 1.5)
    add_15: f32[32, 64] = aten.add.Tensor(mul_15, 15)
    # f: outputs.append(x.sum(-1))
    sum_16: f32[32] = aten.sum.dim_IntList(add_15, [-1])
    # f: x = x * 1.5 + step
    mul_16: f32[32, 64] = aten.mul.Tensor(add_15, 1.5)
    add_16: f32[32, 64] = aten.add.Tensor(mul_16, 16)
    # f: outputs.append(x.sum(-1))
    sum_17: f32[32] = aten.sum.dim_IntList(add_16, [-1])
    # f: x = x * 1.5 + step
    mul_17: f32[32, 64] = aten.mul.Tensor(add_16, 1.5)
    add_17: f32[32, 64] = aten.add.Tensor(mul_17, 17)
    # f: outputs.append(x.sum(-1))
    sum_18: f32[32] = aten.sum.dim_IntList(add_17, [-1])
    # f: x = x * 1.5 + step
    mul_18: f32[32, 64] = aten.mul.Tensor(add_17, 1.5)
    add_18: f32[32, 64] = aten.add.Tensor(mul_18, 18)
    # f: outputs.append(x.sum(-1))
    sum_19: f32[32] = aten.sum.dim_IntList(add_18, [-1])
    # f: x = x * 1.5 + step
    mul_19: f32[32, 64] = aten.mul.Tensor(add_18, 1.5)
    add_19: f32[32, 64] = aten.add.Tensor(mul_19, 19)
    # f: outputs.append(x.sum(-1))
    sum_20: f32[32] = aten.sum.dim_IntList(add_19, [-1])
    # f: x = x * 1.5 + step
    mul_20: f32[32, 64] = aten.mul.Tensor(add_19, 1.5)
    add_20: f32[32, 64] = aten.add.Tensor(mul_20, 20)
    # f: outputs.append(x.sum(-1))
    sum_21: f32[32] = aten.sum.dim_IntList(add_20, [-1])
    # f: x = x * 1.5 + step
    mul_21: f32[32, 64] = aten.mul.Tensor(add_20, 1.5)
    add_21: f32[32, 64] = aten.add.Tensor(mul_21, 21)
    # f: outputs.append(x.sum(-1))
    sum_22: f32[32] = aten.sum.dim_IntList(add_21, [-1])
    # f: x = x * 1.5 + step
    mul_22: f32[32, 64] = aten.mul.Tensor(add_21, 1.5)
    add_22: f32[32, 64] = aten.add.Tensor(mul_22, 22)
    # f: outputs.append(x.sum(-1))
    sum_23: f32[32] = aten.sum.dim_IntList(add_22, [-1])
    # f: x = x * 1.5 + step
    mul_23: f32[32, 64] = aten.mul.Tensor(add_22, 1.5)
    add_23: f32[32, 64] = aten.add.Tensor(mul_23, 23)
    # f: outputs.append(x.sum(-1))
    sum_24: f32[32] = aten.sum.dim_IntList(add_23, [-1])
    # f: x = x * 1.5 + step
    mul_24: f32[32, 64] = aten.mul.Tensor(add_23, 1.5)
    add_24: f32[32, 64] = aten.add.Tensor(mul_24, 24)
    # f: outputs.append(x.sum(-1))
    sum_25: f32[32] = aten.sum.dim_IntList(add_24, [-1])
    # f: x = x * 1.5 + step
    mul_25: f32[32, 64] = aten.mul.Tensor(add_24, 1.5)
    add_25: f32[32, 64] = aten.add.Tensor(mul_25, 25)
    # f: outputs.append(x.sum(-1))
    sum_26: f32[32] = aten.sum.dim_IntList(add_25, [-1])
    # f: x = x * 1.5 + step
    mul_26: f32[32, 64] = aten.mul.Tensor(add_25, 1.5)
    add_26: f32[32, 64] = aten.add.Tensor(mul_26, 26)
    # f: outputs.append(x.sum(-1))
    sum_27: f32[32] = aten.sum.dim_IntList(add_26, [-1])
    # f: x = x * 1.5 + step
    mul_27: f32[32, 64] = aten.mul.Tensor(add_26, 1.5)
    add_27: f32[32, 64] = aten.add.Tensor(mul_27, 27)
    # f: outputs.append(x.sum(-1))
    sum_28: f32[32] = aten.sum.dim_IntList(add_27, [-1])
    # f: x = x * 1.5 + step
    mul_28: f32[32, 64] = aten.mul.Tensor(add_27, 1.5)
    add_28: f32[32, 64] = aten.add.Tensor(mul_28, 28)
    # f: outputs.append(x.sum(-1))
    sum_29: f32[32] = aten.sum.dim_IntList(add_28, [-1])
    # f: x = x * 1.5 + step
    mul_29: f32[32, 64] = aten.mul.Tensor(add_28, 1.5)
    add_29: f32[32, 64] = aten.add.Tensor(mul_29, 29)
    # f: outputs.append(x.sum(-1))
    sum_30: f32[32] = aten.sum.dim_IntList(add_29, [-1])
    # f: x = x * 1.5 + step
    mul_30: f32[32, 64] = aten.mul.Tensor(add_29, 1.5)
    add_30: f32[32, 64] = aten.add.Tensor(mul_30, 30)
    # f: outputs.append(x.sum(-1))
    sum_31: f32[32] = aten.sum.dim_IntList(add_30, [-1])
    # f: x = x * 1.5 + step
    mul_31: f32[32, 64] = aten.mul.Tensor(add_30, 1.5)
    add_31: f32[32, 64] = aten.add.Tensor(mul_31, 31)
    # f: outputs.append(x.sum(-1))
    sum_32: f32[32] = aten.sum.dim_IntList(add_31, [-1])
    # f: x = x * 1.5 + step
    mul_32: f32[32, 64] = aten.mul.Tensor(add_31, 1.5)
    add_32: f32[32, 64] = aten.add.Tensor(mul_32, 32)
    # f: outputs.append(x.sum(-1))
    sum_33: f32[32] = aten.sum.dim_IntList(add_32, [-1])
    # f: x = x * 1.5 + step
    mul_33: f32[32, 64] = aten.mul.Tensor(add_32, 1.5)
    add_33: f32[32, 64] = aten.add.Tensor(mul_33, 33)
    # f: outputs.append(x.sum(-1))
    sum_34: f32[32] = aten.sum.dim_IntList(add_33, [-1])
    # f: x = x * 1.5 + step
    mul_34: f32[32, 64] = aten.mul.Tensor(add_33, 1.5)
    add_34: f32[32, 64] = aten.add.Tensor(mul_34, 34)
    # f: outputs.append(x.sum(-1))
    sum_35: f32[32] = aten.sum.dim_IntList(add_34, [-1])
    # f: x = x * 1.5 + step
    mul_35: f32[32, 64] = aten.mul.Tensor(add_34, 1.5)
    add_35: f32[32, 64] = aten.add.Tensor(mul_35, 35)
    # f: outputs.append(x.sum(-1))
    sum_36: f32[32] = aten.sum.dim_IntList(add_35, [-1])
    # f: x = x * 1.5 + step
    mul_36: f32[32, 64] = aten.mul.Tensor(add_35, 1.5)
    add_36: f32[32, 64] = aten.add.Tensor(mul_36, 36)
    # f: outputs.append(x.sum(-1))
    sum_37: f32[32] = aten.sum.dim_IntList(add_36, [-1])
    # f: x = x * 1.5 + step
    mul_37: f32[32, 64] = aten.mul.Tensor(add_36, 1.5)
    add_37: f32[32, 64] = aten.add.Tensor(mul_37, 37)
    # f: outputs.append(x.sum(-1))
    sum_38: f32[32] = aten.sum.dim_IntList(add_37, [-1])
    # f: x = x * 1.5 + step
    mul_38: f32[32, 64] = aten.mul.Tensor(add_37, 1.5)
    add_38: f32[32, 64] = aten.add.Tensor(mul_38, 38)
    # f: outputs.append(x.sum(-1))
    sum_39: f32[32] = aten.sum.dim_IntList(add_38, [-1])
    # f: x = x * 1.5 + step
    mul_39: f32[32, 64] = aten.mul.Tensor(add_38, 1.5)
    add_39: f32[32, 64] = aten.add.Tensor(mul_39, 39)
    # f: outputs.append(x.sum(-1))
    sum_40: f32[32] = aten.sum.dim_IntList(add_39, [-1])
    # f: x = x * 1.5 + step
    mul_40: f32[32, 64] = aten.mul.Tensor(add_39, 1.5)
    add_40: f32[32, 64] = aten.add.Tensor(mul_40, 40)
    # f: outputs.append(x.sum(-1))
    sum_41: f32[32] = aten.sum.dim_IntList(add_40, [-1])
    # f: x = x * 1.5 + step
    mul_41: f32[32, 64] = aten.mul.Tensor(add_40, 1.5)
    add_41: f32[32, 64] = aten.add.Tensor(mul_41, 41)
    # f: outputs.append(x.sum(-1))
    sum_42: f32[32] = aten.sum.dim_IntList(add_41, [-1])
    # f: x = x * 1.5 + step
    mul_42: f32[32, 64] = aten.mul.Tensor(add_41, 1.5)
    add_42: f32[32, 64] = aten.add.Tensor(mul_42, 42)
    # f: outputs.append(x.sum(-1))
    sum_43: f32[32] = aten.sum.dim_IntList(add_42, [-1])
    # f: x = x * 1.5 + step
    mul_43: f32[32, 64] = aten.mul.Tensor(add_42, 1.5)
    add_43: f32[32, 64] = aten.add.Tensor(mul_43, 43)
    # f: outputs.append(x.sum(-1))
    sum_44: f32[32] = aten.sum.dim_IntList(add_43, [-1])
    # f: x = x * 1.5 + step
    mul_44: f32[32, 64] = aten.mul.Tensor(add_43, 1.5)
    add_44: f32[32, 64] = aten.add.Tensor(mul_44, 44)
    # f: outputs.append(x.sum(-1))
    sum_45: f32[32] = aten.sum.dim_IntList(add_44, [-1])
    # f: x = x * 1.5 + step
    mul_45: f32[32, 64] = aten.mul.Tensor(add_44, 1.5)
    add_45: f32[32, 64] = aten.add.Tensor(mul_45, 45)
    # f: outputs.append(x.sum(-1))
    sum_46: f32[32] = aten.sum.dim_IntList(add_45, [-1])
    # f: x = x * 1.5 + step
    mul_46: f32[32, 64] = aten.mul.Tensor(add_45, 1.5)
    add_46: f32[32, 64] = aten.add.Tensor(mul_46, 46)
    # f: outputs.append(x.sum(-1))
    sum_47: f32[32] = aten.sum.dim_IntList(add_46, [-1])
    # f: x = x * 1.5 + step
    mul_47: f32[32, 64] = aten.mul.Tensor(add_46, 1.5)
    add_47: f32[32, 64] = aten.add.Tensor(mul_47, 47)
    # f: outputs.append(x.sum(-1))
    sum_48: f32[32] = aten.sum.dim_IntList(add_47, [-1])
    # f: x = x * 1.5 + step
    mul_48: f32[32, 64] = aten.mul.Tensor(add_47, 1.5)
    add_48: f32[32, 64] = aten.add.Tensor(mul_48, 48)
    # f: outputs.append(x.sum(-1))
    sum_49: f32[32] = aten.sum.dim_IntList(add_48, [-1])
    # f: x = x * 1.5 + step
    mul_49: f32[32, 64] = aten.mul.Tensor(add_48, 1.5)
    add_49: f32[32, 64] = aten.add.Tensor(mul_49, 49)
    # f: outputs.append(x.sum(-1))
    sum_50: f32[32] = aten.sum.dim_IntList(add_49, [-1])
    # f: x = x * 1.5 + step
    mul_50: f32[32, 64] = aten.mul.Tensor(add_49, 1.5)
    add_50: f32[32, 64] = aten.add.Tensor(mul_50, 50)
    # f: outputs.append(x.sum(-1))
    sum_51: f32[32] = aten.sum.dim_IntList(add_50, [-1])
    # f: x = x * 1.5 + step
    mul_51: f32[32, 64] = aten.mul.Tensor(add_50, 1.5)
    add_51: f32[32, 64] = aten.add.Tensor(mul_51, 51)
    # f: outputs.append(x.sum(-1))
    sum_52: f32[32] = aten.sum.dim_IntList(add_51, [-1])
    # f: x = x * 1.5 + step
    mul_52: f32[32, 64] = aten.mul.Tensor(add_51, 1.5)
    add_52: f32[32, 64] = aten.add.Tensor(mul_52, 52)
    # f: outputs.append(x.sum(-1))
    sum_53: f32[32] = aten.sum.dim_IntList(add_52, [-1])
    # f: x = x * 1.5 + step
    mul_53: f32[32, 64] = aten.mul.Tensor(add_52, 1.5)
    add_53: f32[32, 64] = aten.add.Tensor(mul_53, 53)
    # f: outputs.append(x.sum(-1))
    sum_54: f32[32] = aten.sum.dim_IntList(add_53, [-1])
    # f: x = x * 1.5 + step
    mul_54: f32[32, 64] = aten.mul.Tensor(add_53, 1.5)
    add_54: f32[32, 64] = aten.add.Tensor(mul_54, 54)
    # f: outputs.append(x.sum(-1))
    sum_55: f32[32] = aten.sum.dim_IntList(add_54, [-1])
    # f: x = x * 1.5 + step
    mul_55: f32[32, 64] = aten.mul.Tensor(add_54, 1.5)
    add_55: f32[32, 64] = aten.add.Tensor(mul_55, 55)
    # f: outputs.append(x.sum(-1))
    sum_56: f32[32] = aten.sum.dim_IntList(add_55, [-1])
    # f: x = x * 1.5 + step
    mul_56: f32[32, 64] = aten.mul.Tensor(add_55, 1.5)
    add_56: f32[32, 64] = aten.add.Tensor(mul_56, 56)
    # f: outputs.append(x.sum(-1))
    sum_57: f32[32] = aten.sum.dim_IntList(add_56, [-1])
    # f: x = x * 1.5 + step
    mul_57: f32[32, 64] = aten.mul.Tensor(add_56, 1.5)
    add_57: f32[32, 64] = aten.add.Tensor(mul_57, 57)
    # f: outputs.append(x.sum(-1))
    sum_58: f32[32] = aten.sum.dim_IntList(add_57, [-1])
    # f: x = x * 1.5 + step
    mul_58: f32[32, 64] = aten.mul.Tensor(add_57, 1.5)
    add_58: f32[32, 64] = aten.add.Tensor(mul_58, 58)
    # f: outputs.append(x.sum(-1))
    sum_59: f32[32] = aten.sum.dim_IntList(add_58, [-1])
    # f: x = x * 1.5 + step
    mul_59: f32[32, 64] = aten.mul.Tensor(add_58, 1.5)
    add_59: f32[32, 64] = aten.add.Tensor(mul_59, 59)
    # f: outputs.append(x.sum(-1))
    sum_60: f32[32] = aten.sum.dim_IntList(add_59, [-1])
    # f: x = x * 1.5 + step
    mul_60: f32[32, 64] = aten.mul.Tensor(add_59, 1.5)
    add_60: f32[32, 64] = aten.add.Tensor(mul_60, 60)
    # f: outputs.append(x.sum(-1))
    sum_61: f32[32] = aten.sum.dim_IntList(add_60, [-1])
    # f: x = x * 1.5 + step
    mul_61: f32[32, 64] = aten.mul.Tensor(add_60, 1.5)
    add_61: f32[32, 64] = aten.add.Tensor(mul_61, 61)
    # f: outputs.append(x.sum(-1))
    sum_62: f32[32] = aten.sum.dim_IntList(add_61, [-1])
    # f: x = x * 1.5 + step
    mul_62: f32[32, 64] = aten.mul.Tensor(add_61, 1.5)
    add_62: f32[32, 64] = aten.add.Tensor(mul_62, 62)
    # f: outputs.append(x.sum(-1))
    sum_63: f32[32] = aten.sum.dim_IntList(add_62, [-1])
    # f: x = x * 1.5 + step
    mul_63: f32[32, 64] = aten.mul.Tensor(add_62, 1.5)
    add_63: f32[32, 64] = aten.add.Tensor(mul_63, 63)
    # f: outputs.append(x.sum(-1))
    sum_64: f32[32] = aten.sum.dim_IntList(add_63, [-1])
    # f: x = x * 1.5 + step
    mul_64: f32[32, 64] = aten.mul.Tensor(add_63, 1.5)
    add_64: f32[32, 64] = aten.add.Tensor(mul_64, 64)
    # f: outputs.append(x.sum(-1))
    sum_65: f32[32] = aten.sum.dim_IntList(add_64, [-1])
    # f: x = x * 1.5 + step
    mul_65: f32[32, 64] = aten.mul.Tensor(add_64, 1.5)
    add_65: f32[32, 64] = aten.add.Tensor(mul_65, 65)
    # f: outputs.append(x.sum(-1))
    sum_66: f32[32] = aten.sum.dim_IntList(add_65, [-1])
    # f: x = x * 1.5 + step
    mul_66: f32[32, 64] = aten.mul.Tensor(add_65, 1.5)
    add_66: f32[32, 64] = aten.add.Tensor(mul_66, 66)
    # f: outputs.append(x.sum(-1))
    sum_67: f32[32] = aten.sum.dim_IntList(add_66, [-1])
    # f: x = x * 1.5 + step
    mul_67: f32[32, 64] = aten.mul.Tensor(add_66, 1.5)
    add_67: f32[32, 64] = aten.add.Tensor(mul_67, 67)
    # f: outputs.append(x.sum(-1))
    sum_68: f32[32] = aten.sum.dim_IntList(add_67, [-1])
    # f: x = x * 1.5 + step
    mul_68: f32[32, 64] = aten.mul.Tensor(add_67, 1.5)
    add_68: f32[32, 64] = aten.add.Tensor(mul_68, 68)
    # f: outputs.append(x.sum(-1))
    sum_69: f32[32] = aten.sum.dim_IntList(add_68, [-1])
    # f: x = x * 1.5 + step
    mul_69: f32[32, 64] = aten.mul.Tensor(add_68, 1.5)
    add_69: f32[32, 64] = aten.add.Tensor(mul_69, 69)
    # f: outputs.append(x.sum(-1))
    sum_70: f32[32] = aten.sum.dim_IntList(add_69, [-1])
    # f: return torch.stack(outputs)
    cat: f32[2240] = aten.cat.default([sum_1, sum_2, sum_3, sum_4, sum_5, sum_6, sum_7, sum_8, sum_9, sum_10, sum_11, sum_12, sum_13, sum_14, sum_15, sum_16, sum_17, sum_18, sum_19, sum_20, sum_21, sum_22, sum_23, sum_24, sum_25, sum_26, sum_27, sum_28, sum_29, sum_30, sum_31, sum_32, sum_33, sum_34, sum_35, sum_36, sum_37, sum_38, sum_39, sum_40, sum_41, sum_42, sum_43, sum_44, sum_45, sum_46, sum_47, sum_48, sum_49, sum_50, sum_51, sum_52, sum_53, sum_54, sum_55, sum_56, sum_57, sum_58, sum_59, sum_60, sum_61, sum_62, sum_63, sum_64, sum_65, sum_66, sum_67, sum_68, sum_69, sum_70])
    view: f32[70, 32] = aten.reshape.default(cat, [70, 32])
    return (view,)
