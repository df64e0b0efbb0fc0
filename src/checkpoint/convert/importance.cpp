#include "checkpoint/convert/importance.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <span>

#include "checkpoint/files/errors.h"
#include "checkpoint/output/shards_plan.h"

namespace qfuse::checkpoint {

Importance::Importance(const std::filesystem::path& path) {
  if (!path.empty()) file_.emplace(path);
}

Vector Importance::of(const std::string& weight, std::int64_t cols) {
  if (!file_) return nullptr;
  const auto found = std::ranges::find(file_->entries(), weight, &TensorEntry::name);
  if (found == file_->entries().end()) {
    ++missing_;
    return nullptr;
  }
  const std::string where = StoredTensor{&*file_, &*found}.where();
  if (found->type != TensorType::f32 || found->shape != std::vector{cols})
    fail(Status::invalid_data, "{}: is {} {}, it must be F32 [{}]: one number for each input of the weight", where,
         type_name(found->type), printable(found->shape), cols);
  std::vector<float> values(static_cast<std::size_t>(cols));
  file_->read(*found, 0, std::as_writable_bytes(std::span(values)));
  const auto wrong = std::ranges::find_if(values, [](float value) { return !std::isfinite(value) || value < 0; });
  if (wrong != values.end())
    fail(Status::invalid_data, "{}: entry {} is {}, it must be a mean square: finite and not negative", where,
         wrong - values.begin(), *wrong);
  ++used_;
  return std::make_shared<const std::vector<float>>(std::move(values));
}

void Importance::note_unused(std::vector<std::string>& notes) const {
  if (!file_) return;
  if (used_ == 0)
    fail(Status::invalid_argument, "{}: none of its {} tensors has the name of a weight that is quantized",
         file_->name(), file_->entries().size());
  if (missing_ > 0)
    notes.push_back(fmt::format("{}: has no tensor for {} of {} quantized weights; their scales are absmax",
                                file_->name(), missing_, used_ + missing_));
  if (const std::int64_t others = std::ssize(file_->entries()) - used_; others > 0)
    notes.push_back(fmt::format("{}: {} of its {} tensors have the name of no weight that is quantized", file_->name(),
                                others, file_->entries().size()));
}

nlohmann::json Importance::identity() const { return file_ ? file_identity(file_->file()) : nlohmann::json(); }

}  // namespace qfuse::checkpoint
