// Operators that only a card has, or computes otherwise than the CPU, of CPU tensors: normalisations and attention.
// Each is a kernel of an operator of that name, with the arguments that its schema in native_functions.yaml has.
//
// Tensors of attention are (batch, heads, sequence, size); keys and values may have fewer heads, each for a group of
// the query's.
#pragma once

#include <ATen/ATen.h>
#include <ATen/CPUGeneratorImpl.h>
#include <ATen/EmptyTensor.h>
#include <ATen/core/boxing/KernelFunction.h>
#include <c10/core/SymInt.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>
#include <numeric>
#include <optional>
#include <string>
#include <tuple>
#include <unordered_map>
#include <vector>

namespace card {

using at::Tensor;
using MaybeTensor = std::optional<Tensor>;

// A place in the random numbers of the device that computes.
struct Place {
  uint64_t seed = 0, offset = 0;

  uint64_t seed_of_host() const { return seed ^ (offset * 0x9E3779B97F4A7C15ULL); }
};

// The next one, which nobody else draws.
Place draw();

inline bool given(const MaybeTensor& tensor) {
  return tensor.has_value() && tensor->defined();
}

// Narrow types are computed in float32, and statistics of them stay in it.
inline Tensor wide(const Tensor& tensor) {
  return tensor.scalar_type() == at::kDouble ? tensor : tensor.to(at::kFloat);
}

inline MaybeTensor wide(const MaybeTensor& tensor) {
  return given(tensor) ? MaybeTensor(wide(*tensor)) : std::nullopt;
}

// ---------------------------------------------------------------------------------------------------- normalisations

using Normalised = std::tuple<Tensor, Tensor, Tensor>;

// aten/src/ATen/native/cuda/Normalization.cu. Writes the running statistics while training.
inline Normalised batch_norm(
    const Tensor& input, const MaybeTensor& weight, const MaybeTensor& bias, const MaybeTensor& running_mean,
    const MaybeTensor& running_var, bool training, double momentum, double eps) {
  const auto mean = wide(running_mean), variance = wide(running_var);
  auto [result, saved, inverse] =
      at::native_batch_norm(wide(input), wide(weight), wide(bias), mean, variance, training, momentum, eps);
  if (!training) { // the CPU saves none
    if (mean && variance) return {result.to(input.scalar_type()), *mean, at::rsqrt(*variance + eps)};
  } else {
    if (mean && !mean->is_same(*running_mean)) running_mean->copy_(*mean);
    if (variance && !variance->is_same(*running_var)) running_var->copy_(*variance);
  }
  return {result.to(input.scalar_type()), saved, inverse};
}

inline Normalised batch_norm_with_statistics(
    const Tensor& input, const MaybeTensor& weight, const MaybeTensor& bias, Tensor& running_mean, Tensor& running_var,
    bool training, double momentum, double eps) {
  return batch_norm(input, weight, bias, running_mean, running_var, training, momentum, eps);
}

inline Normalised batch_norm_without_statistics(
    const Tensor& input, const MaybeTensor& weight, const MaybeTensor& bias, bool training, double momentum, double eps) {
  return batch_norm(input, weight, bias, std::nullopt, std::nullopt, training, momentum, eps);
}

inline Normalised batch_norm_backward(
    const Tensor& gradient, const Tensor& input, const MaybeTensor& weight, const MaybeTensor& running_mean,
    const MaybeTensor& running_var, const MaybeTensor& mean, const MaybeTensor& inverse, bool training, double eps,
    std::array<bool, 3> wanted) {
  auto [of_input, of_weight, of_bias] = at::native_batch_norm_backward(
      wide(gradient), wide(input), wide(weight), wide(running_mean), wide(running_var), wide(mean), wide(inverse), training,
      eps, wanted);
  if (of_input.defined()) of_input = of_input.to(input.scalar_type());
  if (of_weight.defined() && given(weight)) of_weight = of_weight.to(weight->scalar_type());
  if (of_bias.defined() && given(weight)) of_bias = of_bias.to(weight->scalar_type());
  return {of_input, of_weight, of_bias};
}

// The last result is cuDNN's own memory, which is empty here.
inline std::tuple<Tensor, Tensor, Tensor, Tensor> cudnn_batch_norm(
    const Tensor& input, const Tensor& weight, const MaybeTensor& bias, const MaybeTensor& running_mean,
    const MaybeTensor& running_var, bool training, double factor, double eps) {
  auto [result, mean, inverse] = batch_norm(input, weight, bias, running_mean, running_var, training, factor, eps);
  return {result, mean, inverse, at::empty({0}, at::kByte)};
}

// Only called after training.
inline Normalised cudnn_batch_norm_backward(
    const Tensor& input, const Tensor& gradient, const Tensor& weight, const MaybeTensor& running_mean,
    const MaybeTensor& running_var, const MaybeTensor& mean, const MaybeTensor& inverse, double eps, const Tensor&) {
  return batch_norm_backward(
      gradient, input, weight, running_mean, running_var, mean, inverse, true, eps, {true, true, true});
}

inline std::vector<int64_t> last_dimensions(size_t count) {
  std::vector<int64_t> dimensions(count);
  std::iota(dimensions.begin(), dimensions.end(), -static_cast<int64_t>(count));
  return dimensions;
}

// Up to so many numbers a call of several operators takes longer than what they compute.
constexpr int64_t kFew = 1 << 12;

// aten/src/ATen/native/cuda/layer_norm_kernel.cu. The second result is what rows are multiplied by.
inline std::tuple<Tensor, Tensor> rms_norm(
    const Tensor& input, at::IntArrayRef shape, const MaybeTensor& weight, std::optional<double> eps) {
  const auto values = wide(input);
  const auto factors = wide(weight);
  const double added = eps.value_or(
      values.scalar_type() == at::kDouble ? std::numeric_limits<double>::epsilon() : std::numeric_limits<float>::epsilon());
  if (values.scalar_type() != at::kFloat || values.numel() > kFew || values.numel() == 0 || !values.is_contiguous() ||
      (factors && (factors->scalar_type() != at::kFloat || !factors->is_contiguous()))) {
    auto inverse = (values * values).mean(last_dimensions(shape.size()), true).add_(added).rsqrt_();
    auto result = values * inverse;
    if (factors) result = result * *factors;
    return {result.to(input.scalar_type()), inverse};
  }
  std::vector<int64_t> rows(input.sizes().begin(), input.sizes().end());
  std::fill(rows.end() - static_cast<int64_t>(shape.size()), rows.end(), 1);
  auto result = at::empty(values.sizes(), values.options()), inverse = at::empty(rows, values.options());
  const auto count = values.numel() / inverse.numel();
  const auto* from = values.const_data_ptr<float>();
  const auto* factor = factors ? factors->const_data_ptr<float>() : nullptr;
  auto* to = result.mutable_data_ptr<float>();
  auto* scales = inverse.mutable_data_ptr<float>();
  for (int64_t row = 0; row < inverse.numel(); ++row, from += count, to += count) {
    double squares = 0;
    for (int64_t column = 0; column < count; ++column) squares += static_cast<double>(from[column]) * from[column];
    scales[row] = static_cast<float>(1 / std::sqrt(squares / static_cast<double>(count) + added));
    for (int64_t column = 0; column < count; ++column)
      to[column] = from[column] * scales[row] * (factor == nullptr ? 1 : factor[column]);
  }
  return {result.to(input.scalar_type()), inverse};
}

inline std::tuple<Tensor, Tensor> rms_norm_backward(
    const Tensor& gradient, const Tensor& input, at::IntArrayRef shape, const Tensor& inverse, const MaybeTensor& weight,
    std::array<bool, 2> wanted) {
  const auto normalised = wide(input) * inverse, of_result = wide(gradient);
  Tensor of_input, of_weight;
  if (wanted[0]) {
    const auto of_normalised = given(weight) ? of_result * wide(*weight) : of_result;
    const auto along = (of_normalised * normalised).mean(last_dimensions(shape.size()), true);
    of_input = ((of_normalised - normalised * along) * inverse).to(input.scalar_type());
  }
  if (wanted[1] && given(weight)) of_weight = (of_result * normalised).sum_to_size(shape).to(weight->scalar_type());
  return {of_input, of_weight};
}

// ---------------------------------------------------------------------------------------------------- attention

// Where the rows of a tensor of float32 of four dimensions are, of which one that has a single place has it everywhere.
struct Rows {
  const float* first;
  std::array<int64_t, 3> steps;

