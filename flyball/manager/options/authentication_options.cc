#include "flyball/manager/options/authentication_options.h"

#include <algorithm>
#include <cctype>
#include <string_view>

#include "flyball/manager/flags/go_text.h"

namespace flyball::manager {
namespace {

using Headers = std::vector<std::string>;

void CheckNotBlank(Problems& problems, std::string_view flag, const Headers& headers) {
  const bool blank = std::ranges::any_of(
      headers, [](const std::string& header) { return flags::TrimSpace(header).empty(); });
  if (blank) problems.Add("empty value in " + flags::Quote(flag));
}

bool HasIgnoringCase(const Headers& headers, std::string_view wanted) {
  const auto lower = [](char c) { return std::tolower(static_cast<unsigned char>(c)); };
  return std::ranges::any_of(headers, [&](const std::string& header) {
    return std::ranges::equal(header, wanted, {}, lower, lower);
  });
}

/// `what`: "header", or a prefix of them.
std::string MissingStandard(std::string_view flag, std::string_view standard,
                            std::string_view what) {
  return "--" + std::string(flag) + " is set without specifying the standard " +
         std::string(standard) + " " + std::string(what) + " - API aggregation will not work";
}

}  // namespace

void AuthenticationOptions::AddFlags(flags::FlagSection& section) {
  section.Add("authentication-kubeconfig", kubeconfig,
              "A kubeconfig with the right to create tokenreviews.authentication.k8s.io. Without "
              "one nobody with a token is known, and no CA is looked up in the cluster.");
  section.Add("authentication-token-webhook-cache-ttl", token_cache_ttl,
              "How long it is remembered whose a token is.");
  section.Add(
      "client-ca-file", client_ca_file,
      "A file with certificates, PEM. Who has a certificate that one of them vouches for is "
      "the one whom its common name says.");
  section.Add("requestheader-username-headers", request_header.username_headers,
              "The headers in which a proxy says who is asking. X-Remote-User is usual.");
  section.Add("requestheader-uid-headers", request_header.uid_headers,
              "The headers in which a proxy says the uid of who is asking. X-Remote-Uid is usual. "
              "Needs the feature RemoteRequestHeaderUID.");
  section.Add("requestheader-group-headers", request_header.group_headers,
              "The headers in which a proxy says the groups of who is asking. X-Remote-Group is "
              "usual.");
  section.Add(
      "requestheader-extra-headers-prefix", request_header.extra_header_prefixes,
      "How the headers begin in which a proxy says more of who is asking. X-Remote-Extra- is "
      "usual.");
  section.Add("requestheader-client-ca-file", request_header.client_ca_file,
              "A file with certificates, PEM, one of which has to vouch for a proxy before its "
              "headers are believed.");
  section.Add("requestheader-allowed-names", request_header.allowed_names,
              "The common names of proxies whose headers are believed. Empty: of any that "
              "--requestheader-client-ca-file vouches for.");
  section.Add("authentication-skip-lookup", skip_lookup,
              "Do not look in the cluster for what these flags do not say.");
  section.Add("authentication-tolerate-lookup-failure", tolerate_lookup_failure,
              "Start even if that cannot be looked up. Then it may be that nobody is known.");
}

void AuthenticationOptions::Check(Problems& problems, const FeatureGates& gates) const {
  const RequestHeader& proxy = request_header;
  CheckNotBlank(problems, "requestheader-username-headers", proxy.username_headers);
  CheckNotBlank(problems, "requestheader-group-headers", proxy.group_headers);
  CheckNotBlank(problems, "requestheader-extra-headers-prefix", proxy.extra_header_prefixes);
  CheckNotBlank(problems, "requestheader-allowed-names", proxy.allowed_names);

  const auto warn_without = [&problems](std::string_view flag, const Headers& headers,
                                        std::string_view standard, std::string_view what) {
    if (headers.empty() || HasIgnoringCase(headers, standard)) return;
    problems.Warn(MissingStandard(flag, standard, what));
  };
  warn_without("requestheader-username-headers", proxy.username_headers, "X-Remote-User", "header");
  warn_without("requestheader-group-headers", proxy.group_headers, "X-Remote-Group", "header");
  warn_without("requestheader-extra-headers-prefix", proxy.extra_header_prefixes, "X-Remote-Extra-",
               "header prefix");

  if (!gates.Enabled("RemoteRequestHeaderUID")) {
    if (proxy.uid_headers.empty()) return;
    problems.Add(
        "--requestheader-uid-headers requires the \"RemoteRequestHeaderUID\" feature to be "
        "enabled");
    return;
  }
  CheckNotBlank(problems, "requestheader-uid-headers", proxy.uid_headers);
  if (!proxy.uid_headers.empty() && !HasIgnoringCase(proxy.uid_headers, "X-Remote-Uid")) {
    problems.Add(MissingStandard("requestheader-uid-headers", "X-Remote-Uid", "header"));
  }
}

}  // namespace flyball::manager
