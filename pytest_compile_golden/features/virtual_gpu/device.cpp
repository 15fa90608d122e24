// A virtual GPU in torch's dispatcher: tensors on cuda:0 are in host memory, and every operator is the CPU's, on the same
// memory. attach() puts it in, detach() takes it out.
//
// - Memory: an allocator for CUDA tensors, which counts what is live and refuses what the card does not have. Memory of
//   the host is only taken when it is written to.
// - Operators: a boxed fallback for the CUDA key. It passes each CUDA tensor on as a CPU tensor with the same memory, calls
//   the CPU's kernel, and passes the results back as CUDA tensors. What makes tensors, and views of them, is done here.
// - Random numbers: a generator whose state is a seed and an offset, as on a GPU. An operator that draws takes its numbers
//   from the CPU's generator, which is set to a state that follows from both, and back.
#include "card_operators.h"
#include "virtual_cuda.h"

#include <ATen/ATen.h>
#include <ATen/CPUGeneratorImpl.h>
#include <ATen/EmptyTensor.h>
#include <ATen/NestedTensorImpl.h>
#include <ATen/SparseCsrTensorImpl.h>
#include <ATen/SparseTensorImpl.h>
#include <ATen/TensorSubclassLikeUtils.h>
#include <ATen/core/dispatch/Dispatcher.h>
#include <ATen/native/TensorShape.h>
#include <ATen/ops/_reshape_alias_native.h>
#include <ATen/ops/as_strided_native.h>
#include <ATen/ops/unfold_native.h>
#include <ATen/ops/view_native.h>
#include <ATen/quantized/QTensorImpl.h>
#include <ATen/quantized/Quantizer.h>
#include <c10/core/CPUAllocator.h>
#include <c10/util/Exception.h>
#include <torch/csrc/distributed/c10d/reducer_timer.hpp>
#include <torch/library.h>

#include <sys/mman.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <fstream>
#include <limits>
#include <map>
#include <memory>
#include <mutex>
#include <string>
#include <unordered_map>
#include <unordered_set>
#include <utility>
#include <vector>

