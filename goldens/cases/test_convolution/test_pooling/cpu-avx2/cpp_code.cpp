// golden of pytest-compile-golden; accept changes with --snapshot-update, not by hand
// stage: cpp_code, torch: 2.13.0, triton: 3.7.1, normaliser: 1

// graph_0: cpp_fused_max_pool2d_with_indices_mean_0
#include <torch/csrc/inductor/cpp_prefix.h>
extern "C"  void  kernel(float* in_out_ptr0,
                       const float* in_ptr0)
{
    std::atomic<int> inductor_cpu_integer_div_error{0};
    inductor_cpu_integer_div_error_flag = &inductor_cpu_integer_div_error;
    auto out_ptr0 = in_out_ptr0;
    #pragma omp parallel num_threads(8)
    {
        int tid = omp_get_thread_num();
        {
            #pragma omp for
            for(int64_t x0=static_cast<int64_t>(0L); x0<static_cast<int64_t>(64L); x0+=static_cast<int64_t>(1L))
            {
                {
                    float tmp_acc0 = 0;
                    for(int64_t x1=static_cast<int64_t>(0L); x1<static_cast<int64_t>(16L); x1+=static_cast<int64_t>(1L))
                    {
                        for(int64_t x2=static_cast<int64_t>(0L); x2<static_cast<int64_t>(16L); x2+=static_cast<int64_t>(1L))
                        {
                            {
                                {
                                    auto tmp0 = in_ptr0[static_cast<int64_t>(2L*x2 + 64L*x1 + 1024L*x0)];
                                    auto tmp1 = in_ptr0[static_cast<int64_t>(1L + 2L*x2 + 64L*x1 + 1024L*x0)];
                                    auto tmp3 = in_ptr0[static_cast<int64_t>(32L + 2L*x2 + 64L*x1 + 1024L*x0)];
                                    auto tmp5 = in_ptr0[static_cast<int64_t>(33L + 2L*x2 + 64L*x1 + 1024L*x0)];
                                    auto tmp2 = max_propagate_nan(tmp0, tmp1);
                                    auto tmp4 = max_propagate_nan(tmp2, tmp3);
                                    auto tmp6 = max_propagate_nan(tmp4, tmp5);
                                    tmp_acc0 = tmp_acc0 + tmp6;
                                }
                            }
                        }
                    }
                    in_out_ptr0[static_cast<int64_t>(x0)] = tmp_acc0;
                }
            }
        }
        #pragma omp single
        {
            {
                for(int64_t x0=static_cast<int64_t>(0L); x0<static_cast<int64_t>(64L); x0+=static_cast<int64_t>(8L))
                {
                    {
                        if(C10_LIKELY(x0 >= static_cast<int64_t>(0) && x0 < static_cast<int64_t>(64L)))
                        {
                            auto tmp0 = at::vec::Vectorized<float>::loadu(out_ptr0 + static_cast<int64_t>(x0), static_cast<int64_t>(8));
                            auto tmp1 = static_cast<float>(256.0);
                            auto tmp2 = at::vec::Vectorized<float>(tmp1);
                            auto tmp3 = tmp0 / tmp2;
                            tmp3.store(in_out_ptr0 + static_cast<int64_t>(x0));
                        }
                    }
                }
            }
        }
    }
    inductor_cpu_integer_div_error_flag = nullptr;
    inductor_cpu_throw_if_integer_div_error(inductor_cpu_integer_div_error);
}
