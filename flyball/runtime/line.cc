#include "flyball/runtime/line.h"

#include <utility>

namespace flyball::runtime {

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
  Account::Deps account = line->ForAccount(options.name);
  account.limiter = std::move(options.limiter);
  FLYBALL_TRY(line->account_, Account::Create(std::move(account), access,
                                              {.user_agent = std::move(options.user_agent),
                                               .encoding = options.encoding,
                                               .event_line = options.name,
                                               .takes_gzip = true}));
  line->account_->credentials().WhenTlsChanges(
      [&transport = *line->transport_] { transport.Renew(); });
  return line;
}

Account::Deps Line::ForAccount(const std::string& name) const {
  return {.executor = deps_.executor,
          .transport = *transport_,
          .random = deps_.random,
          .requests = requests_,
          .credentials = client::CredentialMetrics(deps_.metrics, deps_.executor.clock()),
          .events = EventMetrics(deps_.metrics, name),
          .log = deps_.log};
}

}  // namespace flyball::runtime
