#include "flyball/client/internal/read_file.h"

#include <fcntl.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <system_error>

namespace flyball::client {
namespace {

/// Far above any kubeconfig, token or certificate: what is longer is a mistake (/dev/zero).
constexpr std::size_t kLongest = 64UL << 20;

std::unexpected<Error> Failure(const std::string& file, int error) {
  return Fail(error == ENOENT ? ErrorCode::kNotFound : ErrorCode::kIo,
              file + ": " + std::generic_category().message(error));
}

class Descriptor {
 public:
  explicit Descriptor(int fd) : fd_(fd) {}
  ~Descriptor() {
    if (fd_ >= 0) close(fd_);
  }
  Descriptor(const Descriptor&) = delete;
  Descriptor& operator=(const Descriptor&) = delete;
  int get() const { return fd_; }

 private:
  const int fd_;
};

}  // namespace

Result<std::string> ReadFile(const std::string& file) {
  const Descriptor fd(open(file.c_str(), O_RDONLY | O_CLOEXEC));
  if (fd.get() < 0) return Failure(file, errno);
  std::string text;
  std::array<char, 16384> buffer;
  while (true) {
    const ssize_t got = read(fd.get(), buffer.data(), buffer.size());
    if (got == 0) return text;
    if (got < 0 && errno == EINTR) continue;
    if (got < 0) return Failure(file, errno);
    text.append(buffer.data(), static_cast<std::size_t>(got));
    if (text.size() > kLongest) return Fail(ErrorCode::kIo, file + ": file is larger than 64 MiB");
  }
}

}  // namespace flyball::client
