#include "flyball/manager/line.h"

#include <utility>

#include "flyball/endpoints/build_metrics.h"
#include "flyball/manager/gates/kube_version.h"

namespace flyball::manager {

Line::Line(Deps deps, const client::AccessConfig& access)
    : deps_(std::move(deps)), requests_(deps_.metrics, access.server_text) {
  transport::HttpTransport::Options options;
  options.server = access.server;
  options.proxy = access.proxy;
  options.metrics = transport::TransportMetrics(deps_.metrics);
  options.tls = [this] { return account_->credentials().Tls(); };
  transport_ = std::make_unique<transport::HttpTransport>(deps_.network, std::move(options));
}

Result<std::unique_ptr<Line>> Line::Open(Deps deps, const client::AccessConfig& access,
                                         Options options) {
  std::unique_ptr<Line> line(new Line(std::move(deps), access));
  runtime::Account::Deps account = line->ForAccount(options.name);
  account.limiter = std::move(options.limiter);
  FLYBALL_TRY(line->account_, runtime::Account::Create(std::move(account), access,
                                                       {.user_agent = UserAgent(options.name),
                                                        .encoding = options.encoding,
                                                        .event_line = options.name,
                                                        .takes_gzip = true}));
  line->account_->credentials().WhenTlsChanges(
      [&transport = *line->transport_] { transport.Renew(); });
  return line;
}

runtime::Account::Deps Line::ForAccount(const std::string& name) const {
  return {.executor = deps_.executor,
          .transport = *transport_,
          .random = deps_.random,
          .requests = requests_,
          .credentials = client::CredentialMetrics(deps_.metrics, deps_.executor.clock()),
          .events = runtime::EventMetrics(deps_.metrics, name),
          .log = deps_.log};
}

std::string UserAgent(const std::string& name) {
  return "kube-controller-manager/" + std::string(kGitVersion) + " (" +
         endpoints::BuildInfo::Own().platform + ") flyball/" + name;
}

}  // namespace flyball::manager
