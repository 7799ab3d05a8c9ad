#include "flyball/endpoints/text_file.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>
#include <string_view>
#include <system_error>

namespace flyball::endpoints {
namespace {

std::unexpected<Error> Failure(const std::filesystem::path& path, int why) {
  return Fail(ErrorCode::kIo, path.string() + ": " + std::strerror(why));
}

struct OpenFile {
  explicit OpenFile(int number) : fd(number) {}
  OpenFile(const OpenFile&) = delete;
  OpenFile& operator=(const OpenFile&) = delete;
  ~OpenFile() {
    if (fd >= 0) close(fd);
  }

  const int fd;
};

}  // namespace

Result<std::string> ReadTextFile(const std::filesystem::path& path) {
  const OpenFile file(open(path.c_str(), O_RDONLY | O_CLOEXEC));
  if (file.fd < 0) return Failure(path, errno);
  std::string text;
  char buffer[8192];
  for (;;) {
    const ssize_t size = read(file.fd, buffer, sizeof(buffer));
    if (size < 0 && errno == EINTR) continue;
    if (size < 0) return Failure(path, errno);
    if (size == 0) return text;
    text.append(buffer, static_cast<std::size_t>(size));
  }
}

Result<> WriteTextFile(const std::filesystem::path& path, const std::string& text, bool secret) {
  std::error_code failed;
  std::filesystem::create_directories(path.parent_path(), failed);
  if (failed) return Failure(path.parent_path(), failed.value());
  const mode_t mode = secret ? 0600 : 0644;
  const OpenFile file(open(path.c_str(), O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, mode));
  if (file.fd < 0) return Failure(path, errno);
  // One that was there before may have been open to others.
  if (secret && fchmod(file.fd, mode) != 0) return Failure(path, errno);
  for (std::string_view rest = text; !rest.empty();) {
    const ssize_t size = write(file.fd, rest.data(), rest.size());
    if (size < 0 && errno == EINTR) continue;
    if (size < 0) return Failure(path, errno);
    rest.remove_prefix(static_cast<std::size_t>(size));
  }
  return {};
}

}  // namespace flyball::endpoints