  explicit Rows(const Tensor& tensor) : first(tensor.const_data_ptr<float>()) {
    for (int64_t dim = 0; dim < 3; ++dim)
      steps[static_cast<size_t>(dim)] = tensor.size(dim) == 1 ? 0 : tensor.stride(dim);
  }
  const float* at(int64_t batch, int64_t head, int64_t row) const {
    return first + batch * steps[0] + head * steps[1] + row * steps[2];
  }
};

// Of the size of `like`, and (batch, sequence, heads, size) in memory.
inline Tensor made_by_sequence(const Tensor& like) {
  const auto heads = like.size(1), rows = like.size(2), size = like.size(3);
  const std::array<int64_t, 4> strides{heads * rows * size, size, heads * size, 1};
  return at::detail::empty_strided_cpu(like.sizes(), strides, like.scalar_type());
}

inline Tensor by_sequence(const Tensor& tensor) {
  auto made = made_by_sequence(tensor);
  return made.strides() == tensor.strides() ? tensor : made.copy_(tensor);
}

// softmax(query @ key^T * scale + bias) @ value
struct Attention {
  Tensor query, key, value;
  MaybeTensor bias;
  double dropout;
  bool causal;
  std::optional<double> scale;
  Place place; // of the numbers that say what is dropped

  int64_t groups() const { return query.size(1) / std::max<int64_t>(key.size(1), 1); }
  Tensor of_each_head(const Tensor& tensor) const {
    return tensor.size(1) == query.size(1) ? tensor : tensor.repeat_interleave(query.size(1) / tensor.size(1), 1);
  }
  // A gradient of what each head of the query saw, as one of `like`.
  Tensor of_each_group(const Tensor& gradient, const Tensor& like) const {
    if (gradient.size(1) == like.size(1)) return gradient;
    return gradient.unflatten(1, {like.size(1), gradient.size(1) / like.size(1)}).sum(2);
  }

