// golden of pytest-compile-golden; accept changes with --snapshot-update, not by hand
// stage: cpp_code, torch: 2.12.1, triton: 3.7.1, normaliser: 1

// graph_0: cpp_fused___lshift____to_copy_add_floor_divide_mul_remainder_0
#include <torch/csrc/inductor/cpp_prefix.h>
extern "C"  void  kernel(const int64_t* in_ptr0,
                       const int32_t* in_ptr1,
                       int32_t* out_ptr0)
{
    {
        for(int64_t x0=static_cast<int64_t>(0L); x0<static_cast<int64_t>(512L); x0+=static_cast<int64_t>(8L))
        {
            {
                if(C10_LIKELY(x0 >= static_cast<int64_t>(0) && x0 < static_cast<int64_t>(512L)))
                {
                    auto tmp0 = at::vec::VectorizedN<int64_t,2>::loadu(in_ptr0 + static_cast<int64_t>(x0), static_cast<int64_t>(8));
                    auto tmp12 = at::vec::Vectorized<int32_t>::loadu(in_ptr1 + static_cast<int64_t>(x0), static_cast<int64_t>(8));
                    auto tmp1 = static_cast<int64_t>(3);
                    auto tmp2 = at::vec::VectorizedN<int64_t,2>(tmp1);
                    auto tmp3 = decltype(tmp0)::blendv(tmp0 / tmp2, tmp0 / tmp2 - decltype(tmp0)(1), (tmp0 % tmp2 != decltype(tmp0)(0)) & ((tmp0 < decltype(tmp0)(0)) != (tmp2 < decltype(tmp0)(0))));
                    auto tmp4 = static_cast<int64_t>(7);
                    auto tmp5 = at::vec::VectorizedN<int64_t,2>(tmp4);
                    auto tmp6 = tmp3 - (decltype(tmp3)::blendv(tmp3 / tmp5, tmp3 / tmp5 - decltype(tmp3)(1), (tmp3 % tmp5 != decltype(tmp3)(0)) & ((tmp3 < decltype(tmp3)(0)) != (tmp5 < decltype(tmp3)(0))))) * tmp5;
                    auto tmp7 = static_cast<int64_t>(1);
                    auto tmp8 = at::vec::VectorizedN<int64_t,2>(tmp7);
                    auto tmp9 = tmp0 << tmp8;
                    auto tmp10 = tmp6 + tmp9;
                    auto tmp11 = at::vec::convert<int32_t,1,int64_t,2>(tmp10);
                    auto tmp13 = tmp11 * tmp12;
                    tmp13.store(out_ptr0 + static_cast<int64_t>(x0), static_cast<int64_t>(8));
                }
            }
        }
    }
}
