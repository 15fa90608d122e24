// golden of pytest-compile-golden; accept changes with --snapshot-update, not by hand
// stage: cpp_code, torch: 2.12.1, triton: 3.7.1, normaliser: 1

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
                       float* out_ptr73,
                       float* out_ptr74,
                       float* out_ptr75)
{
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
                for(int64_t x1=static_cast<int64_t>(0L); x1<static_cast<int64_t>(64L); x1+=static_cast<int64_t>(8L))
                {
                    {
                        if(C10_LIKELY(x1 >= static_cast<int64_t>(0) && x1 < static_cast<int64_t>(64L)))
                        {
                            auto tmp0 = at::vec::Vectorized<float>::loadu(in_ptr0 + static_cast<int64_t>(x1 + 64L*x0), static_cast<int64_t>(8));
                            auto tmp1 = static_cast<float>(1.5);
                            auto tmp2 = at::vec::Vectorized<float>(tmp1);
                            auto tmp3 = tmp0 * tmp2;
                            auto tmp4 = static_cast<float>(0.0);
                            auto tmp5 = at::vec::Vectorized<float>(tmp4);
                            auto tmp6 = tmp3 + tmp5;
                            auto tmp7 = tmp6 * tmp2;
                            auto tmp8 = static_cast<float>(1.0);
                            auto tmp9 = at::vec::Vectorized<float>(tmp8);
                            auto tmp10 = tmp7 + tmp9;
                            auto tmp11 = tmp10 * tmp2;
                            auto tmp12 = static_cast<float>(2.0);
                            auto tmp13 = at::vec::Vectorized<float>(tmp12);
                            auto tmp14 = tmp11 + tmp13;
                            auto tmp15 = tmp14 * tmp2;
                            auto tmp16 = static_cast<float>(3.0);
                            auto tmp17 = at::vec::Vectorized<float>(tmp16);
                            auto tmp18 = tmp15 + tmp17;
                            auto tmp19 = tmp18 * tmp2;
                            auto tmp20 = static_cast<float>(4.0);
                            auto tmp21 = at::vec::Vectorized<float>(tmp20);
                            auto tmp22 = tmp19 + tmp21;
                            auto tmp23 = tmp22 * tmp2;
                            auto tmp24 = static_cast<float>(5.0);
                            auto tmp25 = at::vec::Vectorized<float>(tmp24);
                            auto tmp26 = tmp23 + tmp25;
                            auto tmp27 = tmp26 * tmp2;
                            auto tmp28 = static_cast<float>(6.0);
                            auto tmp29 = at::vec::Vectorized<float>(tmp28);
                            auto tmp30 = tmp27 + tmp29;
                            auto tmp31 = tmp30 * tmp2;
                            auto tmp32 = static_cast<float>(7.0);
                            auto tmp33 = at::vec::Vectorized<float>(tmp32);
                            auto tmp34 = tmp31 + tmp33;
                            auto tmp35 = tmp34 * tmp2;
                            auto tmp36 = static_cast<float>(8.0);
                            auto tmp37 = at::vec::Vectorized<float>(tmp36);
                            auto tmp38 = tmp35 + tmp37;
                            tmp_acc0_vec = tmp_acc0_vec + tmp6;
                            tmp_acc1_vec = tmp_acc1_vec + tmp10;
                            tmp_acc2_vec = tmp_acc2_vec + tmp14;
                            tmp_acc3_vec = tmp_acc3_vec + tmp18;
                            tmp_acc4_vec = tmp_acc4_vec + tmp22;
                            tmp_acc5_vec = tmp_acc5_vec + tmp26;
                            tmp_acc6_vec = tmp_acc6_vec + tmp30;
                            tmp_acc7_vec = tmp_acc7_vec + tmp34;
                            tmp_acc8_vec = tmp_acc8_vec + tmp38;
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
                    auto tmp4 = static_cast<float>(0.0);
                    auto tmp5 = at::vec::Vectorized<float>(tmp4);
                    auto tmp6 = tmp3 + tmp5;
                    auto tmp7 = tmp6 * tmp2;
                    auto tmp8 = static_cast<float>(1.0);
                    auto tmp9 = at::vec::Vectorized<float>(tmp8);
                    auto tmp10 = tmp7 + tmp9;
                    auto tmp11 = tmp10 * tmp2;
                    auto tmp12 = static_cast<float>(2.0);
                    auto tmp13 = at::vec::Vectorized<float>(tmp12);
                    auto tmp14 = tmp11 + tmp13;
                    auto tmp15 = tmp14 * tmp2;
                    auto tmp16 = static_cast<float>(3.0);
                    auto tmp17 = at::vec::Vectorized<float>(tmp16);
                    auto tmp18 = tmp15 + tmp17;
                    auto tmp19 = tmp18 * tmp2;
                    auto tmp20 = static_cast<float>(4.0);
                    auto tmp21 = at::vec::Vectorized<float>(tmp20);
                    auto tmp22 = tmp19 + tmp21;
                    auto tmp23 = tmp22 * tmp2;
                    auto tmp24 = static_cast<float>(5.0);
                    auto tmp25 = at::vec::Vectorized<float>(tmp24);
                    auto tmp26 = tmp23 + tmp25;
                    auto tmp27 = tmp26 * tmp2;
                    auto tmp28 = static_cast<float>(6.0);
                    auto tmp29 = at::vec::Vectorized<float>(tmp28);
                    auto tmp30 = tmp27 + tmp29;
                    auto tmp31 = tmp30 * tmp2;
                    auto tmp32 = static_cast<float>(7.0);
                    auto tmp33 = at::vec::Vectorized<float>(tmp32);
                    auto tmp34 = tmp31 + tmp33;
                    auto tmp35 = tmp34 * tmp2;
                    auto tmp36 = static_cast<float>(8.0);
                    auto tmp37 = at::vec::Vectorized<float>(tmp36);
                    auto tmp38 = tmp35 + tmp37;
                    auto tmp39 = tmp38 * tmp2;
                    auto tmp40 = static_cast<float>(9.0);
                    auto tmp41 = at::vec::Vectorized<float>(tmp40);
                    auto tmp42 = tmp39 + tmp41;
                    auto tmp43 = tmp42 * tmp2;
                    auto tmp44 = static_cast<float>(10.0);
                    auto tmp45 = at::vec::Vectorized<float>(tmp44);
                    auto tmp46 = tmp43 + tmp45;
                    auto tmp47 = tmp46 * tmp2;
                    auto tmp48 = static_cast<float>(11.0);
                    auto tmp49 = at::vec::Vectorized<float>(tmp48);
                    auto tmp50 = tmp47 + tmp49;
                    auto tmp51 = tmp50 * tmp2;
                    auto tmp52 = static_cast<float>(12.0);
                    auto tmp53 = at::vec::Vectorized<float>(tmp52);
                    auto tmp54 = tmp51 + tmp53;
                    auto tmp55 = tmp54 * tmp2;
                    auto tmp56 = static_cast<float>(13.0);
                    auto tmp57 = at::vec::Vectorized<float>(tmp56);
                    auto tmp58 = tmp55 + tmp57;
                    auto tmp59 = tmp58 * tmp2;
                    auto tmp60 = static_cast<float>(14.0);
                    auto tmp61 = at::vec::Vectorized<float>(tmp60);
                    auto tmp62 = tmp59 + tmp61;
                    auto tmp63 = tmp62 * tmp2;
                    auto tmp64 = static_cast<float>(15.0);
                    auto tmp65 = at::vec::Vectorized<float>(tmp64);
                    auto tmp66 = tmp63 + tmp65;
                    auto tmp67 = tmp66 * tmp2;
                    auto tmp68 = static_cast<float>(16.0);
                    auto tmp69 = at::vec::Vectorized<float>(tmp68);
                    auto tmp70 = tmp67 + tmp69;
                    auto tmp71 = tmp70 * tmp2;
                    auto tmp72 = static_cast<float>(17.0);
                    auto tmp73 = at::vec::Vectorized<float>(tmp72);
                    auto tmp74 = tmp71 + tmp73;
                    auto tmp75 = tmp74 * tmp2;
                    auto tmp76 = static_cast<float>(18.0);
                    auto tmp77 = at::vec::Vectorized<float>(tmp76);
                    auto tmp78 = tmp75 + tmp77;
                    auto tmp79 = tmp78 * tmp2;
                    auto tmp80 = static_cast<float>(19.0);
                    auto tmp81 = at::vec::Vectorized<float>(tmp80);
                    auto tmp82 = tmp79 + tmp81;
                    auto tmp83 = tmp82 * tmp2;
                    auto tmp84 = static_cast<float>(20.0);
                    auto tmp85 = at::vec::Vectorized<float>(tmp84);
                    auto tmp86 = tmp83 + tmp85;
                    auto tmp87 = tmp86 * tmp2;
                    auto tmp88 = static_cast<float>(21.0);
                    auto tmp89 = at::vec::Vectorized<float>(tmp88);
                    auto tmp90 = tmp87 + tmp89;
                    auto tmp91 = tmp90 * tmp2;
                    auto tmp92 = static_cast<float>(22.0);
                    auto tmp93 = at::vec::Vectorized<float>(tmp92);
                    auto tmp94 = tmp91 + tmp93;
                    auto tmp95 = tmp94 * tmp2;
                    auto tmp96 = static_cast<float>(23.0);
                    auto tmp97 = at::vec::Vectorized<float>(tmp96);
                    auto tmp98 = tmp95 + tmp97;
                    auto tmp99 = tmp98 * tmp2;
                    auto tmp100 = static_cast<float>(24.0);
                    auto tmp101 = at::vec::Vectorized<float>(tmp100);
                    auto tmp102 = tmp99 + tmp101;
                    auto tmp103 = tmp102 * tmp2;
                    auto tmp104 = static_cast<float>(25.0);
                    auto tmp105 = at::vec::Vectorized<float>(tmp104);
                    auto tmp106 = tmp103 + tmp105;
                    auto tmp107 = tmp106 * tmp2;
                    auto tmp108 = static_cast<float>(26.0);
                    auto tmp109 = at::vec::Vectorized<float>(tmp108);
                    auto tmp110 = tmp107 + tmp109;
                    auto tmp111 = tmp110 * tmp2;
                    auto tmp112 = static_cast<float>(27.0);
                    auto tmp113 = at::vec::Vectorized<float>(tmp112);
                    auto tmp114 = tmp111 + tmp113;
                    auto tmp115 = tmp114 * tmp2;
                    auto tmp116 = static_cast<float>(28.0);
                    auto tmp117 = at::vec::Vectorized<float>(tmp116);
                    auto tmp118 = tmp115 + tmp117;
                    auto tmp119 = tmp118 * tmp2;
                    auto tmp120 = static_cast<float>(29.0);
                    auto tmp121 = at::vec::Vectorized<float>(tmp120);
                    auto tmp122 = tmp119 + tmp121;
                    auto tmp123 = tmp122 * tmp2;
                    auto tmp124 = static_cast<float>(30.0);
                    auto tmp125 = at::vec::Vectorized<float>(tmp124);
                    auto tmp126 = tmp123 + tmp125;
                    auto tmp127 = tmp126 * tmp2;
                    auto tmp128 = static_cast<float>(31.0);
                    auto tmp129 = at::vec::Vectorized<float>(tmp128);
                    auto tmp130 = tmp127 + tmp129;
                    auto tmp131 = tmp130 * tmp2;
                    auto tmp132 = static_cast<float>(32.0);
                    auto tmp133 = at::vec::Vectorized<float>(tmp132);
                    auto tmp134 = tmp131 + tmp133;
                    auto tmp135 = tmp134 * tmp2;
                    auto tmp136 = static_cast<float>(33.0);
                    auto tmp137 = at::vec::Vectorized<float>(tmp136);
                    auto tmp138 = tmp135 + tmp137;
                    auto tmp139 = tmp138 * tmp2;
                    auto tmp140 = static_cast<float>(34.0);
                    auto tmp141 = at::vec::Vectorized<float>(tmp140);
                    auto tmp142 = tmp139 + tmp141;
                    auto tmp143 = tmp142 * tmp2;
                    auto tmp144 = static_cast<float>(35.0);
                    auto tmp145 = at::vec::Vectorized<float>(tmp144);
                    auto tmp146 = tmp143 + tmp145;
                    auto tmp147 = tmp146 * tmp2;
                    auto tmp148 = static_cast<float>(36.0);
                    auto tmp149 = at::vec::Vectorized<float>(tmp148);
                    auto tmp150 = tmp147 + tmp149;
                    auto tmp151 = tmp150 * tmp2;
                    auto tmp152 = static_cast<float>(37.0);
                    auto tmp153 = at::vec::Vectorized<float>(tmp152);
                    auto tmp154 = tmp151 + tmp153;
                    auto tmp155 = tmp154 * tmp2;
                    auto tmp156 = static_cast<float>(38.0);
                    auto tmp157 = at::vec::Vectorized<float>(tmp156);
                    auto tmp158 = tmp155 + tmp157;
                    auto tmp159 = tmp158 * tmp2;
                    auto tmp160 = static_cast<float>(39.0);
                    auto tmp161 = at::vec::Vectorized<float>(tmp160);
                    auto tmp162 = tmp159 + tmp161;
                    auto tmp163 = tmp162 * tmp2;
                    auto tmp164 = static_cast<float>(40.0);
                    auto tmp165 = at::vec::Vectorized<float>(tmp164);
                    auto tmp166 = tmp163 + tmp165;
                    auto tmp167 = tmp166 * tmp2;
                    auto tmp168 = static_cast<float>(41.0);
                    auto tmp169 = at::vec::Vectorized<float>(tmp168);
                    auto tmp170 = tmp167 + tmp169;
                    auto tmp171 = tmp170 * tmp2;
                    auto tmp172 = static_cast<float>(42.0);
                    auto tmp173 = at::vec::Vectorized<float>(tmp172);
                    auto tmp174 = tmp171 + tmp173;
                    auto tmp175 = tmp174 * tmp2;
                    auto tmp176 = static_cast<float>(43.0);
                    auto tmp177 = at::vec::Vectorized<float>(tmp176);
                    auto tmp178 = tmp175 + tmp177;
                    auto tmp179 = tmp178 * tmp2;
                    auto tmp180 = static_cast<float>(44.0);
                    auto tmp181 = at::vec::Vectorized<float>(tmp180);
                    auto tmp182 = tmp179 + tmp181;
                    auto tmp183 = tmp182 * tmp2;
                    auto tmp184 = static_cast<float>(45.0);
                    auto tmp185 = at::vec::Vectorized<float>(tmp184);
                    auto tmp186 = tmp183 + tmp185;
                    auto tmp187 = tmp186 * tmp2;
                    auto tmp188 = static_cast<float>(46.0);
                    auto tmp189 = at::vec::Vectorized<float>(tmp188);
                    auto tmp190 = tmp187 + tmp189;
                    auto tmp191 = tmp190 * tmp2;
                    auto tmp192 = static_cast<float>(47.0);
                    auto tmp193 = at::vec::Vectorized<float>(tmp192);
                    auto tmp194 = tmp191 + tmp193;
                    auto tmp195 = tmp194 * tmp2;
                    auto tmp196 = static_cast<float>(48.0);
                    auto tmp197 = at::vec::Vectorized<float>(tmp196);
                    auto tmp198 = tmp195 + tmp197;
                    auto tmp199 = tmp198 * tmp2;
                    auto tmp200 = static_cast<float>(49.0);
                    auto tmp201 = at::vec::Vectorized<float>(tmp200);
                    auto tmp202 = tmp199 + tmp201;
                    auto tmp203 = tmp202 * tmp2;
                    auto tmp204 = static_cast<float>(50.0);
                    auto tmp205 = at::vec::Vectorized<float>(tmp204);
                    auto tmp206 = tmp203 + tmp205;
                    auto tmp207 = tmp206 * tmp2;
                    auto tmp208 = static_cast<float>(51.0);
                    auto tmp209 = at::vec::Vectorized<float>(tmp208);
                    auto tmp210 = tmp207 + tmp209;
                    auto tmp211 = tmp210 * tmp2;
                    auto tmp212 = static_cast<float>(52.0);
                    auto tmp213 = at::vec::Vectorized<float>(tmp212);
                    auto tmp214 = tmp211 + tmp213;
                    auto tmp215 = tmp214 * tmp2;
                    auto tmp216 = static_cast<float>(53.0);
                    auto tmp217 = at::vec::Vectorized<float>(tmp216);
                    auto tmp218 = tmp215 + tmp217;
                    auto tmp219 = tmp218 * tmp2;
                    auto tmp220 = static_cast<float>(54.0);
                    auto tmp221 = at::vec::Vectorized<float>(tmp220);
                    auto tmp222 = tmp219 + tmp221;
                    auto tmp223 = tmp222 * tmp2;
                    auto tmp224 = static_cast<float>(55.0);
                    auto tmp225 = at::vec::Vectorized<float>(tmp224);
                    auto tmp226 = tmp223 + tmp225;
                    auto tmp227 = tmp226 * tmp2;
                    auto tmp228 = static_cast<float>(56.0);
                    auto tmp229 = at::vec::Vectorized<float>(tmp228);
                    auto tmp230 = tmp227 + tmp229;
                    auto tmp231 = tmp230 * tmp2;
                    auto tmp232 = static_cast<float>(57.0);
                    auto tmp233 = at::vec::Vectorized<float>(tmp232);
                    auto tmp234 = tmp231 + tmp233;
                    auto tmp235 = tmp234 * tmp2;
                    auto tmp236 = static_cast<float>(58.0);
                    auto tmp237 = at::vec::Vectorized<float>(tmp236);
                    auto tmp238 = tmp235 + tmp237;
                    auto tmp239 = tmp238 * tmp2;
                    auto tmp240 = static_cast<float>(59.0);
                    auto tmp241 = at::vec::Vectorized<float>(tmp240);
                    auto tmp242 = tmp239 + tmp241;
                    tmp42.store(out_ptr9 + static_cast<int64_t>(x0));
                    tmp82.store(out_ptr10 + static_cast<int64_t>(x0));
                    tmp122.store(out_ptr11 + static_cast<int64_t>(x0));
                    tmp162.store(out_ptr12 + static_cast<int64_t>(x0));
                    tmp202.store(out_ptr13 + static_cast<int64_t>(x0));
                    tmp242.store(out_ptr14 + static_cast<int64_t>(x0));
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
                for(int64_t x1=static_cast<int64_t>(0L); x1<static_cast<int64_t>(64L); x1+=static_cast<int64_t>(8L))
                {
                    {
                        if(C10_LIKELY(x1 >= static_cast<int64_t>(0) && x1 < static_cast<int64_t>(64L)))
                        {
                            auto tmp0 = at::vec::Vectorized<float>::loadu(out_ptr9 + static_cast<int64_t>(x1 + 64L*x0), static_cast<int64_t>(8));
                            auto tmp1 = static_cast<float>(1.5);
                            auto tmp2 = at::vec::Vectorized<float>(tmp1);
                            auto tmp3 = tmp0 * tmp2;
                            auto tmp4 = static_cast<float>(10.0);
                            auto tmp5 = at::vec::Vectorized<float>(tmp4);
                            auto tmp6 = tmp3 + tmp5;
                            auto tmp7 = tmp6 * tmp2;
                            auto tmp8 = static_cast<float>(11.0);
                            auto tmp9 = at::vec::Vectorized<float>(tmp8);
                            auto tmp10 = tmp7 + tmp9;
                            auto tmp11 = tmp10 * tmp2;
                            auto tmp12 = static_cast<float>(12.0);
                            auto tmp13 = at::vec::Vectorized<float>(tmp12);
                            auto tmp14 = tmp11 + tmp13;
                            auto tmp15 = tmp14 * tmp2;
                            auto tmp16 = static_cast<float>(13.0);
                            auto tmp17 = at::vec::Vectorized<float>(tmp16);
                            auto tmp18 = tmp15 + tmp17;
                            auto tmp19 = tmp18 * tmp2;
                            auto tmp20 = static_cast<float>(14.0);
                            auto tmp21 = at::vec::Vectorized<float>(tmp20);
                            auto tmp22 = tmp19 + tmp21;
                            auto tmp23 = tmp22 * tmp2;
                            auto tmp24 = static_cast<float>(15.0);
                            auto tmp25 = at::vec::Vectorized<float>(tmp24);
                            auto tmp26 = tmp23 + tmp25;
                            auto tmp27 = tmp26 * tmp2;
                            auto tmp28 = static_cast<float>(16.0);
                            auto tmp29 = at::vec::Vectorized<float>(tmp28);
                            auto tmp30 = tmp27 + tmp29;
                            auto tmp31 = tmp30 * tmp2;
                            auto tmp32 = static_cast<float>(17.0);
                            auto tmp33 = at::vec::Vectorized<float>(tmp32);
                            auto tmp34 = tmp31 + tmp33;
                            auto tmp35 = tmp34 * tmp2;
                            auto tmp36 = static_cast<float>(18.0);
                            auto tmp37 = at::vec::Vectorized<float>(tmp36);
                            auto tmp38 = tmp35 + tmp37;
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
                        }
                    }
                }
                tmp_acc0 = tmp_acc0 + at::vec::vec_reduce_all<float, 1>([](at::vec::Vectorized<float>& x, at::vec::Vectorized<float>& y) { return x + y; }, tmp_acc0_vec);
                out_ptr15[static_cast<int64_t>(x0)] = static_cast<float>(tmp_acc0);
                tmp_acc1 = tmp_acc1 + at::vec::vec_reduce_all<float, 1>([](at::vec::Vectorized<float>& x, at::vec::Vectorized<float>& y) { return x + y; }, tmp_acc1_vec);
                out_ptr16[static_cast<int64_t>(x0)] = static_cast<float>(tmp_acc1);
                tmp_acc2 = tmp_acc2 + at::vec::vec_reduce_all<float, 1>([](at::vec::Vectorized<float>& x, at::vec::Vectorized<float>& y) { return x + y; }, tmp_acc2_vec);
                out_ptr17[static_cast<int64_t>(x0)] = static_cast<float>(tmp_acc2);
                tmp_acc3 = tmp_acc3 + at::vec::vec_reduce_all<float, 1>([](at::vec::Vectorized<float>& x, at::vec::Vectorized<float>& y) { return x + y; }, tmp_acc3_vec);
                out_ptr18[static_cast<int64_t>(x0)] = static_cast<float>(tmp_acc3);
                tmp_acc4 = tmp_acc4 + at::vec::vec_reduce_all<float, 1>([](at::vec::Vectorized<float>& x, at::vec::Vectorized<float>& y) { return x + y; }, tmp_acc4_vec);
                out_ptr19[static_cast<int64_t>(x0)] = static_cast<float>(tmp_acc4);
                tmp_acc5 = tmp_acc5 + at::vec::vec_reduce_all<float, 1>([](at::vec::Vectorized<float>& x, at::vec::Vectorized<float>& y) { return x + y; }, tmp_acc5_vec);
                out_ptr20[static_cast<int64_t>(x0)] = static_cast<float>(tmp_acc5);
                tmp_acc6 = tmp_acc6 + at::vec::vec_reduce_all<float, 1>([](at::vec::Vectorized<float>& x, at::vec::Vectorized<float>& y) { return x + y; }, tmp_acc6_vec);
                out_ptr21[static_cast<int64_t>(x0)] = static_cast<float>(tmp_acc6);
                tmp_acc7 = tmp_acc7 + at::vec::vec_reduce_all<float, 1>([](at::vec::Vectorized<float>& x, at::vec::Vectorized<float>& y) { return x + y; }, tmp_acc7_vec);
                out_ptr22[static_cast<int64_t>(x0)] = static_cast<float>(tmp_acc7);
                tmp_acc8 = tmp_acc8 + at::vec::vec_reduce_all<float, 1>([](at::vec::Vectorized<float>& x, at::vec::Vectorized<float>& y) { return x + y; }, tmp_acc8_vec);
                out_ptr23[static_cast<int64_t>(x0)] = static_cast<float>(tmp_acc8);
                tmp_acc9 = tmp_acc9 + at::vec::vec_reduce_all<float, 1>([](at::vec::Vectorized<float>& x, at::vec::Vectorized<float>& y) { return x + y; }, tmp_acc9_vec);
                out_ptr24[static_cast<int64_t>(x0)] = static_cast<float>(tmp_acc9);
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
                for(int64_t x1=static_cast<int64_t>(0L); x1<static_cast<int64_t>(64L); x1+=static_cast<int64_t>(8L))
                {
                    {
                        if(C10_LIKELY(x1 >= static_cast<int64_t>(0) && x1 < static_cast<int64_t>(64L)))
                        {
                            auto tmp0 = at::vec::Vectorized<float>::loadu(out_ptr10 + static_cast<int64_t>(x1 + 64L*x0), static_cast<int64_t>(8));
                            auto tmp1 = static_cast<float>(1.5);
                            auto tmp2 = at::vec::Vectorized<float>(tmp1);
                            auto tmp3 = tmp0 * tmp2;
                            auto tmp4 = static_cast<float>(20.0);
                            auto tmp5 = at::vec::Vectorized<float>(tmp4);
                            auto tmp6 = tmp3 + tmp5;
                            auto tmp7 = tmp6 * tmp2;
                            auto tmp8 = static_cast<float>(21.0);
                            auto tmp9 = at::vec::Vectorized<float>(tmp8);
                            auto tmp10 = tmp7 + tmp9;
                            auto tmp11 = tmp10 * tmp2;
                            auto tmp12 = static_cast<float>(22.0);
                            auto tmp13 = at::vec::Vectorized<float>(tmp12);
                            auto tmp14 = tmp11 + tmp13;
                            auto tmp15 = tmp14 * tmp2;
                            auto tmp16 = static_cast<float>(23.0);
                            auto tmp17 = at::vec::Vectorized<float>(tmp16);
                            auto tmp18 = tmp15 + tmp17;
                            auto tmp19 = tmp18 * tmp2;
                            auto tmp20 = static_cast<float>(24.0);
                            auto tmp21 = at::vec::Vectorized<float>(tmp20);
                            auto tmp22 = tmp19 + tmp21;
                            auto tmp23 = tmp22 * tmp2;
                            auto tmp24 = static_cast<float>(25.0);
                            auto tmp25 = at::vec::Vectorized<float>(tmp24);
                            auto tmp26 = tmp23 + tmp25;
                            auto tmp27 = tmp26 * tmp2;
                            auto tmp28 = static_cast<float>(26.0);
                            auto tmp29 = at::vec::Vectorized<float>(tmp28);
                            auto tmp30 = tmp27 + tmp29;
                            auto tmp31 = tmp30 * tmp2;
                            auto tmp32 = static_cast<float>(27.0);
                            auto tmp33 = at::vec::Vectorized<float>(tmp32);
                            auto tmp34 = tmp31 + tmp33;
                            auto tmp35 = tmp34 * tmp2;
                            auto tmp36 = static_cast<float>(28.0);
                            auto tmp37 = at::vec::Vectorized<float>(tmp36);
                            auto tmp38 = tmp35 + tmp37;
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
                        }
                    }
                }
                tmp_acc0 = tmp_acc0 + at::vec::vec_reduce_all<float, 1>([](at::vec::Vectorized<float>& x, at::vec::Vectorized<float>& y) { return x + y; }, tmp_acc0_vec);
                out_ptr25[static_cast<int64_t>(x0)] = static_cast<float>(tmp_acc0);
                tmp_acc1 = tmp_acc1 + at::vec::vec_reduce_all<float, 1>([](at::vec::Vectorized<float>& x, at::vec::Vectorized<float>& y) { return x + y; }, tmp_acc1_vec);
                out_ptr26[static_cast<int64_t>(x0)] = static_cast<float>(tmp_acc1);
                tmp_acc2 = tmp_acc2 + at::vec::vec_reduce_all<float, 1>([](at::vec::Vectorized<float>& x, at::vec::Vectorized<float>& y) { return x + y; }, tmp_acc2_vec);
                out_ptr27[static_cast<int64_t>(x0)] = static_cast<float>(tmp_acc2);
                tmp_acc3 = tmp_acc3 + at::vec::vec_reduce_all<float, 1>([](at::vec::Vectorized<float>& x, at::vec::Vectorized<float>& y) { return x + y; }, tmp_acc3_vec);
                out_ptr28[static_cast<int64_t>(x0)] = static_cast<float>(tmp_acc3);
                tmp_acc4 = tmp_acc4 + at::vec::vec_reduce_all<float, 1>([](at::vec::Vectorized<float>& x, at::vec::Vectorized<float>& y) { return x + y; }, tmp_acc4_vec);
                out_ptr29[static_cast<int64_t>(x0)] = static_cast<float>(tmp_acc4);
                tmp_acc5 = tmp_acc5 + at::vec::vec_reduce_all<float, 1>([](at::vec::Vectorized<float>& x, at::vec::Vectorized<float>& y) { return x + y; }, tmp_acc5_vec);
                out_ptr30[static_cast<int64_t>(x0)] = static_cast<float>(tmp_acc5);
                tmp_acc6 = tmp_acc6 + at::vec::vec_reduce_all<float, 1>([](at::vec::Vectorized<float>& x, at::vec::Vectorized<float>& y) { return x + y; }, tmp_acc6_vec);
                out_ptr31[static_cast<int64_t>(x0)] = static_cast<float>(tmp_acc6);
                tmp_acc7 = tmp_acc7 + at::vec::vec_reduce_all<float, 1>([](at::vec::Vectorized<float>& x, at::vec::Vectorized<float>& y) { return x + y; }, tmp_acc7_vec);
                out_ptr32[static_cast<int64_t>(x0)] = static_cast<float>(tmp_acc7);
                tmp_acc8 = tmp_acc8 + at::vec::vec_reduce_all<float, 1>([](at::vec::Vectorized<float>& x, at::vec::Vectorized<float>& y) { return x + y; }, tmp_acc8_vec);
                out_ptr33[static_cast<int64_t>(x0)] = static_cast<float>(tmp_acc8);
                tmp_acc9 = tmp_acc9 + at::vec::vec_reduce_all<float, 1>([](at::vec::Vectorized<float>& x, at::vec::Vectorized<float>& y) { return x + y; }, tmp_acc9_vec);
                out_ptr34[static_cast<int64_t>(x0)] = static_cast<float>(tmp_acc9);
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
                for(int64_t x1=static_cast<int64_t>(0L); x1<static_cast<int64_t>(64L); x1+=static_cast<int64_t>(8L))
                {
                    {
                        if(C10_LIKELY(x1 >= static_cast<int64_t>(0) && x1 < static_cast<int64_t>(64L)))
                        {
                            auto tmp0 = at::vec::Vectorized<float>::loadu(out_ptr11 + static_cast<int64_t>(x1 + 64L*x0), static_cast<int64_t>(8));
                            auto tmp1 = static_cast<float>(1.5);
                            auto tmp2 = at::vec::Vectorized<float>(tmp1);
                            auto tmp3 = tmp0 * tmp2;
                            auto tmp4 = static_cast<float>(30.0);
                            auto tmp5 = at::vec::Vectorized<float>(tmp4);
                            auto tmp6 = tmp3 + tmp5;
                            auto tmp7 = tmp6 * tmp2;
                            auto tmp8 = static_cast<float>(31.0);
                            auto tmp9 = at::vec::Vectorized<float>(tmp8);
                            auto tmp10 = tmp7 + tmp9;
                            auto tmp11 = tmp10 * tmp2;
                            auto tmp12 = static_cast<float>(32.0);
                            auto tmp13 = at::vec::Vectorized<float>(tmp12);
                            auto tmp14 = tmp11 + tmp13;
                            auto tmp15 = tmp14 * tmp2;
                            auto tmp16 = static_cast<float>(33.0);
                            auto tmp17 = at::vec::Vectorized<float>(tmp16);
                            auto tmp18 = tmp15 + tmp17;
                            auto tmp19 = tmp18 * tmp2;
                            auto tmp20 = static_cast<float>(34.0);
                            auto tmp21 = at::vec::Vectorized<float>(tmp20);
                            auto tmp22 = tmp19 + tmp21;
                            auto tmp23 = tmp22 * tmp2;
                            auto tmp24 = static_cast<float>(35.0);
                            auto tmp25 = at::vec::Vectorized<float>(tmp24);
                            auto tmp26 = tmp23 + tmp25;
                            auto tmp27 = tmp26 * tmp2;
                            auto tmp28 = static_cast<float>(36.0);
                            auto tmp29 = at::vec::Vectorized<float>(tmp28);
                            auto tmp30 = tmp27 + tmp29;
                            auto tmp31 = tmp30 * tmp2;
                            auto tmp32 = static_cast<float>(37.0);
                            auto tmp33 = at::vec::Vectorized<float>(tmp32);
                            auto tmp34 = tmp31 + tmp33;
                            auto tmp35 = tmp34 * tmp2;
                            auto tmp36 = static_cast<float>(38.0);
                            auto tmp37 = at::vec::Vectorized<float>(tmp36);
                            auto tmp38 = tmp35 + tmp37;
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
                        }
                    }
                }
                tmp_acc0 = tmp_acc0 + at::vec::vec_reduce_all<float, 1>([](at::vec::Vectorized<float>& x, at::vec::Vectorized<float>& y) { return x + y; }, tmp_acc0_vec);
                out_ptr35[static_cast<int64_t>(x0)] = static_cast<float>(tmp_acc0);
                tmp_acc1 = tmp_acc1 + at::vec::vec_reduce_all<float, 1>([](at::vec::Vectorized<float>& x, at::vec::Vectorized<float>& y) { return x + y; }, tmp_acc1_vec);
                out_ptr36[static_cast<int64_t>(x0)] = static_cast<float>(tmp_acc1);
                tmp_acc2 = tmp_acc2 + at::vec::vec_reduce_all<float, 1>([](at::vec::Vectorized<float>& x, at::vec::Vectorized<float>& y) { return x + y; }, tmp_acc2_vec);
                out_ptr37[static_cast<int64_t>(x0)] = static_cast<float>(tmp_acc2);
                tmp_acc3 = tmp_acc3 + at::vec::vec_reduce_all<float, 1>([](at::vec::Vectorized<float>& x, at::vec::Vectorized<float>& y) { return x + y; }, tmp_acc3_vec);
                out_ptr38[static_cast<int64_t>(x0)] = static_cast<float>(tmp_acc3);
                tmp_acc4 = tmp_acc4 + at::vec::vec_reduce_all<float, 1>([](at::vec::Vectorized<float>& x, at::vec::Vectorized<float>& y) { return x + y; }, tmp_acc4_vec);
                out_ptr39[static_cast<int64_t>(x0)] = static_cast<float>(tmp_acc4);
                tmp_acc5 = tmp_acc5 + at::vec::vec_reduce_all<float, 1>([](at::vec::Vectorized<float>& x, at::vec::Vectorized<float>& y) { return x + y; }, tmp_acc5_vec);
                out_ptr40[static_cast<int64_t>(x0)] = static_cast<float>(tmp_acc5);
                tmp_acc6 = tmp_acc6 + at::vec::vec_reduce_all<float, 1>([](at::vec::Vectorized<float>& x, at::vec::Vectorized<float>& y) { return x + y; }, tmp_acc6_vec);
                out_ptr41[static_cast<int64_t>(x0)] = static_cast<float>(tmp_acc6);
                tmp_acc7 = tmp_acc7 + at::vec::vec_reduce_all<float, 1>([](at::vec::Vectorized<float>& x, at::vec::Vectorized<float>& y) { return x + y; }, tmp_acc7_vec);
                out_ptr42[static_cast<int64_t>(x0)] = static_cast<float>(tmp_acc7);
                tmp_acc8 = tmp_acc8 + at::vec::vec_reduce_all<float, 1>([](at::vec::Vectorized<float>& x, at::vec::Vectorized<float>& y) { return x + y; }, tmp_acc8_vec);
                out_ptr43[static_cast<int64_t>(x0)] = static_cast<float>(tmp_acc8);
                tmp_acc9 = tmp_acc9 + at::vec::vec_reduce_all<float, 1>([](at::vec::Vectorized<float>& x, at::vec::Vectorized<float>& y) { return x + y; }, tmp_acc9_vec);
                out_ptr44[static_cast<int64_t>(x0)] = static_cast<float>(tmp_acc9);
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
                for(int64_t x1=static_cast<int64_t>(0L); x1<static_cast<int64_t>(64L); x1+=static_cast<int64_t>(8L))
                {
                    {
                        if(C10_LIKELY(x1 >= static_cast<int64_t>(0) && x1 < static_cast<int64_t>(64L)))
                        {
                            auto tmp0 = at::vec::Vectorized<float>::loadu(out_ptr12 + static_cast<int64_t>(x1 + 64L*x0), static_cast<int64_t>(8));
                            auto tmp1 = static_cast<float>(1.5);
                            auto tmp2 = at::vec::Vectorized<float>(tmp1);
                            auto tmp3 = tmp0 * tmp2;
                            auto tmp4 = static_cast<float>(40.0);
                            auto tmp5 = at::vec::Vectorized<float>(tmp4);
                            auto tmp6 = tmp3 + tmp5;
                            auto tmp7 = tmp6 * tmp2;
                            auto tmp8 = static_cast<float>(41.0);
                            auto tmp9 = at::vec::Vectorized<float>(tmp8);
                            auto tmp10 = tmp7 + tmp9;
                            auto tmp11 = tmp10 * tmp2;
                            auto tmp12 = static_cast<float>(42.0);
                            auto tmp13 = at::vec::Vectorized<float>(tmp12);
                            auto tmp14 = tmp11 + tmp13;
                            auto tmp15 = tmp14 * tmp2;
                            auto tmp16 = static_cast<float>(43.0);
                            auto tmp17 = at::vec::Vectorized<float>(tmp16);
                            auto tmp18 = tmp15 + tmp17;
                            auto tmp19 = tmp18 * tmp2;
                            auto tmp20 = static_cast<float>(44.0);
                            auto tmp21 = at::vec::Vectorized<float>(tmp20);
                            auto tmp22 = tmp19 + tmp21;
                            auto tmp23 = tmp22 * tmp2;
                            auto tmp24 = static_cast<float>(45.0);
                            auto tmp25 = at::vec::Vectorized<float>(tmp24);
                            auto tmp26 = tmp23 + tmp25;
                            auto tmp27 = tmp26 * tmp2;
                            auto tmp28 = static_cast<float>(46.0);
                            auto tmp29 = at::vec::Vectorized<float>(tmp28);
                            auto tmp30 = tmp27 + tmp29;
                            auto tmp31 = tmp30 * tmp2;
                            auto tmp32 = static_cast<float>(47.0);
                            auto tmp33 = at::vec::Vectorized<float>(tmp32);
                            auto tmp34 = tmp31 + tmp33;
                            auto tmp35 = tmp34 * tmp2;
                            auto tmp36 = static_cast<float>(48.0);
                            auto tmp37 = at::vec::Vectorized<float>(tmp36);
                            auto tmp38 = tmp35 + tmp37;
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
                        }
                    }
                }
                tmp_acc0 = tmp_acc0 + at::vec::vec_reduce_all<float, 1>([](at::vec::Vectorized<float>& x, at::vec::Vectorized<float>& y) { return x + y; }, tmp_acc0_vec);
                out_ptr45[static_cast<int64_t>(x0)] = static_cast<float>(tmp_acc0);
                tmp_acc1 = tmp_acc1 + at::vec::vec_reduce_all<float, 1>([](at::vec::Vectorized<float>& x, at::vec::Vectorized<float>& y) { return x + y; }, tmp_acc1_vec);
                out_ptr46[static_cast<int64_t>(x0)] = static_cast<float>(tmp_acc1);
                tmp_acc2 = tmp_acc2 + at::vec::vec_reduce_all<float, 1>([](at::vec::Vectorized<float>& x, at::vec::Vectorized<float>& y) { return x + y; }, tmp_acc2_vec);
                out_ptr47[static_cast<int64_t>(x0)] = static_cast<float>(tmp_acc2);
                tmp_acc3 = tmp_acc3 + at::vec::vec_reduce_all<float, 1>([](at::vec::Vectorized<float>& x, at::vec::Vectorized<float>& y) { return x + y; }, tmp_acc3_vec);
                out_ptr48[static_cast<int64_t>(x0)] = static_cast<float>(tmp_acc3);
                tmp_acc4 = tmp_acc4 + at::vec::vec_reduce_all<float, 1>([](at::vec::Vectorized<float>& x, at::vec::Vectorized<float>& y) { return x + y; }, tmp_acc4_vec);
                out_ptr49[static_cast<int64_t>(x0)] = static_cast<float>(tmp_acc4);
                tmp_acc5 = tmp_acc5 + at::vec::vec_reduce_all<float, 1>([](at::vec::Vectorized<float>& x, at::vec::Vectorized<float>& y) { return x + y; }, tmp_acc5_vec);
                out_ptr50[static_cast<int64_t>(x0)] = static_cast<float>(tmp_acc5);
                tmp_acc6 = tmp_acc6 + at::vec::vec_reduce_all<float, 1>([](at::vec::Vectorized<float>& x, at::vec::Vectorized<float>& y) { return x + y; }, tmp_acc6_vec);
                out_ptr51[static_cast<int64_t>(x0)] = static_cast<float>(tmp_acc6);
                tmp_acc7 = tmp_acc7 + at::vec::vec_reduce_all<float, 1>([](at::vec::Vectorized<float>& x, at::vec::Vectorized<float>& y) { return x + y; }, tmp_acc7_vec);
                out_ptr52[static_cast<int64_t>(x0)] = static_cast<float>(tmp_acc7);
                tmp_acc8 = tmp_acc8 + at::vec::vec_reduce_all<float, 1>([](at::vec::Vectorized<float>& x, at::vec::Vectorized<float>& y) { return x + y; }, tmp_acc8_vec);
                out_ptr53[static_cast<int64_t>(x0)] = static_cast<float>(tmp_acc8);
                tmp_acc9 = tmp_acc9 + at::vec::vec_reduce_all<float, 1>([](at::vec::Vectorized<float>& x, at::vec::Vectorized<float>& y) { return x + y; }, tmp_acc9_vec);
                out_ptr54[static_cast<int64_t>(x0)] = static_cast<float>(tmp_acc9);
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
                for(int64_t x1=static_cast<int64_t>(0L); x1<static_cast<int64_t>(64L); x1+=static_cast<int64_t>(8L))
                {
                    {
                        if(C10_LIKELY(x1 >= static_cast<int64_t>(0) && x1 < static_cast<int64_t>(64L)))
                        {
                            auto tmp0 = at::vec::Vectorized<float>::loadu(out_ptr13 + static_cast<int64_t>(x1 + 64L*x0), static_cast<int64_t>(8));
                            auto tmp1 = static_cast<float>(1.5);
                            auto tmp2 = at::vec::Vectorized<float>(tmp1);
                            auto tmp3 = tmp0 * tmp2;
                            auto tmp4 = static_cast<float>(50.0);
                            auto tmp5 = at::vec::Vectorized<float>(tmp4);
                            auto tmp6 = tmp3 + tmp5;
                            auto tmp7 = tmp6 * tmp2;
                            auto tmp8 = static_cast<float>(51.0);
                            auto tmp9 = at::vec::Vectorized<float>(tmp8);
                            auto tmp10 = tmp7 + tmp9;
                            auto tmp11 = tmp10 * tmp2;
                            auto tmp12 = static_cast<float>(52.0);
                            auto tmp13 = at::vec::Vectorized<float>(tmp12);
                            auto tmp14 = tmp11 + tmp13;
                            auto tmp15 = tmp14 * tmp2;
                            auto tmp16 = static_cast<float>(53.0);
                            auto tmp17 = at::vec::Vectorized<float>(tmp16);
                            auto tmp18 = tmp15 + tmp17;
                            auto tmp19 = tmp18 * tmp2;
                            auto tmp20 = static_cast<float>(54.0);
                            auto tmp21 = at::vec::Vectorized<float>(tmp20);
                            auto tmp22 = tmp19 + tmp21;
                            auto tmp23 = tmp22 * tmp2;
                            auto tmp24 = static_cast<float>(55.0);
                            auto tmp25 = at::vec::Vectorized<float>(tmp24);
                            auto tmp26 = tmp23 + tmp25;
                            auto tmp27 = tmp26 * tmp2;
                            auto tmp28 = static_cast<float>(56.0);
                            auto tmp29 = at::vec::Vectorized<float>(tmp28);
                            auto tmp30 = tmp27 + tmp29;
                            auto tmp31 = tmp30 * tmp2;
                            auto tmp32 = static_cast<float>(57.0);
                            auto tmp33 = at::vec::Vectorized<float>(tmp32);
                            auto tmp34 = tmp31 + tmp33;
                            auto tmp35 = tmp34 * tmp2;
                            auto tmp36 = static_cast<float>(58.0);
                            auto tmp37 = at::vec::Vectorized<float>(tmp36);
                            auto tmp38 = tmp35 + tmp37;
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
                        }
                    }
                }
                tmp_acc0 = tmp_acc0 + at::vec::vec_reduce_all<float, 1>([](at::vec::Vectorized<float>& x, at::vec::Vectorized<float>& y) { return x + y; }, tmp_acc0_vec);
                out_ptr55[static_cast<int64_t>(x0)] = static_cast<float>(tmp_acc0);
                tmp_acc1 = tmp_acc1 + at::vec::vec_reduce_all<float, 1>([](at::vec::Vectorized<float>& x, at::vec::Vectorized<float>& y) { return x + y; }, tmp_acc1_vec);
                out_ptr56[static_cast<int64_t>(x0)] = static_cast<float>(tmp_acc1);
                tmp_acc2 = tmp_acc2 + at::vec::vec_reduce_all<float, 1>([](at::vec::Vectorized<float>& x, at::vec::Vectorized<float>& y) { return x + y; }, tmp_acc2_vec);
                out_ptr57[static_cast<int64_t>(x0)] = static_cast<float>(tmp_acc2);
                tmp_acc3 = tmp_acc3 + at::vec::vec_reduce_all<float, 1>([](at::vec::Vectorized<float>& x, at::vec::Vectorized<float>& y) { return x + y; }, tmp_acc3_vec);
                out_ptr58[static_cast<int64_t>(x0)] = static_cast<float>(tmp_acc3);
                tmp_acc4 = tmp_acc4 + at::vec::vec_reduce_all<float, 1>([](at::vec::Vectorized<float>& x, at::vec::Vectorized<float>& y) { return x + y; }, tmp_acc4_vec);
                out_ptr59[static_cast<int64_t>(x0)] = static_cast<float>(tmp_acc4);
                tmp_acc5 = tmp_acc5 + at::vec::vec_reduce_all<float, 1>([](at::vec::Vectorized<float>& x, at::vec::Vectorized<float>& y) { return x + y; }, tmp_acc5_vec);
                out_ptr60[static_cast<int64_t>(x0)] = static_cast<float>(tmp_acc5);
                tmp_acc6 = tmp_acc6 + at::vec::vec_reduce_all<float, 1>([](at::vec::Vectorized<float>& x, at::vec::Vectorized<float>& y) { return x + y; }, tmp_acc6_vec);
                out_ptr61[static_cast<int64_t>(x0)] = static_cast<float>(tmp_acc6);
                tmp_acc7 = tmp_acc7 + at::vec::vec_reduce_all<float, 1>([](at::vec::Vectorized<float>& x, at::vec::Vectorized<float>& y) { return x + y; }, tmp_acc7_vec);
                out_ptr62[static_cast<int64_t>(x0)] = static_cast<float>(tmp_acc7);
                tmp_acc8 = tmp_acc8 + at::vec::vec_reduce_all<float, 1>([](at::vec::Vectorized<float>& x, at::vec::Vectorized<float>& y) { return x + y; }, tmp_acc8_vec);
                out_ptr63[static_cast<int64_t>(x0)] = static_cast<float>(tmp_acc8);
                tmp_acc9 = tmp_acc9 + at::vec::vec_reduce_all<float, 1>([](at::vec::Vectorized<float>& x, at::vec::Vectorized<float>& y) { return x + y; }, tmp_acc9_vec);
                out_ptr64[static_cast<int64_t>(x0)] = static_cast<float>(tmp_acc9);
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
                for(int64_t x1=static_cast<int64_t>(0L); x1<static_cast<int64_t>(64L); x1+=static_cast<int64_t>(8L))
                {
                    {
                        if(C10_LIKELY(x1 >= static_cast<int64_t>(0) && x1 < static_cast<int64_t>(64L)))
                        {
                            auto tmp0 = at::vec::Vectorized<float>::loadu(out_ptr14 + static_cast<int64_t>(x1 + 64L*x0), static_cast<int64_t>(8));
                            auto tmp1 = static_cast<float>(1.5);
                            auto tmp2 = at::vec::Vectorized<float>(tmp1);
                            auto tmp3 = tmp0 * tmp2;
                            auto tmp4 = static_cast<float>(60.0);
                            auto tmp5 = at::vec::Vectorized<float>(tmp4);
                            auto tmp6 = tmp3 + tmp5;
                            auto tmp7 = tmp6 * tmp2;
                            auto tmp8 = static_cast<float>(61.0);
                            auto tmp9 = at::vec::Vectorized<float>(tmp8);
                            auto tmp10 = tmp7 + tmp9;
                            auto tmp11 = tmp10 * tmp2;
                            auto tmp12 = static_cast<float>(62.0);
                            auto tmp13 = at::vec::Vectorized<float>(tmp12);
                            auto tmp14 = tmp11 + tmp13;
                            auto tmp15 = tmp14 * tmp2;
                            auto tmp16 = static_cast<float>(63.0);
                            auto tmp17 = at::vec::Vectorized<float>(tmp16);
                            auto tmp18 = tmp15 + tmp17;
                            auto tmp19 = tmp18 * tmp2;
                            auto tmp20 = static_cast<float>(64.0);
                            auto tmp21 = at::vec::Vectorized<float>(tmp20);
                            auto tmp22 = tmp19 + tmp21;
                            auto tmp23 = tmp22 * tmp2;
                            auto tmp24 = static_cast<float>(65.0);
                            auto tmp25 = at::vec::Vectorized<float>(tmp24);
                            auto tmp26 = tmp23 + tmp25;
                            auto tmp27 = tmp26 * tmp2;
                            auto tmp28 = static_cast<float>(66.0);
                            auto tmp29 = at::vec::Vectorized<float>(tmp28);
                            auto tmp30 = tmp27 + tmp29;
                            auto tmp31 = tmp30 * tmp2;
                            auto tmp32 = static_cast<float>(67.0);
                            auto tmp33 = at::vec::Vectorized<float>(tmp32);
                            auto tmp34 = tmp31 + tmp33;
                            auto tmp35 = tmp34 * tmp2;
                            auto tmp36 = static_cast<float>(68.0);
                            auto tmp37 = at::vec::Vectorized<float>(tmp36);
                            auto tmp38 = tmp35 + tmp37;
                            auto tmp39 = tmp38 * tmp2;
                            auto tmp40 = static_cast<float>(69.0);
                            auto tmp41 = at::vec::Vectorized<float>(tmp40);
                            auto tmp42 = tmp39 + tmp41;
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
                        }
                    }
                }
                tmp_acc0 = tmp_acc0 + at::vec::vec_reduce_all<float, 1>([](at::vec::Vectorized<float>& x, at::vec::Vectorized<float>& y) { return x + y; }, tmp_acc0_vec);
                out_ptr65[static_cast<int64_t>(x0)] = static_cast<float>(tmp_acc0);
                tmp_acc1 = tmp_acc1 + at::vec::vec_reduce_all<float, 1>([](at::vec::Vectorized<float>& x, at::vec::Vectorized<float>& y) { return x + y; }, tmp_acc1_vec);
                out_ptr66[static_cast<int64_t>(x0)] = static_cast<float>(tmp_acc1);
                tmp_acc2 = tmp_acc2 + at::vec::vec_reduce_all<float, 1>([](at::vec::Vectorized<float>& x, at::vec::Vectorized<float>& y) { return x + y; }, tmp_acc2_vec);
                out_ptr67[static_cast<int64_t>(x0)] = static_cast<float>(tmp_acc2);
                tmp_acc3 = tmp_acc3 + at::vec::vec_reduce_all<float, 1>([](at::vec::Vectorized<float>& x, at::vec::Vectorized<float>& y) { return x + y; }, tmp_acc3_vec);
                out_ptr68[static_cast<int64_t>(x0)] = static_cast<float>(tmp_acc3);
                tmp_acc4 = tmp_acc4 + at::vec::vec_reduce_all<float, 1>([](at::vec::Vectorized<float>& x, at::vec::Vectorized<float>& y) { return x + y; }, tmp_acc4_vec);
                out_ptr69[static_cast<int64_t>(x0)] = static_cast<float>(tmp_acc4);
                tmp_acc5 = tmp_acc5 + at::vec::vec_reduce_all<float, 1>([](at::vec::Vectorized<float>& x, at::vec::Vectorized<float>& y) { return x + y; }, tmp_acc5_vec);
                out_ptr70[static_cast<int64_t>(x0)] = static_cast<float>(tmp_acc5);
                tmp_acc6 = tmp_acc6 + at::vec::vec_reduce_all<float, 1>([](at::vec::Vectorized<float>& x, at::vec::Vectorized<float>& y) { return x + y; }, tmp_acc6_vec);
                out_ptr71[static_cast<int64_t>(x0)] = static_cast<float>(tmp_acc6);
                tmp_acc7 = tmp_acc7 + at::vec::vec_reduce_all<float, 1>([](at::vec::Vectorized<float>& x, at::vec::Vectorized<float>& y) { return x + y; }, tmp_acc7_vec);
                out_ptr72[static_cast<int64_t>(x0)] = static_cast<float>(tmp_acc7);
                tmp_acc8 = tmp_acc8 + at::vec::vec_reduce_all<float, 1>([](at::vec::Vectorized<float>& x, at::vec::Vectorized<float>& y) { return x + y; }, tmp_acc8_vec);
                out_ptr73[static_cast<int64_t>(x0)] = static_cast<float>(tmp_acc8);
                tmp_acc9 = tmp_acc9 + at::vec::vec_reduce_all<float, 1>([](at::vec::Vectorized<float>& x, at::vec::Vectorized<float>& y) { return x + y; }, tmp_acc9_vec);
                out_ptr74[static_cast<int64_t>(x0)] = static_cast<float>(tmp_acc9);
                tmp_acc10 = tmp_acc10 + at::vec::vec_reduce_all<float, 1>([](at::vec::Vectorized<float>& x, at::vec::Vectorized<float>& y) { return x + y; }, tmp_acc10_vec);
                out_ptr75[static_cast<int64_t>(x0)] = static_cast<float>(tmp_acc10);
            }
        }
    }
}
