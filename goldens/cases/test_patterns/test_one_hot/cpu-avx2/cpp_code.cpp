// golden of pytest-compile-golden; accept changes with --snapshot-update, not by hand
// stage: cpp_code, torch: 2.12.1, triton: 3.7.1, normaliser: 1

// graph_0: cpp_fused_arange_eq_expand_scalar_tensor_scatter_sub_unsqueeze_view_0
#include <torch/csrc/inductor/cpp_prefix.h>
extern "C"  void  kernel(const int64_t* in_ptr0,
                       const float* in_ptr1,
                       float* out_ptr0)
{
    #pragma omp parallel num_threads(8)
    {
        int tid = omp_get_thread_num();
        {
            #pragma omp for
            for(int64_t x0=static_cast<int64_t>(0L); x0<static_cast<int64_t>(512L); x0+=static_cast<int64_t>(1L))
            {
                for(int64_t x1=static_cast<int64_t>(0L); x1<static_cast<int64_t>(100L); x1+=static_cast<int64_t>(8L))
                {
                    {
                        if(C10_LIKELY(x1 >= static_cast<int64_t>(0) && x1 < static_cast<int64_t>(96L)))
                        {
                            auto tmp0 = in_ptr0[static_cast<int64_t>(x0)];
                            auto tmp11 = at::vec::Vectorized<float>::loadu(in_ptr1 + static_cast<int64_t>(x1 + 100L*x0), static_cast<int64_t>(8));
                            auto tmp1 = x1;
                            auto tmp2 = c10::convert<int64_t>(tmp1);
                            auto tmp3 = at::vec::VectorizedN<int64_t,2>::arange(tmp2, 1);
                            auto tmp4 = at::vec::VectorizedN<int64_t,2>(tmp0);
                            auto tmp5 = at::vec::VecMask<int64_t,2>(tmp4 == tmp3);
                            auto tmp6 = static_cast<float>(1.0);
                            auto tmp7 = static_cast<float>(0.0);
                            auto tmp8 = at::vec::Vectorized<float>(tmp6);
                            auto tmp9 = at::vec::Vectorized<float>(tmp7);
                            auto tmp10 = decltype(tmp8)::blendv(tmp9, tmp8, tmp5.template cast<float,1>());
                            auto tmp12 = tmp10 - tmp11;
                            tmp12.store(out_ptr0 + static_cast<int64_t>(x1 + 100L*x0));
                        }
                        if(C10_UNLIKELY(x1 >= static_cast<int64_t>(96L) && x1 < static_cast<int64_t>(100L)))
                        {
                            auto tmp0 = in_ptr0[static_cast<int64_t>(x0)];
                            auto tmp11 = at::vec::Vectorized<float>::loadu(in_ptr1 + static_cast<int64_t>(x1 + 100L*x0), static_cast<int64_t>(4L));
                            auto tmp1 = x1;
                            auto tmp2 = c10::convert<int64_t>(tmp1);
                            auto tmp3 = at::vec::VectorizedN<int64_t,2>::arange(tmp2, 1);
                            auto tmp4 = at::vec::VectorizedN<int64_t,2>(tmp0);
                            auto tmp5 = at::vec::VecMask<int64_t,2>(tmp4 == tmp3);
                            auto tmp6 = static_cast<float>(1.0);
                            auto tmp7 = static_cast<float>(0.0);
                            auto tmp8 = at::vec::Vectorized<float>(tmp6);
                            auto tmp9 = at::vec::Vectorized<float>(tmp7);
                            auto tmp10 = decltype(tmp8)::blendv(tmp9, tmp8, tmp5.template cast<float,1>());
                            auto tmp12 = tmp10 - tmp11;
                            tmp12.store(out_ptr0 + static_cast<int64_t>(x1 + 100L*x0), static_cast<int64_t>(4L));
                        }
                    }
                }
            }
        }
    }
}
