// golden of pytest-compile-golden; accept changes with --snapshot-update, not by hand
// stage: cpp_code, torch: 2.15.0, triton: 3.9.0, normaliser: 1

// graph_0: cpp_fused_add_copy__mul_slice_view_0
#include <torch/csrc/inductor/cpp_prefix.h>
extern "C"  void  kernel(const float* in_ptr0,
                       float* out_ptr0,
                       float* out_ptr1)
{
    std::atomic<int> inductor_cpu_integer_div_error{0};
    inductor_cpu_integer_div_error_flag = &inductor_cpu_integer_div_error;
    {
        for(int64_t x0=static_cast<int64_t>(0L); x0<static_cast<int64_t>(1024L); x0+=static_cast<int64_t>(8L))
        {
            {
                if(C10_LIKELY(x0 >= static_cast<int64_t>(0) && x0 < static_cast<int64_t>(1024L)))
                {
                    auto tmp14 = at::vec::Vectorized<float>::loadu(out_ptr1 + static_cast<int64_t>(x0), static_cast<int64_t>(8));
                    auto tmp0 = x0;
                    auto tmp1 = c10::convert<int64_t>(tmp0);
                    auto tmp2 = at::vec::VectorizedN<int64_t,2>::arange(tmp1, 1);
                    auto tmp3 = static_cast<int64_t>(10);
                    auto tmp4 = at::vec::VectorizedN<int64_t,2>(tmp3);
                    auto tmp5 = at::vec::VecMask<int64_t,2>(tmp2 < tmp4);
                    auto tmp6 = [&]
                    {
                        auto tmp7 = inductor_vec_mask_cast<float,1>(tmp5).template loadu<float,1>(out_ptr1 + static_cast<int64_t>(x0));
                        auto tmp8 = static_cast<float>(2.0);
                        auto tmp9 = at::vec::Vectorized<float>(tmp8);
                        auto tmp10 = tmp7 * tmp9;
                        return tmp10;
                    }
                    ;
                    auto tmp13 =
                    [&]
                    {
                        if (tmp5.all_zero())
                        {
                            return at::vec::Vectorized<float>(static_cast<float>(0.0));
                        }
                        else
                        {
                            auto tmp11 = tmp6();
                            auto tmp12 = at::vec::Vectorized<float>(static_cast<float>(0.0));
                            return decltype(tmp11)::blendv(tmp12, tmp11, inductor_vec_mask_cast<float,1>(tmp5));
                        }
                    }
                    ()
                    ;
                    auto tmp15 = decltype(tmp13)::blendv(tmp14, tmp13, inductor_vec_mask_cast<float,1>(tmp5));
                    auto tmp16 = static_cast<float>(1.0);
                    auto tmp17 = at::vec::Vectorized<float>(tmp16);
                    auto tmp18 = tmp15 + tmp17;
                    auto tmp19 = [&]
                    {
                        auto tmp20 = inductor_vec_mask_cast<float,1>(tmp5).template loadu<float,1>(out_ptr1 + static_cast<int64_t>(x0));
                        auto tmp21 = static_cast<float>(2.0);
                        auto tmp22 = at::vec::Vectorized<float>(tmp21);
                        auto tmp23 = tmp20 * tmp22;
                        return tmp23;
                    }
                    ;
                    auto tmp26 =
                    [&]
                    {
                        if (tmp5.all_zero())
                        {
                            return at::vec::Vectorized<float>(static_cast<float>(0.0));
                        }
                        else
                        {
                            auto tmp24 = tmp19();
                            auto tmp25 = at::vec::Vectorized<float>(static_cast<float>(0.0));
                            return decltype(tmp24)::blendv(tmp25, tmp24, inductor_vec_mask_cast<float,1>(tmp5));
                        }
                    }
                    ()
                    ;
                    auto tmp27 = decltype(tmp26)::blendv(tmp14, tmp26, inductor_vec_mask_cast<float,1>(tmp5));
                    tmp18.store(out_ptr0 + static_cast<int64_t>(x0));
                    tmp27.store(out_ptr1 + static_cast<int64_t>(x0));
                }
            }
        }
    }
    inductor_cpu_integer_div_error_flag = nullptr;
    inductor_cpu_throw_if_integer_div_error(inductor_cpu_integer_div_error);
}
