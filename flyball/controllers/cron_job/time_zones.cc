#include "flyball/controllers/cron_job/time_zones.h"

#include <fcntl.h>
#include <unistd.h>

#include <array>
#include <cctype>
#include <cerrno>
#include <cstddef>
#include <cstdlib>
#include <system_error>
#include <utility>

namespace flyball::controllers::cron_job {
namespace {

/// Those of zones have a few kilobytes.
constexpr std::size_t kLargestFile = std::size_t{10} << 20;

/// A file's bytes, or the errno of why not.
std::expected<std::string, int> ReadFile(const std::string& path) {
  const int file = open(path.c_str(), O_RDONLY | O_CLOEXEC);
  if (file < 0) return std::unexpected(errno);
  std::string bytes;
  std::array<char, 4096> buffer{};
  int problem = 0;
  while (problem == 0 && bytes.size() <= kLargestFile) {
    const ssize_t count = read(file, buffer.data(), buffer.size());
    if (count == 0) break;
    if (count < 0 && errno != EINTR) problem = errno;
    if (count > 0) bytes.append(buffer.data(), static_cast<std::size_t>(count));
  }
  close(file);
  if (problem != 0) return std::unexpected(problem);
  return bytes;
}

/// What errno means: "is a directory".
std::string ErrnoText(int problem) {
  std::string text = std::generic_category().message(problem);
  text.front() = static_cast<char>(std::tolower(static_cast<unsigned char>(text.front())));
  return text;
}

/// From the first folder that has it. Of what goes wrong the first is told, other than that it is
/// not there.
Result<TimeZones::Ref> Load(const std::string& name, const std::vector<std::string>& folders) {
  std::string problem;
  for (const std::string& folder : folders) {
    const auto bytes = ReadFile(folder + "/" + name);
    if (bytes) {
      auto zone = TimeZone::Parse(*bytes);
      if (zone) return std::make_shared<const TimeZone>(*std::move(zone));
      if (problem.empty()) problem = zone.error().message();
    } else if (problem.empty() && bytes.error() != ENOENT) {
      problem = ErrnoText(bytes.error());
    }
  }
  return Fail(ErrorCode::kNotFound, problem.empty() ? "unknown time zone " + name : problem);
}

TimeZones::Ref Utc() { return std::make_shared<const TimeZone>(); }

TimeZones::Ref LoadLocal(const TimeZones::Places& places) {
  std::string name = places.local_name.value_or(places.local_file);
  if (name.starts_with(':')) name.erase(0, 1);
  if (name.empty() || name == "UTC") return Utc();
  const bool is_path = name.starts_with('/');
  return Load(name, is_path ? std::vector<std::string>{""} : places.folders).value_or(Utc());
}

}  // namespace

TimeZones::Places TimeZones::Places::OfThisMachine() {
  Places places;
  if (const char* const local = std::getenv("TZ")) places.local_name = local;
  if (const char* const folder = std::getenv("ZONEINFO"); folder != nullptr && *folder != 0) {
    places.folders.insert(places.folders.begin(), folder);
  }
  return places;
}

TimeZones::TimeZones(Places places) : places_(std::move(places)), local_(LoadLocal(places_)) {}

Result<TimeZones::Ref> TimeZones::Find(std::string_view name) const {
  if (name.empty() || name == "UTC") return Utc();
  if (name == "Local") return local_;
  // Names are out of objects: no way out of the folders.
  if (name.contains("..") || name.starts_with('/') || name.starts_with('\\')) {
    return Fail(ErrorCode::kInvalid, "time: invalid location name");
  }
  if (name.contains('\0')) return Fail(ErrorCode::kInvalid, ErrnoText(EINVAL));
  return Load(std::string(name), places_.folders);
}

}  // namespace flyball::controllers::cron_job
