// golden of pytest-compile-golden; accept changes with --snapshot-update, not by hand
// stage: cpp_code, torch: 2.13.0, triton: 3.7.1, normaliser: 1

// graph_0: cpp_fused__softmax_abs_all_amax_eq_ge_mul_ne_neg_scalar_tensor_sub_where_0
#include <torch/csrc/inductor/cpp_prefix.h>
extern "C"  void  kernel(const float* in_ptr0,
                       const float* in_ptr1,
                       bool* out_ptr0,
                       float* out_ptr1,
                       float* out_ptr2,
                       float* out_ptr3,
                       float* out_ptr4)
{
    std::atomic<int> inductor_cpu_integer_div_error{0};
    inductor_cpu_integer_div_error_flag = &inductor_cpu_integer_div_error;
    #pragma omp parallel num_threads(8)
    {
        int tid = omp_get_thread_num();
        {
            std::unique_ptr<float []> buf_local_buffer_data_0 = std::make_unique<float []>(512L);
            float* local_buffer_data_0 = buf_local_buffer_data_0.get();
            #pragma omp for
            for(int64_t x0=static_cast<int64_t>(0L); x0<static_cast<int64_t>(64L); x0+=static_cast<int64_t>(1L))
            {
                {
                    bool tmp_acc0 = 0;
                    at::vec::VecMask<float,1> tmp_acc0_vec = at::vec::VecMask<float,1>::from(0);
                    float tmp_acc1 = -std::numeric_limits<float>::infinity();
                    at::vec::Vectorized<float> tmp_acc1_vec = at::vec::Vectorized<float>(-std::numeric_limits<float>::infinity());
                    float tmp_acc2 = -std::numeric_limits<float>::infinity();
                    at::vec::Vectorized<float> tmp_acc2_vec = at::vec::Vectorized<float>(-std::numeric_limits<float>::infinity());
                    for(int64_t x1=static_cast<int64_t>(0L); x1<static_cast<int64_t>(512L); x1+=static_cast<int64_t>(8L))
                    {
                        {
                            if(C10_LIKELY(x1 >= static_cast<int64_t>(0) && x1 < static_cast<int64_t>(512L)))
                            {
                                auto tmp0 = at::vec::Vectorized<float>::loadu(in_ptr0 + static_cast<int64_t>(x1 + 512L*x0), static_cast<int64_t>(8));
                                auto tmp1 = in_ptr1[static_cast<int64_t>(0L)];
                                auto tmp2 = at::vec::Vectorized<float>(tmp1);
                                auto tmp3 = tmp0 * tmp2;
                                auto tmp4 = at::vec::VecMask<float,1>(tmp3 == tmp3);
                                auto tmp5 = tmp3.abs();
                                auto tmp6 = std::numeric_limits<float>::infinity();
                                auto tmp7 = at::vec::Vectorized<float>(tmp6);
                                auto tmp8 = at::vec::VecMask<float,1>(tmp5 != tmp7);
                                auto tmp9 = tmp4.template cast<int32_t,1>();
                                auto tmp10 = tmp8.template cast<int32_t,1>();
                                auto tmp11 = tmp9 & tmp10;
                                auto tmp12 = ~tmp11;
                                auto tmp13 = tmp12.template cast<float,1>();
                                auto tmp14 = static_cast<float>(0.0);
                                auto tmp15 = tmp1 >= tmp14;
                                auto tmp16 = static_cast<float>(1.0);
                                auto tmp17 = static_cast<float>(-1.0);
                                auto tmp18 = tmp15 ? tmp16 : tmp17;
                                auto tmp19 = at::vec::Vectorized<float>(tmp18);
                                auto tmp20 = tmp0 * tmp19;
                                tmp_acc0_vec = tmp_acc0_vec | tmp13;
                                tmp_acc1_vec = at::vec::maximum(tmp_acc1_vec, tmp20);
                                tmp_acc2_vec = at::vec::maximum(tmp_acc2_vec, tmp3);
                            }
                        }
                    }
                    tmp_acc0 = tmp_acc0 || !tmp_acc0_vec.all_zero();
                    out_ptr0[static_cast<int64_t>(x0)] = static_cast<bool>(tmp_acc0);
                    tmp_acc1 = max_propagate_nan(tmp_acc1, at::vec::vec_reduce_all<float, 1>([](at::vec::Vectorized<float>& x, at::vec::Vectorized<float>& y) { return at::vec::maximum(x, y); }, tmp_acc1_vec));
                    out_ptr1[static_cast<int64_t>(x0)] = static_cast<float>(tmp_acc1);
                    tmp_acc2 = max_propagate_nan(tmp_acc2, at::vec::vec_reduce_all<float, 1>([](at::vec::Vectorized<float>& x, at::vec::Vectorized<float>& y) { return at::vec::maximum(x, y); }, tmp_acc2_vec));
                    out_ptr2[static_cast<int64_t>(x0)] = static_cast<float>(tmp_acc2);
                }
                {
                    float tmp_acc0 = 0;
                    at::vec::Vectorized<float> tmp_acc0_vec = at::vec::Vectorized<float>(0);
                    for(int64_t x1=static_cast<int64_t>(0L); x1<static_cast<int64_t>(512L); x1+=static_cast<int64_t>(8L))
                    {
                        {
                            if(C10_LIKELY(x1 >= static_cast<int64_t>(0) && x1 < static_cast<int64_t>(512L)))
                            {
                                auto tmp0 = out_ptr0[static_cast<int64_t>(x0)];
                                auto tmp2 = at::vec::Vectorized<float>::loadu(in_ptr0 + static_cast<int64_t>(x1 + 512L*x0), static_cast<int64_t>(8));
                                auto tmp3 = in_ptr1[static_cast<int64_t>(0L)];
                                auto tmp11 = out_ptr1[static_cast<int64_t>(x0)];
                                auto tmp19 = out_ptr2[static_cast<int64_t>(x0)];
                                auto tmp1 = !tmp0;
                                auto tmp4 = static_cast<float>(0.0);
                                auto tmp5 = tmp3 >= tmp4;
                                auto tmp6 = static_cast<float>(1.0);
                                auto tmp7 = static_cast<float>(-1.0);
                                auto tmp8 = tmp5 ? tmp6 : tmp7;
                                auto tmp9 = at::vec::Vectorized<float>(tmp8);
                                auto tmp10 = tmp2 * tmp9;
                                auto tmp12 = at::vec::Vectorized<float>(tmp11);
                                auto tmp13 = tmp10 - tmp12;
                                auto tmp14 = float(tmp8 * tmp3);
                                auto tmp15 = at::vec::Vectorized<float>(tmp14);
                                auto tmp16 = tmp13 * tmp15;
                                auto tmp17 = at::vec::Vectorized<float>(tmp3);
                                auto tmp18 = tmp2 * tmp17;
                                auto tmp20 = at::vec::Vectorized<float>(tmp19);
                                auto tmp21 = tmp18 - tmp20;
                                auto tmp22 = at::vec::VecMask<float,1>::from(tmp1);
                                auto tmp23 = decltype(tmp16)::blendv(tmp21, tmp16, tmp22.template cast<float,1>());
                                auto tmp24 = tmp23.exp();
                                tmp24.store(local_buffer_data_0 + static_cast<int64_t>(x1));
                                tmp_acc0_vec = tmp_acc0_vec + tmp24;
                            }
                        }
                    }
                    tmp_acc0 = tmp_acc0 + at::vec::vec_reduce_all<float, 1>([](at::vec::Vectorized<float>& x, at::vec::Vectorized<float>& y) { return x + y; }, tmp_acc0_vec);
                    out_ptr3[static_cast<int64_t>(x0)] = static_cast<float>(tmp_acc0);
                }
                for(int64_t x1=static_cast<int64_t>(0L); x1<static_cast<int64_t>(512L); x1+=static_cast<int64_t>(8L))
                {
                    {
                        if(C10_LIKELY(x1 >= static_cast<int64_t>(0) && x1 < static_cast<int64_t>(512L)))
                        {
                            auto tmp0 = at::vec::Vectorized<float>::loadu(local_buffer_data_0 + static_cast<int64_t>(x1), static_cast<int64_t>(8));
                            auto tmp1 = out_ptr3[static_cast<int64_t>(x0)];
                            auto tmp2 = at::vec::Vectorized<float>(tmp1);
                            auto tmp3 = tmp0 / tmp2;
                            tmp3.store(out_ptr4 + static_cast<int64_t>(x1 + 512L*x0));
                        }
                    }
                }
            }
        }
    }
    inductor_cpu_integer_div_error_flag = nullptr;
    inductor_cpu_throw_if_integer_div_error(inductor_cpu_integer_div_error);
}
