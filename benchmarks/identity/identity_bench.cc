// Our side of the identity benchmark: `identity_bench FILE` hashes a pod template and compares it
// with its copy, and prints what each took, one `name value` a line.

#include <algorithm>
#include <cstdint>
#include <cstdio>
#include <ctime>
#include <fstream>
#include <iterator>
#include <limits>
#include <string>

#include "flyball/api/core/v1.h"
#include "flyball/api/equality.h"
#include "flyball/api/protobuf_decode.h"
#include "flyball/api/template_hash.h"
#include "flyball/base/check.h"

namespace {

using flyball::core::v1::PodTemplateSpec;

std::int64_t CpuNanoseconds() {
  timespec time;
  clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &time);
  return time.tv_sec * std::int64_t{1'000'000'000} + time.tv_nsec;
}

/// Prints the CPU time of one call, in the best of some rounds.
template <typename Call>
void Measure(const char* name, int calls, Call call) {
  auto best = std::numeric_limits<std::int64_t>::max();
  for (int round = 0; round < 5; ++round) {
    const std::int64_t start = CpuNanoseconds();
    for (int i = 0; i < calls; ++i) FLYBALL_CHECK(call(), name);
    best = std::min(best, CpuNanoseconds() - start);
  }
  std::printf("%s %.1f\n", name, static_cast<double>(best) / calls);
}

PodTemplateSpec Read(const char* file) {
  std::ifstream in(file, std::ios::binary);
  const std::string bytes((std::istreambuf_iterator<char>(in)), std::istreambuf_iterator<char>());
  auto decoded = flyball::api::DecodeProtobuf<PodTemplateSpec>(bytes);
  FLYBALL_CHECK(decoded, decoded.error().Describe());
  return *std::move(decoded);
}

}  // namespace

int main(int argc, char** argv) {
  if (argc != 2) {
    std::fprintf(stderr, "usage: identity_bench FILE\n");
    return 2;
  }
  const PodTemplateSpec one = Read(argv[1]);
  const PodTemplateSpec other = Read(argv[1]);
  std::printf("hash %s\n", flyball::api::PodTemplateHash(one).c_str());
  Measure("hash_ns", 20'000, [&] { return !flyball::api::PodTemplateHash(one).empty(); });
  Measure("equality_ns", 200'000, [&] { return flyball::api::SemanticEqual(one, other); });
  return 0;
}
