// golden of pytest-compile-golden; accept changes with --snapshot-update, not by hand
// stage: cpp_code, torch: 2.13.0, triton: 3.7.1, normaliser: 1

// graph_0_forward: cpp_fused_max_pool2d_with_indices_0
#include <torch/csrc/inductor/cpp_prefix.h>
extern "C"  void  kernel(const float* in_ptr0,
                       float* out_ptr0,
                       int8_t* out_ptr1)
{
    std::atomic<int> inductor_cpu_integer_div_error{0};
    inductor_cpu_integer_div_error_flag = &inductor_cpu_integer_div_error;
    {
        #pragma GCC ivdep
        for(int64_t x0=static_cast<int64_t>(0L); x0<static_cast<int64_t>(128L); x0+=static_cast<int64_t>(1L))
        {
            #pragma GCC ivdep
            for(int64_t x1=static_cast<int64_t>(0L); x1<static_cast<int64_t>(8L); x1+=static_cast<int64_t>(1L))
            {
                {
                    {
                        auto tmp0 = in_ptr0[static_cast<int64_t>(2L*x1 + 32L*x0)];
                        auto tmp1 = in_ptr0[static_cast<int64_t>(1L + 2L*x1 + 32L*x0)];
                        auto tmp3 = in_ptr0[static_cast<int64_t>(16L + 2L*x1 + 32L*x0)];
                        auto tmp5 = in_ptr0[static_cast<int64_t>(17L + 2L*x1 + 32L*x0)];
                        auto tmp2 = max_propagate_nan(tmp0, tmp1);
                        auto tmp4 = max_propagate_nan(tmp2, tmp3);
                        auto tmp6 = max_propagate_nan(tmp4, tmp5);
                        auto tmp7 = tmp0 > tmp1;
                        auto tmp8 = tmp0 == tmp1;
                        auto tmp9 = tmp0 != tmp0;
                        auto tmp10 = tmp1 != tmp1;
                        auto tmp11 = tmp9 > tmp10;
                        auto tmp12 = tmp7 || tmp11;
                        auto tmp13 = tmp9 && tmp10;
                        auto tmp14 = tmp8 || tmp13;
                        auto tmp15 = static_cast<int64_t>(0);
                        auto tmp16 = static_cast<int64_t>(1);
                        auto tmp17 = tmp15 < tmp16;
                        auto tmp18 = tmp14 && tmp17;
                        auto tmp19 = tmp12 || tmp18;
                        auto tmp20 = tmp19 ? tmp0 : tmp1;
                        auto tmp21 = tmp19 ? tmp15 : tmp16;
                        auto tmp22 = tmp20 > tmp3;
                        auto tmp23 = tmp20 == tmp3;
                        auto tmp24 = tmp20 != tmp20;
                        auto tmp25 = tmp3 != tmp3;
                        auto tmp26 = tmp24 > tmp25;
                        auto tmp27 = tmp22 || tmp26;
                        auto tmp28 = tmp24 && tmp25;
                        auto tmp29 = tmp23 || tmp28;
                        auto tmp30 = static_cast<int64_t>(2);
                        auto tmp31 = tmp21 < tmp30;
                        auto tmp32 = tmp29 && tmp31;
                        auto tmp33 = tmp27 || tmp32;
                        auto tmp34 = tmp33 ? tmp20 : tmp3;
                        auto tmp35 = tmp33 ? tmp21 : tmp30;
                        auto tmp36 = tmp34 > tmp5;
                        auto tmp37 = tmp34 == tmp5;
                        auto tmp38 = tmp34 != tmp34;
                        auto tmp39 = tmp5 != tmp5;
                        auto tmp40 = tmp38 > tmp39;
                        auto tmp41 = tmp36 || tmp40;
                        auto tmp42 = tmp38 && tmp39;
                        auto tmp43 = tmp37 || tmp42;
                        auto tmp44 = static_cast<int64_t>(3);
                        auto tmp45 = tmp35 < tmp44;
                        auto tmp46 = tmp43 && tmp45;
                        auto tmp47 = tmp41 || tmp46;
                        auto tmp48 = tmp47 ? tmp34 : tmp5;
                        auto tmp49 = tmp47 ? tmp35 : tmp44;
                        auto tmp50 = c10::convert<int8_t>(tmp49);
                        out_ptr0[static_cast<int64_t>(x1 + 8L*x0)] = tmp6;
                        out_ptr1[static_cast<int64_t>(x1 + 8L*x0)] = tmp50;
                    }
                }
            }
        }
    }
    inductor_cpu_integer_div_error_flag = nullptr;
    inductor_cpu_throw_if_integer_div_error(inductor_cpu_integer_div_error);
}


