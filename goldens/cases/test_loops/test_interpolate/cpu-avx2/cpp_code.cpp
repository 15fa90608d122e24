// golden of pytest-compile-golden; accept changes with --snapshot-update, not by hand
// stage: cpp_code, torch: 2.12.1, triton: 3.7.1, normaliser: 1

// graph_0: cpp_fused__to_copy__unsafe_index_add_arange_clamp_mul_sub_view_0
#include <torch/csrc/inductor/cpp_prefix.h>
extern "C"  void  kernel(float* in_out_ptr0,
                       const float* in_ptr0)
{
    #pragma omp parallel num_threads(8)
    {
        int tid = omp_get_thread_num();
        {
            #pragma omp for
            for(int64_t x0=static_cast<int64_t>(0L); x0<static_cast<int64_t>(16L); x0+=static_cast<int64_t>(1L))
            {
                #pragma GCC ivdep
                for(int64_t x1=static_cast<int64_t>(0L); x1<static_cast<int64_t>(32L); x1+=static_cast<int64_t>(1L))
                {
                    for(int64_t x2=static_cast<int64_t>(0L); x2<static_cast<int64_t>(32L); x2+=static_cast<int64_t>(8L))
                    {
                        {
                            if(C10_LIKELY(x2 >= static_cast<int64_t>(0) && x2 < static_cast<int64_t>(32L)))
                            {
                                auto tmp0 = x1;
                                auto tmp1 = c10::convert<float>(tmp0);
                                auto tmp2 = static_cast<float>(0.5);
                                auto tmp3 = float(tmp1 + tmp2);
                                auto tmp4 = float(tmp3 * tmp2);
                                auto tmp5 = float(tmp4 - tmp2);
                                auto tmp6 = static_cast<float>(0.0);
                                auto tmp7 = max_propagate_nan(tmp5, tmp6);
                                auto tmp8 = c10::convert<int64_t>(tmp7);
                                auto tmp9 = static_cast<int64_t>(1);
                                auto tmp10 = int64_t(tmp8 + tmp9);
                                auto tmp11 = static_cast<int64_t>(15);
                                auto tmp12 = min_propagate_nan(tmp10, tmp11);
                                auto tmp13 = x2;
                                auto tmp14 = c10::convert<float>(tmp13);
                                auto tmp15 = at::vec::Vectorized<float>::arange(tmp14, 1);
                                auto tmp16 = at::vec::Vectorized<float>(tmp2);
                                auto tmp17 = tmp15 + tmp16;
                                auto tmp18 = tmp17 * tmp16;
                                auto tmp19 = tmp18 - tmp16;
                                auto tmp20 = at::vec::Vectorized<float>(tmp6);
                                auto tmp21 = at::vec::maximum(tmp19, tmp20);
                                auto tmp22 = at::vec::convert<int64_t,2,float,1>(tmp21);
                                auto tmp23 = at::vec::VectorizedN<int64_t,2>(tmp9);
                                auto tmp24 = tmp22 + tmp23;
                                auto tmp25 = at::vec::VectorizedN<int64_t,2>(tmp11);
                                auto tmp26 = at::vec::minimum(tmp24, tmp25);
                                auto tmp27 =
                                [&]
                                {
                                    __at_align__ std::array<int64_t, 8> tmpbuf;
                                    tmp26.store(tmpbuf.data(), static_cast<int64_t>(8));
                                    return tmpbuf;
                                }
                                ()
                                ;
                                auto tmp28 =
                                [&]
                                {
                                    __at_align__ std::array<float, 8> tmpbuf;
                                    #pragma GCC unroll 8
                                    for (long x2_inner = 0; x2_inner < static_cast<int64_t>(8); x2_inner++)
                                    {
                                        tmpbuf[x2_inner] = in_ptr0[static_cast<int64_t>(tmp27[x2_inner] + 16L*tmp12 + 256L*x0)];
                                    }
                                    return at::vec::Vectorized<float>::loadu(tmpbuf.data(), static_cast<int64_t>(8));
                                }
                                ()
                                ;
                                auto tmp29 =
                                [&]
                                {
                                    __at_align__ std::array<int64_t, 8> tmpbuf;
                                    tmp22.store(tmpbuf.data(), static_cast<int64_t>(8));
                                    return tmpbuf;
                                }
                                ()
                                ;
                                auto tmp30 =
                                [&]
                                {
                                    __at_align__ std::array<float, 8> tmpbuf;
                                    #pragma GCC unroll 8
                                    for (long x2_inner = 0; x2_inner < static_cast<int64_t>(8); x2_inner++)
                                    {
                                        tmpbuf[x2_inner] = in_ptr0[static_cast<int64_t>(tmp29[x2_inner] + 16L*tmp12 + 256L*x0)];
                                    }
                                    return at::vec::Vectorized<float>::loadu(tmpbuf.data(), static_cast<int64_t>(8));
                                }
                                ()
                                ;
                                auto tmp31 = tmp28 - tmp30;
                                auto tmp32 = at::vec::convert<float,1,int64_t,2>(tmp22);
                                auto tmp33 = tmp21 - tmp32;
                                auto tmp34 = at::vec::maximum(tmp33, tmp20);
                                auto tmp35 = static_cast<float>(1.0);
                                auto tmp36 = at::vec::Vectorized<float>(tmp35);
                                auto tmp37 = at::vec::minimum(tmp34, tmp36);
                                auto tmp38 = tmp31 * tmp37;
                                auto tmp39 = tmp30 + tmp38;
                                auto tmp40 =
                                [&]
                                {
                                    __at_align__ std::array<float, 8> tmpbuf;
                                    #pragma GCC unroll 8
                                    for (long x2_inner = 0; x2_inner < static_cast<int64_t>(8); x2_inner++)
                                    {
                                        tmpbuf[x2_inner] = in_ptr0[static_cast<int64_t>(tmp29[x2_inner] + 16L*tmp8 + 256L*x0)];
                                    }
                                    return at::vec::Vectorized<float>::loadu(tmpbuf.data(), static_cast<int64_t>(8));
                                }
                                ()
                                ;
                                auto tmp41 =
                                [&]
                                {
                                    __at_align__ std::array<float, 8> tmpbuf;
                                    #pragma GCC unroll 8
                                    for (long x2_inner = 0; x2_inner < static_cast<int64_t>(8); x2_inner++)
                                    {
                                        tmpbuf[x2_inner] = in_ptr0[static_cast<int64_t>(tmp27[x2_inner] + 16L*tmp8 + 256L*x0)];
                                    }
                                    return at::vec::Vectorized<float>::loadu(tmpbuf.data(), static_cast<int64_t>(8));
                                }
                                ()
                                ;
                                auto tmp42 = tmp41 - tmp40;
                                auto tmp43 = tmp42 * tmp37;
                                auto tmp44 = tmp40 + tmp43;
                                auto tmp45 = tmp39 - tmp44;
                                auto tmp46 = c10::convert<float>(tmp8);
                                auto tmp47 = float(tmp7 - tmp46);
                                auto tmp48 = max_propagate_nan(tmp47, tmp6);
                                auto tmp49 = min_propagate_nan(tmp48, tmp35);
                                auto tmp50 = at::vec::Vectorized<float>(tmp49);
                                auto tmp51 = tmp45 * tmp50;
                                auto tmp52 = tmp44 + tmp51;
                                auto tmp53 = tmp52 + tmp36;
                                tmp53.store(in_out_ptr0 + static_cast<int64_t>(x2 + 32L*x1 + 1024L*x0));
                            }
                        }
                    }
                }
            }
        }
    }
}
