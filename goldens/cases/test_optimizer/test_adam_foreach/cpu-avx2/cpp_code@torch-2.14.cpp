// golden of pytest-compile-golden; accept changes with --snapshot-update, not by hand
// stage: cpp_code, torch: 2.14.1, triton: 3.8.0, normaliser: 1

// graph_0: cpp_fused__foreach_add__foreach_addcdiv__foreach_addcmul__foreach_div__foreach_lerp__foreach_mul__foreach_neg__foreach_pow__foreach_reciprocal__foreach_sqrt__foreach_sub_copy__0
#include <torch/csrc/inductor/cpp_prefix.h>
extern "C"  void  kernel(const float* in_ptr0,
                       const float* in_ptr1,
                       const float* in_ptr2,
                       const float* in_ptr3,
                       const float* in_ptr4,
                       const float* in_ptr5,
                       const float* in_ptr6,
                       const float* in_ptr7,
                       const float* in_ptr8,
                       const float* in_ptr9,
                       const float* in_ptr10,
                       const float* in_ptr11,
                       const float* in_ptr12,
                       const float* in_ptr13,
                       const float* in_ptr14,
                       float* out_ptr0,
                       float* out_ptr1,
                       float* out_ptr2,
                       float* out_ptr3,
                       float* out_ptr4,
                       float* out_ptr6,
                       float* out_ptr7,
                       float* out_ptr8,
                       float* out_ptr10,
                       float* out_ptr11,
                       float* out_ptr12,
                       float* out_ptr14)
{
    std::atomic<int> inductor_cpu_integer_div_error{0};
    inductor_cpu_integer_div_error_flag = &inductor_cpu_integer_div_error;
    {
        {
            {
                auto tmp0 = in_ptr0[static_cast<int64_t>(0L)];
                auto tmp1 = static_cast<float>(1.0);
                auto tmp2 = float(tmp0 + tmp1);
                out_ptr0[static_cast<int64_t>(0L)] = tmp2;
            }
        }
    }
    {
        {
            {
                auto tmp0 = in_ptr1[static_cast<int64_t>(0L)];
                auto tmp1 = static_cast<float>(1.0);
                auto tmp2 = float(tmp0 + tmp1);
                out_ptr1[static_cast<int64_t>(0L)] = tmp2;
            }
        }
    }
    {
        {
            {
                auto tmp0 = in_ptr2[static_cast<int64_t>(0L)];
                auto tmp1 = static_cast<float>(1.0);
                auto tmp2 = float(tmp0 + tmp1);
                out_ptr2[static_cast<int64_t>(0L)] = tmp2;
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
                        auto tmp0 = at::vec::Vectorized<float>::loadu(out_ptr3 + static_cast<int64_t>(x0), static_cast<int64_t>(8));
                        auto tmp1 = at::vec::Vectorized<float>::loadu(in_ptr4 + static_cast<int64_t>(x0), static_cast<int64_t>(8));
                        auto tmp10 = at::vec::Vectorized<float>::loadu(out_ptr4 + static_cast<int64_t>(x0), static_cast<int64_t>(8));
                        auto tmp11 = at::vec::Vectorized<float>::loadu(out_ptr6 + static_cast<int64_t>(x0), static_cast<int64_t>(8));
                        auto tmp21 = out_ptr0[static_cast<int64_t>(0L)];
                        auto tmp2 = tmp1 - tmp0;
                        auto tmp3 = static_cast<float>(0.10000000149011612);
                        auto tmp4 = at::vec::Vectorized<float>(tmp3);
                        auto tmp5 = tmp4 * tmp2;
                        auto tmp6 = static_cast<float>(1.0);
                        auto tmp7 = at::vec::Vectorized<float>(tmp6);
                        auto tmp8 = tmp7 * tmp5;
                        auto tmp9 = tmp0 + tmp8;
                        auto tmp12 = static_cast<float>(0.999);
                        auto tmp13 = at::vec::Vectorized<float>(tmp12);
                        auto tmp14 = tmp11 * tmp13;
                        auto tmp15 = tmp1 * tmp1;
                        auto tmp16 = static_cast<float>(0.0010000000000000009);
                        auto tmp17 = at::vec::Vectorized<float>(tmp16);
                        auto tmp18 = tmp17 * tmp15;
                        auto tmp19 = tmp14 + tmp18;
                        auto tmp20 = tmp19.sqrt();
                        auto tmp22 = std::pow(tmp12, tmp21);
                        auto tmp23 = float(tmp22 - tmp6);
                        auto tmp24 = decltype(tmp23)(-tmp23);
                        auto tmp25 = std::sqrt(tmp24);
                        auto tmp26 = at::vec::Vectorized<float>(tmp25);
                        auto tmp27 = tmp20 / tmp26;
                        auto tmp28 = static_cast<float>(1e-08);
                        auto tmp29 = at::vec::Vectorized<float>(tmp28);
                        auto tmp30 = tmp27 + tmp29;
                        auto tmp31 = static_cast<float>(0.9);
                        auto tmp32 = std::pow(tmp31, tmp21);
                        auto tmp33 = float(tmp32 - tmp6);
                        auto tmp34 = static_cast<float>(0.001);
                        auto tmp35 = tmp33 / tmp34;
                        auto tmp36 = tmp6 / tmp35;
                        auto tmp37 = at::vec::Vectorized<float>(tmp36);
                        auto tmp38 = tmp30 / tmp37;
                        auto tmp39 = tmp9 / tmp38;
                        auto tmp40 = tmp10 + tmp39;
                        tmp9.store(out_ptr3 + static_cast<int64_t>(x0));
                        tmp40.store(out_ptr4 + static_cast<int64_t>(x0));
                        tmp19.store(out_ptr6 + static_cast<int64_t>(x0));
                    }
                }
            }
        }
        {
            #pragma omp for
            for(int64_t x0=static_cast<int64_t>(0L); x0<static_cast<int64_t>(4096L); x0+=static_cast<int64_t>(8L))
            {
                {
                    if(C10_LIKELY(x0 >= static_cast<int64_t>(0) && x0 < static_cast<int64_t>(4096L)))
                    {
                        auto tmp0 = at::vec::Vectorized<float>::loadu(out_ptr7 + static_cast<int64_t>(x0), static_cast<int64_t>(8));
                        auto tmp1 = at::vec::Vectorized<float>::loadu(in_ptr8 + static_cast<int64_t>(x0), static_cast<int64_t>(8));
                        auto tmp10 = at::vec::Vectorized<float>::loadu(out_ptr8 + static_cast<int64_t>(x0), static_cast<int64_t>(8));
                        auto tmp11 = at::vec::Vectorized<float>::loadu(out_ptr10 + static_cast<int64_t>(x0), static_cast<int64_t>(8));
                        auto tmp21 = out_ptr1[static_cast<int64_t>(0L)];
                        auto tmp2 = tmp1 - tmp0;
                        auto tmp3 = static_cast<float>(0.10000000149011612);
                        auto tmp4 = at::vec::Vectorized<float>(tmp3);
                        auto tmp5 = tmp4 * tmp2;
                        auto tmp6 = static_cast<float>(1.0);
                        auto tmp7 = at::vec::Vectorized<float>(tmp6);
                        auto tmp8 = tmp7 * tmp5;
                        auto tmp9 = tmp0 + tmp8;
                        auto tmp12 = static_cast<float>(0.999);
                        auto tmp13 = at::vec::Vectorized<float>(tmp12);
                        auto tmp14 = tmp11 * tmp13;
                        auto tmp15 = tmp1 * tmp1;
                        auto tmp16 = static_cast<float>(0.0010000000000000009);
                        auto tmp17 = at::vec::Vectorized<float>(tmp16);
                        auto tmp18 = tmp17 * tmp15;
                        auto tmp19 = tmp14 + tmp18;
                        auto tmp20 = tmp19.sqrt();
                        auto tmp22 = std::pow(tmp12, tmp21);
                        auto tmp23 = float(tmp22 - tmp6);
                        auto tmp24 = decltype(tmp23)(-tmp23);
                        auto tmp25 = std::sqrt(tmp24);
                        auto tmp26 = at::vec::Vectorized<float>(tmp25);
                        auto tmp27 = tmp20 / tmp26;
                        auto tmp28 = static_cast<float>(1e-08);
                        auto tmp29 = at::vec::Vectorized<float>(tmp28);
                        auto tmp30 = tmp27 + tmp29;
                        auto tmp31 = static_cast<float>(0.9);
                        auto tmp32 = std::pow(tmp31, tmp21);
                        auto tmp33 = float(tmp32 - tmp6);
                        auto tmp34 = static_cast<float>(0.001);
                        auto tmp35 = tmp33 / tmp34;
                        auto tmp36 = tmp6 / tmp35;
                        auto tmp37 = at::vec::Vectorized<float>(tmp36);
                        auto tmp38 = tmp30 / tmp37;
                        auto tmp39 = tmp9 / tmp38;
                        auto tmp40 = tmp10 + tmp39;
                        tmp9.store(out_ptr7 + static_cast<int64_t>(x0));
                        tmp40.store(out_ptr8 + static_cast<int64_t>(x0));
                        tmp19.store(out_ptr10 + static_cast<int64_t>(x0));
                    }
                }
            }
        }
        {
            #pragma omp for
            for(int64_t x0=static_cast<int64_t>(0L); x0<static_cast<int64_t>(4096L); x0+=static_cast<int64_t>(8L))
            {
                {
                    if(C10_LIKELY(x0 >= static_cast<int64_t>(0) && x0 < static_cast<int64_t>(4096L)))
                    {
                        auto tmp0 = at::vec::Vectorized<float>::loadu(out_ptr11 + static_cast<int64_t>(x0), static_cast<int64_t>(8));
                        auto tmp1 = at::vec::Vectorized<float>::loadu(in_ptr12 + static_cast<int64_t>(x0), static_cast<int64_t>(8));
                        auto tmp10 = at::vec::Vectorized<float>::loadu(out_ptr12 + static_cast<int64_t>(x0), static_cast<int64_t>(8));
                        auto tmp11 = at::vec::Vectorized<float>::loadu(out_ptr14 + static_cast<int64_t>(x0), static_cast<int64_t>(8));
                        auto tmp21 = out_ptr2[static_cast<int64_t>(0L)];
                        auto tmp2 = tmp1 - tmp0;
                        auto tmp3 = static_cast<float>(0.10000000149011612);
                        auto tmp4 = at::vec::Vectorized<float>(tmp3);
                        auto tmp5 = tmp4 * tmp2;
                        auto tmp6 = static_cast<float>(1.0);
                        auto tmp7 = at::vec::Vectorized<float>(tmp6);
                        auto tmp8 = tmp7 * tmp5;
                        auto tmp9 = tmp0 + tmp8;
                        auto tmp12 = static_cast<float>(0.999);
                        auto tmp13 = at::vec::Vectorized<float>(tmp12);
                        auto tmp14 = tmp11 * tmp13;
                        auto tmp15 = tmp1 * tmp1;
                        auto tmp16 = static_cast<float>(0.0010000000000000009);
                        auto tmp17 = at::vec::Vectorized<float>(tmp16);
                        auto tmp18 = tmp17 * tmp15;
                        auto tmp19 = tmp14 + tmp18;
                        auto tmp20 = tmp19.sqrt();
                        auto tmp22 = std::pow(tmp12, tmp21);
                        auto tmp23 = float(tmp22 - tmp6);
                        auto tmp24 = decltype(tmp23)(-tmp23);
                        auto tmp25 = std::sqrt(tmp24);
                        auto tmp26 = at::vec::Vectorized<float>(tmp25);
                        auto tmp27 = tmp20 / tmp26;
                        auto tmp28 = static_cast<float>(1e-08);
                        auto tmp29 = at::vec::Vectorized<float>(tmp28);
                        auto tmp30 = tmp27 + tmp29;
                        auto tmp31 = static_cast<float>(0.9);
                        auto tmp32 = std::pow(tmp31, tmp21);
                        auto tmp33 = float(tmp32 - tmp6);
                        auto tmp34 = static_cast<float>(0.001);
                        auto tmp35 = tmp33 / tmp34;
                        auto tmp36 = tmp6 / tmp35;
                        auto tmp37 = at::vec::Vectorized<float>(tmp36);
                        auto tmp38 = tmp30 / tmp37;
                        auto tmp39 = tmp9 / tmp38;
                        auto tmp40 = tmp10 + tmp39;
                        tmp9.store(out_ptr11 + static_cast<int64_t>(x0));
                        tmp40.store(out_ptr12 + static_cast<int64_t>(x0));
                        tmp19.store(out_ptr14 + static_cast<int64_t>(x0));
                    }
                }
            }
        }
    }
    inductor_cpu_integer_div_error_flag = nullptr;
    inductor_cpu_throw_if_integer_div_error(inductor_cpu_integer_div_error);
}
