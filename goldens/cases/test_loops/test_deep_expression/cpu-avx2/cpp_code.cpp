// golden of pytest-compile-golden; accept changes with --snapshot-update, not by hand
// stage: cpp_code, torch: 2.13.0, triton: 3.7.1, normaliser: 1

// graph_0: cpp_fused_add_flip_mul_sin_0
#include <torch/csrc/inductor/cpp_prefix.h>
extern "C"  void  kernel(const float* in_ptr0,
                       float* out_ptr0,
                       float* out_ptr1)
{
    std::atomic<int> inductor_cpu_integer_div_error{0};
    inductor_cpu_integer_div_error_flag = &inductor_cpu_integer_div_error;
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
                        auto tmp0 = at::vec::Vectorized<float>::loadu(in_ptr0 + static_cast<int64_t>(x0), static_cast<int64_t>(8));
                        auto tmp1 = static_cast<float>(1.1);
                        auto tmp2 = at::vec::Vectorized<float>(tmp1);
                        auto tmp3 = tmp0 * tmp2;
                        auto tmp4 = tmp3.sin();
                        auto tmp5 = static_cast<float>(0.1);
                        auto tmp6 = at::vec::Vectorized<float>(tmp5);
                        auto tmp7 = tmp4 + tmp6;
                        auto tmp8 = tmp7 * tmp2;
                        auto tmp9 = tmp8.sin();
                        auto tmp10 = tmp9 + tmp6;
                        auto tmp11 = tmp10 * tmp2;
                        auto tmp12 = tmp11.sin();
                        auto tmp13 = tmp12 + tmp6;
                        auto tmp14 = tmp13 * tmp2;
                        auto tmp15 = tmp14.sin();
                        auto tmp16 = tmp15 + tmp6;
                        auto tmp17 = tmp16 * tmp2;
                        auto tmp18 = tmp17.sin();
                        auto tmp19 = tmp18 + tmp6;
                        auto tmp20 = tmp19 * tmp2;
                        auto tmp21 = tmp20.sin();
                        auto tmp22 = tmp21 + tmp6;
                        auto tmp23 = tmp22 * tmp2;
                        auto tmp24 = tmp23.sin();
                        auto tmp25 = tmp24 + tmp6;
                        auto tmp26 = tmp25 * tmp2;
                        auto tmp27 = tmp26.sin();
                        auto tmp28 = tmp27 + tmp6;
                        auto tmp29 = tmp28 * tmp2;
                        auto tmp30 = tmp29.sin();
                        auto tmp31 = tmp30 + tmp6;
                        auto tmp32 = tmp31 * tmp2;
                        auto tmp33 = tmp32.sin();
                        auto tmp34 = tmp33 + tmp6;
                        auto tmp35 = tmp34 * tmp2;
                        auto tmp36 = tmp35.sin();
                        auto tmp37 = tmp36 + tmp6;
                        auto tmp38 = tmp37 * tmp2;
                        auto tmp39 = tmp38.sin();
                        auto tmp40 = tmp39 + tmp6;
                        auto tmp41 = tmp40 * tmp2;
                        auto tmp42 = tmp41.sin();
                        auto tmp43 = tmp42 + tmp6;
                        auto tmp44 = tmp43 * tmp2;
                        auto tmp45 = tmp44.sin();
                        auto tmp46 = tmp45 + tmp6;
                        auto tmp47 = tmp46 * tmp2;
                        auto tmp48 = tmp47.sin();
                        auto tmp49 = tmp48 + tmp6;
                        auto tmp50 = tmp49 * tmp2;
                        auto tmp51 = tmp50.sin();
                        auto tmp52 = tmp51 + tmp6;
                        auto tmp53 = tmp52 * tmp2;
                        auto tmp54 = tmp53.sin();
                        auto tmp55 = tmp54 + tmp6;
                        auto tmp56 = tmp55 * tmp2;
                        auto tmp57 = tmp56.sin();
                        auto tmp58 = tmp57 + tmp6;
                        auto tmp59 = tmp58 * tmp2;
                        auto tmp60 = tmp59.sin();
                        auto tmp61 = tmp60 + tmp6;
                        auto tmp62 = tmp61 * tmp2;
                        auto tmp63 = tmp62.sin();
                        auto tmp64 = tmp63 + tmp6;
                        tmp64.store(out_ptr0 + static_cast<int64_t>(x0));
                    }
                }
            }
        }
        {
            #pragma omp for
            for(int64_t x0=static_cast<int64_t>(0L); x0<static_cast<int64_t>(64L); x0+=static_cast<int64_t>(1L))
            {
                for(int64_t x1=static_cast<int64_t>(0L); x1<static_cast<int64_t>(64L); x1+=static_cast<int64_t>(8L))
                {
                    {
                        if(C10_LIKELY(x1 >= static_cast<int64_t>(0) && x1 < static_cast<int64_t>(64L)))
                        {
                            auto tmp0 = at::vec::Vectorized<float>::loadu(out_ptr0 + static_cast<int64_t>(4032L + x1 + ((-64L)*x0)), static_cast<int64_t>(8));
                            tmp0.store(out_ptr1 + static_cast<int64_t>(x1 + 64L*x0));
                        }
                    }
                }
            }
        }
    }
    inductor_cpu_integer_div_error_flag = nullptr;
    inductor_cpu_throw_if_integer_div_error(inductor_cpu_integer_div_error);
}