namespace {

using at::Tensor;
using c10::DispatchKey;
using c10::DispatchKeySet;
using virtual_cuda::device;

const c10::Device kHost(c10::kCPU);
const DispatchKeySet kHostKernel(DispatchKey::CPU);

// ---------------------------------------------------------------------------------------------------- memory

constexpr size_t kMostDevices = 16;
constexpr size_t kGranularity = 512; // the caching allocator's (c10/cuda/CUDACachingAllocator.cpp: kMinBlockSize)

struct Usage {
  int64_t live = 0, peak = 0, allocated = 0, freed = 0;
  int64_t blocks = 0, peak_blocks = 0, allocations = 0, failures = 0;
};

std::mutex usage_mutex;
std::array<Usage, kMostDevices> usages;
int64_t capacity = 0;

int64_t rounded(size_t bytes) {
  return static_cast<int64_t>((bytes + kGranularity - 1) / kGranularity * kGranularity);
}

void charge(c10::DeviceIndex index, size_t bytes) {
  std::lock_guard<std::mutex> lock(usage_mutex);
  auto& usage = usages[static_cast<size_t>(index)];
  auto size = rounded(bytes);
  if (usage.live + size > capacity) {
    ++usage.failures;
    constexpr double gib = 1 << 30;
    TORCH_CHECK_WITH(
        OutOfMemoryError, false, "CUDA out of memory. Tried to allocate ", bytes / gib, " GiB. GPU ", int(index),
        " has a total capacity of ", capacity / gib, " GiB of which ", (capacity - usage.live) / gib,
        " GiB is free (a virtual GPU counts what is live).");
  }
  usage.live += size;
  usage.allocated += size;
  usage.peak = std::max(usage.peak, usage.live);
  ++usage.blocks;
  ++usage.allocations;
  usage.peak_blocks = std::max(usage.peak_blocks, usage.blocks);
}

void release(c10::DeviceIndex index, size_t bytes) {
  std::lock_guard<std::mutex> lock(usage_mutex);
  auto& usage = usages[static_cast<size_t>(index)];
  usage.live -= rounded(bytes);
  usage.freed += rounded(bytes);
  --usage.blocks;
}

c10::Allocator* plain_host = nullptr;
std::unordered_map<void*, std::pair<c10::DeviceIndex, size_t>> counted_blocks; // under usage_mutex

// From here on, memory is mapped without being reserved: a host refuses to promise what it does not have, even if nothing
// is ever written there.
constexpr size_t kMapped = size_t(1) << 28;

// Bytes of memory that the host can still give.
size_t host_available() {
  std::ifstream lines("/proc/meminfo");
  for (std::string name, rest; lines >> name; std::getline(lines, rest))
    if (name == "MemAvailable:") return std::stoull(rest) * 1024;
  return std::numeric_limits<size_t>::max();
}

// Bytes of this block that have been written to, in whole pages.
size_t resident(void* memory, size_t bytes) {
  const auto page = static_cast<size_t>(sysconf(_SC_PAGESIZE));
  auto* first = reinterpret_cast<void*>(reinterpret_cast<uintptr_t>(memory) / page * page);
  std::vector<unsigned char> pages(bytes / page + 2);
  if (mincore(first, bytes, pages.data()) != 0) return 0;
  return page * static_cast<size_t>(std::count_if(pages.begin(), pages.end(), [](auto flags) { return flags & 1; }));
}

// The host would end this process, or another, for memory that it has promised and does not have. null: nothing is there yet.
void expect_writing(void* memory, size_t bytes) {
  if (bytes < kMapped) return;
  const auto available = host_available();
  if (bytes <= available) return;
  const auto touched = memory == nullptr ? 0 : std::min(bytes, resident(memory, bytes));
  constexpr double gib = 1 << 30;
  TORCH_CHECK_WITH(
      OutOfMemoryError, bytes - touched <= available, "The host is out of memory, not the virtual GPU: ", (bytes - touched) / gib,
      " GiB would be written, and ", available / gib, " GiB are free.");
}

// What CUDA graphs have allocated keeps its address as long as a graph uses the pool, since each replay writes there again.
// What of it is live is in counted_blocks.
struct Pool {
  int64_t users = 0;
  std::map<void*, size_t> blocks; // with the bytes that they have room for
};
std::map<int64_t, Pool> pools; // under usage_mutex
std::unordered_map<void*, int64_t> pooled; // the pool of each block, under usage_mutex
thread_local int64_t pool_of_thread = 0; // which this thread allocates from; 0 is none

void return_to_host(void* memory, size_t bytes) {
  if (bytes >= kMapped) {
    munmap(memory, bytes);
  } else {
    plain_host->raw_deleter()(memory);
  }
}

// A pointer is its own context, as some of the CPU's kernels want it (c10/core/Allocator.h: raw_allocate).
void free_counted(void* memory) {
  std::optional<std::pair<c10::DeviceIndex, size_t>> block;
  size_t room = 0;
  bool kept = false;
  {
    std::lock_guard<std::mutex> lock(usage_mutex);
    if (auto found = counted_blocks.find(memory); found != counted_blocks.end()) {
      block = found->second;
      room = block->second;
      counted_blocks.erase(found);
    }
    if (auto found = pooled.find(memory); found != pooled.end()) {
      auto& pool = pools[found->second];
      kept = pool.users > 0;
      if (!kept) {
        room = pool.blocks[memory];
        pool.blocks.erase(memory);
        if (pool.blocks.empty()) pools.erase(found->second);
        pooled.erase(found);
      }
    }
  }
  if (block) release(block->first, block->second);
  if (!kept) return_to_host(memory, room);
}

// The smallest free block of the thread's pool that has room, if one is not much too large; else null.
void* reused(size_t bytes) {
  if (pool_of_thread == 0) return nullptr;
  std::lock_guard<std::mutex> lock(usage_mutex);
  std::pair<void*, size_t> best{nullptr, 2 * static_cast<size_t>(rounded(bytes)) + 1};
  for (const auto& block : pools[pool_of_thread].blocks)
    if (block.second >= bytes && block.second < best.second && counted_blocks.count(block.first) == 0) best = block;
  return best.first;
}

// Memory of the host that counts as a device's until it is freed.
c10::DataPtr counted(size_t bytes, c10::DeviceIndex index, c10::Device as) {
  if (bytes == 0) return {nullptr, as};
  charge(index, bytes);
  void* address = reused(bytes);
  const bool is_new = address == nullptr;
  // Kernels may use all of what the card's allocator would have given.
  const auto room = bytes >= kMapped ? bytes : std::min(static_cast<size_t>(rounded(bytes)), kMapped - 1);
  if (is_new && bytes >= kMapped) {
    address = mmap(nullptr, bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
    if (address == MAP_FAILED) release(index, bytes);
    TORCH_CHECK(address != MAP_FAILED, "the host has no room for ", bytes, " bytes of the virtual GPU's memory");
  } else if (is_new) {
    address = plain_host->allocate(room).release_context();
  }
  std::lock_guard<std::mutex> lock(usage_mutex);
  counted_blocks[address] = {index, bytes};
  if (is_new && pool_of_thread != 0) {
    pools[pool_of_thread].blocks[address] = room;
    pooled[address] = pool_of_thread;
  }
  return {address, address, &free_counted, as};
}

struct DeviceAllocator final : c10::Allocator {
  c10::DataPtr allocate(size_t bytes) override {
    return counted(bytes, virtual_cuda::current, device(-1));
  }
  void copy_data(void* to, const void* from, size_t bytes) const override { std::memcpy(to, from, bytes); }
};

// What an operator of a device allocates while the CPU's kernel runs is that device's.
thread_local c10::DeviceIndex operator_of = -1;

struct HostAllocator final : c10::Allocator {
  c10::DataPtr allocate(size_t bytes) override {
    if (operator_of < 0) return plain_host->allocate(bytes);
    auto memory = counted(bytes, operator_of, kHost);
    expect_writing(nullptr, bytes); // a kernel has asked for it
    return memory;
  }
  c10::DeleterFnPtr raw_deleter() const override { return &free_counted; }
  void copy_data(void* to, const void* from, size_t bytes) const override { std::memcpy(to, from, bytes); }
};

// Pinned memory is the host's own; it is only known which it is.
struct PinnedAllocator final : c10::Allocator {
  static inline std::mutex mutex;
  static inline std::map<const char*, size_t> ranges;

  struct Pinned {
    c10::DataPtr memory;
  };

  static void add(const void* start, size_t bytes) {
    std::lock_guard<std::mutex> lock(mutex);
    ranges[static_cast<const char*>(start)] = std::max<size_t>(bytes, 1);
  }

  static void remove(const void* start) {
    std::lock_guard<std::mutex> lock(mutex);
    ranges.erase(static_cast<const char*>(start));
  }

  static void unpin(void* context) {
    auto* pinned = static_cast<Pinned*>(context);
    remove(pinned->memory.get());
    delete pinned;
  }

  c10::DataPtr allocate(size_t bytes) override {
    auto* pinned = new Pinned{plain_host->allocate(std::max<size_t>(bytes, 1))};
    auto* start = pinned->memory.get();
    add(start, bytes);
    return {start, pinned, &unpin, kHost};
  }
  void copy_data(void* to, const void* from, size_t bytes) const override { std::memcpy(to, from, bytes); }

  static bool holds(const void* address) {
    std::lock_guard<std::mutex> lock(mutex);
    auto after = ranges.upper_bound(static_cast<const char*>(address));
    if (after == ranges.begin()) return false;
    auto found = std::prev(after);
    return static_cast<const char*>(address) < found->first + found->second;
  }
};

DeviceAllocator device_allocator;
HostAllocator host_allocator;
PinnedAllocator pinned_allocator;

// ---------------------------------------------------------------------------------------------------- random numbers

struct DeviceGenerator final : c10::GeneratorImpl {
  explicit DeviceGenerator(c10::DeviceIndex index) : GeneratorImpl(virtual_cuda::device(index), DispatchKeySet(DispatchKey::CUDA)) {}

  struct State : c10::intrusive_ptr_target {
    uint64_t seed = c10::default_rng_seed_val, offset = 0;
  };
  c10::intrusive_ptr<State> state = c10::make_intrusive<State>();

  card::Place next() {
    const card::Place place{state->seed, state->offset};
    state->offset += 4;
    return place;
  }

  void set_current_seed(uint64_t seed) override {
    state->seed = seed;
    state->offset = 0;
  }
  void set_offset(uint64_t offset) override { state->offset = offset; }
  uint64_t get_offset() const override { return state->offset; }
  uint64_t current_seed() const override { return state->seed; }
  uint64_t seed() override {
    set_current_seed(c10::detail::getNonDeterministicRandom(true));
    return state->seed;
  }

  // Seed and offset, eight bytes each (aten/src/ATen/cuda/CUDAGeneratorImpl.cpp).
  c10::intrusive_ptr<c10::TensorImpl> get_state() const override {
    auto bytes = at::detail::empty_cpu({16}, at::kByte);
    std::memcpy(bytes.data_ptr(), &state->seed, 8);
    std::memcpy(static_cast<char*>(bytes.data_ptr()) + 8, &state->offset, 8);
    return bytes.getIntrusivePtr();
  }
  void set_state(const c10::TensorImpl& bytes) override {
    at::detail::check_rng_state(bytes);
    TORCH_CHECK(bytes.numel() == 16 || bytes.numel() == 8, "RNG state is wrong size");
    auto* data = static_cast<const char*>(bytes.data());
    std::memcpy(&state->seed, data, 8);
    state->offset = 0;
    if (bytes.numel() == 16) std::memcpy(&state->offset, data + 8, 8);
  }

  c10::intrusive_ptr<GeneratorImpl> graphsafe_get_state() const override {
    auto same = c10::make_intrusive<DeviceGenerator>(device_.index());
    same->state = state;
    return same;
  }
  void graphsafe_set_state(const c10::intrusive_ptr<GeneratorImpl>& other) override {
    state = c10::dynamic_intrusive_pointer_cast<DeviceGenerator>(other)->state;
  }
  DeviceGenerator* clone_impl() const override {
    auto* copy = new DeviceGenerator(device_.index());
    copy->state->seed = state->seed;
    copy->state->offset = state->offset;
    return copy;
  }
};

at::Generator& default_generator(c10::DeviceIndex index) {
  static std::array<at::Generator, kMostDevices> generators;
  auto& generator = generators[static_cast<size_t>(device(index).index())];
  if (!generator.defined()) generator = at::make_generator<DeviceGenerator>(device(index).index());
  return generator;
}

} // namespace

card::Place card::draw() {
  return static_cast<DeviceGenerator*>(default_generator(operator_of).unsafeGetGeneratorImpl())->next();
}

namespace {

// While it lives, the CPU's default generator draws what a device's generator is to give next.
class Drawing {
 public:
  explicit Drawing(const at::Generator& from)
      : host_(at::check_generator<at::CPUGeneratorImpl>(at::detail::getDefaultCPUGenerator())) {
    auto* generator = static_cast<DeviceGenerator*>(from.unsafeGetGeneratorImpl());
    std::lock_guard<std::mutex> lock(host_->mutex_);
    engine_ = host_->engine();
    next_float_ = host_->next_float_normal_sample();
    next_double_ = host_->next_double_normal_sample();
    host_->set_current_seed(generator->next().seed_of_host());
  }
  ~Drawing() {
    std::lock_guard<std::mutex> lock(host_->mutex_);
    host_->set_engine(engine_);
    host_->set_next_float_normal_sample(next_float_);
    host_->set_next_double_normal_sample(next_double_);
  }

