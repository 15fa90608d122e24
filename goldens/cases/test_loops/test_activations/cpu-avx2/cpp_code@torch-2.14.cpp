// golden of pytest-compile-golden; accept changes with --snapshot-update, not by hand
// stage: cpp_code, torch: 2.14.1, triton: 3.8.0, normaliser: 1

// graph_0: cpp_fused_add_clamp_elu_hardswish_leaky_relu_softplus_0
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
            for(int64_t x0=static_cast<int64_t>(0L); x0<static_cast<int64_t>(32768L); x0+=static_cast<int64_t>(8L))
            {
                {
                    if(C10_LIKELY(x0 >= static_cast<int64_t>(0) && x0 < static_cast<int64_t>(32768L)))
                    {
                        auto tmp0 = at::vec::Vectorized<float>::loadu(in_ptr0 + static_cast<int64_t>(x0), static_cast<int64_t>(8));
                        auto tmp1 = static_cast<float>(0.0);
                        auto tmp2 = at::vec::Vectorized<float>(tmp1);
                        auto tmp3 = at::vec::VecMask<float,1>(tmp0 > tmp2);
                        auto tmp4 = tmp0.expm1();
                        auto tmp5 = decltype(tmp0)::blendv(tmp4, tmp0, tmp3.template cast<float,1>());
                        auto tmp6 = static_cast<float>(3.0);
                        auto tmp7 = at::vec::Vectorized<float>(tmp6);
                        auto tmp8 = tmp0 + tmp7;
                        auto tmp9 = at::vec::maximum(tmp8, tmp2);
                        auto tmp10 = static_cast<float>(6.0);
                        auto tmp11 = at::vec::Vectorized<float>(tmp10);
                        auto tmp12 = at::vec::minimum(tmp9, tmp11);
                        auto tmp13 = tmp0 * tmp12;
                        auto tmp14 = tmp13 / tmp11;
                        auto tmp15 = tmp5 + tmp14;
                        auto tmp16 = static_cast<float>(20.0);
                        auto tmp17 = at::vec::Vectorized<float>(tmp16);
                        auto tmp18 = at::vec::VecMask<float,1>(tmp0 > tmp17);
                        auto tmp19 = tmp0.exp();
                        auto tmp20 = tmp19.log1p();
                        auto tmp21 = decltype(tmp0)::blendv(tmp20, tmp0, tmp18.template cast<float,1>());
                        auto tmp22 = tmp15 + tmp21;
                        auto tmp23 = static_cast<float>(-1.0);
                        auto tmp24 = at::vec::Vectorized<float>(tmp23);
                        auto tmp25 = at::vec::maximum(tmp0, tmp24);
                        auto tmp26 = static_cast<float>(1.0);
                        auto tmp27 = at::vec::Vectorized<float>(tmp26);
                        auto tmp28 = at::vec::minimum(tmp25, tmp27);
                        auto tmp29 = tmp22 + tmp28;
                        auto tmp30 = static_cast<float>(0.01);
                        auto tmp31 = at::vec::Vectorized<float>(tmp30);
                        auto tmp32 = tmp0 * tmp31;
                        auto tmp33 = decltype(tmp0)::blendv(tmp32, tmp0, tmp3.template cast<float,1>());
                        auto tmp34 = tmp29 + tmp33;
                        tmp34.store(out_ptr0 + static_cast<int64_t>(x0));
                    }
                }
            }
        }
    }
    inductor_cpu_integer_div_error_flag = nullptr;
    inductor_cpu_throw_if_integer_div_error(inductor_cpu_integer_div_error);
}
