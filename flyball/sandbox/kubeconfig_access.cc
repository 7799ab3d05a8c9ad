#include "flyball/sandbox/kubeconfig_access.h"

#include <fcntl.h>
#include <unistd.h>

#include <cerrno>
#include <system_error>

#include "flyball/api/base64.h"

namespace flyball::sandbox {
namespace {

std::unexpected<Error> Failure(const std::filesystem::path& file) {
  return Fail(ErrorCode::kIo, file.string() + ": " + std::generic_category().message(errno));
}

bool WriteAll(int descriptor, std::string_view text) {
  while (!text.empty()) {
    const ssize_t written = write(descriptor, text.data(), text.size());
    if (written < 0 && errno != EINTR) return false;
    if (written > 0) text.remove_prefix(static_cast<std::size_t>(written));
  }
  return true;
}

}  // namespace

std::string Access::Kubeconfig() const {
  std::string text =
      "apiVersion: v1\n"
      "kind: Config\n"
      "current-context: sandbox\n"
      "contexts:\n"
      "- name: sandbox\n"
      "  context: {cluster: sandbox, user: admin}\n"
      "clusters:\n"
      "- name: sandbox\n"
      "  cluster:\n"
      "    server: " +
      url + "\n";
  if (!authority_pem.empty()) {
    text += "    certificate-authority-data: " + api::EncodeBase64(authority_pem) + "\n";
  }
  text +=
      "users:\n"
      "- name: admin\n"
      "  user:\n"
      "    token: " +
      token + "\n";
  return text;
}

Result<> Access::WriteKubeconfig(const std::filesystem::path& file) const {
  return WritePrivateFile(file, Kubeconfig());
}

Result<> WritePrivateFile(const std::filesystem::path& file, std::string_view text) {
  std::string fresh = file.string() + ".XXXXXX";
  const int descriptor = mkostemp(fresh.data(), O_CLOEXEC);  // which makes it 0600
  if (descriptor < 0) return Failure(file);
  const bool written = WriteAll(descriptor, text) && fsync(descriptor) == 0;
  if (close(descriptor) == 0 && written && rename(fresh.c_str(), file.c_str()) == 0) return {};
  const auto failure = Failure(file);
  unlink(fresh.c_str());
  return failure;
}

}  // namespace flyball::sandbox