  // The CPU's own kernel adds up in float32, rounds weights to the type of values, and keeps no weights: as a card's do.
  bool has_kernel() const {
    const auto type = query.scalar_type();
    return dropout == 0 && (type == at::kFloat || type == at::kHalf || type == at::kBFloat16) &&
        key.scalar_type() == type && value.scalar_type() == type && query.size(3) == value.size(3) && query.numel() > 0 &&
        key.numel() > 0 && query.stride(3) == 1 && key.stride(3) == 1 && value.stride(3) == 1 &&
        (!given(bias) || ((bias->scalar_type() == type || bias->scalar_type() == at::kFloat) &&
          (bias->dim() == 2 || bias->dim() == 4)));
  }

  // Otherwise in float64, by parts.
  Tensor weights(Tensor* sums = nullptr) const {
    const auto factor = scale.value_or(1 / std::sqrt(static_cast<double>(query.size(3))));
    auto scores = at::matmul(query.to(at::kDouble) * factor, of_each_head(key).to(at::kDouble).transpose(2, 3));
    if (given(bias)) scores = scores + *bias;
    constexpr auto nothing = -std::numeric_limits<double>::infinity();
    if (causal) scores.masked_fill_(at::ones({scores.size(2), scores.size(3)}, at::kBool).triu_(1), nothing);
    if (sums != nullptr) *sums = scores.logsumexp(3);
    return scores.softmax(3).nan_to_num_(0.0);
  }
  // What weights are multiplied by.
  MaybeTensor kept(const Tensor& weights) const {
    if (dropout == 0) return std::nullopt;
    auto generator = at::detail::createCPUGenerator(place.seed_of_host());
    return at::empty_like(weights).bernoulli_(1 - dropout, generator).div_(1 - dropout);
  }

