// Answers for a virtual device to what C++ code in torch asks about CUDA devices.
//
// Autograd, device guards and operator code reach a GPU through two objects: the entry for CUDA in c10's table of device
// guards, and at::detail::getCUDAHooks(). On a CPU-only wheel the first is empty and the second says "no CUDA"; on a CUDA
// wheel both ask the driver. arm() replaces them with the two classes of virtual_cuda.h, disarm() restores what was there before.
//
// Autograd also has a thread per GPU, started once per process for the devices that existed at the first backward. A
// virtual GPU has none: its backward runs in the thread that asked for it (adopt_thread()). A fork starts them again.
#include "virtual_cuda.h"

#include <torch/csrc/autograd/engine.h>

#include <unistd.h>

#include <exception>
#include <memory>
#include <vector>

namespace {

using virtual_cuda::exchange_virtual_functions;
using virtual_cuda::guard_slot;
using Guard = c10::impl::DeviceGuardImplInterface;

bool armed = false;
const Guard* guard_before = nullptr;
void* hooks_before = nullptr;

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
  (engine().*Engine::queues).assign(virtual_cuda::devices, queue);
  return 1;
}

// Returns 0 if autograd cannot run here.
int arm(long cudnn, int devices) {
  virtual_cuda::cudnn_version = cudnn;
  virtual_cuda::devices = static_cast<c10::DeviceIndex>(devices);
  if (armed) return 1;
  has_real_device = at::detail::getCUDAHooks().deviceCount() > 0;
  if (!start_threads_without_device()) return 0;
  queues_before = engine().*Engine::queues;
  static const virtual_cuda::Guard guard; // torch never destroys guards: the table does not own them
  static const virtual_cuda::Hooks hooks;
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
  virtual_cuda::current = 0;
  virtual_cuda::streams.clear();
}

int is_armed() {
  return armed ? 1 : 0;
}
}
