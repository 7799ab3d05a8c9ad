// Our side of the decode benchmark: `decode_bench FILE` decodes a list of pods into full objects
// and into views, and prints what each took, one `name value` a line.

#include <malloc.h>
#include <sys/resource.h>
#include <unistd.h>

#include <algorithm>
#include <cstdint>
#include <cstdio>
#include <fstream>
#include <iterator>
#include <memory>
#include <string>
#include <vector>

#include "flyball/api/core/v1.h"
#include "flyball/api/envelope.h"
#include "flyball/api/protobuf_decode.h"
#include "flyball/api/view_decode.h"
#include "flyball/api/views.h"
#include "flyball/base/check.h"

namespace {

std::int64_t CpuNanoseconds() {
  rusage usage;
  getrusage(RUSAGE_SELF, &usage);
  const auto nanoseconds = [](const timeval& t) {
    return t.tv_sec * std::int64_t{1'000'000'000} + t.tv_usec * std::int64_t{1'000};
  };
  return nanoseconds(usage.ru_utime) + nanoseconds(usage.ru_stime);
}

std::int64_t Resident() {
  std::ifstream statm("/proc/self/statm");
  std::int64_t size = 0;
  std::int64_t pages = 0;
  statm >> size >> pages;
  return pages * sysconf(_SC_PAGESIZE);
}

using FullPod = std::shared_ptr<const flyball::core::v1::Pod>;
using ViewPod = std::shared_ptr<const flyball::views::Pod>;

std::vector<FullPod> DecodeFull(std::string_view bytes) {
  const auto list = flyball::api::OpenList(bytes);
  FLYBALL_CHECK(list, list.error().Describe());
  std::vector<FullPod> pods;
  pods.reserve(list->items.size());
  for (const std::string_view item : list->items) {
    auto pod = std::make_shared<flyball::core::v1::Pod>();
    const auto decoded =
        flyball::api::DecodeProtobuf(item, flyball::core::v1::Pod::kType, pod.get());
    FLYBALL_CHECK(decoded, decoded.error().Describe());
    pod->metadata.managedFields.clear();
    pod->metadata.managedFields.shrink_to_fit();
    pods.push_back(std::move(pod));
  }
  return pods;
}

std::vector<ViewPod> DecodeViews(std::string_view bytes) {
  const auto list = flyball::api::OpenList(bytes);
  FLYBALL_CHECK(list, list.error().Describe());
  std::vector<ViewPod> pods;
  pods.reserve(list->items.size());
  flyball::api::ViewDecoder decoder;
  for (const std::string_view item : list->items) {
    auto pod = decoder.Decode<flyball::views::Pod>(item);
    FLYBALL_CHECK(pod, pod.error().Describe());
    pods.push_back(*std::move(pod));
  }
  return pods;
}

template <typename Decode>
void Measure(const char* name, std::string_view bytes, Decode decode) {
  // Memory first, while the allocator holds nothing from before.
  malloc_trim(0);
  const std::int64_t resident_before = Resident();
  const auto heap_before = static_cast<std::int64_t>(mallinfo2().uordblks);
  auto pods = decode(bytes);
  const auto n = static_cast<std::int64_t>(pods.size());
  const auto heap = static_cast<std::int64_t>(mallinfo2().uordblks) - heap_before;
  malloc_trim(0);
  const std::int64_t resident = Resident() - resident_before;

  std::int64_t best = INT64_MAX;
  for (int round = 0; round < 5; ++round) {
    pods.clear();
    const std::int64_t start = CpuNanoseconds();
    pods = decode(bytes);
    best = std::min(best, CpuNanoseconds() - start);
  }
  std::printf("%s_cpu_ns_per_object %ld\n", name, best / n);
  std::printf("%s_heap_bytes_per_object %ld\n", name, heap / n);
  std::printf("%s_resident_bytes_per_object %ld\n", name, resident / n);
}

}  // namespace

int main(int argc, char** argv) {
  if (argc != 2) {
    std::fprintf(stderr, "usage: decode_bench FILE\n");
    return 2;
  }
  std::ifstream in(argv[1], std::ios::binary);
  const std::string bytes(std::istreambuf_iterator<char>(in), {});
  if (bytes.empty()) {
    std::fprintf(stderr, "decode_bench: %s cannot be read\n", argv[1]);
    return 1;
  }
  Measure("view", bytes, DecodeViews);
  Measure("full", bytes, DecodeFull);
}
