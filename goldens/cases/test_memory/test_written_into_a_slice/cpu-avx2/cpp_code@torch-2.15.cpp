// golden of pytest-compile-golden; accept changes with --snapshot-update, not by hand
// stage: cpp_code, torch: 2.15.0, triton: 3.9.0, normaliser: 1

// graph_0: cpp_fused_add_copy_mul_select_sin_slice_0
#include <torch/csrc/inductor/cpp_prefix.h>
extern "C"  void  kernel(const float* in_ptr0,
                       const float* in_ptr1,
                       float* out_ptr0)
{
    std::atomic<int> inductor_cpu_integer_div_error{0};
    inductor_cpu_integer_div_error_flag = &inductor_cpu_integer_div_error;
    {
        #pragma GCC ivdep
        for(int64_t x0=static_cast<int64_t>(0L); x0<static_cast<int64_t>(32L); x0+=static_cast<int64_t>(1L))
        {
            for(int64_t x1=static_cast<int64_t>(0L); x1<static_cast<int64_t>(64L); x1+=static_cast<int64_t>(8L))
            {
                {
                    if(C10_LIKELY(x1 >= static_cast<int64_t>(0) && x1 < static_cast<int64_t>(64L)))
                    {
                        auto tmp20 = at::vec::Vectorized<float>::loadu(in_ptr1 + static_cast<int64_t>(192L + x1), static_cast<int64_t>(8));
                        auto tmp34 = at::vec::Vectorized<float>::loadu(in_ptr1 + static_cast<int64_t>(x1 + 64L*x0), static_cast<int64_t>(8));
                        auto tmp0 = x0;
                        auto tmp1 = c10::convert<int32_t>(tmp0);
                        auto tmp2 = static_cast<int32_t>(3);
                        auto tmp3 = tmp1 == tmp2;
                        auto tmp4 = x1;
                        auto tmp5 = c10::convert<int64_t>(tmp4);
                        auto tmp6 = at::vec::VectorizedN<int64_t,2>::arange(tmp5, 1);
                        auto tmp7 = static_cast<int64_t>(2);
                        auto tmp8 = at::vec::VectorizedN<int64_t,2>(tmp7);
                        auto tmp9 = at::vec::VecMask<int64_t,2>(tmp6 >= tmp8);
                        auto tmp10 = static_cast<int64_t>(10);
                        auto tmp11 = at::vec::VectorizedN<int64_t,2>(tmp10);
                        auto tmp12 = at::vec::VecMask<int64_t,2>(tmp6 < tmp11);
                        auto tmp13 = tmp9 & tmp12;
                        auto tmp14 = [&]
                        {
                            auto tmp15 = inductor_vec_mask_cast<float,1>(tmp13).template loadu<float,1>(in_ptr0 + static_cast<int64_t>(22L + x1));
                            auto tmp16 = tmp15.sin();
                            return tmp16;
                        }
                        ;
                        auto tmp19 =
                        [&]
                        {
                            if (tmp13.all_zero())
                            {
                                return at::vec::Vectorized<float>(static_cast<float>(0.0));
                            }
                            else
                            {
                                auto tmp17 = tmp14();
                                auto tmp18 = at::vec::Vectorized<float>(static_cast<float>(0.0));
                                return decltype(tmp17)::blendv(tmp18, tmp17, inductor_vec_mask_cast<float,1>(tmp13));
                            }
                        }
                        ()
                        ;
                        auto tmp21 = static_cast<float>(2.0);
                        auto tmp22 = at::vec::Vectorized<float>(tmp21);
                        auto tmp23 = tmp20 * tmp22;
                        auto tmp24 = decltype(tmp19)::blendv(tmp23, tmp19, inductor_vec_mask_cast<float,1>(tmp13));
                        auto tmp25 = static_cast<float>(1.0);
                        auto tmp26 = at::vec::Vectorized<float>(tmp25);
                        auto tmp27 = tmp24 + tmp26;
                        auto tmp28 = [&]
                        {
                            auto tmp29 = inductor_vec_mask_cast<float,1>(tmp13).template loadu<float,1>(in_ptr0 + static_cast<int64_t>((-2L) + x1 + 8L*x0));
                            auto tmp30 = tmp29.sin();
                            return tmp30;
                        }
                        ;
                        auto tmp33 =
                        [&]
                        {
                            if (tmp13.all_zero())
                            {
                                return at::vec::Vectorized<float>(static_cast<float>(0.0));
                            }
                            else
                            {
                                auto tmp31 = tmp28();
                                auto tmp32 = at::vec::Vectorized<float>(static_cast<float>(0.0));
                                return decltype(tmp31)::blendv(tmp32, tmp31, inductor_vec_mask_cast<float,1>(tmp13));
                            }
                        }
                        ()
                        ;
                        auto tmp35 = tmp34 * tmp22;
                        auto tmp36 = decltype(tmp33)::blendv(tmp35, tmp33, inductor_vec_mask_cast<float,1>(tmp13));
                        auto tmp37 = at::vec::VecMask<float,1>::from(tmp3);
                        auto tmp38 = decltype(tmp27)::blendv(tmp36, tmp27, inductor_vec_mask_cast<float,1>(tmp37));
                        tmp38.store(out_ptr0 + static_cast<int64_t>(x1 + 64L*x0));
                    }
                }
            }
        }
    }
    inductor_cpu_integer_div_error_flag = nullptr;
    inductor_cpu_throw_if_integer_div_error(inductor_cpu_integer_div_error);
}
