// golden of pytest-compile-golden; accept changes with --snapshot-update, not by hand
// stage: cpp_code, torch: 2.13.0, triton: 3.7.1, normaliser: 1

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
                        auto tmp4 = static_cast<float>(1.0);
                        auto tmp5 = at::vec::Vectorized<float>(tmp4);
                        auto tmp6 = tmp0 * tmp5;
                        auto tmp7 = tmp6.exp() - decltype(tmp6)(1);
                        auto tmp8 = tmp7 * tmp5;
                        auto tmp9 = decltype(tmp6)::blendv(tmp8, tmp6, tmp3.template cast<float,1>());
                        auto tmp10 = static_cast<float>(3.0);
                        auto tmp11 = at::vec::Vectorized<float>(tmp10);
                        auto tmp12 = tmp0 + tmp11;
                        auto tmp13 = at::vec::maximum(tmp12, tmp2);
                        auto tmp14 = static_cast<float>(6.0);
                        auto tmp15 = at::vec::Vectorized<float>(tmp14);
                        auto tmp16 = at::vec::minimum(tmp13, tmp15);
                        auto tmp17 = tmp0 * tmp16;
                        auto tmp18 = tmp17 / tmp15;
                        auto tmp19 = tmp9 + tmp18;
                        auto tmp20 = static_cast<float>(20.0);
                        auto tmp21 = at::vec::Vectorized<float>(tmp20);
                        auto tmp22 = at::vec::VecMask<float,1>(tmp0 > tmp21);
                        auto tmp23 = tmp0.exp();
                        auto tmp24 = tmp23.log1p();
                        auto tmp25 = decltype(tmp0)::blendv(tmp24, tmp0, tmp22.template cast<float,1>());
                        auto tmp26 = tmp19 + tmp25;
                        auto tmp27 = static_cast<float>(-1.0);
                        auto tmp28 = at::vec::Vectorized<float>(tmp27);
                        auto tmp29 = at::vec::maximum(tmp0, tmp28);
                        auto tmp30 = at::vec::minimum(tmp29, tmp5);
                        auto tmp31 = tmp26 + tmp30;
                        auto tmp32 = static_cast<float>(0.01);
                        auto tmp33 = at::vec::Vectorized<float>(tmp32);
                        auto tmp34 = tmp0 * tmp33;
                        auto tmp35 = decltype(tmp0)::blendv(tmp34, tmp0, tmp3.template cast<float,1>());
                        auto tmp36 = tmp31 + tmp35;
                        tmp36.store(out_ptr0 + static_cast<int64_t>(x0));
                    }
                }
            }
        }
    }
    inductor_cpu_integer_div_error_flag = nullptr;
    inductor_cpu_throw_if_integer_div_error(inductor_cpu_integer_div_error);
}
