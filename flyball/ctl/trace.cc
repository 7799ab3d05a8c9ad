#include "flyball/ctl/trace.h"

#include <utility>

#include "flyball/ctl/trace/chain_reader.h"
#include "flyball/ctl/trace/diagnosis.h"
#include "flyball/ctl/trace/trace_report.h"
#include "flyball/transport/url.h"

namespace flyball::ctl {
namespace {

using trace::Chain;

/// The keys under which controllers may know the objects: their names and their uids.
std::string QueryOf(const Chain& chain, std::size_t pods) {
  std::string query;
  const auto add = [&](const std::string& key) {
    query += (query.empty() ? "key=" : "&key=") + client::EscapeUrl(key);
  };
  for (const trace::Link* const link : chain.SetsAndOwners()) {
    add(link->key());
    add(link->uid());
  }
  for (const core::v1::Pod* const pod : PodsToShow(chain, pods)) {
    add(ObjectKey::Of(*pod).ToString());
    add(pod->metadata.uid);
  }
  return query;
}

class TraceCommand {
 public:
  TraceCommand(Cluster& cluster, client::RestClient& manager, const TraceOptions& options)
      : cluster_(cluster), manager_(manager), options_(options) {}

  Errors Run() {
    if (!options_.output.empty() && options_.output != "json") {
      return {UsageError("unable to match a printer suitable for the output format \"" +
                         options_.output + "\", allowed formats are: json")};
    }
    auto selected = Select(cluster_, options_.selection, BareType::kMistake, errors_);
    if (!selected) return {selected.error()};
    bool first = true;
    for (const Selected& each : *selected) {
      auto chain = trace::ReadChain(cluster_, each);
      if (!chain) {
        errors_.push_back(chain.error());
        continue;
      }
      if (!std::exchange(first, false)) cluster_.console().out << "\n";
      Show(*std::move(chain));
    }
    return std::move(errors_);
  }

 private:
  void Show(Chain chain) {
    const auto page = Ask(chain);
    std::ostream& out = cluster_.console().out;
    if (options_.output == "json") {
      if (page) {
        out << *page;
      } else {
        errors_.push_back(page.error());
      }
      return;
    }
    trace::Observation observation{.chain = std::move(chain), .now = cluster_.clock().WallNow()};
    const auto told = page ? trace::ParseTraceReport(*page) : std::unexpected(page.error());
    if (told) observation.controllers = *told;
    out << ToText(Diagnose(observation));
    if (!told) {
      out << "(No manager tells what it did: " << told.error().message()
          << ". This is from the objects alone; --manager says where one is.)\n";
    }
    for (const std::string& unread : observation.chain.unread) {
      out << "(Could not be looked at: " << unread << ")\n";
    }
    const std::string timeline = RenderTimeline(observation, options_.timeline);
    if (!timeline.empty()) out << "\nWhat happened (UTC, the last of each):\n" << timeline;
  }

  Result<std::string> Ask(const Chain& chain) {
    client::RestRequest request;
    request.path = "/debug/trace";
    request.query = QueryOf(chain, options_.timeline.pods);
    request.asked = "get /debug/trace";
    request.timeout = std::chrono::seconds(10);
    // One that is not there is no reason to wait: there is something to tell without it.
    request.once = true;
    FLYBALL_TRY(auto answer, manager_.Do(std::move(request)));
    return std::move(answer.body);
  }

  Cluster& cluster_;
  client::RestClient& manager_;
  const TraceOptions& options_;
  Errors errors_;
};

}  // namespace

Result<client::AccessConfig> AccessOfManager(client::AccessConfig access,
                                             const ManagerFlags& flags) {
  FLYBALL_TRY(access.server, transport::Url::Parse(flags.address));
  access.server_text = flags.address;
  access.tls_server_name.clear();
  if (!flags.certificate_authority.empty()) {
    access.certificate_authority = {"", flags.certificate_authority,
                                    "--manager-certificate-authority"};
  }
  if (flags.insecure_skip_tls_verify) {
    access.insecure_skip_tls_verify = true;
    access.certificate_authority = {};
  }
  return access;
}

Errors Trace(Cluster& cluster, client::RestClient& manager, const TraceOptions& options) {
  return TraceCommand(cluster, manager, options).Run();
}

}  // namespace flyball::ctl
