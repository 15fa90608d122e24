// golden of pytest-compile-golden; accept changes with --snapshot-update, not by hand
// stage: cpp_code, torch: 2.13.0, triton: 3.7.1, normaliser: 1

// graph_0_forward: cpp_fused__to_copy_add_cos_mul_neg_sin_0
#include <torch/csrc/inductor/cpp_prefix.h>
extern "C"  void  kernel(const at::BFloat16* in_ptr0,
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
            for(int64_t x0=static_cast<int64_t>(0L); x0<static_cast<int64_t>(4096L); x0+=static_cast<int64_t>(16L))
            {
                {
                    if(C10_LIKELY(x0 >= static_cast<int64_t>(0) && x0 < static_cast<int64_t>(4096L)))
                    {
                        auto tmp0 = at::vec::Vectorized<at::BFloat16>::loadu(in_ptr0 + static_cast<int64_t>(x0), static_cast<int64_t>(16));
                        auto tmp1 = at::vec::convert<float,2,at::BFloat16,1>(tmp0);
                        auto tmp2 = static_cast<float>(1.5);
                        auto tmp3 = at::vec::VectorizedN<float,2>(tmp2);
                        auto tmp4 = tmp1 * tmp3;
                        auto tmp5 = static_cast<float>(0.0);
                        auto tmp6 = at::vec::VectorizedN<float,2>(tmp5);
                        auto tmp7 = tmp4 + tmp6;
                        auto tmp8 = tmp7 * tmp3;
                        auto tmp9 = static_cast<float>(1.0);
                        auto tmp10 = at::vec::VectorizedN<float,2>(tmp9);
                        auto tmp11 = tmp8 + tmp10;
                        auto tmp12 = tmp11 * tmp3;
                        auto tmp13 = static_cast<float>(2.0);
                        auto tmp14 = at::vec::VectorizedN<float,2>(tmp13);
                        auto tmp15 = tmp12 + tmp14;
                        auto tmp16 = tmp15 * tmp3;
                        auto tmp17 = static_cast<float>(3.0);
                        auto tmp18 = at::vec::VectorizedN<float,2>(tmp17);
                        auto tmp19 = tmp16 + tmp18;
                        auto tmp20 = tmp19 * tmp3;
                        auto tmp21 = static_cast<float>(4.0);
                        auto tmp22 = at::vec::VectorizedN<float,2>(tmp21);
                        auto tmp23 = tmp20 + tmp22;
                        auto tmp24 = tmp23 * tmp3;
                        auto tmp25 = static_cast<float>(5.0);
                        auto tmp26 = at::vec::VectorizedN<float,2>(tmp25);
                        auto tmp27 = tmp24 + tmp26;
                        auto tmp28 = tmp27 * tmp3;
                        auto tmp29 = static_cast<float>(6.0);
                        auto tmp30 = at::vec::VectorizedN<float,2>(tmp29);
                        auto tmp31 = tmp28 + tmp30;
                        auto tmp32 = tmp31 * tmp3;
                        auto tmp33 = static_cast<float>(7.0);
                        auto tmp34 = at::vec::VectorizedN<float,2>(tmp33);
                        auto tmp35 = tmp32 + tmp34;
                        auto tmp36 = tmp35 * tmp3;
                        auto tmp37 = static_cast<float>(8.0);
                        auto tmp38 = at::vec::VectorizedN<float,2>(tmp37);
                        auto tmp39 = tmp36 + tmp38;
                        auto tmp40 = tmp39 * tmp3;
                        auto tmp41 = static_cast<float>(9.0);
                        auto tmp42 = at::vec::VectorizedN<float,2>(tmp41);
                        auto tmp43 = tmp40 + tmp42;
                        auto tmp44 = tmp43.cos();
                        auto tmp45 = tmp43.sin();
                        auto tmp46 = tmp45.neg();
                        tmp44.store(out_ptr0 + static_cast<int64_t>(x0));
                        tmp46.store(out_ptr1 + static_cast<int64_t>(x0));
                    }
                }
            }
        }
    }
    inductor_cpu_integer_div_error_flag = nullptr;
    inductor_cpu_throw_if_integer_div_error(inductor_cpu_integer_div_error);
}


// graph_0_backward: cpp_fused__to_copy_mul_0
#include <torch/csrc/inductor/cpp_prefix.h>
extern "C"  void  kernel(const float* in_ptr0,
                       const float* in_ptr1,
                       at::BFloat16* out_ptr0)
{
    std::atomic<int> inductor_cpu_integer_div_error{0};
    inductor_cpu_integer_div_error_flag = &inductor_cpu_integer_div_error;
    #pragma omp parallel num_threads(8)
    {
        int tid = omp_get_thread_num();
        {
            #pragma omp for
            for(int64_t x0=static_cast<int64_t>(0L); x0<static_cast<int64_t>(4096L); x0+=static_cast<int64_t>(16L))
            {
                {
                    if(C10_LIKELY(x0 >= static_cast<int64_t>(0) && x0 < static_cast<int64_t>(4096L)))
                    {
                        auto tmp0 = at::vec::VectorizedN<float,2>::loadu(in_ptr0 + static_cast<int64_t>(x0), static_cast<int64_t>(16));
                        auto tmp1 = at::vec::VectorizedN<float,2>::loadu(in_ptr1 + static_cast<int64_t>(x0), static_cast<int64_t>(16));
                        auto tmp2 = tmp0 * tmp1;
                        auto tmp3 = static_cast<float>(1.5);
                        auto tmp4 = at::vec::VectorizedN<float,2>(tmp3);
                        auto tmp5 = tmp2 * tmp4;
                        auto tmp6 = tmp5 * tmp4;
                        auto tmp7 = tmp6 * tmp4;
                        auto tmp8 = tmp7 * tmp4;
                        auto tmp9 = tmp8 * tmp4;
                        auto tmp10 = tmp9 * tmp4;
                        auto tmp11 = tmp10 * tmp4;
                        auto tmp12 = tmp11 * tmp4;
                        auto tmp13 = tmp12 * tmp4;
                        auto tmp14 = tmp13 * tmp4;
                        auto tmp15 = at::vec::convert<at::BFloat16,1,float,2>(tmp14);
                        tmp15.store(out_ptr0 + static_cast<int64_t>(x0), static_cast<int64_t>(16));
                    }
                }
            }
        }
    }
    inductor_cpu_integer_div_error_flag = nullptr;
    inductor_cpu_throw_if_integer_div_error(inductor_cpu_integer_div_error);
}