  // What the CPU's own kernel computes of a few numbers of float32.
  bool is_small() const {
    return has_kernel() && query.scalar_type() == at::kFloat && (!given(bias) || bias->dim() == 4) &&
        query.numel() * key.size(2) <= kFew;
  }
  std::pair<Tensor, Tensor> small() const {
    const auto batches = query.size(0), heads = query.size(1), rows = query.size(2), size = query.size(3);
    const auto columns = key.size(2), group = groups();
    const auto factor = scale.value_or(1 / std::sqrt(static_cast<double>(size)));
    constexpr auto nothing = -std::numeric_limits<double>::infinity();
    Tensor result = made_by_sequence(query);
    Tensor sums = at::detail::empty_cpu({batches, heads, rows}, at::kFloat);
    auto* to = result.mutable_data_ptr<float>();
    auto* sum_to = sums.mutable_data_ptr<float>();
    std::vector<double> weights(static_cast<size_t>(columns));
    auto* weight = weights.data();
    const Rows queries(query), keys(key), values(value), biases(given(bias) ? *bias : query);
    const auto value_step = value.size(2) == 1 ? 0 : value.stride(2);
    const auto bias_step = given(bias) && bias->size(3) > 1 ? bias->stride(3) : 0;
    for (int64_t index = 0; index < batches * heads * rows; ++index, to += size) {
      const auto batch = index / (rows * heads), row = index / heads % rows, head = index % heads;
      const auto* from = queries.at(batch, head, row);
      const auto* added = given(bias) ? biases.at(batch, head, row) : nullptr;
      const auto* first_value = values.at(batch, head / group, 0);
      for (int64_t column = 0; column < columns; ++column) {
        weight[column] = factor * std::inner_product(from, from + size, keys.at(batch, head / group, column), 0.0);
        if (added != nullptr) weight[column] += added[column * bias_step];
        if (causal && column > row) weight[column] = nothing;
      }
      const auto largest = *std::max_element(weights.begin(), weights.end());
      double sum = 0;
      for (auto& each : weights) sum += each = largest == nothing ? 0 : std::exp(each - largest);
      for (int64_t element = 0; element < size; ++element) {
        double total = 0;
        for (int64_t column = 0; column < columns; ++column)
          total += weight[column] * first_value[column * value_step + element];
        to[element] = sum == 0 ? 0 : static_cast<float>(total / sum);
      }
      sum_to[(batch * heads + head) * rows + row] = sum == 0 ? 0 : static_cast<float>(largest + std::log(sum));
    }
    return {result, sums};
  }

  // The result, and the logarithm of each row's sum of exponentials, (batch, heads, sequence) of float32.
  std::pair<Tensor, Tensor> forward() const {
    if (is_small()) return small();
    if (has_kernel()) {
      auto [result, sums] = at::_scaled_dot_product_flash_attention_for_cpu(
          query, of_each_head(key), of_each_head(value), 0, causal, bias, scale);
      return {result, sums};
    }
    Tensor sums;
    auto weighted = weights(&sums);
    if (auto multiplied = kept(weighted)) weighted.mul_(*multiplied);
    return {at::matmul(weighted, of_each_head(value).to(at::kDouble)).to(query.scalar_type()), sums.to(at::kFloat)};
  }

