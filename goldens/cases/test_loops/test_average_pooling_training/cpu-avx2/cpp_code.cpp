// golden of pytest-compile-golden; accept changes with --snapshot-update, not by hand
// stage: cpp_code, torch: 2.13.0, triton: 3.7.1, normaliser: 1

// graph_0_forward: cpp_fused_avg_pool2d_0
#include <torch/csrc/inductor/cpp_prefix.h>
extern "C"  void  kernel(const float* in_ptr0,
                       float* out_ptr0)
{
    std::atomic<int> inductor_cpu_integer_div_error{0};
    inductor_cpu_integer_div_error_flag = &inductor_cpu_integer_div_error;
    #pragma omp parallel num_threads(8)
    {
        int tid = omp_get_thread_num();
        {
            #pragma omp for
            for(int64_t x0=static_cast<int64_t>(0L); x0<static_cast<int64_t>(16L); x0+=static_cast<int64_t>(1L))
            {
                #pragma GCC ivdep
                for(int64_t x1=static_cast<int64_t>(0L); x1<static_cast<int64_t>(16L); x1+=static_cast<int64_t>(1L))
                {
                    for(int64_t x2=static_cast<int64_t>(0L); x2<static_cast<int64_t>(16L); x2+=static_cast<int64_t>(8L))
                    {
                        {
                            if(C10_LIKELY(x2 >= static_cast<int64_t>(0) && x2 < static_cast<int64_t>(16L)))
                            {
                                auto tmp0 = (-1L) + x1;
                                auto tmp1 = c10::convert<int64_t>(tmp0);
                                auto tmp2 = static_cast<int64_t>(0);
                                auto tmp3 = tmp1 >= tmp2;
                                auto tmp4 = static_cast<int64_t>(16);
                                auto tmp5 = tmp1 < tmp4;
                                auto tmp6 = tmp3 & tmp5;
                                auto tmp7 = (-1L) + x2;
                                auto tmp8 = c10::convert<int64_t>(tmp7);
                                auto tmp9 = at::vec::VectorizedN<int64_t,2>::arange(tmp8, 1);
                                auto tmp10 = at::vec::VectorizedN<int64_t,2>(tmp2);
                                auto tmp11 = at::vec::VecMask<int64_t,2>(tmp9 >= tmp10);
                                auto tmp12 = at::vec::VectorizedN<int64_t,2>(tmp4);
                                auto tmp13 = at::vec::VecMask<int64_t,2>(tmp9 < tmp12);
                                auto tmp14 = tmp11 & tmp13;
                                auto tmp15 = at::vec::VecMask<float,1>::from(tmp6);
                                auto tmp16 = tmp15 & tmp14;
                                auto tmp17 = [&]
                                {
                                    auto tmp18 = tmp16.template cast<float,1>().template loadu<float,1>(in_ptr0 + static_cast<int64_t>((-17L) + x2 + 16L*x1 + 256L*x0));
                                    return tmp18;
                                }
                                ;
                                auto tmp21 =
                                [&]
                                {
                                    if (tmp16.all_zero())
                                    {
                                        return at::vec::Vectorized<float>(static_cast<float>(0.0));
                                    }
                                    else
                                    {
                                        auto tmp19 = tmp17();
                                        auto tmp20 = at::vec::Vectorized<float>(static_cast<float>(0.0));
                                        return decltype(tmp19)::blendv(tmp20, tmp19, tmp16.template cast<float,1>());
                                    }
                                }
                                ()
                                ;
                                auto tmp22 = x2;
                                auto tmp23 = c10::convert<int64_t>(tmp22);
                                auto tmp24 = at::vec::VectorizedN<int64_t,2>::arange(tmp23, 1);
                                auto tmp25 = at::vec::VecMask<int64_t,2>(tmp24 >= tmp10);
                                auto tmp26 = at::vec::VecMask<int64_t,2>(tmp24 < tmp12);
                                auto tmp27 = tmp25 & tmp26;
                                auto tmp28 = tmp15 & tmp27;
                                auto tmp29 = [&]
                                {
                                    auto tmp30 = tmp28.template cast<float,1>().template loadu<float,1>(in_ptr0 + static_cast<int64_t>((-16L) + x2 + 16L*x1 + 256L*x0));
                                    return tmp30;
                                }
                                ;
                                auto tmp33 =
                                [&]
                                {
                                    if (tmp28.all_zero())
                                    {
                                        return at::vec::Vectorized<float>(static_cast<float>(0.0));
                                    }
                                    else
                                    {
                                        auto tmp31 = tmp29();
                                        auto tmp32 = at::vec::Vectorized<float>(static_cast<float>(0.0));
                                        return decltype(tmp31)::blendv(tmp32, tmp31, tmp28.template cast<float,1>());
                                    }
                                }
                                ()
                                ;
                                auto tmp34 = tmp21 + tmp33;
                                auto tmp35 = 1L + x2;
                                auto tmp36 = c10::convert<int64_t>(tmp35);
                                auto tmp37 = at::vec::VectorizedN<int64_t,2>::arange(tmp36, 1);
                                auto tmp38 = at::vec::VecMask<int64_t,2>(tmp37 >= tmp10);
                                auto tmp39 = at::vec::VecMask<int64_t,2>(tmp37 < tmp12);
                                auto tmp40 = tmp38 & tmp39;
                                auto tmp41 = tmp15 & tmp40;
                                auto tmp42 = [&]
                                {
                                    auto tmp43 = tmp41.template cast<float,1>().template loadu<float,1>(in_ptr0 + static_cast<int64_t>((-15L) + x2 + 16L*x1 + 256L*x0));
                                    return tmp43;
                                }
                                ;
                                auto tmp46 =
                                [&]
                                {
                                    if (tmp41.all_zero())
                                    {
                                        return at::vec::Vectorized<float>(static_cast<float>(0.0));
                                    }
                                    else
                                    {
                                        auto tmp44 = tmp42();
                                        auto tmp45 = at::vec::Vectorized<float>(static_cast<float>(0.0));
                                        return decltype(tmp44)::blendv(tmp45, tmp44, tmp41.template cast<float,1>());
                                    }
                                }
                                ()
                                ;
                                auto tmp47 = tmp34 + tmp46;
                                auto tmp48 = x1;
                                auto tmp49 = c10::convert<int64_t>(tmp48);
                                auto tmp50 = tmp49 >= tmp2;
                                auto tmp51 = tmp49 < tmp4;
                                auto tmp52 = tmp50 & tmp51;
                                auto tmp53 = at::vec::VecMask<float,1>::from(tmp52);
                                auto tmp54 = tmp53 & tmp14;
                                auto tmp55 = [&]
                                {
                                    auto tmp56 = tmp54.template cast<float,1>().template loadu<float,1>(in_ptr0 + static_cast<int64_t>((-1L) + x2 + 16L*x1 + 256L*x0));
                                    return tmp56;
                                }
                                ;
                                auto tmp59 =
                                [&]
                                {
                                    if (tmp54.all_zero())
                                    {
                                        return at::vec::Vectorized<float>(static_cast<float>(0.0));
                                    }
                                    else
                                    {
                                        auto tmp57 = tmp55();
                                        auto tmp58 = at::vec::Vectorized<float>(static_cast<float>(0.0));
                                        return decltype(tmp57)::blendv(tmp58, tmp57, tmp54.template cast<float,1>());
                                    }
                                }
                                ()
                                ;
                                auto tmp60 = tmp47 + tmp59;
                                auto tmp61 = tmp53 & tmp27;
                                auto tmp62 = [&]
                                {
                                    auto tmp63 = tmp61.template cast<float,1>().template loadu<float,1>(in_ptr0 + static_cast<int64_t>(x2 + 16L*x1 + 256L*x0));
                                    return tmp63;
                                }
                                ;
                                auto tmp66 =
                                [&]
                                {
                                    if (tmp61.all_zero())
                                    {
                                        return at::vec::Vectorized<float>(static_cast<float>(0.0));
                                    }
                                    else
                                    {
                                        auto tmp64 = tmp62();
                                        auto tmp65 = at::vec::Vectorized<float>(static_cast<float>(0.0));
                                        return decltype(tmp64)::blendv(tmp65, tmp64, tmp61.template cast<float,1>());
                                    }
                                }
                                ()
                                ;
                                auto tmp67 = tmp60 + tmp66;
                                auto tmp68 = tmp53 & tmp40;
                                auto tmp69 = [&]
                                {
                                    auto tmp70 = tmp68.template cast<float,1>().template loadu<float,1>(in_ptr0 + static_cast<int64_t>(1L + x2 + 16L*x1 + 256L*x0));
                                    return tmp70;
                                }
                                ;
                                auto tmp73 =
                                [&]
                                {
                                    if (tmp68.all_zero())
                                    {
                                        return at::vec::Vectorized<float>(static_cast<float>(0.0));
                                    }
                                    else
                                    {
                                        auto tmp71 = tmp69();
                                        auto tmp72 = at::vec::Vectorized<float>(static_cast<float>(0.0));
                                        return decltype(tmp71)::blendv(tmp72, tmp71, tmp68.template cast<float,1>());
                                    }
                                }
                                ()
                                ;
                                auto tmp74 = tmp67 + tmp73;
                                auto tmp75 = 1L + x1;
                                auto tmp76 = c10::convert<int64_t>(tmp75);
                                auto tmp77 = tmp76 >= tmp2;
                                auto tmp78 = tmp76 < tmp4;
                                auto tmp79 = tmp77 & tmp78;
                                auto tmp80 = at::vec::VecMask<float,1>::from(tmp79);
                                auto tmp81 = tmp80 & tmp14;
                                auto tmp82 = [&]
                                {
                                    auto tmp83 = tmp81.template cast<float,1>().template loadu<float,1>(in_ptr0 + static_cast<int64_t>(15L + x2 + 16L*x1 + 256L*x0));
                                    return tmp83;
                                }
                                ;
                                auto tmp86 =
                                [&]
                                {
                                    if (tmp81.all_zero())
                                    {
                                        return at::vec::Vectorized<float>(static_cast<float>(0.0));
                                    }
                                    else
                                    {
                                        auto tmp84 = tmp82();
                                        auto tmp85 = at::vec::Vectorized<float>(static_cast<float>(0.0));
                                        return decltype(tmp84)::blendv(tmp85, tmp84, tmp81.template cast<float,1>());
                                    }
                                }
                                ()
                                ;
                                auto tmp87 = tmp74 + tmp86;
                                auto tmp88 = tmp80 & tmp27;
                                auto tmp89 = [&]
                                {
                                    auto tmp90 = tmp88.template cast<float,1>().template loadu<float,1>(in_ptr0 + static_cast<int64_t>(16L + x2 + 16L*x1 + 256L*x0));
                                    return tmp90;
                                }
                                ;
                                auto tmp93 =
                                [&]
                                {
                                    if (tmp88.all_zero())
                                    {
                                        return at::vec::Vectorized<float>(static_cast<float>(0.0));
                                    }
                                    else
                                    {
                                        auto tmp91 = tmp89();
                                        auto tmp92 = at::vec::Vectorized<float>(static_cast<float>(0.0));
                                        return decltype(tmp91)::blendv(tmp92, tmp91, tmp88.template cast<float,1>());
                                    }
                                }
                                ()
                                ;
                                auto tmp94 = tmp87 + tmp93;
                                auto tmp95 = tmp80 & tmp40;
                                auto tmp96 = [&]
                                {
                                    auto tmp97 = tmp95.template cast<float,1>().template loadu<float,1>(in_ptr0 + static_cast<int64_t>(17L + x2 + 16L*x1 + 256L*x0));
                                    return tmp97;
                                }
                                ;
                                auto tmp100 =
                                [&]
                                {
                                    if (tmp95.all_zero())
                                    {
                                        return at::vec::Vectorized<float>(static_cast<float>(0.0));
                                    }
                                    else
                                    {
                                        auto tmp98 = tmp96();
                                        auto tmp99 = at::vec::Vectorized<float>(static_cast<float>(0.0));
                                        return decltype(tmp98)::blendv(tmp99, tmp98, tmp95.template cast<float,1>());
                                    }
                                }
                                ()
                                ;
                                auto tmp101 = tmp94 + tmp100;
                                auto tmp102 =
                                [&]
                                {
                                    __at_align__ std::array<int32_t, 8> tmpbuf;
                                    #pragma GCC unroll 8
                                    for (long x2_inner = 0; x2_inner < static_cast<int64_t>(8); x2_inner++)
                                    {
                                        tmpbuf[x2_inner] = static_cast<int64_t>(1L + ((-1L)*x1) + ((-1L)*x2) + ((-1L)*x2_inner) + x1*x2 + x1*x2_inner + std::min(static_cast<int64_t>(17L), static_cast<int64_t>(2L + x1))*std::min(static_cast<int64_t>(17L), static_cast<int64_t>(2L + x2 + x2_inner)) + ((-1L)*x1*std::min(static_cast<int64_t>(17L), static_cast<int64_t>(2L + x2 + x2_inner))) + ((-1L)*x2*std::min(static_cast<int64_t>(17L), static_cast<int64_t>(2L + x1))) + ((-1L)*x2_inner*std::min(static_cast<int64_t>(17L), static_cast<int64_t>(2L + x1))) + std::min(static_cast<int64_t>(17L), static_cast<int64_t>(2L + x1)) + std::min(static_cast<int64_t>(17L), static_cast<int64_t>(2L + x2 + x2_inner)));
                                    }
                                    return at::vec::Vectorized<int32_t>::loadu(tmpbuf.data(), static_cast<int64_t>(8));
                                }
                                ()
                                ;
                                auto tmp103 = at::vec::convert<float>(tmp102);
                                auto tmp104 = tmp101 / tmp103;
                                tmp104.store(out_ptr0 + static_cast<int64_t>(x2 + 16L*x1 + 256L*x0));
                            }
                        }
                    }
                }
            }
        }
    }
    inductor_cpu_integer_div_error_flag = nullptr;
    inductor_cpu_throw_if_integer_div_error(inductor_cpu_integer_div_error);
}