 private:
  at::CPUGeneratorImpl* host_;
  at::mt19937 engine_;
  std::optional<float> next_float_;
  std::optional<double> next_double_;
};

struct DeviceHooks final : virtual_cuda::Hooks {
  const at::Generator& getDefaultGenerator(c10::DeviceIndex index) const override { return default_generator(index); }
  at::Generator getNewGenerator(c10::DeviceIndex index) const override {
    return at::make_generator<DeviceGenerator>(device(index).index());
  }
  c10::Device getDeviceFromPtr(void*) const override { return device(-1); }
  bool isPinnedPtr(const void* address) const override { return PinnedAllocator::holds(address); }
  c10::Allocator* getPinnedMemoryAllocator() const override { return &pinned_allocator; }
  c10::Allocator* getCUDADeviceAllocator() const override { return &device_allocator; }
};

// ---------------------------------------------------------------------------------------------------- tensors

void drop_storage(void* context) {
  c10::raw::intrusive_ptr::decref(static_cast<c10::StorageImpl*>(context));
}

// The memory of a storage as that of another device, which keeps the storage alive.
c10::DataPtr shared_memory(const c10::Storage& storage, c10::Device as) {
  auto* kept = storage.unsafeGetStorageImpl();
  c10::raw::intrusive_ptr::incref(kept);
  return {const_cast<void*>(storage.data()), kept, &drop_storage, as};
}

void describe_as(const Tensor& made, const Tensor& tensor) {
  made.unsafeGetTensorImpl()->set_sizes_and_strides(tensor.sizes(), tensor.strides(), tensor.storage_offset());
  made._set_conj(tensor.is_conj());
  made._set_neg(tensor.is_neg());
}

// A tensor of this memory, with the type, sizes and scales of another.
Tensor made_like(const Tensor& tensor, c10::Storage storage, DispatchKeySet keys) {
  auto made = tensor.is_quantized()
      ? at::detail::make_tensor<at::QTensorImpl>(std::move(storage), keys, tensor.dtype(), at::get_qtensorimpl(tensor)->quantizer())
      : at::detail::make_tensor<c10::TensorImpl>(std::move(storage), keys, tensor.dtype());
  describe_as(made, tensor);
  return made;
}

// The same memory as a tensor of another device.
Tensor moved(const Tensor& tensor, c10::Device to) {
  c10::Allocator* allocator = to.is_cuda() ? static_cast<c10::Allocator*>(&device_allocator) : &host_allocator;
  auto storage = c10::make_intrusive<c10::StorageImpl>(
      c10::StorageImpl::use_byte_size_t(), tensor.storage().nbytes(), shared_memory(tensor.storage(), to), allocator, true);
  DispatchKeySet keys(
      tensor.is_quantized() ? (to.is_cuda() ? DispatchKey::QuantizedCUDA : DispatchKey::QuantizedCPU)
                            : (to.is_cuda() ? DispatchKey::CUDA : DispatchKey::CPU));
  // What an operator knows to be zero, such as the derivative of a sign, has no memory.
  if (tensor._is_zerotensor()) keys = keys.add(DispatchKey::ZeroTensor);
  return made_like(tensor, c10::Storage(std::move(storage)), keys);
}

// A view of a device's tensor, which the CPU made of its counterpart.
Tensor view_of(const Tensor& base, const Tensor& host) {
  if (host.is_quantized()) return made_like(host, base.storage(), DispatchKeySet(DispatchKey::QuantizedCUDA));
  auto made = at::detail::make_tensor<c10::TensorImpl>(
      c10::TensorImpl::VIEW, c10::Storage(base.storage()), base.is_quantized() ? DispatchKeySet(DispatchKey::CUDA) : base.key_set(),
      host.dtype());
  describe_as(made, host);
  return made;
}

struct OnDevice {
  explicit OnDevice(std::optional<c10::Device> wanted) : before(virtual_cuda::current) {
    if (wanted && wanted->has_index()) virtual_cuda::Guard().setDevice(*wanted);
  }
  ~OnDevice() { virtual_cuda::current = before; }
  c10::DeviceIndex before;
};

bool is_compressed(const Tensor& tensor) {
  const auto layout = tensor.layout();
  return layout == c10::kSparseCsr || layout == c10::kSparseCsc || layout == c10::kSparseBsr || layout == c10::kSparseBsc;
}

// Whether a tensor has no memory of its own, but consists of other tensors.
bool is_composed(const Tensor& tensor) {
  return tensor.is_sparse() || is_compressed(tensor) || tensor.is_nested();
}

template <class Impl>
Impl* impl_of(const Tensor& tensor) {
  return static_cast<Impl*>(tensor.unsafeGetTensorImpl());
}

// As a tensor of another device: of what `part` makes of each tensor that it consists of.
template <class Part>
Tensor composed(const Tensor& tensor, c10::Device to, Part part) {
  if (tensor.is_nested()) { // its sizes are the host's
    const auto* from = at::native::get_nested_tensor_impl(tensor);
    return at::detail::make_tensor<at::native::NestedTensorImpl>(
        part(from->get_unsafe_storage_as_tensor()), from->get_nested_sizes(), from->get_nested_strides(),
        from->get_storage_offsets());
  }
  OnDevice entered(to);
  if (tensor.is_sparse()) {
    const auto* from = impl_of<at::SparseTensorImpl>(tensor);
    const DispatchKeySet keys(to.is_cuda() ? DispatchKey::SparseCUDA : DispatchKey::SparseCPU);
    auto made = at::detail::make_tensor<at::SparseTensorImpl>(keys, tensor.dtype());
    auto* impl = impl_of<at::SparseTensorImpl>(made);
    impl->raw_resize_(from->sparse_dim(), from->dense_dim(), tensor.sizes());
    impl->set_indices_and_values_unsafe(part(from->indices()), part(from->values()));
    impl->set_coalesced(from->coalesced());
    return made;
  }
  const auto* from = impl_of<at::SparseCsrTensorImpl>(tensor);
  const DispatchKeySet keys(to.is_cuda() ? DispatchKey::SparseCsrCUDA : DispatchKey::SparseCsrCPU);
  auto made = at::detail::make_tensor<at::SparseCsrTensorImpl>(keys, to, tensor.layout(), tensor.dtype());
  impl_of<at::SparseCsrTensorImpl>(made)->set_member_tensors(
      part(from->compressed_indices()), part(from->plain_indices()), part(from->values()), tensor.sizes());
  return made;
}

Tensor on_host(const Tensor& tensor) {
  if (!tensor.defined() || !tensor.is_cuda()) return tensor;
  return is_composed(tensor) ? composed(tensor, kHost, on_host) : moved(tensor, kHost);
}

Tensor on_device(const Tensor& tensor, c10::Device to) {
  if (!tensor.defined() || !tensor.is_cpu()) return tensor;
  if (is_composed(tensor)) return composed(tensor, to, [&](const Tensor& part) { return on_device(part, to); });
  return tensor.layout() == c10::kStrided ? moved(tensor, to) : tensor;
}

c10::ScalarType type_or_default(std::optional<c10::ScalarType> type) {
  return type.value_or(c10::typeMetaToScalarType(c10::get_default_dtype()));
}

Tensor empty(
    c10::IntArrayRef size,
    std::optional<c10::ScalarType> type,
    std::optional<c10::Layout>,
    std::optional<c10::Device> where,
    std::optional<bool>,
    std::optional<c10::MemoryFormat> format) {
  OnDevice entered(where);
  return at::detail::empty_generic(
      size, &device_allocator, DispatchKeySet(DispatchKey::CUDA), type_or_default(type), format);
}

Tensor empty_strided(
    c10::IntArrayRef size,
    c10::IntArrayRef stride,
    std::optional<c10::ScalarType> type,
    std::optional<c10::Layout>,
    std::optional<c10::Device> where,
    std::optional<bool>) {
  OnDevice entered(where);
  return at::detail::empty_strided_generic(
      size, stride, &device_allocator, DispatchKeySet(DispatchKey::CUDA), type_or_default(type));
}

Tensor& copy_(Tensor& self, const Tensor& source, bool non_blocking) {
  auto to = on_host(self);
  expect_writing(to.data_ptr(), to.nbytes());
  at::_ops::copy_::redispatch(kHostKernel, to, on_host(source), non_blocking);
  return self;
}

c10::Scalar local_scalar_dense(const Tensor& self) {
  return at::_ops::_local_scalar_dense::redispatch(kHostKernel, on_host(self));
}

Tensor as_strided(const Tensor& self, c10::IntArrayRef size, c10::IntArrayRef stride, std::optional<int64_t> offset) {
  return at::native::as_strided_tensorimpl(self, size, stride, offset);
}

Tensor view(const Tensor& self, c10::IntArrayRef size) {
  return at::native::view(self, size);
}

Tensor reshape_alias(const Tensor& self, c10::IntArrayRef size, c10::IntArrayRef stride) {
  return at::native::_reshape_alias(self, size, stride);
}

Tensor unfold(const Tensor& self, int64_t dim, int64_t size, int64_t step) {
  return at::native::unfold(self, dim, size, step);
}

void resize_storage(c10::StorageImpl* storage, size_t bytes) {
  OnDevice entered(storage->device());
  auto memory = device_allocator.allocate(bytes);
  if (auto kept = std::min(bytes, storage->nbytes())) std::memcpy(memory.get(), storage->data(), kept);
  storage->set_data_ptr_noswap(std::move(memory));
  storage->set_nbytes(bytes);
}

const Tensor& resize_(const Tensor& self, c10::IntArrayRef size, std::optional<c10::MemoryFormat> format) {
  auto* impl = self.unsafeGetTensorImpl();
  impl->set_sizes_contiguous(size);
  if (format) impl->empty_tensor_restride(*format);
  auto wanted = at::detail::computeStorageNbytes(impl->sizes(), impl->strides(), self.itemsize(), self.storage_offset());
  auto* storage = self.storage().unsafeGetStorageImpl();
  if (storage->nbytes() < wanted) resize_storage(storage, wanted);
  return self;
}

Tensor& set_storage(Tensor& self, c10::Storage source, int64_t offset, c10::IntArrayRef size, c10::IntArrayRef stride) {
  auto* impl = self.unsafeGetTensorImpl();
  impl->set_storage_keep_dtype(std::move(source));
  if (stride.size() == size.size()) {
    impl->set_sizes_and_strides(size, stride, offset);
  } else {
    impl->set_storage_offset(offset);
    impl->set_sizes_contiguous(size);
  }
  auto wanted = at::detail::computeStorageNbytes(impl->sizes(), impl->strides(), self.itemsize(), offset);
  auto* storage = self.storage().unsafeGetStorageImpl();
  if (storage->nbytes() < wanted) resize_storage(storage, wanted);
  return self;
}

Tensor& set_tensor(Tensor& self, const Tensor& source) {
  return set_storage(self, source.storage(), source.storage_offset(), source.sizes(), source.strides());
}

Tensor& set_source(Tensor& self, c10::Storage source) {
  auto length = static_cast<int64_t>(source.nbytes() / self.itemsize());
  return set_storage(self, std::move(source), 0, {length}, {});
}

Tensor& set_nothing(Tensor& self) {
  auto storage = c10::make_intrusive<c10::StorageImpl>(
      c10::StorageImpl::use_byte_size_t(), 0, c10::DataPtr(nullptr, self.device()), &device_allocator, true);
  return set_storage(self, c10::Storage(std::move(storage)), 0, {0}, {});
}

void record_stream(Tensor&, c10::Stream) {}

// ---------------------------------------------------------------------------------------------------- the fallback

// What torch declares of a function of its own (native_functions.yaml).
enum class Rule : char {
  Unchecked = 'n', // its kernel does not check that its tensors are on one device
  Scalars = 's', // it allows scalars of the host
  NotOnCuda = 'c', // it has a kernel for the CPU and none for CUDA
};
std::unordered_map<std::string, std::vector<Rule>> rules;

std::string full_name(const c10::OperatorName& name) {
  return name.overload_name.empty() ? name.name : name.name + "." + name.overload_name;
}

// What CUDA's kernel computes and adds up more precisely than the CPU's, which takes one after another in the type of its input.
struct Precise {
  c10::ScalarType computed;
  std::vector<int> results; // each has the type of the argument of this number; below zero, float32
};
const std::unordered_map<std::string, Precise> precise{
    // aten/src/ATen/native/cuda/layer_norm_kernel.cu: statistics of narrow inputs stay in float32
    {"aten::native_layer_norm", {at::kFloat, {0, -1, -1}}},
    {"aten::native_layer_norm_backward", {at::kDouble, {1, 5, 6}}},
    {"aten::native_group_norm_backward", {at::kDouble, {1, 4, 4}}},
    {"aten::linalg_vector_norm", {at::kDouble, {0}}},
    // The CPU adds up products of float16 in float32, too, but takes up to eighty times as long as for float32.
    {"aten::mm", {at::kFloat, {0}}},
    {"aten::bmm", {at::kFloat, {0}}},
    {"aten::addmm", {at::kFloat, {0}}},
    {"aten::baddbmm", {at::kFloat, {0}}},
    {"aten::mm.out", {at::kFloat, {0}}},
    {"aten::bmm.out", {at::kFloat, {0}}},
    {"aten::addmm.out", {at::kFloat, {0}}},
    {"aten::baddbmm.out", {at::kFloat, {0}}},
};

// What is known of an operator before it is called.
struct Facts {
  Facts(const c10::OperatorName& operator_name, DispatchKey host) : key(host) {
    const auto name = full_name(operator_name);
    if (auto found = card::kernels().find(name); found != card::kernels().end()) own = &found->second;
    if (auto found = precise.find(name); found != precise.end()) computed_wider = &found->second;
    is_checked = !rules.empty() && name.rfind("aten::", 0) == 0;
    const auto found = rules.find(name);
    if (found == rules.end()) return;
    for (auto rule : found->second) {
      if (rule == Rule::Unchecked) is_checked = false;
      if (rule == Rule::Scalars) takes_host_scalars = true;
      if (rule == Rule::NotOnCuda) not_on_cuda = true;
    }
  }

