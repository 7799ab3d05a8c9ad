#include "flyball/api/names.h"

#include <algorithm>

namespace flyball::api {
namespace {

constexpr std::string_view kAlphabet = "bcdfghjklmnpqrstvwxz2456789";
constexpr int kRandomSize = 5;

std::string Concat(std::initializer_list<std::string_view> parts) {
  std::string text;
  for (const std::string_view part : parts) text += part;
  return text;
}

}  // namespace

std::string SafeEncode(std::string_view text) {
  std::string encoded;
  encoded.reserve(text.size());
  for (const char byte : text) {
    encoded += kAlphabet[static_cast<unsigned char>(byte) % kAlphabet.size()];
  }
  return encoded;
}

std::string GenerateName(std::string_view base, const RandomBits& random) {
  std::string name(base.substr(0, kMaxGenerateNameSize));
  // Five bits a character; those beyond the alphabet are thrown away, which keeps it fair.
  constexpr int kBitsEach = 5;
  std::uint64_t bits = 0;
  int left = 0;
  for (int made = 0; made < kRandomSize;) {
    if (left < kBitsEach) {
      bits = random();
      left = 64;
    }
    const std::size_t index = bits & ((1U << kBitsEach) - 1);
    bits >>= kBitsEach;
    left -= kBitsEach;
    if (index >= kAlphabet.size()) continue;
    name += kAlphabet[index];
    ++made;
  }
  return name;
}

std::string NameWithHash(std::string_view prefix, std::string_view hash) {
  if (hash.size() + 1 < kMaxNameSize) prefix = prefix.substr(0, kMaxNameSize - 1 - hash.size());
  return Concat({prefix, "-", hash});
}

std::string RevisionName(std::string_view prefix, std::string_view hash) {
  constexpr std::size_t kMaxPrefixSize = 223;
  return Concat({prefix.substr(0, kMaxPrefixSize), "-", hash});
}

std::string CronJobJobName(std::string_view cron_job, const Time& scheduled) {
  return Concat({cron_job, "-", std::to_string(scheduled.unix_seconds() / 60)});
}

std::string IndexedPodGenerateName(std::string_view job, std::int64_t index) {
  const std::string suffix = "-" + std::to_string(index) + "-";
  return Concat({job.substr(0, kMaxGenerateNameSize - suffix.size()), suffix});
}

std::string ResourceClaimGenerateName(std::string_view pod, std::string_view claim) {
  constexpr std::size_t kMaxSize = kMaxGenerateNameSize - 1;
  const std::size_t size = pod.size() + claim.size() + 2;
  if (size <= kMaxSize) return Concat({pod, "-", claim, "-"});
  return Concat({pod.substr(0, pod.size() * kMaxSize / size), "-",
                 claim.substr(0, claim.size() * kMaxSize / size)});
}

}  // namespace flyball::api
