// golden of pytest-compile-golden; accept changes with --snapshot-update, not by hand
// stage: cpp_code, torch: 2.13.0, triton: 3.7.1, normaliser: 1

// graph_0: cpp_fused_constant_pad_nd_mul_relu_0
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
            for(int64_t x0=static_cast<int64_t>(0L); x0<static_cast<int64_t>(6L); x0+=static_cast<int64_t>(1L))
            {
                #pragma GCC ivdep
                for(int64_t x1=static_cast<int64_t>(0L); x1<static_cast<int64_t>(32L); x1+=static_cast<int64_t>(1L))
                {
                    for(int64_t x2=static_cast<int64_t>(0L); x2<static_cast<int64_t>(32L); x2+=static_cast<int64_t>(8L))
                    {
                        {
                            if(C10_LIKELY(x2 >= static_cast<int64_t>(0) && x2 < static_cast<int64_t>(32L)))
                            {
                                auto tmp0 = (-2L) + x1;
                                auto tmp1 = c10::convert<int64_t>(tmp0);
                                auto tmp2 = static_cast<int64_t>(0);
                                auto tmp3 = tmp1 >= tmp2;
                                auto tmp4 = (-1L) + x2;
                                auto tmp5 = c10::convert<int64_t>(tmp4);
                                auto tmp6 = at::vec::VectorizedN<int64_t,2>::arange(tmp5, 1);
                                auto tmp7 = at::vec::VectorizedN<int64_t,2>(tmp2);
                                auto tmp8 = at::vec::VecMask<int64_t,2>(tmp6 >= tmp7);
                                auto tmp9 = static_cast<int64_t>(30);
                                auto tmp10 = at::vec::VectorizedN<int64_t,2>(tmp9);
                                auto tmp11 = at::vec::VecMask<int64_t,2>(tmp6 < tmp10);
                                auto tmp12 = at::vec::VecMask<float,1>::from(tmp3);
                                auto tmp13 = tmp12 & tmp8;
                                auto tmp14 = tmp13 & tmp11;
                                auto tmp15 = [&]
                                {
                                    auto tmp16 = tmp14.template cast<float,1>().template loadu<float,1>(in_ptr0 + static_cast<int64_t>((-61L) + x2 + 30L*x1 + 900L*x0));
                                    auto tmp17 = at::vec::clamp_min(tmp16, decltype(tmp16)(0));
                                    return tmp17;
                                }
                                ;
                                auto tmp20 =
                                [&]
                                {
                                    if (tmp14.all_zero())
                                    {
                                        return at::vec::Vectorized<float>(static_cast<float>(1.5));
                                    }
                                    else
                                    {
                                        auto tmp18 = tmp15();
                                        auto tmp19 = at::vec::Vectorized<float>(static_cast<float>(1.5));
                                        return decltype(tmp18)::blendv(tmp19, tmp18, tmp14.template cast<float,1>());
                                    }
                                }
                                ()
                                ;
                                auto tmp21 = static_cast<float>(2.0);
                                auto tmp22 = at::vec::Vectorized<float>(tmp21);
                                auto tmp23 = tmp20 * tmp22;
                                tmp23.store(out_ptr0 + static_cast<int64_t>(x2 + 32L*x1 + 1024L*x0));
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