  DispatchKey key; // of the CPU's kernel
  const c10::KernelFunction* own = nullptr;
  const Precise* computed_wider = nullptr;
  bool is_checked = false, takes_host_scalars = false, not_on_cuda = false;
};

// The tensors of one call: each of the device's with its counterpart on the host.
class Call {
 public:
  Call(const c10::OperatorHandle& op, const Facts& facts, torch::jit::Stack* stack) : op_(op), facts_(facts), stack_(stack) {}

  void run() {
    const auto& schema = op_.schema();
    const auto taken = schema.arguments().size(), begin = stack_->size() - taken;
    for (size_t index = 0; index < taken; ++index) {
      auto& value = (*stack_)[begin + index];
      down(value);
      const auto* alias = schema.arguments()[index].alias_info();
      if (alias == nullptr || !alias->isWrite() || !value.isTensor() || !value.toTensor().defined()) continue;
      if (const auto& written = value.toTensor(); written.is_cpu() && written.layout() == c10::kStrided)
        expect_writing(written.data_ptr(), written.nbytes());
    }
    TORCH_CHECK_NOT_IMPLEMENTED(
        !facts_.not_on_cuda, "Could not run '", op_.operator_name(),
        "' with arguments from the 'CUDA' backend: CUDA has no such operator.");
    const auto* kernel = facts_.own;
    if (kernel == nullptr && !op_.hasComputedKernelForDispatchKey(facts_.key)) refuse();
    check_devices();
    if (device_.index() < 0) device_ = device(-1);
    std::optional<Drawing> drawing;
    if (generator_.defined()) {
      drawing.emplace(generator_);
    } else if (kernel == nullptr && op_.hasTag(at::Tag::nondeterministic_seeded)) {
      drawing.emplace(default_generator(device_.index()));
    }
    {
      auto outer = std::exchange(operator_of, device_.index());
      struct Restore {
        c10::DeviceIndex outer;
        ~Restore() { operator_of = outer; }
      } restore{outer};
      const torch::jit::Stack given(stack_->end() - static_cast<long>(taken), stack_->end());
      try {
        if (kernel != nullptr) {
          at::AutoDispatchBelowADInplaceOrView below;
          kernel->callBoxed(op_, DispatchKeySet(facts_.key), stack_);
        } else if (!run_precisely(given)) {
          op_.redispatchBoxed(DispatchKeySet(facts_.key), stack_);
        }
      } catch (const c10::NotImplementedError&) { // as a kernel says of a type that it lacks (ATen/Dispatch.h)
        stack_->resize(begin);
        stack_->insert(stack_->end(), given.begin(), given.end());
        if (!run_in_float()) throw;
      }
    }
    for (auto& pair : pairs_) write_back(pair);
    for (auto& pair : composed_) write_back_parts(pair);
    const auto given = schema.returns().size(), first = stack_->size() - given;
    for (size_t index = 0; index < given; ++index) up((*stack_)[first + index]);
  }

 private:
  struct Pair {
    Tensor device, host;
    void* memory; // none of a tensor that consists of others
  };

  Tensor down(const Tensor& tensor) {
    if (!tensor.defined()) return tensor;
    if (!tensor.is_cuda()) {
      if (tensor.is_cpu()) (tensor.dim() == 0 ? host_scalars_ : host_tensors_).push_back(tensor);
      return tensor;
    }
    for (auto* known : {&pairs_, &composed_})
      for (auto& pair : *known)
        if (pair.device.is_same(tensor)) return pair.host;
    if (is_composed(tensor)) {
      auto host = composed(tensor, kHost, [this](const Tensor& part) { return down(part); });
      composed_.push_back({tensor, host, nullptr});
      return host;
    }
    TORCH_CHECK_NOT_IMPLEMENTED(
        tensor.layout() == c10::kStrided, op_.schema().operator_name(), " of a ", tensor.layout(),
        " tensor is not computed on a virtual GPU");
    if (device_.index() < 0) {
      device_ = tensor.device();
    } else if (tensor.device() != device_ && !other_.has_value()) {
      other_ = tensor.device();
    }
    if (tensor._is_zerotensor()) return at::zeros(tensor.sizes(), tensor.options().device(kHost));
    auto host = moved(tensor, kHost);
    pairs_.push_back({tensor, host, const_cast<void*>(host.storage().data())});
    return host;
  }

  void down(c10::IValue& value) {
    if (value.isTensor()) {
      value = down(value.toTensor());
    } else if (value.isTensorList()) {
      c10::List<Tensor> tensors;
      for (const Tensor& tensor : value.toTensorList()) tensors.push_back(down(tensor));
      value = tensors;
    } else if (value.isOptionalTensorList()) {
      c10::List<std::optional<Tensor>> tensors;
      for (std::optional<Tensor> tensor : value.toOptionalTensorList())
        tensors.push_back(tensor ? std::optional<Tensor>(down(*tensor)) : tensor);
      value = tensors;
    } else if (value.isList()) { // of lists, which collectives take
      auto list = value.toList().copy();
      for (size_t index = 0; index < list.size(); ++index) {
        c10::IValue element = list.get(index);
        down(element);
        list.set(index, element);
      }
      value = list;
    } else if (value.isDevice() && value.toDevice().is_cuda()) {
      if (device_.index() < 0) device_ = device(value.toDevice().index());
      value = kHost;
    } else if (value.isGenerator() && value.toGenerator().device().is_cuda()) {
      generator_ = value.toGenerator();
      value = c10::IValue();
    }
  }