  // The gradients of query, key, value and, if wanted, bias.
  std::array<Tensor, 4> backward(const Tensor& gradient, const Tensor& result, const Tensor& sums, bool of_bias) const {
    if (has_kernel() && !of_bias) {
      auto [of_query, of_key, of_value] = at::_scaled_dot_product_flash_attention_for_cpu_backward(
          gradient, query, of_each_head(key), of_each_head(value), result, sums, 0, causal, bias, scale);
      return {of_query, of_each_group(of_key, key), of_each_group(of_value, value), Tensor()};
    }
    const auto of_result = gradient.to(at::kDouble), before = weights();
    const auto multiplied = kept(before);
    auto of_weights = at::matmul(of_result, of_each_head(value).to(at::kDouble).transpose(2, 3));
    if (multiplied) of_weights.mul_(*multiplied);
    const auto of_scores = before * (of_weights - (of_weights * before).sum(3, true));
    const auto factor = scale.value_or(1 / std::sqrt(static_cast<double>(query.size(3))));
    const auto after = multiplied ? before * *multiplied : before;
    return {
        (at::matmul(of_scores, of_each_head(key).to(at::kDouble)) * factor).to(query.scalar_type()),
        of_each_group(at::matmul(of_scores.transpose(2, 3), query.to(at::kDouble)) * factor, key).to(key.scalar_type()),
        of_each_group(at::matmul(after.transpose(2, 3), of_result), value).to(value.scalar_type()),
        of_bias ? of_scores.sum_to_size(bias->sizes()).to(bias->scalar_type()) : Tensor()};
  }
};

// With the order of dimensions in memory that `like` has.
inline Tensor laid_out_as(const Tensor& tensor, const Tensor& like) {
  if (tensor.sizes() == like.sizes())
    return tensor.strides() == like.strides() ? tensor : at::empty_like(like).copy_(tensor);
  std::vector<int64_t> order(static_cast<size_t>(like.dim()));
  std::iota(order.begin(), order.end(), 0);
  std::stable_sort(order.begin(), order.end(), [&](auto a, auto b) { return like.stride(a) > like.stride(b); });
  return at::empty_permuted(tensor.sizes(), order, tensor.options()).copy_(tensor);
}

inline Tensor number(uint64_t value, at::ScalarType type) {
  Tensor made = at::detail::empty_cpu({}, at::kLong);
  *made.mutable_data_ptr<int64_t>() = static_cast<int64_t>(value);
  return type == at::kLong ? made : made.view(type);
}

inline Place place_of(const Tensor& seed, const Tensor& offset) {
  return {static_cast<const uint64_t*>(seed.data_ptr())[0], static_cast<const uint64_t*>(offset.data_ptr())[0]};
}

// aten/src/ATen/native/transformers/cuda/attention.cu; layouts are those of torch/_meta_registrations.py.

inline std::tuple<Tensor, Tensor, Tensor, Tensor> efficient_attention(
    const Tensor& query, const Tensor& key, const Tensor& value, const MaybeTensor& bias, bool keep_sums, double dropout,
    bool causal, std::optional<double> scale) {
  const auto place = dropout > 0 ? draw() : Place();
  const auto [result, sums] = Attention{query, key, value, bias, dropout, causal, scale, place}.forward();
  const auto rows = query.size(2), padded_rows = keep_sums ? (rows + 31) / 32 * 32 : 0;
  Tensor padded = at::detail::empty_cpu({query.size(0), query.size(1), padded_rows}, at::kFloat);
  if (keep_sums) {
    padded.fill_(std::numeric_limits<float>::infinity());
    padded.narrow(2, 0, rows).copy_(sums);
  }
  return {by_sequence(result), padded, number(place.seed, at::kLong), number(place.offset, at::kLong)};
}

inline std::tuple<Tensor, Tensor, Tensor, Tensor> efficient_attention_backward(
    const Tensor& gradient, const Tensor& query, const Tensor& key, const Tensor& value, const MaybeTensor& bias,
    const Tensor& result, const Tensor& sums, const Tensor& seed, const Tensor& offset, double dropout,
    std::array<bool, 4> wanted, bool causal, std::optional<double> scale) {
  if (!gradient.defined()) return {};
  const Attention attention{query, key, value, bias, dropout, causal, scale, place_of(seed, offset)};
  auto made = attention.backward(gradient, result, sums.narrow(2, 0, query.size(2)), wanted[3] && given(bias));
  for (size_t index = 0; index < made.size(); ++index) {
    if (!wanted[index]) made[index] = Tensor();
    if (made[index].defined() && index < 3) made[index] = by_sequence(made[index]);
  }
  return {made[0], made[1], made[2], made[3]};
}

using FusedAttention = std::tuple<Tensor, Tensor, Tensor, Tensor, c10::SymInt, c10::SymInt, Tensor, Tensor, Tensor>;

inline FusedAttention flash_attention(
    const Tensor& query, const Tensor& key, const Tensor& value, double dropout, bool causal, bool,
    std::optional<double> scale) {
  const auto place = dropout > 0 ? draw() : Place();
  const auto [result, sums] = Attention{query, key, value, std::nullopt, dropout, causal, scale, place}.forward();
  const auto seeds = at::stack({number(place.seed, at::kLong), number(place.offset, at::kLong)}).view(at::kUInt64);
  return {laid_out_as(result, query), sums.contiguous(), Tensor(), Tensor(), query.size(2), key.size(2), seeds,
          number(place.offset, at::kUInt64), at::empty({0}, query.options())};
}

inline std::tuple<Tensor, Tensor, Tensor> flash_attention_backward(
    const Tensor& gradient, const Tensor& query, const Tensor& key, const Tensor& value, const Tensor& result,
    const Tensor& sums, const Tensor&, const Tensor&, c10::SymInt, c10::SymInt, double dropout, bool causal,
    const Tensor& seeds, const Tensor& offset, std::optional<double> scale) {
  const Attention attention{query, key, value, std::nullopt, dropout, causal, scale, place_of(seeds, offset)};
  const auto made = attention.backward(gradient, result, sums, false);
  return {laid_out_as(made[0], query), laid_out_as(made[1], key), laid_out_as(made[2], value)};
}

inline FusedAttention cudnn_attention(
    const Tensor& query, const Tensor& key, const Tensor& value, const MaybeTensor& bias, bool, double dropout, bool causal,
    bool, std::optional<double> scale) {
  const auto place = dropout > 0 ? draw() : Place();
  const auto [result, sums] = Attention{query, key, value, bias, dropout, causal, scale, place}.forward();
  return {laid_out_as(result, query), sums.contiguous().unsqueeze(3), Tensor(), Tensor(), query.size(2), key.size(2),
          number(place.seed, at::kLong), number(place.offset, at::kLong), Tensor()};
}

inline std::tuple<Tensor, Tensor, Tensor> cudnn_attention_backward(
    const Tensor& gradient, const Tensor& query, const Tensor& key, const Tensor& value, const Tensor& result,
    const Tensor& sums, const Tensor& seed, const Tensor& offset, const Tensor& bias, const Tensor&, const Tensor&,
    c10::SymInt, c10::SymInt, double dropout, bool causal, std::optional<double> scale) {
  const Attention attention{query, key, value, bias, dropout, causal, scale, place_of(seed, offset)};
  const auto made = attention.backward(gradient, result, sums.squeeze(3), false);
  return {laid_out_as(made[0], query), laid_out_as(made[1], key), laid_out_as(made[2], value)};
}

// ---------------------------------------------------------------------------------------------------- all of them

template <class Function>
c10::KernelFunction kernel(Function* function) {
  return c10::KernelFunction::makeFromUnboxedRuntimeFunction(function);
}

// By operator and overload.
inline const std::unordered_map<std::string, c10::KernelFunction>& kernels() {
  static const std::unordered_map<std::string, c10::KernelFunction> all{
      {"aten::native_batch_norm", kernel(&batch_norm)},
      {"aten::_native_batch_norm_legit", kernel(&batch_norm_with_statistics)},
      {"aten::_native_batch_norm_legit.no_stats", kernel(&batch_norm_without_statistics)},
      {"aten::native_batch_norm_backward", kernel(&batch_norm_backward)},
      {"aten::cudnn_batch_norm", kernel(&cudnn_batch_norm)},
      {"aten::cudnn_batch_norm_backward", kernel(&cudnn_batch_norm_backward)},
      {"aten::_fused_rms_norm", kernel(&rms_norm)},
      {"aten::_fused_rms_norm_backward", kernel(&rms_norm_backward)},
      {"aten::_scaled_dot_product_efficient_attention", kernel(&efficient_attention)},
      {"aten::_scaled_dot_product_efficient_attention_backward", kernel(&efficient_attention_backward)},
      {"aten::_scaled_dot_product_flash_attention", kernel(&flash_attention)},
      {"aten::_scaled_dot_product_flash_attention_backward", kernel(&flash_attention_backward)},
      {"aten::_scaled_dot_product_cudnn_attention", kernel(&cudnn_attention)},
      {"aten::_scaled_dot_product_cudnn_attention_backward", kernel(&cudnn_attention_backward)},
  };
  return all;
}

} // namespace card