// graph_0_backward: cpp_fused_max_pool2d_with_indices_max_pool2d_with_indices_backward_0
#include <torch/csrc/inductor/cpp_prefix.h>
extern "C"  void  kernel(const int8_t* in_ptr0,
                       int64_t* out_ptr0,
                       float* out_ptr1)
{
    std::atomic<int> inductor_cpu_integer_div_error{0};
    inductor_cpu_integer_div_error_flag = &inductor_cpu_integer_div_error;
    {
        #pragma GCC ivdep
        for(int64_t x0=static_cast<int64_t>(0L); x0<static_cast<int64_t>(16L); x0+=static_cast<int64_t>(1L))
        {
            #pragma GCC ivdep
            for(int64_t x1=static_cast<int64_t>(0L); x1<static_cast<int64_t>(8L); x1+=static_cast<int64_t>(1L))
            {
                for(int64_t x2=static_cast<int64_t>(0L); x2<static_cast<int64_t>(8L); x2+=static_cast<int64_t>(8L))
                {
                    {
                        if(C10_LIKELY(x2 >= static_cast<int64_t>(0) && x2 < static_cast<int64_t>(8L)))
                        {
                            auto tmp0 = at::vec::Vectorized<int8_t>::loadu(in_ptr0 + static_cast<int64_t>(x2 + 8L*x1 + 64L*x0), static_cast<int64_t>(8));
                            auto tmp1 = 4L;
                            auto tmp2 = c10::convert<int64_t>(tmp1);
                            auto tmp3 = at::vec::convert<int64_t,2,int8_t,1>(tmp0);
                            auto tmp4 = at::vec::VectorizedN<int64_t,2>(tmp2);
                            auto tmp5 = tmp3 + tmp4;
                            auto tmp6 = static_cast<int64_t>(0);
                            auto tmp7 = at::vec::VectorizedN<int64_t,2>(tmp6);
                            auto tmp8 = at::vec::VecMask<int64_t,2>(tmp3 < tmp7);
                            auto tmp9 = decltype(tmp5)::blendv(tmp3, tmp5, tmp8.template cast<int64_t,2>());
                            auto tmp10 =
                            [&]
                            {
                                __at_align__ std::array<int64_t, 8> tmpbuf;
                                tmp9.store(tmpbuf.data(), static_cast<int64_t>(8));
                                return tmpbuf;
                            }
                            ()
                            ;
                            auto tmp11 =
                            [&]
                            {
                                __at_align__ std::array<int64_t, 8> tmpbuf;
                                #pragma GCC unroll 8
                                for (long x2_inner = 0; x2_inner < static_cast<int64_t>(8); x2_inner++)
                                {
                                    tmpbuf[x2_inner] = static_cast<int64_t>(tmp10[x2_inner]);
                                }
                                return at::vec::VectorizedN<int64_t,2>::loadu(tmpbuf.data(), static_cast<int64_t>(8));
                            }
                            ()
                            ;
                            TORCH_CHECK((at::vec::VecMask<int64_t,2>((at::vec::VectorizedN<int64_t,2>(0) <= tmp11) & (tmp11 < at::vec::VectorizedN<int64_t,2>(4L)))).all_masked(), "index out of bounds: 0 <= tmp11 < 4L");
                            auto tmp13 =
                            [&]
                            {
                                __at_align__ std::array<int64_t, 8> tmpbuf;
                                #pragma GCC unroll 8
                                for (long x2_inner = 0; x2_inner < static_cast<int64_t>(8); x2_inner++)
                                {
                                    tmpbuf[x2_inner] = static_cast<int64_t>(tmp10[x2_inner] + 2L*x2 + 2L*x2_inner + 14L*(c10::div_floor_integer(static_cast<int64_t>(tmp10[x2_inner]), static_cast<int64_t>(2L))) + 32L*x1);
                                }
                                return at::vec::VectorizedN<int64_t,2>::loadu(tmpbuf.data(), static_cast<int64_t>(8));
                            }
                            ()
                            ;
                            tmp13.store(out_ptr0 + static_cast<int64_t>(x2 + 8L*x1 + 64L*x0), static_cast<int64_t>(8));
                        }
                    }
                }
            }
        }
    }
    #pragma omp parallel num_threads(8)
    {
        int tid = omp_get_thread_num();
        {
            #pragma omp for
            for(int64_t x0=static_cast<int64_t>(0L); x0<static_cast<int64_t>(4096L); x0+=static_cast<int64_t>(8L))
            {
                {
                    if(C10_LIKELY(x0 >= static_cast<int64_t>(0) && x0 < static_cast<int64_t>(4096L)))
                    {
                        auto tmp0 = static_cast<float>(0.0);
                        auto tmp1 = at::vec::Vectorized<float>(tmp0);
                        tmp1.store(out_ptr1 + static_cast<int64_t>(x0));
                    }
                }
            }
        }
    }
    inductor_cpu_integer_div_error_flag = nullptr;
    inductor_cpu_throw_if_integer_div_error(inductor_cpu_integer_div_error);
}