  [[noreturn]] void refuse() const {
    TORCH_CHECK_NOT_IMPLEMENTED(
        facts_.key != DispatchKey::CPU, name(), " is an operator that only a card has, and a virtual GPU has no rule for it");
    const char* key = facts_.key == DispatchKey::SparseCPU ? "SparseCUDA"
        : facts_.key == DispatchKey::SparseCsrCPU          ? "SparseCsrCUDA"
        : facts_.key == DispatchKey::QuantizedCPU          ? "QuantizedCUDA"
                                                           : "NestedTensorCUDA";
    C10_THROW_ERROR(
        NotImplementedError,
        c10::str("Could not run '", op_.operator_name(), "' with arguments from the '", key,
                 "' backend: the CPU, which a virtual GPU computes with, has no such operator."));
  }

  const std::string& name() const { return op_.operator_name().name; }

  void check_devices() const {
    if (pairs_.empty() || !facts_.is_checked) return;
    std::optional<c10::Device> found = other_;
    if (!host_tensors_.empty() || (!host_scalars_.empty() && !facts_.takes_host_scalars)) found = kHost;
    TORCH_CHECK(
        !found, "Expected all tensors to be on the same device, but found at least two devices, ", device_, " and ", *found,
        "! (when checking arguments of ", op_.operator_name(), ")");
  }

  // An operator may resize what it writes to.
  static void write_back(Pair& pair) {
    auto* host = pair.host.unsafeGetTensorImpl();
    auto* own = pair.device.unsafeGetTensorImpl();
    if (pair.host.storage().data() != pair.memory || pair.host.storage().nbytes() != pair.device.storage().nbytes()) {
      auto* storage = pair.device.storage().unsafeGetStorageImpl();
      auto memory = shared_memory(pair.host.storage(), pair.device.device());
      storage->set_data_ptr_noswap(std::move(memory));
      storage->set_nbytes(pair.host.storage().nbytes());
    }
    if (host->sizes() != own->sizes() || host->strides() != own->strides())
      own->set_sizes_and_strides(host->sizes(), host->strides(), host->storage_offset());
  }

  // An operator may give a sparse tensor that it writes to other parts.
  void write_back_parts(Pair& pair) {
    if (pair.device.is_nested()) return;
    if (is_compressed(pair.device)) {
      const auto* host = impl_of<at::SparseCsrTensorImpl>(pair.host);
      auto* own = impl_of<at::SparseCsrTensorImpl>(pair.device);
      const auto compressed = up(host->compressed_indices()), plain = up(host->plain_indices()), values = up(host->values());
      if (compressed.is_same(own->compressed_indices()) && plain.is_same(own->plain_indices()) && values.is_same(own->values()))
        return;
      own->set_member_tensors(compressed, plain, values, pair.host.sizes());
      return;
    }
    const auto* host = impl_of<at::SparseTensorImpl>(pair.host);
    auto* own = impl_of<at::SparseTensorImpl>(pair.device);
    const auto indices = up(host->indices()), values = up(host->values());
    if (!indices.is_same(own->indices()) || !values.is_same(own->values()) || own->sizes() != host->sizes()) {
      own->raw_resize_(host->sparse_dim(), host->dense_dim(), host->sizes());
      own->set_indices_and_values_unsafe(indices, values);
    }
    if (own->coalesced() != host->coalesced()) own->set_coalesced(host->coalesced());
  }

  // False, with the stack as it was, if the CPU's kernel computes as precisely as CUDA's.
  bool run_precisely(const torch::jit::Stack& given) {
    if (facts_.computed_wider == nullptr) return false;
    const auto& [computed, results] = *facts_.computed_wider;
    auto narrower = [wide = computed](const c10::IValue& value) {
      if (!value.isTensor() || !value.toTensor().defined()) return false;
      const auto type = value.toTensor().scalar_type();
      return type == at::kHalf || type == at::kBFloat16 || (type == at::kFloat && wide == at::kDouble);
    };
    // With a type of its own for the result, a norm computes in it.
    const auto& last = given.back();
    if (std::none_of(given.begin(), given.end(), narrower) || (name() == "aten::linalg_vector_norm" && !last.isNone())) return false;
    // Two types in a product are refused: by the host's kernel, as they are.
    if (computed == at::kFloat && results.size() == 1 && has_two_types(given)) return false;
    const bool into = op_.schema().overload_name() == "out";
    const auto begin = stack_->size() - given.size();
    const auto index = std::exchange(operator_of, -1); // a card needs no memory for this
    for (size_t at = 0; at < given.size(); ++at)
      if (narrower(given[at])) (*stack_)[begin + at] = given[at].toTensor().to(computed);
    op_.redispatchBoxed(DispatchKeySet(facts_.key), stack_);
    operator_of = index;
    if (name() == "aten::linalg_vector_norm" && given[1].toScalar().toDouble() == 2) square_in_float((*stack_)[begin].toTensor());
    if (into) {
      auto out = last.toTensor();
      const auto wide = (*stack_)[begin].toTensor();
      if (out.sizes() != wide.sizes()) out.resize_(wide.sizes());
      out.copy_(wide);
      (*stack_)[begin] = out;
      return true;
    }
    for (size_t at = 0; at < results.size(); ++at) {
      auto& result = (*stack_)[begin + at];
      if (!result.isTensor() || !result.toTensor().defined()) continue;
      const auto* like = results[at] < 0 ? nullptr : &given[static_cast<size_t>(results[at])];
      const bool known = like != nullptr && like->isTensor() && like->toTensor().defined();
      if (like == nullptr || known) result = result.toTensor().to(known ? like->toTensor().scalar_type() : at::kFloat, false, true);
    }
    return true;
  }

  // A card squares in float32, which overflows, and vanishes, before these norms do.
  static void square_in_float(const Tensor& norms) {
    if (norms.scalar_type() != at::kDouble || !norms.is_non_overlapping_and_dense()) return;
    auto* numbers = norms.mutable_data_ptr<double>();
    for (int64_t at = 0; at < norms.numel(); ++at) {
      const auto square = numbers[at] * numbers[at];
      if (square > std::numeric_limits<float>::max()) numbers[at] = std::numeric_limits<double>::infinity();
      if (square < std::numeric_limits<float>::denorm_min() / 2.0) numbers[at] = 0;
    }
  }

  static bool has_two_types(const torch::jit::Stack& given) {
    std::optional<c10::ScalarType> type;
    for (const auto& value : given) {
      if (!value.isTensor() || !value.toTensor().defined()) continue;
      if (type.value_or(value.toTensor().scalar_type()) != value.toTensor().scalar_type()) return true;
      type = value.toTensor().scalar_type();
    }
    return false;
  }

  static bool is_widened(const c10::OperatorName& name, c10::ScalarType type) {
    if (type == at::kHalf || type == at::kBFloat16 || type == at::kComplexHalf) return true;
    if (type == at::kBool) return name.name == "aten::abs" || name.name == "aten::abs_"; // AbsKernel.cu
    // Most of CUDA's kernels do not take these either (aten/src/ATen/native/cuda/CompareEQKernel.cu does).
    return c10::isFloat8Type(type) && (name.name == "aten::equal" || name.name == "aten::eq" || name.name == "aten::ne");
  }

  // Some of the CPU's kernels lack a narrow type that CUDA's have: they compute in float32, and the result is rounded.
  // False, with the stack as it was, if there is no tensor of such a type.
  bool run_in_float() {
    const auto& schema = op_.schema();
    const auto taken = schema.arguments().size(), begin = stack_->size() - taken;
    std::vector<std::pair<Tensor, Tensor>> widened;
    for (size_t index = 0; index < taken; ++index) {
      auto& value = (*stack_)[begin + index];
      if (!value.isTensor() || !value.toTensor().defined()) continue;
      auto narrow = value.toTensor();
      if (!is_widened(op_.operator_name(), narrow.scalar_type())) continue;
      auto wide = narrow.to(narrow.is_complex() ? at::kComplexFloat : at::kFloat);
      widened.emplace_back(narrow, wide);
      value = wide;
    }
    if (widened.empty()) return false;
    op_.redispatchBoxed(DispatchKeySet(facts_.key), stack_);
    for (size_t index = 0; index < taken; ++index) {
      const auto* alias = schema.arguments()[index].alias_info();
      if (alias == nullptr || !alias->isWrite()) continue;
      for (auto& [narrow, wide] : widened) narrow.copy_(wide);
      break;
    }
    const auto given = schema.returns().size(), first = stack_->size() - given;
    for (size_t index = 0; index < given; ++index) {
      auto& value = (*stack_)[first + index];
      if (!value.isTensor() || !value.toTensor().defined()) continue;
      auto result = value.toTensor();
      if (result.scalar_type() != at::kFloat && result.scalar_type() != at::kComplexFloat) continue;
      auto same = std::find_if(widened.begin(), widened.end(), [&](auto& pair) { return pair.second.is_same(result); });
      const auto real = c10::toRealValueType(widened.front().first.scalar_type());
      value = same != widened.end() ? same->first : result.to(result.is_complex() ? c10::toComplexType(real) : real);
    }
    return true;
  }

