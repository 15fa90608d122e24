// golden of pytest-compile-golden; accept changes with --snapshot-update, not by hand
// stage: cpp_code, torch: 2.13.0, triton: 3.7.1, normaliser: 1

// graph_0: cpp_fused_sum_0
#include <torch/csrc/inductor/cpp_prefix.h>
extern "C"  void  kernel(const float* in_ptr0,
                       float* out_ptr0)
{
    std::atomic<int> inductor_cpu_integer_div_error{0};
    inductor_cpu_integer_div_error_flag = &inductor_cpu_integer_div_error;
    {
        #pragma GCC ivdep
        for(int64_t x0=static_cast<int64_t>(0L); x0<static_cast<int64_t>(16L); x0+=static_cast<int64_t>(1L))
        {
            {
                float tmp_acc0 = 0;
                at::vec::Vectorized<float> tmp_acc0_vec = at::vec::Vectorized<float>(0);
                at::vec::Vectorized<float> masked_tmp_acc0_vec = at::vec::Vectorized<float>(0);
                at::vec::Vectorized<float> tmp_acc0_vec_arr[8];
                for (int i = 0; i < 8; i++)
                {
                    tmp_acc0_vec_arr[i] = at::vec::Vectorized<float>(0);
                }
                float tmp_acc0_arr[8];
                for (int i = 0; i < 8; i++)
                {
                    tmp_acc0_arr[i] = 0;
                }
                at::vec::Vectorized<float> masked_tmp_acc0_vec_arr[8];
                for (int i = 0; i < 8; i++)
                {
                    masked_tmp_acc0_vec_arr[i] = at::vec::Vectorized<float>(0);
                }
                #pragma omp parallel num_threads(8)
                {
                    int tid = omp_get_thread_num();
                    CascadeSumHelper<float, 4096> scalar_cascade_helper0(static_cast<int64_t>(32768L));
                    CascadeSumHelper<at::vec::Vectorized<float>, 4096> cascade_helper0(static_cast<int64_t>(4096L));
                    CascadeSumHelper<at::vec::Vectorized<float>, 4096> masked_cascade_helper0(static_cast<int64_t>(0L));
                    at::vec::Vectorized<float> tmp_acc0_vec_local = at::vec::Vectorized<float>(0);
                    float tmp_acc0_local = 0;
                    at::vec::Vectorized<float> masked_tmp_acc0_vec_local = at::vec::Vectorized<float>(0);
                    #pragma omp for
                    for(int64_t x1=static_cast<int64_t>(0L); x1<static_cast<int64_t>(262144L); x1+=static_cast<int64_t>(8L))
                    {
                        {
                            if(C10_LIKELY(x1 >= static_cast<int64_t>(0) && x1 < static_cast<int64_t>(262144L)))
                            {
                                auto tmp0 = at::vec::Vectorized<float>::loadu(in_ptr0 + static_cast<int64_t>(x1 + 262144L*x0), static_cast<int64_t>(8));
                                tmp_acc0_vec_local = cascade_sum_combine(tmp0, &cascade_helper0);
                            }
                        }
                    }
                    tmp_acc0_local = cascade_sum_final(&scalar_cascade_helper0);
                    tmp_acc0_vec_local = cascade_sum_final(&cascade_helper0);
                    masked_tmp_acc0_vec_local = cascade_sum_final(&masked_cascade_helper0);
                    tmp_acc0_vec_arr[tid] = tmp_acc0_vec_local;
                    tmp_acc0_arr[tid] = tmp_acc0_local;
                    masked_tmp_acc0_vec_arr[tid] = masked_tmp_acc0_vec_local;
                }
                for (int tid = 0; tid < 8; tid++)
                {
                    tmp_acc0_vec = tmp_acc0_vec + tmp_acc0_vec_arr[tid];
                }
                for (int tid = 0; tid < 8; tid++)
                {
                    tmp_acc0 = tmp_acc0 + tmp_acc0_arr[tid];
                }
                for (int tid = 0; tid < 8; tid++)
                {
                    masked_tmp_acc0_vec = masked_tmp_acc0_vec + masked_tmp_acc0_vec_arr[tid];
                }
                tmp_acc0 = tmp_acc0 + at::vec::vec_reduce_all<float, 1>([](at::vec::Vectorized<float>& x, at::vec::Vectorized<float>& y) { return x + y; }, tmp_acc0_vec + masked_tmp_acc0_vec);
                out_ptr0[static_cast<int64_t>(x0)] = static_cast<float>(tmp_acc0);
            }
        }
    }
    inductor_cpu_integer_div_error_flag = nullptr;
    inductor_cpu_throw_if_integer_div_error(inductor_cpu_integer_div_error);
}
