// golden of pytest-compile-golden; accept changes with --snapshot-update, not by hand
// stage: cpp_code, torch: 2.13.0, triton: 3.7.1, normaliser: 1

// graph_0: cpp_fused_mul_sum_0
#include <torch/csrc/inductor/cpp_prefix.h>
extern "C"  void  kernel(const float* in_ptr0,
                       float* out_ptr0)
{
    std::atomic<int> inductor_cpu_integer_div_error{0};
    inductor_cpu_integer_div_error_flag = &inductor_cpu_integer_div_error;
    {
        #pragma GCC ivdep
        for(int64_t x0=static_cast<int64_t>(0L); x0<static_cast<int64_t>(512L); x0+=static_cast<int64_t>(1L))
        {
            {
                {
                    auto tmp0 = in_ptr0[static_cast<int64_t>(6L*x0)];
                    auto tmp1 = in_ptr0[static_cast<int64_t>(1L + 6L*x0)];
                    auto tmp3 = in_ptr0[static_cast<int64_t>(2L + 6L*x0)];
                    auto tmp5 = in_ptr0[static_cast<int64_t>(3L + 6L*x0)];
                    auto tmp7 = in_ptr0[static_cast<int64_t>(4L + 6L*x0)];
                    auto tmp9 = in_ptr0[static_cast<int64_t>(5L + 6L*x0)];
                    auto tmp2 = float(tmp0 + tmp1);
                    auto tmp4 = float(tmp2 + tmp3);
                    auto tmp6 = float(tmp4 + tmp5);
                    auto tmp8 = float(tmp6 + tmp7);
                    auto tmp10 = float(tmp8 + tmp9);
                    auto tmp11 = static_cast<float>(2.0);
                    auto tmp12 = float(tmp10 * tmp11);
                    out_ptr0[static_cast<int64_t>(x0)] = tmp12;
                }
            }
        }
    }
    inductor_cpu_integer_div_error_flag = nullptr;
    inductor_cpu_throw_if_integer_div_error(inductor_cpu_integer_div_error);
}