// graph_0_backward: cpp_fused_avg_pool2d_backward_0
#include <torch/csrc/inductor/cpp_prefix.h>
extern "C"  void  kernel(const float* in_ptr0,
                       float* out_ptr0)
{
    std::atomic<int> inductor_cpu_integer_div_error{0};
    inductor_cpu_integer_div_error_flag = &inductor_cpu_integer_div_error;
    #pragma omp parallel num_threads(8)
    {
        int tid = omp_get_thread_num();
        {
            #pragma omp for
            for(int64_t x0=static_cast<int64_t>(0L); x0<static_cast<int64_t>(16L); x0+=static_cast<int64_t>(1L))
            {
                #pragma GCC ivdep
                for(int64_t x1=static_cast<int64_t>(0L); x1<static_cast<int64_t>(16L); x1+=static_cast<int64_t>(1L))
                {
                    #pragma GCC ivdep
                    for(int64_t x2=static_cast<int64_t>(0L); x2<static_cast<int64_t>(16L); x2+=static_cast<int64_t>(1L))
                    {
                        {
                            {
                                auto tmp0 = in_ptr0[static_cast<int64_t>(16L*std::min(static_cast<int64_t>(std::max(static_cast<int64_t>(0L), static_cast<int64_t>((-1L) + x1))), static_cast<int64_t>((-1L) + std::min(static_cast<int64_t>(16L), static_cast<int64_t>(2L + x1)))) + 256L*x0 + std::min(static_cast<int64_t>(std::max(static_cast<int64_t>(0L), static_cast<int64_t>((-1L) + x2))), static_cast<int64_t>((-1L) + std::min(static_cast<int64_t>(16L), static_cast<int64_t>(2L + x2)))))];
                                auto tmp15 = in_ptr0[static_cast<int64_t>(16L*std::min(static_cast<int64_t>(std::max(static_cast<int64_t>(0L), static_cast<int64_t>((-1L) + x1))), static_cast<int64_t>((-1L) + std::min(static_cast<int64_t>(16L), static_cast<int64_t>(2L + x1)))) + 256L*x0 + std::min(static_cast<int64_t>(1L + std::max(static_cast<int64_t>(0L), static_cast<int64_t>((-1L) + x2))), static_cast<int64_t>((-1L) + std::min(static_cast<int64_t>(16L), static_cast<int64_t>(2L + x2)))))];
                                auto tmp23 = in_ptr0[static_cast<int64_t>(16L*std::min(static_cast<int64_t>(std::max(static_cast<int64_t>(0L), static_cast<int64_t>((-1L) + x1))), static_cast<int64_t>((-1L) + std::min(static_cast<int64_t>(16L), static_cast<int64_t>(2L + x1)))) + 256L*x0 + std::min(static_cast<int64_t>(2L + std::max(static_cast<int64_t>(0L), static_cast<int64_t>((-1L) + x2))), static_cast<int64_t>((-1L) + std::min(static_cast<int64_t>(16L), static_cast<int64_t>(2L + x2)))))];
                                auto tmp31 = in_ptr0[static_cast<int64_t>(16L*std::min(static_cast<int64_t>(1L + std::max(static_cast<int64_t>(0L), static_cast<int64_t>((-1L) + x1))), static_cast<int64_t>((-1L) + std::min(static_cast<int64_t>(16L), static_cast<int64_t>(2L + x1)))) + 256L*x0 + std::min(static_cast<int64_t>(std::max(static_cast<int64_t>(0L), static_cast<int64_t>((-1L) + x2))), static_cast<int64_t>((-1L) + std::min(static_cast<int64_t>(16L), static_cast<int64_t>(2L + x2)))))];
                                auto tmp39 = in_ptr0[static_cast<int64_t>(16L*std::min(static_cast<int64_t>(1L + std::max(static_cast<int64_t>(0L), static_cast<int64_t>((-1L) + x1))), static_cast<int64_t>((-1L) + std::min(static_cast<int64_t>(16L), static_cast<int64_t>(2L + x1)))) + 256L*x0 + std::min(static_cast<int64_t>(1L + std::max(static_cast<int64_t>(0L), static_cast<int64_t>((-1L) + x2))), static_cast<int64_t>((-1L) + std::min(static_cast<int64_t>(16L), static_cast<int64_t>(2L + x2)))))];
                                auto tmp44 = in_ptr0[static_cast<int64_t>(16L*std::min(static_cast<int64_t>(1L + std::max(static_cast<int64_t>(0L), static_cast<int64_t>((-1L) + x1))), static_cast<int64_t>((-1L) + std::min(static_cast<int64_t>(16L), static_cast<int64_t>(2L + x1)))) + 256L*x0 + std::min(static_cast<int64_t>(2L + std::max(static_cast<int64_t>(0L), static_cast<int64_t>((-1L) + x2))), static_cast<int64_t>((-1L) + std::min(static_cast<int64_t>(16L), static_cast<int64_t>(2L + x2)))))];
                                auto tmp49 = in_ptr0[static_cast<int64_t>(16L*std::min(static_cast<int64_t>(2L + std::max(static_cast<int64_t>(0L), static_cast<int64_t>((-1L) + x1))), static_cast<int64_t>((-1L) + std::min(static_cast<int64_t>(16L), static_cast<int64_t>(2L + x1)))) + 256L*x0 + std::min(static_cast<int64_t>(std::max(static_cast<int64_t>(0L), static_cast<int64_t>((-1L) + x2))), static_cast<int64_t>((-1L) + std::min(static_cast<int64_t>(16L), static_cast<int64_t>(2L + x2)))))];
                                auto tmp57 = in_ptr0[static_cast<int64_t>(16L*std::min(static_cast<int64_t>(2L + std::max(static_cast<int64_t>(0L), static_cast<int64_t>((-1L) + x1))), static_cast<int64_t>((-1L) + std::min(static_cast<int64_t>(16L), static_cast<int64_t>(2L + x1)))) + 256L*x0 + std::min(static_cast<int64_t>(1L + std::max(static_cast<int64_t>(0L), static_cast<int64_t>((-1L) + x2))), static_cast<int64_t>((-1L) + std::min(static_cast<int64_t>(16L), static_cast<int64_t>(2L + x2)))))];
                                auto tmp62 = in_ptr0[static_cast<int64_t>(16L*std::min(static_cast<int64_t>(2L + std::max(static_cast<int64_t>(0L), static_cast<int64_t>((-1L) + x1))), static_cast<int64_t>((-1L) + std::min(static_cast<int64_t>(16L), static_cast<int64_t>(2L + x1)))) + 256L*x0 + std::min(static_cast<int64_t>(2L + std::max(static_cast<int64_t>(0L), static_cast<int64_t>((-1L) + x2))), static_cast<int64_t>((-1L) + std::min(static_cast<int64_t>(16L), static_cast<int64_t>(2L + x2)))))];
                                auto tmp1 = tmp0 / 9;
                                auto tmp2 = std::max(static_cast<int64_t>(0L), static_cast<int64_t>((-1L) + x1));
                                auto tmp3 = c10::convert<int32_t>(tmp2);
                                auto tmp4 = std::min(static_cast<int64_t>(16L), static_cast<int64_t>(2L + x1));
                                auto tmp5 = c10::convert<int32_t>(tmp4);
                                auto tmp6 = tmp3 < tmp5;
                                auto tmp7 = std::max(static_cast<int64_t>(0L), static_cast<int64_t>((-1L) + x2));
                                auto tmp8 = c10::convert<int32_t>(tmp7);
                                auto tmp9 = std::min(static_cast<int64_t>(16L), static_cast<int64_t>(2L + x2));
                                auto tmp10 = c10::convert<int32_t>(tmp9);
                                auto tmp11 = tmp8 < tmp10;
                                auto tmp12 = tmp6 & tmp11;
                                auto tmp13 = static_cast<float>(0.0);
                                auto tmp14 = tmp12 ? tmp1 : tmp13;
                                auto tmp16 = tmp15 / 9;
                                auto tmp17 = 1L + std::max(static_cast<int64_t>(0L), static_cast<int64_t>((-1L) + x2));
                                auto tmp18 = c10::convert<int32_t>(tmp17);
                                auto tmp19 = tmp18 < tmp10;
                                auto tmp20 = tmp6 & tmp19;
                                auto tmp21 = float(tmp14 + tmp16);
                                auto tmp22 = tmp20 ? tmp21 : tmp14;
                                auto tmp24 = tmp23 / 9;
                                auto tmp25 = 2L + std::max(static_cast<int64_t>(0L), static_cast<int64_t>((-1L) + x2));
                                auto tmp26 = c10::convert<int32_t>(tmp25);
                                auto tmp27 = tmp26 < tmp10;
                                auto tmp28 = tmp6 & tmp27;
                                auto tmp29 = float(tmp22 + tmp24);
                                auto tmp30 = tmp28 ? tmp29 : tmp22;
                                auto tmp32 = tmp31 / 9;
                                auto tmp33 = 1L + std::max(static_cast<int64_t>(0L), static_cast<int64_t>((-1L) + x1));
                                auto tmp34 = c10::convert<int32_t>(tmp33);
                                auto tmp35 = tmp34 < tmp5;
                                auto tmp36 = tmp35 & tmp11;
                                auto tmp37 = float(tmp30 + tmp32);
                                auto tmp38 = tmp36 ? tmp37 : tmp30;
                                auto tmp40 = tmp39 / 9;
                                auto tmp41 = tmp35 & tmp19;
                                auto tmp42 = float(tmp38 + tmp40);
                                auto tmp43 = tmp41 ? tmp42 : tmp38;
                                auto tmp45 = tmp44 / 9;
                                auto tmp46 = tmp35 & tmp27;
                                auto tmp47 = float(tmp43 + tmp45);
                                auto tmp48 = tmp46 ? tmp47 : tmp43;
                                auto tmp50 = tmp49 / 9;
                                auto tmp51 = 2L + std::max(static_cast<int64_t>(0L), static_cast<int64_t>((-1L) + x1));
                                auto tmp52 = c10::convert<int32_t>(tmp51);
                                auto tmp53 = tmp52 < tmp5;
                                auto tmp54 = tmp53 & tmp11;
                                auto tmp55 = float(tmp48 + tmp50);
                                auto tmp56 = tmp54 ? tmp55 : tmp48;
                                auto tmp58 = tmp57 / 9;
                                auto tmp59 = tmp53 & tmp19;
                                auto tmp60 = float(tmp56 + tmp58);
                                auto tmp61 = tmp59 ? tmp60 : tmp56;
                                auto tmp63 = tmp62 / 9;
                                auto tmp64 = tmp53 & tmp27;
                                auto tmp65 = float(tmp61 + tmp63);
                                auto tmp66 = tmp64 ? tmp65 : tmp61;
                                out_ptr0[static_cast<int64_t>(x2 + 16L*x1 + 256L*x0)] = tmp66;
                            }
                        }
                    }
                }
            }
        }
    }
    inductor_cpu_integer_div_error_flag = nullptr;
    inductor_cpu_throw_if_integer_div_error(inductor_cpu_integer_div_error);
}
