// Answers for a virtual device to what C++ code in torch asks about CUDA devices.
//
// Autograd, device guards and operator code reach a GPU through two objects: the entry for CUDA in c10's table of device
// guards, and at::detail::getCUDAHooks(). On a CPU-only wheel the first is empty and the second says "no CUDA"; on a CUDA
// wheel both ask the driver. arm() replaces them with the two classes below, disarm() restores what was there before.
//
// Autograd also has a thread per GPU, started once per process for the devices that existed at the first backward. A
// virtual GPU has none: its backward runs in the thread that asked for it (adopt_thread()). A fork starts them again.
#include <ATen/detail/CUDAHooksInterface.h>
#include <c10/core/impl/DeviceGuardImplInterface.h>
#include <torch/csrc/autograd/engine.h>

#include <unistd.h>

#include <cstring>
#include <exception>
#include <memory>
#include <string>
#include <vector>

namespace {

long cudnn_version = 0;

c10::Device only_device() {
  return c10::Device(c10::DeviceType::CUDA, 0);
}

c10::Stream only_stream() {
  return c10::Stream(c10::Stream::DEFAULT, only_device());
}

// What a torch does not declare in the base class is a function that nobody calls there: without `override`, so that the
// shim builds with every torch.
struct VirtualGuard final : c10::impl::DeviceGuardImplInterface {
  c10::DeviceType type() const override { return c10::DeviceType::CUDA; }
  c10::DeviceIndex deviceCount() const noexcept override { return 1; }
  void setDevice(c10::Device) const override {}
  void uncheckedSetDevice(c10::Device) const noexcept override {}
  c10::Device getDevice() const override { return only_device(); }
  c10::Device exchangeDevice(c10::Device) const override { return only_device(); }
  c10::Stream getStream(c10::Device) const noexcept override { return only_stream(); }
  c10::Stream getDefaultStream(c10::Device) const { return only_stream(); }
  c10::Stream getStreamFromGlobalPool(c10::Device, bool) const { return only_stream(); }
  c10::Stream getNewStream(c10::Device, int) const { return only_stream(); }
  c10::Stream exchangeStream(c10::Stream stream) const noexcept override { return stream; }
  void record(void**, const c10::Stream&, const c10::DeviceIndex, const c10::EventFlag) const {}
  void block(void*, const c10::Stream&) const {}
  bool queryEvent(void*) const { return true; }
  void synchronizeEvent(void*) const {}
  void destroyEvent(void*, const c10::DeviceIndex) const noexcept {}
  bool queryStream(const c10::Stream&) const { return true; }
  void synchronizeStream(const c10::Stream&) const {}
  void synchronizeDevice(const c10::DeviceIndex) const {}
};

struct VirtualHooks final : at::CUDAHooksInterface {
  void init() const {}
  bool isBuilt() const { return true; }
  bool isAvailable() const { return true; }
  bool hasPrimaryContext(at::DeviceIndex) const { return true; }
  at::DeviceIndex deviceCount() const { return 1; }
  at::DeviceIndex getCurrentDevice() const { return 0; }
  at::DeviceIndex exchangeDevice(at::DeviceIndex) const override { return 0; }
  at::DeviceIndex maybeExchangeDevice(at::DeviceIndex) const { return 0; }
  void setCurrentDevice(at::DeviceIndex) const {}
  at::DeviceIndex current_device() const { return 0; }
  int getNumGPUs() const { return 1; }
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
  std::string showConfig() const { return "virtual CUDA device"; }
  void deviceSynchronize(at::DeviceIndex) const {}
};

using Guard = c10::impl::DeviceGuardImplInterface;

bool armed = false;
const Guard* guard_before = nullptr;
void* hooks_before = nullptr;

auto& guard_slot() {
  return c10::impl::device_guard_impl_registry[static_cast<size_t>(c10::DeviceType::CUDA)];
}

// The hooks are a const singleton that nothing else can be registered in place of, and hold no data that our answers
// would read: exchanging the pointer to its virtual functions exchanges its answers.
void* exchange_virtual_functions(const at::CUDAHooksInterface& hooks, void* functions) {
  void* object = const_cast<at::CUDAHooksInterface*>(&hooks);
  void* before = nullptr;
  std::memcpy(&before, object, sizeof(void*));
  std::memcpy(object, &functions, sizeof(void*));
  return before;
}

using Queue = std::shared_ptr<torch::autograd::ReadyQueue>;

// Names two protected members; never constructed.
struct Engine : torch::autograd::Engine {
  static constexpr auto queues = &Engine::device_ready_queues_;
  static constexpr auto set_local_queue = &Engine::init_local_ready_queue;
};

std::vector<Queue> queues_before;

// As torch's own hooks say. Its guard says more: with a CUDA wheel and no GPU, the first fake tensor mode registers one
// that claims a device (c10/core/impl/DeviceGuardImplInterface.h: ensureCUDADeviceGuardSet).
bool has_real_device = false;

torch::autograd::Engine& engine() {
  return torch::autograd::Engine::get_default_engine();
}

// Once per process, and while no guard says that there is a device: a thread for it could never be ended. False in a
// fork of a process whose autograd has threads for real devices, where torch cannot run backward at all.
bool start_threads_without_device() {
  static pid_t started_in = 0;
  if (started_in == getpid()) return true;
  const Guard* real = armed ? guard_before : guard_slot().load();
  const Guard* guard = guard_slot().exchange(has_real_device ? real : nullptr);
  bool started = true;
  try {
    engine().initialize_device_threads_pool();
    started_in = getpid();
  } catch (const std::exception&) {
    started = false;
  }
  guard_slot().store(guard);
  return started;
}

} // namespace

extern "C" {

// The calling thread takes the virtual GPU's work from the queue that it takes the CPU's from. Returns 0 if it cannot.
int adopt_thread() {
  if (!armed) return 1;
  if (!start_threads_without_device()) return 0;
  static thread_local Queue queue;
  static thread_local pid_t made_in = 0;
  if (made_in != getpid()) { // the engine that a fork ends has told the queue to end too
    made_in = getpid();
    queue = std::make_shared<torch::autograd::ReadyQueue>();
    (engine().*Engine::set_local_queue)(queue);
  }
  (engine().*Engine::queues).assign(1, queue);
  return 1;
}

// Returns 0 if autograd cannot run here.
int arm(long cudnn) {
  cudnn_version = cudnn;
  if (armed) return 1;
  has_real_device = at::detail::getCUDAHooks().deviceCount() > 0;
  if (!start_threads_without_device()) return 0;
  queues_before = engine().*Engine::queues;
  static const VirtualGuard guard; // torch never destroys guards: the table does not own them
  static const VirtualHooks hooks;
  void* functions = nullptr;
  std::memcpy(&functions, static_cast<const void*>(&hooks), sizeof(void*));
  guard_before = guard_slot().exchange(&guard);
  hooks_before = exchange_virtual_functions(at::detail::getCUDAHooks(), functions);
  armed = true;
  return 1;
}

void disarm() {
  if (!armed) return;
  engine().*Engine::queues = queues_before;
  queues_before.clear();
  exchange_virtual_functions(at::detail::getCUDAHooks(), hooks_before);
  guard_slot().store(guard_before);
  armed = false;
}

int is_armed() {
  return armed ? 1 : 0;
}
}