  Tensor up(const Tensor& tensor) {
    if (!tensor.defined() || !tensor.is_cpu()) return tensor;
    for (auto* known : {&pairs_, &composed_})
      for (auto& pair : *known)
        if (pair.host.is_same(tensor)) return pair.device;
    for (auto* given : {&host_tensors_, &host_scalars_})
      for (auto& host : *given)
        if (host.is_same(tensor)) return tensor;
    if (is_composed(tensor)) return composed(tensor, device_, [this](const Tensor& part) { return up(part); });
    TORCH_CHECK_NOT_IMPLEMENTED(
        tensor.layout() == c10::kStrided || host_tensors_.size() + host_scalars_.size() > 0, op_.schema().operator_name(),
        " gives a ", tensor.layout(), " tensor, which a virtual GPU does not have");
    if (tensor.layout() != c10::kStrided) return tensor;
    for (auto& pair : pairs_)
      if (pair.host.storage().unsafeGetStorageImpl() == tensor.storage().unsafeGetStorageImpl())
        return view_of(pair.device, tensor);
    return moved(tensor, device_);
  }

  void up(c10::IValue& value) {
    if (value.isTensor()) {
      value = up(value.toTensor());
    } else if (value.isTensorList()) {
      c10::List<Tensor> tensors;
      for (const Tensor& tensor : value.toTensorList()) tensors.push_back(up(tensor));
      value = tensors;
    } else if (value.isList()) {
      auto list = value.toList().copy();
      for (size_t index = 0; index < list.size(); ++index) {
        c10::IValue element = list.get(index);
        up(element);
        list.set(index, element);
      }
      value = list;
    }
  }

