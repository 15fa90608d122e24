// What a virtual device says to torch's C++ code: the entry for CUDA in c10's table of device guards, and CUDA's hooks.
//
// What a torch does not declare in a base class is a function that nobody calls there: without `override`, so that this
// builds with every torch.
#pragma once

#include <ATen/detail/CUDAHooksInterface.h>
#include <c10/core/impl/DeviceGuardImplInterface.h>

#include <atomic>
#include <chrono>
#include <cstring>
#include <string>
#include <utility>
#include <vector>

namespace virtual_cuda {

// Of the process: how many devices there are, and what their libraries say.
inline c10::DeviceIndex devices = 1;
inline long cudnn_version = 0;
inline int64_t cufft_plans = 4096; // the most that are kept (aten/src/ATen/cuda/CUDAFFTPlanCache.h); there are none

// Of a thread, as on a GPU: the current device, and the current stream of each device.
inline thread_local c10::DeviceIndex current = 0;
inline thread_local std::vector<c10::StreamId> streams;

inline c10::Device device(c10::DeviceIndex index) {
  return c10::Device(c10::DeviceType::CUDA, index < 0 ? current : index);
}

inline c10::Stream stream(c10::DeviceIndex index, c10::StreamId id) {
  return c10::Stream(c10::Stream::UNSAFE, device(index), id);
}

// Work is done when it is asked for, in the order of the program: a stream is a number, and an event is the time at which
// it was recorded.
struct Guard final : c10::impl::DeviceGuardImplInterface {
  using Clock = std::chrono::steady_clock;

  c10::DeviceType type() const override { return c10::DeviceType::CUDA; }
  c10::DeviceIndex deviceCount() const noexcept override { return devices; }
  void setDevice(c10::Device wanted) const override { exchangeDevice(wanted); }
  void uncheckedSetDevice(c10::Device wanted) const noexcept override { current = wanted.index() < 0 ? current : wanted.index(); }
  c10::Device getDevice() const override { return device(current); }
  c10::Device exchangeDevice(c10::Device wanted) const override {
    TORCH_CHECK(wanted.index() < devices, "CUDA error: invalid device ordinal ", wanted.index());
    return device(std::exchange(current, wanted.index() < 0 ? current : wanted.index()));
  }

  c10::Stream getStream(c10::Device of) const noexcept override {
    auto index = static_cast<size_t>(device(of.index()).index());
    return stream(of.index(), index < streams.size() ? streams[index] : 0);
  }
  c10::Stream getDefaultStream(c10::Device of) const { return stream(of.index(), 0); }
  c10::Stream getNewStream(c10::Device of, int) const {
    static std::atomic<c10::StreamId> last{0};
    return stream(of.index(), ++last);
  }
  c10::Stream getStreamFromGlobalPool(c10::Device of, bool) const { return getNewStream(of, 0); }
  c10::Stream exchangeStream(c10::Stream wanted) const noexcept override {
    auto before = getStream(wanted.device());
    streams.resize(static_cast<size_t>(devices), 0);
    streams[static_cast<size_t>(wanted.device_index())] = wanted.id();
    return before;
  }
  void* getStreamNativeHandle(const c10::Stream of) const { return reinterpret_cast<void*>(of.id()); }
  bool queryStream(const c10::Stream&) const { return true; }
  void synchronizeStream(const c10::Stream&) const {}
  void synchronizeDevice(const c10::DeviceIndex) const {}

  void record(void** event, const c10::Stream&, const c10::DeviceIndex, const c10::EventFlag) const {
    if (*event == nullptr) *event = new Clock::time_point;
    *static_cast<Clock::time_point*>(*event) = Clock::now();
  }
  void destroyEvent(void* event, const c10::DeviceIndex) const noexcept { delete static_cast<Clock::time_point*>(event); }
  void block(void*, const c10::Stream&) const {}
  bool queryEvent(void*) const { return true; }
  void synchronizeEvent(void*) const {}
  double elapsedTime(void* from, void* to, const c10::DeviceIndex) const {
    TORCH_CHECK(from && to, "Both events must be recorded before calculating elapsed time.");
    auto passed = *static_cast<Clock::time_point*>(to) - *static_cast<Clock::time_point*>(from);
    return std::chrono::duration<double, std::milli>(passed).count();
  }
};

struct Hooks : at::CUDAHooksInterface {
  void init() const {}
  bool isBuilt() const { return true; }
  bool isAvailable() const { return true; }
  bool hasPrimaryContext(at::DeviceIndex) const { return true; }
  at::DeviceIndex deviceCount() const { return devices; }
  at::DeviceIndex getCurrentDevice() const { return current; }
  at::DeviceIndex exchangeDevice(at::DeviceIndex wanted) const override {
    return Guard().exchangeDevice(device(wanted)).index();
  }
  at::DeviceIndex maybeExchangeDevice(at::DeviceIndex wanted) const { return exchangeDevice(wanted); }
  void setCurrentDevice(at::DeviceIndex wanted) const { exchangeDevice(wanted); }
  at::DeviceIndex current_device() const { return current; }
  int getNumGPUs() const { return devices; }
  bool hasCUDA() const { return true; }
  bool hasCUDART() const { return true; }
  bool hasCuDNN() const { return true; }
  bool hasCuSOLVER() const { return true; }
  bool hasCuBLASLt() const { return true; }
  bool hasMAGMA() const { return true; }
  bool compiledWithCuDNN() const { return true; }
  bool supportsDilatedConvolutionWithCuDNN() const { return true; }
  bool supportsDepthwiseConvolutionWithCuDNN() const { return true; }
  bool supportsBFloat16ConvolutionWithCuDNNv8() const { return true; }
  bool supportsBFloat16RNNWithCuDNN() const { return true; }
  long versionCuDNN() const { return cudnn_version; }
  long versionRuntimeCuDNN() const { return cudnn_version; }
  double batchnormMinEpsilonCuDNN() const { return 0.0; } // CUDNN_BN_MIN_EPSILON since cuDNN 7.5
  int64_t cuFFTGetPlanCacheMaxSize(at::DeviceIndex) const { return cufft_plans; }
  void cuFFTSetPlanCacheMaxSize(at::DeviceIndex, int64_t most) const { cufft_plans = most; }
  int64_t cuFFTGetPlanCacheSize(at::DeviceIndex) const { return 0; }
  void cuFFTClearPlanCache(at::DeviceIndex) const {}
  std::string showConfig() const { return "virtual CUDA device"; }
  void deviceSynchronize(at::DeviceIndex) const {}
};

inline auto& guard_slot() {
  return c10::impl::device_guard_impl_registry[static_cast<size_t>(c10::DeviceType::CUDA)];
}

// The hooks are a const singleton that nothing else can be registered in place of, and hold no data that our answers
// would read: exchanging the pointer to its virtual functions exchanges its answers.
inline void* exchange_virtual_functions(const at::CUDAHooksInterface& hooks, void* functions) {
  void* object = const_cast<at::CUDAHooksInterface*>(&hooks);
  void* before = nullptr;
  std::memcpy(&before, object, sizeof(void*));
  std::memcpy(object, &functions, sizeof(void*));
  return before;
}

} // namespace virtual_cuda
