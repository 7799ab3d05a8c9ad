#include "tests/scripted/certificates.h"

#include <chrono>
#include <sstream>

namespace flyball::scripted {

Authority::Authority()
    : self_(*serving::CertificateAuthority::Make("test authority", RealClock().WallNow())) {}

Identity Authority::Issue(const std::string& common_name, const std::string& names,
                          const std::vector<std::string>& organizations, long valid_seconds) const {
  serving::CertificateSubject subject{.common_name = common_name, .organizations = organizations};
  subject.valid_for = std::chrono::seconds(valid_seconds);
  std::istringstream list(names);
  for (std::string name; std::getline(list, name, ',');) {
    subject.names.push_back(name.substr(name.find(':') + 1));  // "DNS:localhost"
  }
  const auto issued = *self_.Issue(subject, RealClock().WallNow());
  return {issued.certificate_pem, issued.key_pem};
}

}  // namespace flyball::scripted
