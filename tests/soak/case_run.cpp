// Shared by all calls of a case: their memory, the expected bytes, and the description of a difference.
#include <algorithm>
#include <chrono>

#include "modes.h"

namespace qfuse::soak {
namespace {

constexpr std::int64_t kMovedSize = std::int64_t{64} << 20;
constexpr std::int64_t kMostImages = std::int64_t{6} << 30;  // bytes of all images of a case
constexpr std::int64_t kShown = 8;                           // bytes of a difference that are printed

std::string in_hex(const Bytes& bytes) {
  constexpr const char* kDigits = "0123456789abcdef";
  std::string text;
  for (const std::uint8_t byte : bytes) text += {' ', kDigits[byte / 16], kDigits[byte % 16]};
  return text;
}

Bytes read(const std::uint8_t* from, std::int64_t size) {
  Bytes bytes(static_cast<std::size_t>(size));
  copy_now(bytes.data(), from, size, "reading a difference");
  return bytes;
}

}  // namespace

Surroundings::Surroundings(Context& context) : card_(context.card()), flush_size_(2 * card_.l2_bytes / 16 * 16) {
  require(cudaMalloc(&flush_, static_cast<std::size_t>(flush_size_)), "memory to empty the L2 cache with");
  require(cudaMalloc(&moved_, kMovedSize), "memory to move");
  require(cudaMalloc(reinterpret_cast<void**>(&computed_), sizeof(float)), "memory for a result");
  require(cudaMalloc(reinterpret_cast<void**>(&found_), kMostSlots * sizeof(Difference)), "memory for differences");
  require(cudaMallocHost(reinterpret_cast<void**>(&found_host_), kMostSlots * sizeof(Difference)), "pinned memory");
}

Surroundings::~Surroundings() {
  for (void* const memory : {flush_, moved_, static_cast<void*>(computed_), static_cast<void*>(found_)})
    cudaFree(memory);
  cudaFreeHost(found_host_);
}

void Surroundings::empty_l2(cudaStream_t stream) const { overwrite(flush_, flush_size_, stream); }

void Surroundings::occupy() const {
  move_bytes(moved_, kMovedSize, card_.multiprocessors, side_streams_[0].get());
  compute(computed_, card_.multiprocessors, side_streams_[1].get());
}

void Surroundings::clear_found(cudaStream_t stream) const {
  require(cudaMemsetAsync(found_, 0, kMostSlots * sizeof(Difference), stream), "forgetting differences");
}

std::array<Difference, Surroundings::kMostSlots> Surroundings::read_found(cudaStream_t stream) const {
  require(cudaMemcpyAsync(found_host_, found_, kMostSlots * sizeof(Difference), cudaMemcpyDeviceToHost, stream),
          "reading differences");
  require(cudaStreamSynchronize(stream), "the calls of a batch");
  std::array<Difference, kMostSlots> all{};
  std::copy_n(found_host_, kMostSlots, all.begin());
  return all;
}

CaseRun::CaseRun(const Case& c, Context& context, const Surroundings& around)
    : context_(context), around_(around), made_(prepare(c, context)) {
  Arena& arena = context.arena();
  slots_.push_back({arena.take(made_.image_size, Life::of_case), arena.take(made_.workspace_size, Life::of_case)});
  // The first call may load its kernel. It also shows whether the library supports the call.
  poison(0, context.stream());
  qfuse_error error{};
  const qfuse_status status = made_.call(slots_[0].image, slots_[0].workspace, context.stream(), &error);
  if (status == QFUSE_UNSUPPORTED) throw Refused();
  require(status, error);
  require(cudaDeviceSynchronize(), "the first call");
  const auto begin = std::chrono::steady_clock::now();
  poison(0, context.stream());
  call(0, context.stream());
  require(cudaDeviceSynchronize(), "the second call");
  seconds_ = std::chrono::duration<double>(std::chrono::steady_clock::now() - begin).count();
  find_expected();
  take_slots();
}

void CaseRun::find_expected() {
  expected_ = context_.arena().take(made_.image_size, Life::of_case);
  require(cudaMemsetAsync(expected_, kPoison, static_cast<std::size_t>(made_.image_size), context_.stream()), "poison");
  if (made_.expect) {
    made_.expect(expected_);
  } else {
    for (const Output& output : made_.outputs)
      copy_now(expected_ + output.offset, slots_[0].image + output.offset, output.size, "the first result");
  }
  require(cudaDeviceSynchronize(), "what is expected");
}

// Takes as many slots as there is room for, so that each call of a batch has its own outputs.
void CaseRun::take_slots() {
  Arena& arena = context_.arena();
  const std::int64_t size = made_.image_size + made_.workspace_size + 4 * kAlignment;
  const std::int64_t most = std::clamp<std::int64_t>(kMostImages / size, 1, Surroundings::kMostSlots);
  while (static_cast<std::int64_t>(slots_.size()) < most && arena.room() >= size)
    slots_.push_back({arena.take(made_.image_size, Life::of_case), arena.take(made_.workspace_size, Life::of_case)});
}

void CaseRun::poison(int slot, cudaStream_t stream) const {
  const Slot& s = slots_[static_cast<std::size_t>(slot)];
  require(cudaMemsetAsync(s.image, kPoison, static_cast<std::size_t>(made_.image_size), stream), "poison");
  if (made_.workspace_size > 0)
    require(cudaMemsetAsync(s.workspace, kPoison, static_cast<std::size_t>(made_.workspace_size), stream), "poison");
}

void CaseRun::call(int slot, cudaStream_t stream) const {
  const Slot& s = slots_[static_cast<std::size_t>(slot)];
  qfuse_error error{};
  const qfuse_status status = made_.call(s.image, s.workspace, stream, &error);
  require(status, error);
}

void CaseRun::check(int slot, cudaStream_t stream) const {
  compare(expected_, slots_[static_cast<std::size_t>(slot)].image, made_.image_size, around_.found(slot), stream);
}

std::optional<Fault> CaseRun::judge(int count) const {
  const auto all = around_.read_found(context_.stream());
  const auto is_wrong = [](const Difference& found) { return found.bytes > 0; };
  const auto* const first = std::find_if(all.begin(), all.begin() + count, is_wrong);
  if (first == all.begin() + count) return {};
  Fault fault = describe(static_cast<int>(first - all.begin()), *first);
  fault.wrong = std::count_if(all.begin(), all.begin() + count, is_wrong);
  fault.text += "; " + std::to_string(fault.wrong) + " of " + std::to_string(count) + " calls differ";
  return fault;
}

Fault CaseRun::describe(int slot, const Difference& difference) const {
  const auto first = static_cast<std::int64_t>(~difference.complement);
  std::string where = "beside all outputs";
  for (const Output& output : made_.outputs)
    if (first >= output.offset && first < output.offset + output.size)
      where =
          "byte " + std::to_string(first - output.offset) + " of " + std::to_string(output.size) + " of " + output.name;
  const std::int64_t shown = std::min(kShown, made_.image_size - first);
  const std::uint8_t* const image = slots_[static_cast<std::size_t>(slot)].image;
  return {std::to_string(difference.bytes) + " bytes differ; the first is " + where + ", from where on" +
              in_hex(read(image + first, shown)) + " stand and" + in_hex(read(expected_ + first, shown)) +
              (has_oracle() ? " should" : " stood after the first call"),
          slot};
}

}  // namespace qfuse::soak
