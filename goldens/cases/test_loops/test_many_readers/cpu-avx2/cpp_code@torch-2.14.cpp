// golden of pytest-compile-golden; accept changes with --snapshot-update, not by hand
// stage: cpp_code, torch: 2.14.1, triton: 3.8.0, normaliser: 1

// graph_0: cpp_fused_add_mul_sum_0
#include <torch/csrc/inductor/cpp_prefix.h>
extern "C"  void  kernel(const float* in_ptr0,
                       float* out_ptr0,
                       float* out_ptr1,
                       float* out_ptr2,
                       float* out_ptr3,
                       float* out_ptr4,
                       float* out_ptr5,
                       float* out_ptr6,
                       float* out_ptr7,
                       float* out_ptr8,
                       float* out_ptr9,
                       float* out_ptr10,
                       float* out_ptr11,
                       float* out_ptr12,
                       float* out_ptr13,
                       float* out_ptr14,
                       float* out_ptr15,
                       float* out_ptr16,
                       float* out_ptr17,
                       float* out_ptr18,
                       float* out_ptr19,
                       float* out_ptr20,
                       float* out_ptr21,
                       float* out_ptr22,
                       float* out_ptr23,
                       float* out_ptr24,
                       float* out_ptr25,
                       float* out_ptr26,
                       float* out_ptr27,
                       float* out_ptr28,
                       float* out_ptr29,
                       float* out_ptr30,
                       float* out_ptr31,
                       float* out_ptr32,
                       float* out_ptr33,
                       float* out_ptr34,
                       float* out_ptr35,
                       float* out_ptr36,
                       float* out_ptr37,
                       float* out_ptr38,
                       float* out_ptr39,
                       float* out_ptr40,
                       float* out_ptr41,
                       float* out_ptr42,
                       float* out_ptr43,
                       float* out_ptr44,
                       float* out_ptr45,
                       float* out_ptr46,
                       float* out_ptr47,
                       float* out_ptr48,
                       float* out_ptr49,
                       float* out_ptr50,
                       float* out_ptr51,
                       float* out_ptr52,
                       float* out_ptr53,
                       float* out_ptr54,
                       float* out_ptr55,
                       float* out_ptr56,
                       float* out_ptr57,
                       float* out_ptr58,
                       float* out_ptr59,
                       float* out_ptr60,
                       float* out_ptr61,
                       float* out_ptr62,
                       float* out_ptr63,
                       float* out_ptr64,
                       float* out_ptr65,
                       float* out_ptr66,
                       float* out_ptr67,
                       float* out_ptr68,
                       float* out_ptr69,
                       float* out_ptr70,
                       float* out_ptr71,
                       float* out_ptr72,
                       float* out_ptr73)
{
    std::atomic<int> inductor_cpu_integer_div_error{0};
    inductor_cpu_integer_div_error_flag = &inductor_cpu_integer_div_error;
    {
        #pragma GCC ivdep
        for(int64_t x0=static_cast<int64_t>(0L); x0<static_cast<int64_t>(32L); x0+=static_cast<int64_t>(1L))
        {
            {
                float tmp_acc0 = 0;
                at::vec::Vectorized<float> tmp_acc0_vec = at::vec::Vectorized<float>(0);
                float tmp_acc1 = 0;
                at::vec::Vectorized<float> tmp_acc1_vec = at::vec::Vectorized<float>(0);
                float tmp_acc2 = 0;
                at::vec::Vectorized<float> tmp_acc2_vec = at::vec::Vectorized<float>(0);
                float tmp_acc3 = 0;
                at::vec::Vectorized<float> tmp_acc3_vec = at::vec::Vectorized<float>(0);
                float tmp_acc4 = 0;
                at::vec::Vectorized<float> tmp_acc4_vec = at::vec::Vectorized<float>(0);
                float tmp_acc5 = 0;
                at::vec::Vectorized<float> tmp_acc5_vec = at::vec::Vectorized<float>(0);
                float tmp_acc6 = 0;
                at::vec::Vectorized<float> tmp_acc6_vec = at::vec::Vectorized<float>(0);
                float tmp_acc7 = 0;
                at::vec::Vectorized<float> tmp_acc7_vec = at::vec::Vectorized<float>(0);
                float tmp_acc8 = 0;
                at::vec::Vectorized<float> tmp_acc8_vec = at::vec::Vectorized<float>(0);
                float tmp_acc9 = 0;
                at::vec::Vectorized<float> tmp_acc9_vec = at::vec::Vectorized<float>(0);
                float tmp_acc10 = 0;
                at::vec::Vectorized<float> tmp_acc10_vec = at::vec::Vectorized<float>(0);
                float tmp_acc11 = 0;
                at::vec::Vectorized<float> tmp_acc11_vec = at::vec::Vectorized<float>(0);
                float tmp_acc12 = 0;
                at::vec::Vectorized<float> tmp_acc12_vec = at::vec::Vectorized<float>(0);
                float tmp_acc13 = 0;
                at::vec::Vectorized<float> tmp_acc13_vec = at::vec::Vectorized<float>(0);
                float tmp_acc14 = 0;
                at::vec::Vectorized<float> tmp_acc14_vec = at::vec::Vectorized<float>(0);
                float tmp_acc15 = 0;
                at::vec::Vectorized<float> tmp_acc15_vec = at::vec::Vectorized<float>(0);
                for(int64_t x1=static_cast<int64_t>(0L); x1<static_cast<int64_t>(64L); x1+=static_cast<int64_t>(8L))
                {
                    {
                        if(C10_LIKELY(x1 >= static_cast<int64_t>(0) && x1 < static_cast<int64_t>(64L)))
                        {
                            auto tmp0 = at::vec::Vectorized<float>::loadu(in_ptr0 + static_cast<int64_t>(x1 + 64L*x0), static_cast<int64_t>(8));
                            auto tmp1 = static_cast<float>(1.5);
                            auto tmp2 = at::vec::Vectorized<float>(tmp1);
                            auto tmp3 = tmp0 * tmp2;
                            auto tmp4 = tmp3 * tmp2;
                            auto tmp5 = static_cast<float>(1.0);
                            auto tmp6 = at::vec::Vectorized<float>(tmp5);
                            auto tmp7 = tmp4 + tmp6;
                            auto tmp8 = tmp7 * tmp2;
                            auto tmp9 = static_cast<float>(2.0);
                            auto tmp10 = at::vec::Vectorized<float>(tmp9);
                            auto tmp11 = tmp8 + tmp10;
                            auto tmp12 = tmp11 * tmp2;
                            auto tmp13 = static_cast<float>(3.0);
                            auto tmp14 = at::vec::Vectorized<float>(tmp13);
                            auto tmp15 = tmp12 + tmp14;
                            auto tmp16 = tmp15 * tmp2;
                            auto tmp17 = static_cast<float>(4.0);
                            auto tmp18 = at::vec::Vectorized<float>(tmp17);
                            auto tmp19 = tmp16 + tmp18;
                            auto tmp20 = tmp19 * tmp2;
                            auto tmp21 = static_cast<float>(5.0);
                            auto tmp22 = at::vec::Vectorized<float>(tmp21);
                            auto tmp23 = tmp20 + tmp22;
                            auto tmp24 = tmp23 * tmp2;
                            auto tmp25 = static_cast<float>(6.0);
                            auto tmp26 = at::vec::Vectorized<float>(tmp25);
                            auto tmp27 = tmp24 + tmp26;
                            auto tmp28 = tmp27 * tmp2;
                            auto tmp29 = static_cast<float>(7.0);
                            auto tmp30 = at::vec::Vectorized<float>(tmp29);
                            auto tmp31 = tmp28 + tmp30;
                            auto tmp32 = tmp31 * tmp2;
                            auto tmp33 = static_cast<float>(8.0);
                            auto tmp34 = at::vec::Vectorized<float>(tmp33);
                            auto tmp35 = tmp32 + tmp34;
                            auto tmp36 = tmp35 * tmp2;
                            auto tmp37 = static_cast<float>(9.0);
                            auto tmp38 = at::vec::Vectorized<float>(tmp37);
                            auto tmp39 = tmp36 + tmp38;
                            auto tmp40 = tmp39 * tmp2;
                            auto tmp41 = static_cast<float>(10.0);
                            auto tmp42 = at::vec::Vectorized<float>(tmp41);
                            auto tmp43 = tmp40 + tmp42;
                            auto tmp44 = tmp43 * tmp2;
                            auto tmp45 = static_cast<float>(11.0);
                            auto tmp46 = at::vec::Vectorized<float>(tmp45);
                            auto tmp47 = tmp44 + tmp46;
                            auto tmp48 = tmp47 * tmp2;
                            auto tmp49 = static_cast<float>(12.0);
                            auto tmp50 = at::vec::Vectorized<float>(tmp49);
                            auto tmp51 = tmp48 + tmp50;
                            auto tmp52 = tmp51 * tmp2;
                            auto tmp53 = static_cast<float>(13.0);
                            auto tmp54 = at::vec::Vectorized<float>(tmp53);
                            auto tmp55 = tmp52 + tmp54;
                            auto tmp56 = tmp55 * tmp2;
                            auto tmp57 = static_cast<float>(14.0);
                            auto tmp58 = at::vec::Vectorized<float>(tmp57);
                            auto tmp59 = tmp56 + tmp58;
                            auto tmp60 = tmp59 * tmp2;
                            auto tmp61 = static_cast<float>(15.0);
                            auto tmp62 = at::vec::Vectorized<float>(tmp61);
                            auto tmp63 = tmp60 + tmp62;
                            tmp_acc0_vec = tmp_acc0_vec + tmp3;
                            tmp_acc1_vec = tmp_acc1_vec + tmp7;
                            tmp_acc2_vec = tmp_acc2_vec + tmp11;
                            tmp_acc3_vec = tmp_acc3_vec + tmp15;
                            tmp_acc4_vec = tmp_acc4_vec + tmp19;
                            tmp_acc5_vec = tmp_acc5_vec + tmp23;
                            tmp_acc6_vec = tmp_acc6_vec + tmp27;
                            tmp_acc7_vec = tmp_acc7_vec + tmp31;
                            tmp_acc8_vec = tmp_acc8_vec + tmp35;
                            tmp_acc9_vec = tmp_acc9_vec + tmp39;
                            tmp_acc10_vec = tmp_acc10_vec + tmp43;
                            tmp_acc11_vec = tmp_acc11_vec + tmp47;
                            tmp_acc12_vec = tmp_acc12_vec + tmp51;
                            tmp_acc13_vec = tmp_acc13_vec + tmp55;
                            tmp_acc14_vec = tmp_acc14_vec + tmp59;
                            tmp_acc15_vec = tmp_acc15_vec + tmp63;
                        }
                    }
                }
                tmp_acc0 = tmp_acc0 + at::vec::vec_reduce_all<float, 1>([](at::vec::Vectorized<float>& x, at::vec::Vectorized<float>& y) { return x + y; }, tmp_acc0_vec);
                out_ptr0[static_cast<int64_t>(x0)] = static_cast<float>(tmp_acc0);
                tmp_acc1 = tmp_acc1 + at::vec::vec_reduce_all<float, 1>([](at::vec::Vectorized<float>& x, at::vec::Vectorized<float>& y) { return x + y; }, tmp_acc1_vec);
                out_ptr1[static_cast<int64_t>(x0)] = static_cast<float>(tmp_acc1);
                tmp_acc2 = tmp_acc2 + at::vec::vec_reduce_all<float, 1>([](at::vec::Vectorized<float>& x, at::vec::Vectorized<float>& y) { return x + y; }, tmp_acc2_vec);
                out_ptr2[static_cast<int64_t>(x0)] = static_cast<float>(tmp_acc2);
                tmp_acc3 = tmp_acc3 + at::vec::vec_reduce_all<float, 1>([](at::vec::Vectorized<float>& x, at::vec::Vectorized<float>& y) { return x + y; }, tmp_acc3_vec);
                out_ptr3[static_cast<int64_t>(x0)] = static_cast<float>(tmp_acc3);
                tmp_acc4 = tmp_acc4 + at::vec::vec_reduce_all<float, 1>([](at::vec::Vectorized<float>& x, at::vec::Vectorized<float>& y) { return x + y; }, tmp_acc4_vec);
                out_ptr4[static_cast<int64_t>(x0)] = static_cast<float>(tmp_acc4);
                tmp_acc5 = tmp_acc5 + at::vec::vec_reduce_all<float, 1>([](at::vec::Vectorized<float>& x, at::vec::Vectorized<float>& y) { return x + y; }, tmp_acc5_vec);
                out_ptr5[static_cast<int64_t>(x0)] = static_cast<float>(tmp_acc5);
                tmp_acc6 = tmp_acc6 + at::vec::vec_reduce_all<float, 1>([](at::vec::Vectorized<float>& x, at::vec::Vectorized<float>& y) { return x + y; }, tmp_acc6_vec);
                out_ptr6[static_cast<int64_t>(x0)] = static_cast<float>(tmp_acc6);
                tmp_acc7 = tmp_acc7 + at::vec::vec_reduce_all<float, 1>([](at::vec::Vectorized<float>& x, at::vec::Vectorized<float>& y) { return x + y; }, tmp_acc7_vec);
                out_ptr7[static_cast<int64_t>(x0)] = static_cast<float>(tmp_acc7);
                tmp_acc8 = tmp_acc8 + at::vec::vec_reduce_all<float, 1>([](at::vec::Vectorized<float>& x, at::vec::Vectorized<float>& y) { return x + y; }, tmp_acc8_vec);
                out_ptr8[static_cast<int64_t>(x0)] = static_cast<float>(tmp_acc8);
                tmp_acc9 = tmp_acc9 + at::vec::vec_reduce_all<float, 1>([](at::vec::Vectorized<float>& x, at::vec::Vectorized<float>& y) { return x + y; }, tmp_acc9_vec);
                out_ptr9[static_cast<int64_t>(x0)] = static_cast<float>(tmp_acc9);
                tmp_acc10 = tmp_acc10 + at::vec::vec_reduce_all<float, 1>([](at::vec::Vectorized<float>& x, at::vec::Vectorized<float>& y) { return x + y; }, tmp_acc10_vec);
                out_ptr10[static_cast<int64_t>(x0)] = static_cast<float>(tmp_acc10);
                tmp_acc11 = tmp_acc11 + at::vec::vec_reduce_all<float, 1>([](at::vec::Vectorized<float>& x, at::vec::Vectorized<float>& y) { return x + y; }, tmp_acc11_vec);
                out_ptr11[static_cast<int64_t>(x0)] = static_cast<float>(tmp_acc11);
                tmp_acc12 = tmp_acc12 + at::vec::vec_reduce_all<float, 1>([](at::vec::Vectorized<float>& x, at::vec::Vectorized<float>& y) { return x + y; }, tmp_acc12_vec);
                out_ptr12[static_cast<int64_t>(x0)] = static_cast<float>(tmp_acc12);
                tmp_acc13 = tmp_acc13 + at::vec::vec_reduce_all<float, 1>([](at::vec::Vectorized<float>& x, at::vec::Vectorized<float>& y) { return x + y; }, tmp_acc13_vec);
                out_ptr13[static_cast<int64_t>(x0)] = static_cast<float>(tmp_acc13);
                tmp_acc14 = tmp_acc14 + at::vec::vec_reduce_all<float, 1>([](at::vec::Vectorized<float>& x, at::vec::Vectorized<float>& y) { return x + y; }, tmp_acc14_vec);
                out_ptr14[static_cast<int64_t>(x0)] = static_cast<float>(tmp_acc14);
                tmp_acc15 = tmp_acc15 + at::vec::vec_reduce_all<float, 1>([](at::vec::Vectorized<float>& x, at::vec::Vectorized<float>& y) { return x + y; }, tmp_acc15_vec);
                out_ptr15[static_cast<int64_t>(x0)] = static_cast<float>(tmp_acc15);
            }
        }
    }
    {
        for(int64_t x0=static_cast<int64_t>(0L); x0<static_cast<int64_t>(2048L); x0+=static_cast<int64_t>(8L))
        {
            {
                if(C10_LIKELY(x0 >= static_cast<int64_t>(0) && x0 < static_cast<int64_t>(2048L)))
                {
                    auto tmp0 = at::vec::Vectorized<float>::loadu(in_ptr0 + static_cast<int64_t>(x0), static_cast<int64_t>(8));
                    auto tmp1 = static_cast<float>(1.5);
                    auto tmp2 = at::vec::Vectorized<float>(tmp1);
                    auto tmp3 = tmp0 * tmp2;
                    auto tmp4 = tmp3 * tmp2;
                    auto tmp5 = static_cast<float>(1.0);
                    auto tmp6 = at::vec::Vectorized<float>(tmp5);
                    auto tmp7 = tmp4 + tmp6;
                    auto tmp8 = tmp7 * tmp2;
                    auto tmp9 = static_cast<float>(2.0);
                    auto tmp10 = at::vec::Vectorized<float>(tmp9);
                    auto tmp11 = tmp8 + tmp10;
                    auto tmp12 = tmp11 * tmp2;
                    auto tmp13 = static_cast<float>(3.0);
                    auto tmp14 = at::vec::Vectorized<float>(tmp13);
                    auto tmp15 = tmp12 + tmp14;
                    auto tmp16 = tmp15 * tmp2;
                    auto tmp17 = static_cast<float>(4.0);
                    auto tmp18 = at::vec::Vectorized<float>(tmp17);
                    auto tmp19 = tmp16 + tmp18;
                    auto tmp20 = tmp19 * tmp2;
                    auto tmp21 = static_cast<float>(5.0);
                    auto tmp22 = at::vec::Vectorized<float>(tmp21);
                    auto tmp23 = tmp20 + tmp22;
                    auto tmp24 = tmp23 * tmp2;
                    auto tmp25 = static_cast<float>(6.0);
                    auto tmp26 = at::vec::Vectorized<float>(tmp25);
                    auto tmp27 = tmp24 + tmp26;
                    auto tmp28 = tmp27 * tmp2;
                    auto tmp29 = static_cast<float>(7.0);
                    auto tmp30 = at::vec::Vectorized<float>(tmp29);
                    auto tmp31 = tmp28 + tmp30;
                    auto tmp32 = tmp31 * tmp2;
                    auto tmp33 = static_cast<float>(8.0);
                    auto tmp34 = at::vec::Vectorized<float>(tmp33);
                    auto tmp35 = tmp32 + tmp34;
                    auto tmp36 = tmp35 * tmp2;
                    auto tmp37 = static_cast<float>(9.0);
                    auto tmp38 = at::vec::Vectorized<float>(tmp37);
                    auto tmp39 = tmp36 + tmp38;
                    auto tmp40 = tmp39 * tmp2;
                    auto tmp41 = static_cast<float>(10.0);
                    auto tmp42 = at::vec::Vectorized<float>(tmp41);
                    auto tmp43 = tmp40 + tmp42;
                    auto tmp44 = tmp43 * tmp2;
                    auto tmp45 = static_cast<float>(11.0);
                    auto tmp46 = at::vec::Vectorized<float>(tmp45);
                    auto tmp47 = tmp44 + tmp46;
                    auto tmp48 = tmp47 * tmp2;
                    auto tmp49 = static_cast<float>(12.0);
                    auto tmp50 = at::vec::Vectorized<float>(tmp49);
                    auto tmp51 = tmp48 + tmp50;
                    auto tmp52 = tmp51 * tmp2;
                    auto tmp53 = static_cast<float>(13.0);
                    auto tmp54 = at::vec::Vectorized<float>(tmp53);
                    auto tmp55 = tmp52 + tmp54;
                    auto tmp56 = tmp55 * tmp2;
                    auto tmp57 = static_cast<float>(14.0);
                    auto tmp58 = at::vec::Vectorized<float>(tmp57);
                    auto tmp59 = tmp56 + tmp58;
                    auto tmp60 = tmp59 * tmp2;
                    auto tmp61 = static_cast<float>(15.0);
                    auto tmp62 = at::vec::Vectorized<float>(tmp61);
                    auto tmp63 = tmp60 + tmp62;
                    auto tmp64 = tmp63 * tmp2;
                    auto tmp65 = static_cast<float>(16.0);
                    auto tmp66 = at::vec::Vectorized<float>(tmp65);
                    auto tmp67 = tmp64 + tmp66;
                    auto tmp68 = tmp67 * tmp2;
                    auto tmp69 = static_cast<float>(17.0);
                    auto tmp70 = at::vec::Vectorized<float>(tmp69);
                    auto tmp71 = tmp68 + tmp70;
                    auto tmp72 = tmp71 * tmp2;
                    auto tmp73 = static_cast<float>(18.0);
                    auto tmp74 = at::vec::Vectorized<float>(tmp73);
                    auto tmp75 = tmp72 + tmp74;
                    auto tmp76 = tmp75 * tmp2;
                    auto tmp77 = static_cast<float>(19.0);
                    auto tmp78 = at::vec::Vectorized<float>(tmp77);
                    auto tmp79 = tmp76 + tmp78;
                    auto tmp80 = tmp79 * tmp2;
                    auto tmp81 = static_cast<float>(20.0);
                    auto tmp82 = at::vec::Vectorized<float>(tmp81);
                    auto tmp83 = tmp80 + tmp82;
                    auto tmp84 = tmp83 * tmp2;
                    auto tmp85 = static_cast<float>(21.0);
                    auto tmp86 = at::vec::Vectorized<float>(tmp85);
                    auto tmp87 = tmp84 + tmp86;
                    auto tmp88 = tmp87 * tmp2;
                    auto tmp89 = static_cast<float>(22.0);
                    auto tmp90 = at::vec::Vectorized<float>(tmp89);
                    auto tmp91 = tmp88 + tmp90;
                    auto tmp92 = tmp91 * tmp2;
                    auto tmp93 = static_cast<float>(23.0);
                    auto tmp94 = at::vec::Vectorized<float>(tmp93);
                    auto tmp95 = tmp92 + tmp94;
                    auto tmp96 = tmp95 * tmp2;
                    auto tmp97 = static_cast<float>(24.0);
                    auto tmp98 = at::vec::Vectorized<float>(tmp97);
                    auto tmp99 = tmp96 + tmp98;
                    auto tmp100 = tmp99 * tmp2;
                    auto tmp101 = static_cast<float>(25.0);
                    auto tmp102 = at::vec::Vectorized<float>(tmp101);
                    auto tmp103 = tmp100 + tmp102;
                    auto tmp104 = tmp103 * tmp2;
                    auto tmp105 = static_cast<float>(26.0);
                    auto tmp106 = at::vec::Vectorized<float>(tmp105);
                    auto tmp107 = tmp104 + tmp106;
                    auto tmp108 = tmp107 * tmp2;
                    auto tmp109 = static_cast<float>(27.0);
                    auto tmp110 = at::vec::Vectorized<float>(tmp109);
                    auto tmp111 = tmp108 + tmp110;
                    auto tmp112 = tmp111 * tmp2;
                    auto tmp113 = static_cast<float>(28.0);
                    auto tmp114 = at::vec::Vectorized<float>(tmp113);
                    auto tmp115 = tmp112 + tmp114;
                    auto tmp116 = tmp115 * tmp2;
                    auto tmp117 = static_cast<float>(29.0);
                    auto tmp118 = at::vec::Vectorized<float>(tmp117);
                    auto tmp119 = tmp116 + tmp118;
                    auto tmp120 = tmp119 * tmp2;
                    auto tmp121 = static_cast<float>(30.0);
                    auto tmp122 = at::vec::Vectorized<float>(tmp121);
                    auto tmp123 = tmp120 + tmp122;
                    auto tmp124 = tmp123 * tmp2;
                    auto tmp125 = static_cast<float>(31.0);
                    auto tmp126 = at::vec::Vectorized<float>(tmp125);
                    auto tmp127 = tmp124 + tmp126;
                    auto tmp128 = tmp127 * tmp2;
                    auto tmp129 = static_cast<float>(32.0);
                    auto tmp130 = at::vec::Vectorized<float>(tmp129);
                    auto tmp131 = tmp128 + tmp130;
                    auto tmp132 = tmp131 * tmp2;
                    auto tmp133 = static_cast<float>(33.0);
                    auto tmp134 = at::vec::Vectorized<float>(tmp133);
                    auto tmp135 = tmp132 + tmp134;
                    auto tmp136 = tmp135 * tmp2;
                    auto tmp137 = static_cast<float>(34.0);
                    auto tmp138 = at::vec::Vectorized<float>(tmp137);
                    auto tmp139 = tmp136 + tmp138;
                    auto tmp140 = tmp139 * tmp2;
                    auto tmp141 = static_cast<float>(35.0);
                    auto tmp142 = at::vec::Vectorized<float>(tmp141);
                    auto tmp143 = tmp140 + tmp142;
                    auto tmp144 = tmp143 * tmp2;
                    auto tmp145 = static_cast<float>(36.0);
                    auto tmp146 = at::vec::Vectorized<float>(tmp145);
                    auto tmp147 = tmp144 + tmp146;
                    auto tmp148 = tmp147 * tmp2;
                    auto tmp149 = static_cast<float>(37.0);
                    auto tmp150 = at::vec::Vectorized<float>(tmp149);
                    auto tmp151 = tmp148 + tmp150;
                    auto tmp152 = tmp151 * tmp2;
                    auto tmp153 = static_cast<float>(38.0);
                    auto tmp154 = at::vec::Vectorized<float>(tmp153);
                    auto tmp155 = tmp152 + tmp154;
                    auto tmp156 = tmp155 * tmp2;
                    auto tmp157 = static_cast<float>(39.0);
                    auto tmp158 = at::vec::Vectorized<float>(tmp157);
                    auto tmp159 = tmp156 + tmp158;
                    auto tmp160 = tmp159 * tmp2;
                    auto tmp161 = static_cast<float>(40.0);
                    auto tmp162 = at::vec::Vectorized<float>(tmp161);
                    auto tmp163 = tmp160 + tmp162;
                    auto tmp164 = tmp163 * tmp2;
                    auto tmp165 = static_cast<float>(41.0);
                    auto tmp166 = at::vec::Vectorized<float>(tmp165);
                    auto tmp167 = tmp164 + tmp166;
                    auto tmp168 = tmp167 * tmp2;
                    auto tmp169 = static_cast<float>(42.0);
                    auto tmp170 = at::vec::Vectorized<float>(tmp169);
                    auto tmp171 = tmp168 + tmp170;
                    auto tmp172 = tmp171 * tmp2;
                    auto tmp173 = static_cast<float>(43.0);
                    auto tmp174 = at::vec::Vectorized<float>(tmp173);
                    auto tmp175 = tmp172 + tmp174;
                    auto tmp176 = tmp175 * tmp2;
                    auto tmp177 = static_cast<float>(44.0);
                    auto tmp178 = at::vec::Vectorized<float>(tmp177);
                    auto tmp179 = tmp176 + tmp178;
                    auto tmp180 = tmp179 * tmp2;
                    auto tmp181 = static_cast<float>(45.0);
                    auto tmp182 = at::vec::Vectorized<float>(tmp181);
                    auto tmp183 = tmp180 + tmp182;
                    auto tmp184 = tmp183 * tmp2;
                    auto tmp185 = static_cast<float>(46.0);
                    auto tmp186 = at::vec::Vectorized<float>(tmp185);
                    auto tmp187 = tmp184 + tmp186;
                    auto tmp188 = tmp187 * tmp2;
                    auto tmp189 = static_cast<float>(47.0);
                    auto tmp190 = at::vec::Vectorized<float>(tmp189);
                    auto tmp191 = tmp188 + tmp190;
                    auto tmp192 = tmp191 * tmp2;
                    auto tmp193 = static_cast<float>(48.0);
                    auto tmp194 = at::vec::Vectorized<float>(tmp193);
                    auto tmp195 = tmp192 + tmp194;
                    auto tmp196 = tmp195 * tmp2;
                    auto tmp197 = static_cast<float>(49.0);
                    auto tmp198 = at::vec::Vectorized<float>(tmp197);
                    auto tmp199 = tmp196 + tmp198;
                    auto tmp200 = tmp199 * tmp2;
                    auto tmp201 = static_cast<float>(50.0);
                    auto tmp202 = at::vec::Vectorized<float>(tmp201);
                    auto tmp203 = tmp200 + tmp202;
                    auto tmp204 = tmp203 * tmp2;
                    auto tmp205 = static_cast<float>(51.0);
                    auto tmp206 = at::vec::Vectorized<float>(tmp205);
                    auto tmp207 = tmp204 + tmp206;
                    auto tmp208 = tmp207 * tmp2;
                    auto tmp209 = static_cast<float>(52.0);
                    auto tmp210 = at::vec::Vectorized<float>(tmp209);
                    auto tmp211 = tmp208 + tmp210;
                    auto tmp212 = tmp211 * tmp2;
                    auto tmp213 = static_cast<float>(53.0);
                    auto tmp214 = at::vec::Vectorized<float>(tmp213);
                    auto tmp215 = tmp212 + tmp214;
                    auto tmp216 = tmp215 * tmp2;
                    auto tmp217 = static_cast<float>(54.0);
                    auto tmp218 = at::vec::Vectorized<float>(tmp217);
                    auto tmp219 = tmp216 + tmp218;
                    auto tmp220 = tmp219 * tmp2;
                    auto tmp221 = static_cast<float>(55.0);
                    auto tmp222 = at::vec::Vectorized<float>(tmp221);
                    auto tmp223 = tmp220 + tmp222;
                    auto tmp224 = tmp223 * tmp2;
                    auto tmp225 = static_cast<float>(56.0);
                    auto tmp226 = at::vec::Vectorized<float>(tmp225);
                    auto tmp227 = tmp224 + tmp226;
                    auto tmp228 = tmp227 * tmp2;
                    auto tmp229 = static_cast<float>(57.0);
                    auto tmp230 = at::vec::Vectorized<float>(tmp229);
                    auto tmp231 = tmp228 + tmp230;
                    auto tmp232 = tmp231 * tmp2;
                    auto tmp233 = static_cast<float>(58.0);
                    auto tmp234 = at::vec::Vectorized<float>(tmp233);
                    auto tmp235 = tmp232 + tmp234;
                    auto tmp236 = tmp235 * tmp2;
                    auto tmp237 = static_cast<float>(59.0);
                    auto tmp238 = at::vec::Vectorized<float>(tmp237);
                    auto tmp239 = tmp236 + tmp238;
                    auto tmp240 = tmp239 * tmp2;
                    auto tmp241 = static_cast<float>(60.0);
                    auto tmp242 = at::vec::Vectorized<float>(tmp241);
                    auto tmp243 = tmp240 + tmp242;
                    auto tmp244 = tmp243 * tmp2;
                    auto tmp245 = static_cast<float>(61.0);
                    auto tmp246 = at::vec::Vectorized<float>(tmp245);
                    auto tmp247 = tmp244 + tmp246;
                    auto tmp248 = tmp247 * tmp2;
                    auto tmp249 = static_cast<float>(62.0);
                    auto tmp250 = at::vec::Vectorized<float>(tmp249);
                    auto tmp251 = tmp248 + tmp250;
                    auto tmp252 = tmp251 * tmp2;
                    auto tmp253 = static_cast<float>(63.0);
                    auto tmp254 = at::vec::Vectorized<float>(tmp253);
                    auto tmp255 = tmp252 + tmp254;
                    auto tmp256 = tmp255 * tmp2;
                    auto tmp257 = static_cast<float>(64.0);
                    auto tmp258 = at::vec::Vectorized<float>(tmp257);
                    auto tmp259 = tmp256 + tmp258;
                    auto tmp260 = tmp259 * tmp2;
                    auto tmp261 = static_cast<float>(65.0);
                    auto tmp262 = at::vec::Vectorized<float>(tmp261);
                    auto tmp263 = tmp260 + tmp262;
                    auto tmp264 = tmp263 * tmp2;
                    auto tmp265 = static_cast<float>(66.0);
                    auto tmp266 = at::vec::Vectorized<float>(tmp265);
                    auto tmp267 = tmp264 + tmp266;
                    auto tmp268 = tmp267 * tmp2;
                    auto tmp269 = static_cast<float>(67.0);
                    auto tmp270 = at::vec::Vectorized<float>(tmp269);
                    auto tmp271 = tmp268 + tmp270;
                    tmp67.store(out_ptr16 + static_cast<int64_t>(x0));
                    tmp135.store(out_ptr17 + static_cast<int64_t>(x0));
                    tmp203.store(out_ptr18 + static_cast<int64_t>(x0));
                    tmp271.store(out_ptr19 + static_cast<int64_t>(x0));
                }
            }
        }
    }
    {
        #pragma GCC ivdep
        for(int64_t x0=static_cast<int64_t>(0L); x0<static_cast<int64_t>(32L); x0+=static_cast<int64_t>(1L))
        {
            {
                float tmp_acc0 = 0;
                at::vec::Vectorized<float> tmp_acc0_vec = at::vec::Vectorized<float>(0);
                for(int64_t x1=static_cast<int64_t>(0L); x1<static_cast<int64_t>(64L); x1+=static_cast<int64_t>(8L))
                {
                    {
                        if(C10_LIKELY(x1 >= static_cast<int64_t>(0) && x1 < static_cast<int64_t>(64L)))
                        {
                            auto tmp0 = at::vec::Vectorized<float>::loadu(out_ptr16 + static_cast<int64_t>(x1 + 64L*x0), static_cast<int64_t>(8));
                            auto tmp1 = static_cast<float>(1.5);
                            auto tmp2 = at::vec::Vectorized<float>(tmp1);
                            auto tmp3 = tmp0 * tmp2;
                            auto tmp4 = static_cast<float>(17.0);
                            auto tmp5 = at::vec::Vectorized<float>(tmp4);
                            auto tmp6 = tmp3 + tmp5;
                            auto tmp7 = tmp6 * tmp2;
                            auto tmp8 = static_cast<float>(18.0);
                            auto tmp9 = at::vec::Vectorized<float>(tmp8);
                            auto tmp10 = tmp7 + tmp9;
                            auto tmp11 = tmp10 * tmp2;
                            auto tmp12 = static_cast<float>(19.0);
                            auto tmp13 = at::vec::Vectorized<float>(tmp12);
                            auto tmp14 = tmp11 + tmp13;
                            auto tmp15 = tmp14 * tmp2;
                            auto tmp16 = static_cast<float>(20.0);
                            auto tmp17 = at::vec::Vectorized<float>(tmp16);
                            auto tmp18 = tmp15 + tmp17;
                            auto tmp19 = tmp18 * tmp2;
                            auto tmp20 = static_cast<float>(21.0);
                            auto tmp21 = at::vec::Vectorized<float>(tmp20);
                            auto tmp22 = tmp19 + tmp21;
                            auto tmp23 = tmp22 * tmp2;
                            auto tmp24 = static_cast<float>(22.0);
                            auto tmp25 = at::vec::Vectorized<float>(tmp24);
                            auto tmp26 = tmp23 + tmp25;
                            auto tmp27 = tmp26 * tmp2;
                            auto tmp28 = static_cast<float>(23.0);
                            auto tmp29 = at::vec::Vectorized<float>(tmp28);
                            auto tmp30 = tmp27 + tmp29;
                            auto tmp31 = tmp30 * tmp2;
                            auto tmp32 = static_cast<float>(24.0);
                            auto tmp33 = at::vec::Vectorized<float>(tmp32);
                            auto tmp34 = tmp31 + tmp33;
                            auto tmp35 = tmp34 * tmp2;
                            auto tmp36 = static_cast<float>(25.0);
                            auto tmp37 = at::vec::Vectorized<float>(tmp36);
                            auto tmp38 = tmp35 + tmp37;
                            auto tmp39 = tmp38 * tmp2;
                            auto tmp40 = static_cast<float>(26.0);
                            auto tmp41 = at::vec::Vectorized<float>(tmp40);
                            auto tmp42 = tmp39 + tmp41;
                            auto tmp43 = tmp42 * tmp2;
                            auto tmp44 = static_cast<float>(27.0);
                            auto tmp45 = at::vec::Vectorized<float>(tmp44);
                            auto tmp46 = tmp43 + tmp45;
                            auto tmp47 = tmp46 * tmp2;
                            auto tmp48 = static_cast<float>(28.0);
                            auto tmp49 = at::vec::Vectorized<float>(tmp48);
                            auto tmp50 = tmp47 + tmp49;
                            auto tmp51 = tmp50 * tmp2;
                            auto tmp52 = static_cast<float>(29.0);
                            auto tmp53 = at::vec::Vectorized<float>(tmp52);
                            auto tmp54 = tmp51 + tmp53;
                            auto tmp55 = tmp54 * tmp2;
                            auto tmp56 = static_cast<float>(30.0);
                            auto tmp57 = at::vec::Vectorized<float>(tmp56);
                            auto tmp58 = tmp55 + tmp57;
                            auto tmp59 = tmp58 * tmp2;
                            auto tmp60 = static_cast<float>(31.0);
                            auto tmp61 = at::vec::Vectorized<float>(tmp60);
                            auto tmp62 = tmp59 + tmp61;
                            auto tmp63 = tmp62 * tmp2;
                            auto tmp64 = static_cast<float>(32.0);
                            auto tmp65 = at::vec::Vectorized<float>(tmp64);
                            auto tmp66 = tmp63 + tmp65;
                            tmp_acc0_vec = tmp_acc0_vec + tmp66;
                        }
                    }
                }
                tmp_acc0 = tmp_acc0 + at::vec::vec_reduce_all<float, 1>([](at::vec::Vectorized<float>& x, at::vec::Vectorized<float>& y) { return x + y; }, tmp_acc0_vec);
                out_ptr20[static_cast<int64_t>(x0)] = static_cast<float>(tmp_acc0);
            }
        }
    }
    {
        #pragma GCC ivdep
        for(int64_t x0=static_cast<int64_t>(0L); x0<static_cast<int64_t>(32L); x0+=static_cast<int64_t>(1L))
        {
            {
                float tmp_acc0 = 0;
                at::vec::Vectorized<float> tmp_acc0_vec = at::vec::Vectorized<float>(0);
                for(int64_t x1=static_cast<int64_t>(0L); x1<static_cast<int64_t>(64L); x1+=static_cast<int64_t>(8L))
                {
                    {
                        if(C10_LIKELY(x1 >= static_cast<int64_t>(0) && x1 < static_cast<int64_t>(64L)))
                        {
                            auto tmp0 = at::vec::Vectorized<float>::loadu(out_ptr17 + static_cast<int64_t>(x1 + 64L*x0), static_cast<int64_t>(8));
                            auto tmp1 = static_cast<float>(1.5);
                            auto tmp2 = at::vec::Vectorized<float>(tmp1);
                            auto tmp3 = tmp0 * tmp2;
                            auto tmp4 = static_cast<float>(34.0);
                            auto tmp5 = at::vec::Vectorized<float>(tmp4);
                            auto tmp6 = tmp3 + tmp5;
                            auto tmp7 = tmp6 * tmp2;
                            auto tmp8 = static_cast<float>(35.0);
                            auto tmp9 = at::vec::Vectorized<float>(tmp8);
                            auto tmp10 = tmp7 + tmp9;
                            auto tmp11 = tmp10 * tmp2;
                            auto tmp12 = static_cast<float>(36.0);
                            auto tmp13 = at::vec::Vectorized<float>(tmp12);
                            auto tmp14 = tmp11 + tmp13;
                            auto tmp15 = tmp14 * tmp2;
                            auto tmp16 = static_cast<float>(37.0);
                            auto tmp17 = at::vec::Vectorized<float>(tmp16);
                            auto tmp18 = tmp15 + tmp17;
                            auto tmp19 = tmp18 * tmp2;
                            auto tmp20 = static_cast<float>(38.0);
                            auto tmp21 = at::vec::Vectorized<float>(tmp20);
                            auto tmp22 = tmp19 + tmp21;
                            auto tmp23 = tmp22 * tmp2;
                            auto tmp24 = static_cast<float>(39.0);
                            auto tmp25 = at::vec::Vectorized<float>(tmp24);
                            auto tmp26 = tmp23 + tmp25;
                            auto tmp27 = tmp26 * tmp2;
                            auto tmp28 = static_cast<float>(40.0);
                            auto tmp29 = at::vec::Vectorized<float>(tmp28);
                            auto tmp30 = tmp27 + tmp29;
                            auto tmp31 = tmp30 * tmp2;
                            auto tmp32 = static_cast<float>(41.0);
                            auto tmp33 = at::vec::Vectorized<float>(tmp32);
                            auto tmp34 = tmp31 + tmp33;
                            auto tmp35 = tmp34 * tmp2;
                            auto tmp36 = static_cast<float>(42.0);
                            auto tmp37 = at::vec::Vectorized<float>(tmp36);
                            auto tmp38 = tmp35 + tmp37;
                            auto tmp39 = tmp38 * tmp2;
                            auto tmp40 = static_cast<float>(43.0);
                            auto tmp41 = at::vec::Vectorized<float>(tmp40);
                            auto tmp42 = tmp39 + tmp41;
                            auto tmp43 = tmp42 * tmp2;
                            auto tmp44 = static_cast<float>(44.0);
                            auto tmp45 = at::vec::Vectorized<float>(tmp44);
                            auto tmp46 = tmp43 + tmp45;
                            auto tmp47 = tmp46 * tmp2;
                            auto tmp48 = static_cast<float>(45.0);
                            auto tmp49 = at::vec::Vectorized<float>(tmp48);
                            auto tmp50 = tmp47 + tmp49;
                            auto tmp51 = tmp50 * tmp2;
                            auto tmp52 = static_cast<float>(46.0);
                            auto tmp53 = at::vec::Vectorized<float>(tmp52);
                            auto tmp54 = tmp51 + tmp53;
                            auto tmp55 = tmp54 * tmp2;
                            auto tmp56 = static_cast<float>(47.0);
                            auto tmp57 = at::vec::Vectorized<float>(tmp56);
                            auto tmp58 = tmp55 + tmp57;
                            auto tmp59 = tmp58 * tmp2;
                            auto tmp60 = static_cast<float>(48.0);
                            auto tmp61 = at::vec::Vectorized<float>(tmp60);
                            auto tmp62 = tmp59 + tmp61;
                            auto tmp63 = tmp62 * tmp2;
                            auto tmp64 = static_cast<float>(49.0);
                            auto tmp65 = at::vec::Vectorized<float>(tmp64);
                            auto tmp66 = tmp63 + tmp65;
                            tmp_acc0_vec = tmp_acc0_vec + tmp66;
                        }
                    }
                }
                tmp_acc0 = tmp_acc0 + at::vec::vec_reduce_all<float, 1>([](at::vec::Vectorized<float>& x, at::vec::Vectorized<float>& y) { return x + y; }, tmp_acc0_vec);
                out_ptr21[static_cast<int64_t>(x0)] = static_cast<float>(tmp_acc0);
            }
        }
    }
    {
        #pragma GCC ivdep
        for(int64_t x0=static_cast<int64_t>(0L); x0<static_cast<int64_t>(32L); x0+=static_cast<int64_t>(1L))
        {
            {
                float tmp_acc0 = 0;
                at::vec::Vectorized<float> tmp_acc0_vec = at::vec::Vectorized<float>(0);
                for(int64_t x1=static_cast<int64_t>(0L); x1<static_cast<int64_t>(64L); x1+=static_cast<int64_t>(8L))
                {
                    {
                        if(C10_LIKELY(x1 >= static_cast<int64_t>(0) && x1 < static_cast<int64_t>(64L)))
                        {
                            auto tmp0 = at::vec::Vectorized<float>::loadu(out_ptr18 + static_cast<int64_t>(x1 + 64L*x0), static_cast<int64_t>(8));
                            auto tmp1 = static_cast<float>(1.5);
                            auto tmp2 = at::vec::Vectorized<float>(tmp1);
                            auto tmp3 = tmp0 * tmp2;
                            auto tmp4 = static_cast<float>(51.0);
                            auto tmp5 = at::vec::Vectorized<float>(tmp4);
                            auto tmp6 = tmp3 + tmp5;
                            auto tmp7 = tmp6 * tmp2;
                            auto tmp8 = static_cast<float>(52.0);
                            auto tmp9 = at::vec::Vectorized<float>(tmp8);
                            auto tmp10 = tmp7 + tmp9;
                            auto tmp11 = tmp10 * tmp2;
                            auto tmp12 = static_cast<float>(53.0);
                            auto tmp13 = at::vec::Vectorized<float>(tmp12);
                            auto tmp14 = tmp11 + tmp13;
                            auto tmp15 = tmp14 * tmp2;
                            auto tmp16 = static_cast<float>(54.0);
                            auto tmp17 = at::vec::Vectorized<float>(tmp16);
                            auto tmp18 = tmp15 + tmp17;
                            auto tmp19 = tmp18 * tmp2;
                            auto tmp20 = static_cast<float>(55.0);
                            auto tmp21 = at::vec::Vectorized<float>(tmp20);
                            auto tmp22 = tmp19 + tmp21;
                            auto tmp23 = tmp22 * tmp2;
                            auto tmp24 = static_cast<float>(56.0);
                            auto tmp25 = at::vec::Vectorized<float>(tmp24);
                            auto tmp26 = tmp23 + tmp25;
                            auto tmp27 = tmp26 * tmp2;
                            auto tmp28 = static_cast<float>(57.0);
                            auto tmp29 = at::vec::Vectorized<float>(tmp28);
                            auto tmp30 = tmp27 + tmp29;
                            auto tmp31 = tmp30 * tmp2;
                            auto tmp32 = static_cast<float>(58.0);
                            auto tmp33 = at::vec::Vectorized<float>(tmp32);
                            auto tmp34 = tmp31 + tmp33;
                            auto tmp35 = tmp34 * tmp2;
                            auto tmp36 = static_cast<float>(59.0);
                            auto tmp37 = at::vec::Vectorized<float>(tmp36);
                            auto tmp38 = tmp35 + tmp37;
                            auto tmp39 = tmp38 * tmp2;
                            auto tmp40 = static_cast<float>(60.0);
                            auto tmp41 = at::vec::Vectorized<float>(tmp40);
                            auto tmp42 = tmp39 + tmp41;
                            auto tmp43 = tmp42 * tmp2;
                            auto tmp44 = static_cast<float>(61.0);
                            auto tmp45 = at::vec::Vectorized<float>(tmp44);
                            auto tmp46 = tmp43 + tmp45;
                            auto tmp47 = tmp46 * tmp2;
                            auto tmp48 = static_cast<float>(62.0);
                            auto tmp49 = at::vec::Vectorized<float>(tmp48);
                            auto tmp50 = tmp47 + tmp49;
                            auto tmp51 = tmp50 * tmp2;
                            auto tmp52 = static_cast<float>(63.0);
                            auto tmp53 = at::vec::Vectorized<float>(tmp52);
                            auto tmp54 = tmp51 + tmp53;
                            auto tmp55 = tmp54 * tmp2;
                            auto tmp56 = static_cast<float>(64.0);
                            auto tmp57 = at::vec::Vectorized<float>(tmp56);
                            auto tmp58 = tmp55 + tmp57;
                            auto tmp59 = tmp58 * tmp2;
                            auto tmp60 = static_cast<float>(65.0);
                            auto tmp61 = at::vec::Vectorized<float>(tmp60);
                            auto tmp62 = tmp59 + tmp61;
                            auto tmp63 = tmp62 * tmp2;
                            auto tmp64 = static_cast<float>(66.0);
                            auto tmp65 = at::vec::Vectorized<float>(tmp64);
                            auto tmp66 = tmp63 + tmp65;
                            tmp_acc0_vec = tmp_acc0_vec + tmp66;
                        }
                    }
                }
                tmp_acc0 = tmp_acc0 + at::vec::vec_reduce_all<float, 1>([](at::vec::Vectorized<float>& x, at::vec::Vectorized<float>& y) { return x + y; }, tmp_acc0_vec);
                out_ptr22[static_cast<int64_t>(x0)] = static_cast<float>(tmp_acc0);
            }
        }
    }
    {
        #pragma GCC ivdep
        for(int64_t x0=static_cast<int64_t>(0L); x0<static_cast<int64_t>(32L); x0+=static_cast<int64_t>(1L))
        {
            {
                float tmp_acc0 = 0;
                at::vec::Vectorized<float> tmp_acc0_vec = at::vec::Vectorized<float>(0);
                float tmp_acc1 = 0;
                at::vec::Vectorized<float> tmp_acc1_vec = at::vec::Vectorized<float>(0);
                float tmp_acc2 = 0;
                at::vec::Vectorized<float> tmp_acc2_vec = at::vec::Vectorized<float>(0);
                for(int64_t x1=static_cast<int64_t>(0L); x1<static_cast<int64_t>(64L); x1+=static_cast<int64_t>(8L))
                {
                    {
                        if(C10_LIKELY(x1 >= static_cast<int64_t>(0) && x1 < static_cast<int64_t>(64L)))
                        {
                            auto tmp0 = at::vec::Vectorized<float>::loadu(out_ptr19 + static_cast<int64_t>(x1 + 64L*x0), static_cast<int64_t>(8));
                            auto tmp1 = static_cast<float>(1.5);
                            auto tmp2 = at::vec::Vectorized<float>(tmp1);
                            auto tmp3 = tmp0 * tmp2;
                            auto tmp4 = static_cast<float>(68.0);
                            auto tmp5 = at::vec::Vectorized<float>(tmp4);
                            auto tmp6 = tmp3 + tmp5;
                            auto tmp7 = tmp6 * tmp2;
                            auto tmp8 = static_cast<float>(69.0);
                            auto tmp9 = at::vec::Vectorized<float>(tmp8);
                            auto tmp10 = tmp7 + tmp9;
                            tmp_acc0_vec = tmp_acc0_vec + tmp0;
                            tmp_acc1_vec = tmp_acc1_vec + tmp6;
                            tmp_acc2_vec = tmp_acc2_vec + tmp10;
                        }
                    }
                }
                tmp_acc0 = tmp_acc0 + at::vec::vec_reduce_all<float, 1>([](at::vec::Vectorized<float>& x, at::vec::Vectorized<float>& y) { return x + y; }, tmp_acc0_vec);
                out_ptr23[static_cast<int64_t>(x0)] = static_cast<float>(tmp_acc0);
                tmp_acc1 = tmp_acc1 + at::vec::vec_reduce_all<float, 1>([](at::vec::Vectorized<float>& x, at::vec::Vectorized<float>& y) { return x + y; }, tmp_acc1_vec);
                out_ptr24[static_cast<int64_t>(x0)] = static_cast<float>(tmp_acc1);
                tmp_acc2 = tmp_acc2 + at::vec::vec_reduce_all<float, 1>([](at::vec::Vectorized<float>& x, at::vec::Vectorized<float>& y) { return x + y; }, tmp_acc2_vec);
                out_ptr25[static_cast<int64_t>(x0)] = static_cast<float>(tmp_acc2);
            }
        }
    }
    {
        #pragma GCC ivdep
        for(int64_t x0=static_cast<int64_t>(0L); x0<static_cast<int64_t>(32L); x0+=static_cast<int64_t>(1L))
        {
            {
                float tmp_acc0 = 0;
                at::vec::Vectorized<float> tmp_acc0_vec = at::vec::Vectorized<float>(0);
                float tmp_acc1 = 0;
                at::vec::Vectorized<float> tmp_acc1_vec = at::vec::Vectorized<float>(0);
                float tmp_acc2 = 0;
                at::vec::Vectorized<float> tmp_acc2_vec = at::vec::Vectorized<float>(0);
                float tmp_acc3 = 0;
                at::vec::Vectorized<float> tmp_acc3_vec = at::vec::Vectorized<float>(0);
                float tmp_acc4 = 0;
                at::vec::Vectorized<float> tmp_acc4_vec = at::vec::Vectorized<float>(0);
                float tmp_acc5 = 0;
                at::vec::Vectorized<float> tmp_acc5_vec = at::vec::Vectorized<float>(0);
                float tmp_acc6 = 0;
                at::vec::Vectorized<float> tmp_acc6_vec = at::vec::Vectorized<float>(0);
                float tmp_acc7 = 0;
                at::vec::Vectorized<float> tmp_acc7_vec = at::vec::Vectorized<float>(0);
                float tmp_acc8 = 0;
                at::vec::Vectorized<float> tmp_acc8_vec = at::vec::Vectorized<float>(0);
                float tmp_acc9 = 0;
                at::vec::Vectorized<float> tmp_acc9_vec = at::vec::Vectorized<float>(0);
                float tmp_acc10 = 0;
                at::vec::Vectorized<float> tmp_acc10_vec = at::vec::Vectorized<float>(0);
                float tmp_acc11 = 0;
                at::vec::Vectorized<float> tmp_acc11_vec = at::vec::Vectorized<float>(0);
                float tmp_acc12 = 0;
                at::vec::Vectorized<float> tmp_acc12_vec = at::vec::Vectorized<float>(0);
                float tmp_acc13 = 0;
                at::vec::Vectorized<float> tmp_acc13_vec = at::vec::Vectorized<float>(0);
                float tmp_acc14 = 0;
                at::vec::Vectorized<float> tmp_acc14_vec = at::vec::Vectorized<float>(0);
                float tmp_acc15 = 0;
                at::vec::Vectorized<float> tmp_acc15_vec = at::vec::Vectorized<float>(0);
                for(int64_t x1=static_cast<int64_t>(0L); x1<static_cast<int64_t>(64L); x1+=static_cast<int64_t>(8L))
                {
                    {
                        if(C10_LIKELY(x1 >= static_cast<int64_t>(0) && x1 < static_cast<int64_t>(64L)))
                        {
                            auto tmp0 = at::vec::Vectorized<float>::loadu(out_ptr16 + static_cast<int64_t>(x1 + 64L*x0), static_cast<int64_t>(8));
                            auto tmp1 = static_cast<float>(1.5);
                            auto tmp2 = at::vec::Vectorized<float>(tmp1);
                            auto tmp3 = tmp0 * tmp2;
                            auto tmp4 = static_cast<float>(17.0);
                            auto tmp5 = at::vec::Vectorized<float>(tmp4);
                            auto tmp6 = tmp3 + tmp5;
                            auto tmp7 = tmp6 * tmp2;
                            auto tmp8 = static_cast<float>(18.0);
                            auto tmp9 = at::vec::Vectorized<float>(tmp8);
                            auto tmp10 = tmp7 + tmp9;
                            auto tmp11 = tmp10 * tmp2;
                            auto tmp12 = static_cast<float>(19.0);
                            auto tmp13 = at::vec::Vectorized<float>(tmp12);
                            auto tmp14 = tmp11 + tmp13;
                            auto tmp15 = tmp14 * tmp2;
                            auto tmp16 = static_cast<float>(20.0);
                            auto tmp17 = at::vec::Vectorized<float>(tmp16);
                            auto tmp18 = tmp15 + tmp17;
                            auto tmp19 = tmp18 * tmp2;
                            auto tmp20 = static_cast<float>(21.0);
                            auto tmp21 = at::vec::Vectorized<float>(tmp20);
                            auto tmp22 = tmp19 + tmp21;
                            auto tmp23 = tmp22 * tmp2;
                            auto tmp24 = static_cast<float>(22.0);
                            auto tmp25 = at::vec::Vectorized<float>(tmp24);
                            auto tmp26 = tmp23 + tmp25;
                            auto tmp27 = tmp26 * tmp2;
                            auto tmp28 = static_cast<float>(23.0);
                            auto tmp29 = at::vec::Vectorized<float>(tmp28);
                            auto tmp30 = tmp27 + tmp29;
                            auto tmp31 = tmp30 * tmp2;
                            auto tmp32 = static_cast<float>(24.0);
                            auto tmp33 = at::vec::Vectorized<float>(tmp32);
                            auto tmp34 = tmp31 + tmp33;
                            auto tmp35 = tmp34 * tmp2;
                            auto tmp36 = static_cast<float>(25.0);
                            auto tmp37 = at::vec::Vectorized<float>(tmp36);
                            auto tmp38 = tmp35 + tmp37;
                            auto tmp39 = tmp38 * tmp2;
                            auto tmp40 = static_cast<float>(26.0);
                            auto tmp41 = at::vec::Vectorized<float>(tmp40);
                            auto tmp42 = tmp39 + tmp41;
                            auto tmp43 = tmp42 * tmp2;
                            auto tmp44 = static_cast<float>(27.0);
                            auto tmp45 = at::vec::Vectorized<float>(tmp44);
                            auto tmp46 = tmp43 + tmp45;
                            auto tmp47 = tmp46 * tmp2;
                            auto tmp48 = static_cast<float>(28.0);
                            auto tmp49 = at::vec::Vectorized<float>(tmp48);
                            auto tmp50 = tmp47 + tmp49;
                            auto tmp51 = tmp50 * tmp2;
                            auto tmp52 = static_cast<float>(29.0);
                            auto tmp53 = at::vec::Vectorized<float>(tmp52);
                            auto tmp54 = tmp51 + tmp53;
                            auto tmp55 = tmp54 * tmp2;
                            auto tmp56 = static_cast<float>(30.0);
                            auto tmp57 = at::vec::Vectorized<float>(tmp56);
                            auto tmp58 = tmp55 + tmp57;
                            auto tmp59 = tmp58 * tmp2;
                            auto tmp60 = static_cast<float>(31.0);
                            auto tmp61 = at::vec::Vectorized<float>(tmp60);
                            auto tmp62 = tmp59 + tmp61;
                            tmp_acc0_vec = tmp_acc0_vec + tmp0;
                            tmp_acc1_vec = tmp_acc1_vec + tmp6;
                            tmp_acc2_vec = tmp_acc2_vec + tmp10;
                            tmp_acc3_vec = tmp_acc3_vec + tmp14;
                            tmp_acc4_vec = tmp_acc4_vec + tmp18;
                            tmp_acc5_vec = tmp_acc5_vec + tmp22;
                            tmp_acc6_vec = tmp_acc6_vec + tmp26;
                            tmp_acc7_vec = tmp_acc7_vec + tmp30;
                            tmp_acc8_vec = tmp_acc8_vec + tmp34;
                            tmp_acc9_vec = tmp_acc9_vec + tmp38;
                            tmp_acc10_vec = tmp_acc10_vec + tmp42;
                            tmp_acc11_vec = tmp_acc11_vec + tmp46;
                            tmp_acc12_vec = tmp_acc12_vec + tmp50;
                            tmp_acc13_vec = tmp_acc13_vec + tmp54;
                            tmp_acc14_vec = tmp_acc14_vec + tmp58;
                            tmp_acc15_vec = tmp_acc15_vec + tmp62;
                        }
                    }
                }
                tmp_acc0 = tmp_acc0 + at::vec::vec_reduce_all<float, 1>([](at::vec::Vectorized<float>& x, at::vec::Vectorized<float>& y) { return x + y; }, tmp_acc0_vec);
                out_ptr26[static_cast<int64_t>(x0)] = static_cast<float>(tmp_acc0);
                tmp_acc1 = tmp_acc1 + at::vec::vec_reduce_all<float, 1>([](at::vec::Vectorized<float>& x, at::vec::Vectorized<float>& y) { return x + y; }, tmp_acc1_vec);
                out_ptr27[static_cast<int64_t>(x0)] = static_cast<float>(tmp_acc1);
                tmp_acc2 = tmp_acc2 + at::vec::vec_reduce_all<float, 1>([](at::vec::Vectorized<float>& x, at::vec::Vectorized<float>& y) { return x + y; }, tmp_acc2_vec);
                out_ptr28[static_cast<int64_t>(x0)] = static_cast<float>(tmp_acc2);
                tmp_acc3 = tmp_acc3 + at::vec::vec_reduce_all<float, 1>([](at::vec::Vectorized<float>& x, at::vec::Vectorized<float>& y) { return x + y; }, tmp_acc3_vec);
                out_ptr29[static_cast<int64_t>(x0)] = static_cast<float>(tmp_acc3);
                tmp_acc4 = tmp_acc4 + at::vec::vec_reduce_all<float, 1>([](at::vec::Vectorized<float>& x, at::vec::Vectorized<float>& y) { return x + y; }, tmp_acc4_vec);
                out_ptr30[static_cast<int64_t>(x0)] = static_cast<float>(tmp_acc4);
                tmp_acc5 = tmp_acc5 + at::vec::vec_reduce_all<float, 1>([](at::vec::Vectorized<float>& x, at::vec::Vectorized<float>& y) { return x + y; }, tmp_acc5_vec);
                out_ptr31[static_cast<int64_t>(x0)] = static_cast<float>(tmp_acc5);
                tmp_acc6 = tmp_acc6 + at::vec::vec_reduce_all<float, 1>([](at::vec::Vectorized<float>& x, at::vec::Vectorized<float>& y) { return x + y; }, tmp_acc6_vec);
                out_ptr32[static_cast<int64_t>(x0)] = static_cast<float>(tmp_acc6);
                tmp_acc7 = tmp_acc7 + at::vec::vec_reduce_all<float, 1>([](at::vec::Vectorized<float>& x, at::vec::Vectorized<float>& y) { return x + y; }, tmp_acc7_vec);
                out_ptr33[static_cast<int64_t>(x0)] = static_cast<float>(tmp_acc7);
                tmp_acc8 = tmp_acc8 + at::vec::vec_reduce_all<float, 1>([](at::vec::Vectorized<float>& x, at::vec::Vectorized<float>& y) { return x + y; }, tmp_acc8_vec);
                out_ptr34[static_cast<int64_t>(x0)] = static_cast<float>(tmp_acc8);
                tmp_acc9 = tmp_acc9 + at::vec::vec_reduce_all<float, 1>([](at::vec::Vectorized<float>& x, at::vec::Vectorized<float>& y) { return x + y; }, tmp_acc9_vec);
                out_ptr35[static_cast<int64_t>(x0)] = static_cast<float>(tmp_acc9);
                tmp_acc10 = tmp_acc10 + at::vec::vec_reduce_all<float, 1>([](at::vec::Vectorized<float>& x, at::vec::Vectorized<float>& y) { return x + y; }, tmp_acc10_vec);
                out_ptr36[static_cast<int64_t>(x0)] = static_cast<float>(tmp_acc10);
                tmp_acc11 = tmp_acc11 + at::vec::vec_reduce_all<float, 1>([](at::vec::Vectorized<float>& x, at::vec::Vectorized<float>& y) { return x + y; }, tmp_acc11_vec);
                out_ptr37[static_cast<int64_t>(x0)] = static_cast<float>(tmp_acc11);
                tmp_acc12 = tmp_acc12 + at::vec::vec_reduce_all<float, 1>([](at::vec::Vectorized<float>& x, at::vec::Vectorized<float>& y) { return x + y; }, tmp_acc12_vec);
                out_ptr38[static_cast<int64_t>(x0)] = static_cast<float>(tmp_acc12);
                tmp_acc13 = tmp_acc13 + at::vec::vec_reduce_all<float, 1>([](at::vec::Vectorized<float>& x, at::vec::Vectorized<float>& y) { return x + y; }, tmp_acc13_vec);
                out_ptr39[static_cast<int64_t>(x0)] = static_cast<float>(tmp_acc13);
                tmp_acc14 = tmp_acc14 + at::vec::vec_reduce_all<float, 1>([](at::vec::Vectorized<float>& x, at::vec::Vectorized<float>& y) { return x + y; }, tmp_acc14_vec);
                out_ptr40[static_cast<int64_t>(x0)] = static_cast<float>(tmp_acc14);
                tmp_acc15 = tmp_acc15 + at::vec::vec_reduce_all<float, 1>([](at::vec::Vectorized<float>& x, at::vec::Vectorized<float>& y) { return x + y; }, tmp_acc15_vec);
                out_ptr41[static_cast<int64_t>(x0)] = static_cast<float>(tmp_acc15);
            }
        }
    }
    {
        #pragma GCC ivdep
        for(int64_t x0=static_cast<int64_t>(0L); x0<static_cast<int64_t>(32L); x0+=static_cast<int64_t>(1L))
        {
            {
                float tmp_acc0 = 0;
                at::vec::Vectorized<float> tmp_acc0_vec = at::vec::Vectorized<float>(0);
                float tmp_acc1 = 0;
                at::vec::Vectorized<float> tmp_acc1_vec = at::vec::Vectorized<float>(0);
                float tmp_acc2 = 0;
                at::vec::Vectorized<float> tmp_acc2_vec = at::vec::Vectorized<float>(0);
                float tmp_acc3 = 0;
                at::vec::Vectorized<float> tmp_acc3_vec = at::vec::Vectorized<float>(0);
                float tmp_acc4 = 0;
                at::vec::Vectorized<float> tmp_acc4_vec = at::vec::Vectorized<float>(0);
                float tmp_acc5 = 0;
                at::vec::Vectorized<float> tmp_acc5_vec = at::vec::Vectorized<float>(0);
                float tmp_acc6 = 0;
                at::vec::Vectorized<float> tmp_acc6_vec = at::vec::Vectorized<float>(0);
                float tmp_acc7 = 0;
                at::vec::Vectorized<float> tmp_acc7_vec = at::vec::Vectorized<float>(0);
                float tmp_acc8 = 0;
                at::vec::Vectorized<float> tmp_acc8_vec = at::vec::Vectorized<float>(0);
                float tmp_acc9 = 0;
                at::vec::Vectorized<float> tmp_acc9_vec = at::vec::Vectorized<float>(0);
                float tmp_acc10 = 0;
                at::vec::Vectorized<float> tmp_acc10_vec = at::vec::Vectorized<float>(0);
                float tmp_acc11 = 0;
                at::vec::Vectorized<float> tmp_acc11_vec = at::vec::Vectorized<float>(0);
                float tmp_acc12 = 0;
                at::vec::Vectorized<float> tmp_acc12_vec = at::vec::Vectorized<float>(0);
                float tmp_acc13 = 0;
                at::vec::Vectorized<float> tmp_acc13_vec = at::vec::Vectorized<float>(0);
                float tmp_acc14 = 0;
                at::vec::Vectorized<float> tmp_acc14_vec = at::vec::Vectorized<float>(0);
                float tmp_acc15 = 0;
                at::vec::Vectorized<float> tmp_acc15_vec = at::vec::Vectorized<float>(0);
                for(int64_t x1=static_cast<int64_t>(0L); x1<static_cast<int64_t>(64L); x1+=static_cast<int64_t>(8L))
                {
                    {
                        if(C10_LIKELY(x1 >= static_cast<int64_t>(0) && x1 < static_cast<int64_t>(64L)))
                        {
                            auto tmp0 = at::vec::Vectorized<float>::loadu(out_ptr17 + static_cast<int64_t>(x1 + 64L*x0), static_cast<int64_t>(8));
                            auto tmp1 = static_cast<float>(1.5);
                            auto tmp2 = at::vec::Vectorized<float>(tmp1);
                            auto tmp3 = tmp0 * tmp2;
                            auto tmp4 = static_cast<float>(34.0);
                            auto tmp5 = at::vec::Vectorized<float>(tmp4);
                            auto tmp6 = tmp3 + tmp5;
                            auto tmp7 = tmp6 * tmp2;
                            auto tmp8 = static_cast<float>(35.0);
                            auto tmp9 = at::vec::Vectorized<float>(tmp8);
                            auto tmp10 = tmp7 + tmp9;
                            auto tmp11 = tmp10 * tmp2;
                            auto tmp12 = static_cast<float>(36.0);
                            auto tmp13 = at::vec::Vectorized<float>(tmp12);
                            auto tmp14 = tmp11 + tmp13;
                            auto tmp15 = tmp14 * tmp2;
                            auto tmp16 = static_cast<float>(37.0);
                            auto tmp17 = at::vec::Vectorized<float>(tmp16);
                            auto tmp18 = tmp15 + tmp17;
                            auto tmp19 = tmp18 * tmp2;
                            auto tmp20 = static_cast<float>(38.0);
                            auto tmp21 = at::vec::Vectorized<float>(tmp20);
                            auto tmp22 = tmp19 + tmp21;
                            auto tmp23 = tmp22 * tmp2;
                            auto tmp24 = static_cast<float>(39.0);
                            auto tmp25 = at::vec::Vectorized<float>(tmp24);
                            auto tmp26 = tmp23 + tmp25;
                            auto tmp27 = tmp26 * tmp2;
                            auto tmp28 = static_cast<float>(40.0);
                            auto tmp29 = at::vec::Vectorized<float>(tmp28);
                            auto tmp30 = tmp27 + tmp29;
                            auto tmp31 = tmp30 * tmp2;
                            auto tmp32 = static_cast<float>(41.0);
                            auto tmp33 = at::vec::Vectorized<float>(tmp32);
                            auto tmp34 = tmp31 + tmp33;
                            auto tmp35 = tmp34 * tmp2;
                            auto tmp36 = static_cast<float>(42.0);
                            auto tmp37 = at::vec::Vectorized<float>(tmp36);
                            auto tmp38 = tmp35 + tmp37;
                            auto tmp39 = tmp38 * tmp2;
                            auto tmp40 = static_cast<float>(43.0);
                            auto tmp41 = at::vec::Vectorized<float>(tmp40);
                            auto tmp42 = tmp39 + tmp41;
                            auto tmp43 = tmp42 * tmp2;
                            auto tmp44 = static_cast<float>(44.0);
                            auto tmp45 = at::vec::Vectorized<float>(tmp44);
                            auto tmp46 = tmp43 + tmp45;
                            auto tmp47 = tmp46 * tmp2;
                            auto tmp48 = static_cast<float>(45.0);
                            auto tmp49 = at::vec::Vectorized<float>(tmp48);
                            auto tmp50 = tmp47 + tmp49;
                            auto tmp51 = tmp50 * tmp2;
                            auto tmp52 = static_cast<float>(46.0);
                            auto tmp53 = at::vec::Vectorized<float>(tmp52);
                            auto tmp54 = tmp51 + tmp53;
                            auto tmp55 = tmp54 * tmp2;
                            auto tmp56 = static_cast<float>(47.0);
                            auto tmp57 = at::vec::Vectorized<float>(tmp56);
                            auto tmp58 = tmp55 + tmp57;
                            auto tmp59 = tmp58 * tmp2;
                            auto tmp60 = static_cast<float>(48.0);
                            auto tmp61 = at::vec::Vectorized<float>(tmp60);
                            auto tmp62 = tmp59 + tmp61;
                            tmp_acc0_vec = tmp_acc0_vec + tmp0;
                            tmp_acc1_vec = tmp_acc1_vec + tmp6;
                            tmp_acc2_vec = tmp_acc2_vec + tmp10;
                            tmp_acc3_vec = tmp_acc3_vec + tmp14;
                            tmp_acc4_vec = tmp_acc4_vec + tmp18;
                            tmp_acc5_vec = tmp_acc5_vec + tmp22;
                            tmp_acc6_vec = tmp_acc6_vec + tmp26;
                            tmp_acc7_vec = tmp_acc7_vec + tmp30;
                            tmp_acc8_vec = tmp_acc8_vec + tmp34;
                            tmp_acc9_vec = tmp_acc9_vec + tmp38;
                            tmp_acc10_vec = tmp_acc10_vec + tmp42;
                            tmp_acc11_vec = tmp_acc11_vec + tmp46;
                            tmp_acc12_vec = tmp_acc12_vec + tmp50;
                            tmp_acc13_vec = tmp_acc13_vec + tmp54;
                            tmp_acc14_vec = tmp_acc14_vec + tmp58;
                            tmp_acc15_vec = tmp_acc15_vec + tmp62;
                        }
                    }
                }
                tmp_acc0 = tmp_acc0 + at::vec::vec_reduce_all<float, 1>([](at::vec::Vectorized<float>& x, at::vec::Vectorized<float>& y) { return x + y; }, tmp_acc0_vec);
                out_ptr42[static_cast<int64_t>(x0)] = static_cast<float>(tmp_acc0);
                tmp_acc1 = tmp_acc1 + at::vec::vec_reduce_all<float, 1>([](at::vec::Vectorized<float>& x, at::vec::Vectorized<float>& y) { return x + y; }, tmp_acc1_vec);
                out_ptr43[static_cast<int64_t>(x0)] = static_cast<float>(tmp_acc1);
                tmp_acc2 = tmp_acc2 + at::vec::vec_reduce_all<float, 1>([](at::vec::Vectorized<float>& x, at::vec::Vectorized<float>& y) { return x + y; }, tmp_acc2_vec);
                out_ptr44[static_cast<int64_t>(x0)] = static_cast<float>(tmp_acc2);
                tmp_acc3 = tmp_acc3 + at::vec::vec_reduce_all<float, 1>([](at::vec::Vectorized<float>& x, at::vec::Vectorized<float>& y) { return x + y; }, tmp_acc3_vec);
                out_ptr45[static_cast<int64_t>(x0)] = static_cast<float>(tmp_acc3);
                tmp_acc4 = tmp_acc4 + at::vec::vec_reduce_all<float, 1>([](at::vec::Vectorized<float>& x, at::vec::Vectorized<float>& y) { return x + y; }, tmp_acc4_vec);
                out_ptr46[static_cast<int64_t>(x0)] = static_cast<float>(tmp_acc4);
                tmp_acc5 = tmp_acc5 + at::vec::vec_reduce_all<float, 1>([](at::vec::Vectorized<float>& x, at::vec::Vectorized<float>& y) { return x + y; }, tmp_acc5_vec);
                out_ptr47[static_cast<int64_t>(x0)] = static_cast<float>(tmp_acc5);
                tmp_acc6 = tmp_acc6 + at::vec::vec_reduce_all<float, 1>([](at::vec::Vectorized<float>& x, at::vec::Vectorized<float>& y) { return x + y; }, tmp_acc6_vec);
                out_ptr48[static_cast<int64_t>(x0)] = static_cast<float>(tmp_acc6);
                tmp_acc7 = tmp_acc7 + at::vec::vec_reduce_all<float, 1>([](at::vec::Vectorized<float>& x, at::vec::Vectorized<float>& y) { return x + y; }, tmp_acc7_vec);
                out_ptr49[static_cast<int64_t>(x0)] = static_cast<float>(tmp_acc7);
                tmp_acc8 = tmp_acc8 + at::vec::vec_reduce_all<float, 1>([](at::vec::Vectorized<float>& x, at::vec::Vectorized<float>& y) { return x + y; }, tmp_acc8_vec);
                out_ptr50[static_cast<int64_t>(x0)] = static_cast<float>(tmp_acc8);
                tmp_acc9 = tmp_acc9 + at::vec::vec_reduce_all<float, 1>([](at::vec::Vectorized<float>& x, at::vec::Vectorized<float>& y) { return x + y; }, tmp_acc9_vec);
                out_ptr51[static_cast<int64_t>(x0)] = static_cast<float>(tmp_acc9);
                tmp_acc10 = tmp_acc10 + at::vec::vec_reduce_all<float, 1>([](at::vec::Vectorized<float>& x, at::vec::Vectorized<float>& y) { return x + y; }, tmp_acc10_vec);
                out_ptr52[static_cast<int64_t>(x0)] = static_cast<float>(tmp_acc10);
                tmp_acc11 = tmp_acc11 + at::vec::vec_reduce_all<float, 1>([](at::vec::Vectorized<float>& x, at::vec::Vectorized<float>& y) { return x + y; }, tmp_acc11_vec);
                out_ptr53[static_cast<int64_t>(x0)] = static_cast<float>(tmp_acc11);
                tmp_acc12 = tmp_acc12 + at::vec::vec_reduce_all<float, 1>([](at::vec::Vectorized<float>& x, at::vec::Vectorized<float>& y) { return x + y; }, tmp_acc12_vec);
                out_ptr54[static_cast<int64_t>(x0)] = static_cast<float>(tmp_acc12);
                tmp_acc13 = tmp_acc13 + at::vec::vec_reduce_all<float, 1>([](at::vec::Vectorized<float>& x, at::vec::Vectorized<float>& y) { return x + y; }, tmp_acc13_vec);
                out_ptr55[static_cast<int64_t>(x0)] = static_cast<float>(tmp_acc13);
                tmp_acc14 = tmp_acc14 + at::vec::vec_reduce_all<float, 1>([](at::vec::Vectorized<float>& x, at::vec::Vectorized<float>& y) { return x + y; }, tmp_acc14_vec);
                out_ptr56[static_cast<int64_t>(x0)] = static_cast<float>(tmp_acc14);
                tmp_acc15 = tmp_acc15 + at::vec::vec_reduce_all<float, 1>([](at::vec::Vectorized<float>& x, at::vec::Vectorized<float>& y) { return x + y; }, tmp_acc15_vec);
                out_ptr57[static_cast<int64_t>(x0)] = static_cast<float>(tmp_acc15);
            }
        }
    }
    {
        #pragma GCC ivdep
        for(int64_t x0=static_cast<int64_t>(0L); x0<static_cast<int64_t>(32L); x0+=static_cast<int64_t>(1L))
        {
            {
                float tmp_acc0 = 0;
                at::vec::Vectorized<float> tmp_acc0_vec = at::vec::Vectorized<float>(0);
                float tmp_acc1 = 0;
                at::vec::Vectorized<float> tmp_acc1_vec = at::vec::Vectorized<float>(0);
                float tmp_acc2 = 0;
                at::vec::Vectorized<float> tmp_acc2_vec = at::vec::Vectorized<float>(0);
                float tmp_acc3 = 0;
                at::vec::Vectorized<float> tmp_acc3_vec = at::vec::Vectorized<float>(0);
                float tmp_acc4 = 0;
                at::vec::Vectorized<float> tmp_acc4_vec = at::vec::Vectorized<float>(0);
                float tmp_acc5 = 0;
                at::vec::Vectorized<float> tmp_acc5_vec = at::vec::Vectorized<float>(0);
                float tmp_acc6 = 0;
                at::vec::Vectorized<float> tmp_acc6_vec = at::vec::Vectorized<float>(0);
                float tmp_acc7 = 0;
                at::vec::Vectorized<float> tmp_acc7_vec = at::vec::Vectorized<float>(0);
                float tmp_acc8 = 0;
                at::vec::Vectorized<float> tmp_acc8_vec = at::vec::Vectorized<float>(0);
                float tmp_acc9 = 0;
                at::vec::Vectorized<float> tmp_acc9_vec = at::vec::Vectorized<float>(0);
                float tmp_acc10 = 0;
                at::vec::Vectorized<float> tmp_acc10_vec = at::vec::Vectorized<float>(0);
                float tmp_acc11 = 0;
                at::vec::Vectorized<float> tmp_acc11_vec = at::vec::Vectorized<float>(0);
                float tmp_acc12 = 0;
                at::vec::Vectorized<float> tmp_acc12_vec = at::vec::Vectorized<float>(0);
                float tmp_acc13 = 0;
                at::vec::Vectorized<float> tmp_acc13_vec = at::vec::Vectorized<float>(0);
                float tmp_acc14 = 0;
                at::vec::Vectorized<float> tmp_acc14_vec = at::vec::Vectorized<float>(0);
                float tmp_acc15 = 0;
                at::vec::Vectorized<float> tmp_acc15_vec = at::vec::Vectorized<float>(0);
                for(int64_t x1=static_cast<int64_t>(0L); x1<static_cast<int64_t>(64L); x1+=static_cast<int64_t>(8L))
                {
                    {
                        if(C10_LIKELY(x1 >= static_cast<int64_t>(0) && x1 < static_cast<int64_t>(64L)))
                        {
                            auto tmp0 = at::vec::Vectorized<float>::loadu(out_ptr18 + static_cast<int64_t>(x1 + 64L*x0), static_cast<int64_t>(8));
                            auto tmp1 = static_cast<float>(1.5);
                            auto tmp2 = at::vec::Vectorized<float>(tmp1);
                            auto tmp3 = tmp0 * tmp2;
                            auto tmp4 = static_cast<float>(51.0);
                            auto tmp5 = at::vec::Vectorized<float>(tmp4);
                            auto tmp6 = tmp3 + tmp5;
                            auto tmp7 = tmp6 * tmp2;
                            auto tmp8 = static_cast<float>(52.0);
                            auto tmp9 = at::vec::Vectorized<float>(tmp8);
                            auto tmp10 = tmp7 + tmp9;
                            auto tmp11 = tmp10 * tmp2;
                            auto tmp12 = static_cast<float>(53.0);
                            auto tmp13 = at::vec::Vectorized<float>(tmp12);
                            auto tmp14 = tmp11 + tmp13;
                            auto tmp15 = tmp14 * tmp2;
                            auto tmp16 = static_cast<float>(54.0);
                            auto tmp17 = at::vec::Vectorized<float>(tmp16);
                            auto tmp18 = tmp15 + tmp17;
                            auto tmp19 = tmp18 * tmp2;
                            auto tmp20 = static_cast<float>(55.0);
                            auto tmp21 = at::vec::Vectorized<float>(tmp20);
                            auto tmp22 = tmp19 + tmp21;
                            auto tmp23 = tmp22 * tmp2;
                            auto tmp24 = static_cast<float>(56.0);
                            auto tmp25 = at::vec::Vectorized<float>(tmp24);
                            auto tmp26 = tmp23 + tmp25;
                            auto tmp27 = tmp26 * tmp2;
                            auto tmp28 = static_cast<float>(57.0);
                            auto tmp29 = at::vec::Vectorized<float>(tmp28);
                            auto tmp30 = tmp27 + tmp29;
                            auto tmp31 = tmp30 * tmp2;
                            auto tmp32 = static_cast<float>(58.0);
                            auto tmp33 = at::vec::Vectorized<float>(tmp32);
                            auto tmp34 = tmp31 + tmp33;
                            auto tmp35 = tmp34 * tmp2;
                            auto tmp36 = static_cast<float>(59.0);
                            auto tmp37 = at::vec::Vectorized<float>(tmp36);
                            auto tmp38 = tmp35 + tmp37;
                            auto tmp39 = tmp38 * tmp2;
                            auto tmp40 = static_cast<float>(60.0);
                            auto tmp41 = at::vec::Vectorized<float>(tmp40);
                            auto tmp42 = tmp39 + tmp41;
                            auto tmp43 = tmp42 * tmp2;
                            auto tmp44 = static_cast<float>(61.0);
                            auto tmp45 = at::vec::Vectorized<float>(tmp44);
                            auto tmp46 = tmp43 + tmp45;
                            auto tmp47 = tmp46 * tmp2;
                            auto tmp48 = static_cast<float>(62.0);
                            auto tmp49 = at::vec::Vectorized<float>(tmp48);
                            auto tmp50 = tmp47 + tmp49;
                            auto tmp51 = tmp50 * tmp2;
                            auto tmp52 = static_cast<float>(63.0);
                            auto tmp53 = at::vec::Vectorized<float>(tmp52);
                            auto tmp54 = tmp51 + tmp53;
                            auto tmp55 = tmp54 * tmp2;
                            auto tmp56 = static_cast<float>(64.0);
                            auto tmp57 = at::vec::Vectorized<float>(tmp56);
                            auto tmp58 = tmp55 + tmp57;
                            auto tmp59 = tmp58 * tmp2;
                            auto tmp60 = static_cast<float>(65.0);
                            auto tmp61 = at::vec::Vectorized<float>(tmp60);
                            auto tmp62 = tmp59 + tmp61;
                            tmp_acc0_vec = tmp_acc0_vec + tmp0;
                            tmp_acc1_vec = tmp_acc1_vec + tmp6;
                            tmp_acc2_vec = tmp_acc2_vec + tmp10;
                            tmp_acc3_vec = tmp_acc3_vec + tmp14;
                            tmp_acc4_vec = tmp_acc4_vec + tmp18;
                            tmp_acc5_vec = tmp_acc5_vec + tmp22;
                            tmp_acc6_vec = tmp_acc6_vec + tmp26;
                            tmp_acc7_vec = tmp_acc7_vec + tmp30;
                            tmp_acc8_vec = tmp_acc8_vec + tmp34;
                            tmp_acc9_vec = tmp_acc9_vec + tmp38;
                            tmp_acc10_vec = tmp_acc10_vec + tmp42;
                            tmp_acc11_vec = tmp_acc11_vec + tmp46;
                            tmp_acc12_vec = tmp_acc12_vec + tmp50;
                            tmp_acc13_vec = tmp_acc13_vec + tmp54;
                            tmp_acc14_vec = tmp_acc14_vec + tmp58;
                            tmp_acc15_vec = tmp_acc15_vec + tmp62;
                        }
                    }
                }
                tmp_acc0 = tmp_acc0 + at::vec::vec_reduce_all<float, 1>([](at::vec::Vectorized<float>& x, at::vec::Vectorized<float>& y) { return x + y; }, tmp_acc0_vec);
                out_ptr58[static_cast<int64_t>(x0)] = static_cast<float>(tmp_acc0);
                tmp_acc1 = tmp_acc1 + at::vec::vec_reduce_all<float, 1>([](at::vec::Vectorized<float>& x, at::vec::Vectorized<float>& y) { return x + y; }, tmp_acc1_vec);
                out_ptr59[static_cast<int64_t>(x0)] = static_cast<float>(tmp_acc1);
                tmp_acc2 = tmp_acc2 + at::vec::vec_reduce_all<float, 1>([](at::vec::Vectorized<float>& x, at::vec::Vectorized<float>& y) { return x + y; }, tmp_acc2_vec);
                out_ptr60[static_cast<int64_t>(x0)] = static_cast<float>(tmp_acc2);
                tmp_acc3 = tmp_acc3 + at::vec::vec_reduce_all<float, 1>([](at::vec::Vectorized<float>& x, at::vec::Vectorized<float>& y) { return x + y; }, tmp_acc3_vec);
                out_ptr61[static_cast<int64_t>(x0)] = static_cast<float>(tmp_acc3);
                tmp_acc4 = tmp_acc4 + at::vec::vec_reduce_all<float, 1>([](at::vec::Vectorized<float>& x, at::vec::Vectorized<float>& y) { return x + y; }, tmp_acc4_vec);
                out_ptr62[static_cast<int64_t>(x0)] = static_cast<float>(tmp_acc4);
                tmp_acc5 = tmp_acc5 + at::vec::vec_reduce_all<float, 1>([](at::vec::Vectorized<float>& x, at::vec::Vectorized<float>& y) { return x + y; }, tmp_acc5_vec);
                out_ptr63[static_cast<int64_t>(x0)] = static_cast<float>(tmp_acc5);
                tmp_acc6 = tmp_acc6 + at::vec::vec_reduce_all<float, 1>([](at::vec::Vectorized<float>& x, at::vec::Vectorized<float>& y) { return x + y; }, tmp_acc6_vec);
                out_ptr64[static_cast<int64_t>(x0)] = static_cast<float>(tmp_acc6);
                tmp_acc7 = tmp_acc7 + at::vec::vec_reduce_all<float, 1>([](at::vec::Vectorized<float>& x, at::vec::Vectorized<float>& y) { return x + y; }, tmp_acc7_vec);
                out_ptr65[static_cast<int64_t>(x0)] = static_cast<float>(tmp_acc7);
                tmp_acc8 = tmp_acc8 + at::vec::vec_reduce_all<float, 1>([](at::vec::Vectorized<float>& x, at::vec::Vectorized<float>& y) { return x + y; }, tmp_acc8_vec);
                out_ptr66[static_cast<int64_t>(x0)] = static_cast<float>(tmp_acc8);
                tmp_acc9 = tmp_acc9 + at::vec::vec_reduce_all<float, 1>([](at::vec::Vectorized<float>& x, at::vec::Vectorized<float>& y) { return x + y; }, tmp_acc9_vec);
                out_ptr67[static_cast<int64_t>(x0)] = static_cast<float>(tmp_acc9);
                tmp_acc10 = tmp_acc10 + at::vec::vec_reduce_all<float, 1>([](at::vec::Vectorized<float>& x, at::vec::Vectorized<float>& y) { return x + y; }, tmp_acc10_vec);
                out_ptr68[static_cast<int64_t>(x0)] = static_cast<float>(tmp_acc10);
                tmp_acc11 = tmp_acc11 + at::vec::vec_reduce_all<float, 1>([](at::vec::Vectorized<float>& x, at::vec::Vectorized<float>& y) { return x + y; }, tmp_acc11_vec);
                out_ptr69[static_cast<int64_t>(x0)] = static_cast<float>(tmp_acc11);
                tmp_acc12 = tmp_acc12 + at::vec::vec_reduce_all<float, 1>([](at::vec::Vectorized<float>& x, at::vec::Vectorized<float>& y) { return x + y; }, tmp_acc12_vec);
                out_ptr70[static_cast<int64_t>(x0)] = static_cast<float>(tmp_acc12);
                tmp_acc13 = tmp_acc13 + at::vec::vec_reduce_all<float, 1>([](at::vec::Vectorized<float>& x, at::vec::Vectorized<float>& y) { return x + y; }, tmp_acc13_vec);
                out_ptr71[static_cast<int64_t>(x0)] = static_cast<float>(tmp_acc13);
                tmp_acc14 = tmp_acc14 + at::vec::vec_reduce_all<float, 1>([](at::vec::Vectorized<float>& x, at::vec::Vectorized<float>& y) { return x + y; }, tmp_acc14_vec);
                out_ptr72[static_cast<int64_t>(x0)] = static_cast<float>(tmp_acc14);
                tmp_acc15 = tmp_acc15 + at::vec::vec_reduce_all<float, 1>([](at::vec::Vectorized<float>& x, at::vec::Vectorized<float>& y) { return x + y; }, tmp_acc15_vec);
                out_ptr73[static_cast<int64_t>(x0)] = static_cast<float>(tmp_acc15);
            }
        }
    }
    inductor_cpu_integer_div_error_flag = nullptr;
    inductor_cpu_throw_if_integer_div_error(inductor_cpu_integer_div_error);
}