  const c10::OperatorHandle& op_;
  const Facts& facts_;
  torch::jit::Stack* stack_;
  std::vector<Pair> pairs_, composed_;
  std::vector<Tensor> host_tensors_, host_scalars_;
  at::Generator generator_;
  c10::Device device_{c10::DeviceType::CUDA, -1};
  std::optional<c10::Device> other_;
};

struct Computed final : c10::OperatorKernel {
  explicit Computed(const Facts& facts) : facts(facts) {}
  void operator()(const c10::OperatorHandle& op, DispatchKeySet, torch::jit::Stack* stack) { Call(op, facts, stack).run(); }
  const Facts facts;
};

// Of what is defined later.
template <DispatchKey host>
void fallback(const c10::OperatorHandle& op, torch::jit::Stack* stack) {
  const Facts facts(op.operator_name(), host);
  Call(op, facts, stack).run();
}

// ---------------------------------------------------------------------------------------------------- attention

// What decides which kernel a card computes an attention with (targets/attention_choice.py), besides the card itself.
using AttentionKind = std::vector<int64_t>;

// Empty if it has to be decided for this call alone.
AttentionKind kind_of_attention(
    at::TensorList tensors, const std::optional<Tensor>& mask, double dropout, bool causal, bool grouped) {
  if (at::areAnyTensorSubclassLike(tensors)) return {};
  auto& context = at::globalContext();
  AttentionKind kind;
  kind.reserve(80);
  kind = {
      causal, grouped, c10::GradMode::is_enabled(), context.userEnabledFlashSDP(), context.userEnabledMemEfficientSDP(),
      context.userEnabledMathSDP(), context.userEnabledCuDNNSDP(), context.deterministicAlgorithms(),
      context.deterministicAlgorithmsWarnOnly(), static_cast<int64_t>(dropout * (1 << 30))};
  for (auto backend : context.sDPPriorityOrder()) kind.push_back(static_cast<int64_t>(backend));
  const auto describe = [&kind](const Tensor& tensor) {
    if (!tensor.is_cuda() || tensor.layout() != c10::kStrided) return false;
    kind.insert(kind.end(), {tensor.dim(), static_cast<int64_t>(tensor.scalar_type()), tensor.requires_grad()});
    kind.insert(kind.end(), tensor.sizes().begin(), tensor.sizes().end());
    kind.insert(kind.end(), tensor.strides().begin(), tensor.strides().end());
    return true;
  };
  for (const auto& tensor : tensors) {
    if (!describe(tensor) || tensor.dim() != 4) return {};
    kind.push_back(tensor.storage_offset() % 16);
  }
  if (card::given(mask) && (at::isTensorSubclassLike(*mask) || mask->dim() == 0 || !describe(*mask))) return {};
  return kind;
}

// What is added to scores, of the mask that a program gives: of one of booleans, zero and `masked`
// (targets/attention_choice.py: _additive), in this size, with rows that start at multiples of `step`.
Tensor additive(const Tensor& mask, const Tensor& query, c10::IntArrayRef size, int64_t step, double masked) {
  const bool is_seen = mask.scalar_type() == at::kBool;
  std::vector<int64_t> strides(size.size(), 1);
  auto length = (size.back() + step - 1) / step * step;
  for (auto axis = size.size() - 1; axis-- > 0; length *= size[axis]) strides[axis] = length;
  OnDevice entered(query.device());
  Tensor made = at::detail::empty_strided_generic(
      size, strides, &device_allocator, DispatchKeySet(DispatchKey::CUDA), is_seen ? query.scalar_type() : mask.scalar_type());
  auto host = moved(made, kHost);
  at::_ops::copy_::redispatch(kHostKernel, host, moved(mask, kHost), false);
  if (!is_seen) return made;
  at::_ops::log_::redispatch(kHostKernel, host); // 0 of 1, and of 0 what is less than any number
  if (std::isfinite(masked)) at::_ops::clamp_min_::redispatch(kHostKernel, host, masked);
  return made;
}

std::optional<Tensor> additive(const std::optional<Tensor>& mask, const Tensor& query, double masked) {
  if (!card::given(mask) || mask->scalar_type() != at::kBool) return mask;
  return additive(*mask, query, mask->sizes(), 1, masked);
}

// With rows that start at multiples of 16, as the kernel wants them (targets/attention_choice.py: _preprocess_mask).
std::optional<Tensor> with_aligned_rows(const std::optional<Tensor>& mask, const Tensor& query, const Tensor& key) {
  if (!card::given(mask)) return mask;
  const std::array<int64_t, 4> size{query.size(0), query.size(1), query.size(2), key.size(2)};
  constexpr auto nothing = -std::numeric_limits<double>::infinity();
  if (mask->scalar_type() == at::kBool) return additive(*mask, query, size, 16, nothing);
  const auto whole = mask->expand(size);
  const auto strides = whole.strides().slice(0, 3);
  const auto last = whole.size(3);
  if (last % 16 == 0 && std::all_of(strides.begin(), strides.end(), [](auto stride) { return stride % 16 == 0; })) return whole;
  if (!mask->requires_grad()) return additive(*mask, query, size, 16, nothing);
  return last % 16 == 0 ? whole.contiguous() : at::constant_pad_nd(whole, {0, 16 - last % 16}).narrow(3, 0, last);
}

std::mutex attention_mutex;
std::map<AttentionKind, at::SDPBackend> attention_kernels; // of this card

Tensor attention(
    const Tensor& query, const Tensor& key, const Tensor& value, const std::optional<Tensor>& mask, double dropout, bool causal,
    std::optional<double> scale, bool grouped) {
  static auto in_python = c10::Dispatcher::singleton()
                              .findSchemaOrThrow("compile_golden::attention", "")
                              .typed<decltype(attention)>();
  static auto choice = c10::Dispatcher::singleton()
                           .findSchemaOrThrow("compile_golden::attention_kernel", "")
                           .typed<int64_t(
                               const Tensor&, const Tensor&, const Tensor&, const std::optional<Tensor>&, double, bool,
                               std::optional<double>, bool)>();
  const auto kind = kind_of_attention({query, key, value}, mask, dropout, causal, grouped);
  if (kind.empty()) return in_python.call(query, key, value, mask, dropout, causal, scale, grouped);
  std::optional<at::SDPBackend> kernel;
  {
    std::lock_guard<std::mutex> lock(attention_mutex);
    if (auto found = attention_kernels.find(kind); found != attention_kernels.end()) kernel = found->second;
  }
  if (!kernel) {
    kernel = static_cast<at::SDPBackend>(choice.call(query, key, value, mask, dropout, causal, scale, grouped));
    std::lock_guard<std::mutex> lock(attention_mutex);
    attention_kernels[kind] = *kernel;
  }
  const bool trains =
      c10::GradMode::is_enabled() && (query.requires_grad() || key.requires_grad() || value.requires_grad());
  constexpr auto nothing = -std::numeric_limits<double>::infinity();
  if (kernel == at::SDPBackend::efficient_attention)
    return std::get<0>(at::_scaled_dot_product_efficient_attention(
        query, key, value, with_aligned_rows(mask, query, key), trains, dropout, causal, scale));
  if (kernel == at::SDPBackend::cudnn_attention) {
    constexpr double lowest = -65504; // of float16: cuDNN takes no infinity
    return std::get<0>(at::_scaled_dot_product_cudnn_attention(
        query, key, value, additive(mask, query, lowest), trains, dropout, causal, false, scale));
  }
  if (kernel == at::SDPBackend::math)
    return std::get<0>(at::_scaled_dot_product_attention_math(
        query, key, value, additive(mask, query, nothing), dropout, causal, {}, scale, grouped));
  if (kernel == at::SDPBackend::flash_attention && query.size(3) % 8 == 0)
    return std::get<0>(at::_scaled_dot_product_flash_attention(
        query, key, value, dropout, causal, false, scale.value_or(1 / std::sqrt(static_cast<double>(query.size(3))))));
  return in_python.call(query, key, value, mask, dropout, causal, scale, grouped);
}

// ---------------------------------------------------------------------------------------------------- in and out

Tensor host_view(const Tensor& self) {
  return on_host(self);
}

Tensor device_view(const Tensor& self, int64_t index) {
  return on_device(self, device(static_cast<c10::DeviceIndex>(index)));
}

at::Generator generator_of(int64_t index) {
  return default_generator(static_cast<c10::DeviceIndex>(index));
}

void resize_bytes(const Tensor& self, int64_t bytes) {
  resize_storage(self.storage().unsafeGetStorageImpl(), static_cast<size_t>(bytes));
}

// From now on a storage of the device has the memory of a storage of the host, which has the same contents.
void take_memory(const Tensor& self, const Tensor& host) {
  self.storage().unsafeGetStorageImpl()->set_data_ptr_noswap(shared_memory(host.storage(), self.device()));
}

// The same memory, which this tensor does not keep alive.
Tensor unowned(const Tensor& self) {
  auto storage = c10::make_intrusive<c10::StorageImpl>(
      c10::StorageImpl::use_byte_size_t(), self.storage().nbytes(), c10::DataPtr(self.storage().mutable_data(), self.device()),
      &device_allocator, false);
  return made_like(self, c10::Storage(std::move(storage)), DispatchKeySet(DispatchKey::CUDA));
}

// What a tensor says that reads its memory after a later replay has written there.
void forbid_storage(const Tensor& self, std::string message) {
  self.unsafeGetTensorImpl()->release_storage_and_set_meta_custom_data_ptr_error_msg_(std::move(message));
}

// The storage that frees the block of this one when it dies: itself, or the host's that it has kept. Null if none does.
c10::StorageImpl* owner_of(c10::StorageImpl* storage) {
  const auto& memory = storage->_mutable_data_ptr_no_checks();
  if (memory.get_deleter() == &free_counted) return storage;
  return memory.get_deleter() == &drop_storage ? owner_of(static_cast<c10::StorageImpl*>(memory.get_context())) : nullptr;
}

std::vector<std::unique_ptr<torch::Library>> libraries;
std::vector<c10::RegistrationHandleRAII> kernels;
const c10::impl::DeviceGuardImplInterface* guard_before = nullptr;
void* hooks_before = nullptr;
c10::Allocator* allocator_before = nullptr;
bool attached = false;

torch::Library& library(torch::Library::Kind kind, const char* name, std::optional<DispatchKey> key) {
  return *libraries.emplace_back(std::make_unique<torch::Library>(kind, name, key, __FILE__, __LINE__));
}

// One function for all devices, which then launches a device's kernel without asking the dispatcher
// (ldexp in aten/src/ATen/native/BinaryOps.cpp, since torch 2.11; the check of indices in sparse/SparseTensor.cpp), or chooses an operator of cuDNN
// (aten/src/ATen/native/Convolution.cpp).
bool chooses_itself(const c10::OperatorName& name) {
  static const std::unordered_set<std::string> names{
      "aten::ldexp", "aten::ldexp_", "aten::convolution", "aten::convolution_backward",
      "aten::_validate_sparse_coo_tensor_args"};
  return names.count(name.name) > 0;
}

// Every operator that the CPU has a kernel of is a device's, too: where there is only a fallback, an operator is composed of
// others first, such as one that writes its result into a tensor. What a CUDA wheel has, which would look for a driver, is
// replaced.
template <DispatchKey host, DispatchKey own>
void register_kernels() {
  auto& dispatcher = c10::Dispatcher::singleton();
  for (const auto& name : dispatcher.getAllOpNames()) {
    auto op = dispatcher.findOp(name);
    if (!op) continue;
    const Facts facts(name, host);
    const bool dense = own == DispatchKey::CUDA && (chooses_itself(name) || facts.own != nullptr);
    if (dense || op->hasKernelForDispatchKey(host) || op->hasKernelForDispatchKey(own))
      kernels.push_back(dispatcher.registerImpl(
          name, own, c10::KernelFunction::makeFromBoxedFunctor(std::make_unique<Computed>(facts)), std::nullopt, nullptr,
          "virtual GPU"));
  }
  library(torch::Library::IMPL, "_", own).fallback(torch::CppFunction::makeFromBoxedFunction<&fallback<host>>());
}

c10::Allocator* allocator_or_none(c10::DeviceType type) {
  try {
    return c10::GetAllocator(type);
  } catch (const c10::Error&) {
    return nullptr;
  }
}

// What DistributedDataParallel times its second step and later ones with. That of a CUDA wheel would ask a driver, and a CPU
// wheel has none (torch/csrc/distributed/c10d/logger.cpp: set_runtime_stats_and_log).
struct Timer final : c10d::Timer {
  explicit Timer(c10::Device) {}
  std::optional<int64_t> measureDifference(Event start, Event end) override { return getTimeRef(end) - getTimeRef(start); }
};

void register_timer() {
  static bool done = false;
  if (std::exchange(done, true)) return;
  c10d::TimerRegistry()->Register(
      c10::DeviceType::CUDA, [](c10::Device of) -> std::unique_ptr<c10d::Timer> { return std::make_unique<Timer>(of); },
      c10::REGISTRY_PREFERRED);
}

struct Silent final : c10::WarningHandler {
  void process(const c10::Warning&) override {}
};

} // namespace

extern "C" {

void attach(long cudnn, int devices, long long bytes) {
  if (attached) return;
  virtual_cuda::cudnn_version = cudnn;
  virtual_cuda::devices = static_cast<c10::DeviceIndex>(std::min<int>(devices, kMostDevices));
  capacity = bytes;
  plain_host = c10::GetCPUAllocator();
  c10::SetCPUAllocator(&host_allocator, 100);
  allocator_before = allocator_or_none(c10::DeviceType::CUDA);
  c10::SetAllocator(c10::DeviceType::CUDA, &device_allocator, 100);

  register_timer();
  Silent silent; // each kernel that is replaced would be a warning
  c10::WarningUtils::WarningHandlerGuard warnings(&silent);
  register_kernels<DispatchKey::CPU, DispatchKey::CUDA>();
  register_kernels<DispatchKey::SparseCPU, DispatchKey::SparseCUDA>();
  register_kernels<DispatchKey::SparseCsrCPU, DispatchKey::SparseCsrCUDA>();
  register_kernels<DispatchKey::QuantizedCPU, DispatchKey::QuantizedCUDA>();
  register_kernels<DispatchKey::NestedTensorCPU, DispatchKey::NestedTensorCUDA>();
  auto& aten = library(torch::Library::IMPL, "aten", DispatchKey::CUDA);
  aten.impl("empty.memory_format", empty);
  aten.impl("empty_strided", empty_strided);
  aten.impl("copy_", copy_);
  aten.impl("_local_scalar_dense", local_scalar_dense);
  aten.impl("as_strided", as_strided);
  aten.impl("view", view);
  aten.impl("_reshape_alias", reshape_alias);
  aten.impl("unfold", unfold);
  aten.impl("resize_", resize_);
  aten.impl("set_.source_Storage_storage_offset", set_storage);
  aten.impl("set_.source_Tensor", set_tensor);
  aten.impl("set_.source_Storage", set_source);
  aten.impl("set_", set_nothing);
  aten.impl("record_stream", record_stream);
  // Where there is no kernel of quantized numbers, torch's own would launch a device's without asking the dispatcher.
  library(torch::Library::IMPL, "aten", DispatchKey::QuantizedCUDA).impl("copy_", copy_);
  attention_kernels.clear();
  aten.impl("scaled_dot_product_attention", attention);
  library(torch::Library::IMPL, "aten", DispatchKey::AutogradCUDA).impl("scaled_dot_product_attention", attention);
  // They stay: torch.ops remembers an operator that it was once asked for.
  static torch::Library own(torch::Library::FRAGMENT, "compile_golden", std::nullopt, __FILE__, __LINE__);
  static bool defined = false;
  if (!std::exchange(defined, true)) {
    own.def("host_view(Tensor self) -> Tensor", host_view);
    own.def("device_view(Tensor self, int index) -> Tensor", device_view);
    own.def("generator(int index) -> Generator?", generator_of);
    own.def("take_memory(Tensor self, Tensor host) -> ()", take_memory);
    const std::string of_attention =
        "(Tensor query, Tensor key, Tensor value, Tensor? attn_mask, float dropout_p, bool is_causal, float? scale, bool enable_gqa)";
    own.def(("attention" + of_attention + " -> Tensor").c_str());
    own.def(("attention_kernel" + of_attention + " -> int").c_str());
    own.def("resize_storage(Tensor self, int bytes) -> ()", resize_bytes);
    own.def("unowned(Tensor self) -> Tensor", unowned);
    own.def("forbid_storage(Tensor self, str message) -> ()", forbid_storage);
  }

  static const virtual_cuda::Guard guard; // torch never destroys guards: the table does not own them
  static const DeviceHooks hooks;
  void* functions = nullptr;
  std::memcpy(&functions, static_cast<const void*>(&hooks), sizeof(void*));
  guard_before = virtual_cuda::guard_slot().exchange(&guard);
  hooks_before = virtual_cuda::exchange_virtual_functions(at::detail::getCUDAHooks(), functions);
  attached = true;
}

void detach() {
  if (!attached) return;
  virtual_cuda::exchange_virtual_functions(at::detail::getCUDAHooks(), hooks_before);
  virtual_cuda::guard_slot().store(guard_before);
  libraries.clear();
  kernels.clear();
  c10::SetAllocator(c10::DeviceType::CUDA, allocator_before, 100);
  c10::SetCPUAllocator(plain_host, 100);
  virtual_cuda::current = 0;
  virtual_cuda::streams.clear();
  attached = false;
}

// A rule a line: its letter, and the name of an operator.
void set_rules(const char* text) {
  std::string lines(text);
  for (size_t start = 0, end; (end = lines.find('\n', start)) != std::string::npos; start = end + 1)
    rules[lines.substr(start + 2, end - start - 2)].push_back(static_cast<Rule>(lines[start]));
}

// What is live, its peak, and what was ever allocated and freed, in bytes; the same in blocks; and failures.
void memory_usage(int index, long long* figures) {
  std::lock_guard<std::mutex> lock(usage_mutex);
  auto& usage = usages[static_cast<size_t>(index)];
  const int64_t all[] = {usage.live, usage.peak, usage.allocated, usage.freed,
                         usage.blocks, usage.peak_blocks, usage.allocations, usage.allocations - usage.blocks, usage.failures};
  std::copy(std::begin(all), std::end(all), figures);
}

// The block that holds this address: its start, its size as it was asked for, and as it was given. False if none does.
bool block_at(unsigned long long address, unsigned long long* figures) {
  std::lock_guard<std::mutex> lock(usage_mutex);
  for (const auto& [memory, block] : counted_blocks) {
    auto start = reinterpret_cast<uintptr_t>(memory);
    auto given = static_cast<uintptr_t>(rounded(block.second));
    if (address < start || address >= start + given) continue;
    figures[0] = start;
    figures[1] = block.second;
    figures[2] = given;
    return true;
  }
  return false;
}

void reset_peak(int index) {
  std::lock_guard<std::mutex> lock(usage_mutex);
  auto& usage = usages[static_cast<size_t>(index)];
  usage.peak = usage.live;
  usage.peak_blocks = usage.blocks;
}

void reset_accumulated(int index) {
  std::lock_guard<std::mutex> lock(usage_mutex);
  auto& usage = usages[static_cast<size_t>(index)];
  usage.allocated = usage.freed = 0;
  usage.allocations = usage.blocks;
}

int exchange_device(int index) {
  return virtual_cuda::Guard().exchangeDevice(device(static_cast<c10::DeviceIndex>(index))).index();
}

int current_device() {
  return virtual_cuda::current;
}

// ---- pools, for torch._inductor.cudagraph_trees (torch/csrc/cuda/Module.cpp); a storage is the address of its StorageImpl

// From now on this thread allocates from a pool, which is there until it is released as often as it was begun.
void begin_pool(long long pool) {
  std::lock_guard<std::mutex> lock(usage_mutex);
  ++pools[pool].users;
  pool_of_thread = pool;
}

void end_pool() {
  pool_of_thread = 0;
}

void release_pool(long long number) {
  std::vector<std::pair<void*, size_t>> unused;
  {
    std::lock_guard<std::mutex> lock(usage_mutex);
    auto found = pools.find(number);
    if (found == pools.end() || --found->second.users > 0) return;
    auto& blocks = found->second.blocks;
    for (auto block = blocks.begin(); block != blocks.end();) {
      if (counted_blocks.count(block->first) > 0) {
        ++block; // it is freed when its tensor is
      } else {
        unused.push_back(*block);
        pooled.erase(block->first);
        block = blocks.erase(block);
      }
    }
    if (blocks.empty()) pools.erase(found);
  }
  for (const auto& [memory, room] : unused) return_to_host(memory, room);
}

// How many blocks of a pool are live; the first `most` of them are written down, with their sizes in bytes.
int pool_blocks(long long number, int most, unsigned long long* addresses, long long* bytes) {
  std::lock_guard<std::mutex> lock(usage_mutex);
  const auto pool = pools.find(number);
  if (pool == pools.end()) return 0;
  int count = 0;
  for (const auto& [memory, room] : pool->second.blocks) {
    const auto block = counted_blocks.find(memory);
    if (block == counted_blocks.end()) continue;
    if (count < most) {
      addresses[count] = reinterpret_cast<uintptr_t>(memory);
      bytes[count] = static_cast<long long>(block->second.second);
    }
    ++count;
  }
  return count;
}

bool is_pooled(unsigned long long address) {
  std::lock_guard<std::mutex> lock(usage_mutex);
  return pooled.count(reinterpret_cast<void*>(address)) > 0;
}

// This block of a pool is live, whether or not it was. False if the card has no memory left.
bool use_block(unsigned long long address, long long bytes, int index) {
  auto* memory = reinterpret_cast<void*>(address);
  {
    std::lock_guard<std::mutex> lock(usage_mutex);
    if (counted_blocks.count(memory) > 0) return true;
  }
  try {
    charge(static_cast<c10::DeviceIndex>(index), static_cast<size_t>(bytes));
  } catch (const c10::OutOfMemoryError&) {
    return false;
  }
  std::lock_guard<std::mutex> lock(usage_mutex);
  counted_blocks[memory] = {static_cast<c10::DeviceIndex>(index), static_cast<size_t>(bytes)};
  return true;
}

void free_block(unsigned long long address) {
  free_counted(reinterpret_cast<void*>(address));
}

// Memory of the host that a program has registered is pinned until it says otherwise.
void pin(unsigned long long start, unsigned long long bytes) {
  at::globalContext().lazyInitDevice(c10::DeviceType::CUDA); // before it, torch takes nothing as pinned
  PinnedAllocator::add(reinterpret_cast<const void*>(start), bytes);
}

void unpin(unsigned long long start) { PinnedAllocator::remove(reinterpret_cast<const void*>(start)); }

bool owns_memory(unsigned long long storage) {
  return owner_of(reinterpret_cast<c10::StorageImpl*>(storage)) != nullptr;
}

// From now on a storage frees its block when it dies.
void own_memory(unsigned long long address) {
  auto* storage = reinterpret_cast<c10::StorageImpl*>(address);
  auto* memory = storage->_mutable_data_ptr_no_checks().get();
  storage->set_data_ptr_noswap({memory, memory, &free_counted, storage->device()});
}

// The other way round. False if it does not free its block.
bool disown_memory(unsigned long long address) {
  auto* storage = reinterpret_cast<c10::StorageImpl*>(address);
  auto* owner = owner_of(storage);
  if (owner == nullptr) return false;
  owner->_mutable_data_ptr_no_checks().compare_exchange_deleter(&free_counted, &c10::detail::deleteNothing);
  if (owner != storage) {
    auto& memory = storage->_mutable_data_ptr_no_checks();
    memory = c10::DataPtr(memory.get(), memory.device());
  }
  return true;
}

unsigned long long memory_of(unsigned long long storage) {
  return reinterpret_cast<uintptr_t>(reinterpret_cast<c10::StorageImpl*>(storage)->_mutable_data_ptr_no_checks().get());
}

void forbid_memory(unsigned long long storage, const char* message) {
  reinterpret_cast<c10::StorageImpl*>(storage)->release_data_and_set_meta_custom_data_ptr_error_msg_(std::string(message));
}
}
