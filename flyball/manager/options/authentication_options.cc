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
              "Kubeconfig file of a user who may create tokenreviews.authentication.k8s.io. If it "
              "is not given and this process runs outside a cluster, bearer tokens are not "
              "accepted and no client CA is read from the cluster.");
  section.Add("authentication-token-webhook-cache-ttl", token_cache_ttl,
              "Time for which the result of a TokenReview is cached.");
  section.Add(
      "client-ca-file", client_ca_file,
      "File with PEM-encoded CA certificates. A client with a certificate that one of these CAs "
      "has signed is authenticated as the user in the certificate's common name.");
  section.Add("requestheader-username-headers", request_header.username_headers,
              "Request headers in which an authenticating proxy passes the name of the user, "
              "usually X-Remote-User.");
  section.Add("requestheader-uid-headers", request_header.uid_headers,
              "Request headers in which an authenticating proxy passes the UID of the user, "
              "usually X-Remote-Uid. Needs the feature gate RemoteRequestHeaderUID.");
  section.Add("requestheader-group-headers", request_header.group_headers,
              "Request headers in which an authenticating proxy passes the groups of the user, "
              "usually X-Remote-Group.");
  section.Add("requestheader-extra-headers-prefix", request_header.extra_header_prefixes,
              "Prefixes of the request headers in which an authenticating proxy passes extra "
              "attributes of the user, usually X-Remote-Extra-.");
  section.Add(
      "requestheader-client-ca-file", request_header.client_ca_file,
      "File with PEM-encoded CA certificates. The headers that name a user in a proxy's request "
      "are trusted only if one of these CAs has signed the proxy's client certificate.");
  section.Add(
      "requestheader-allowed-names", request_header.allowed_names,
      "Common names in client certificates of the proxies whose request headers are trusted. Empty "
      "means every proxy whose certificate a CA in --requestheader-client-ca-file has signed.");
  section.Add(
      "authentication-skip-lookup", skip_lookup,
      "Do not read the client CA and the request header settings from the ConfigMap "
      "kube-system/extension-apiserver-authentication; authentication uses the flags only.");
  section.Add("authentication-tolerate-lookup-failure", tolerate_lookup_failure,
              "Start even if the authentication settings cannot be read from the cluster. Client "
              "certificates whose CA only the cluster knows are then not accepted until a lookup "
              "succeeds.");
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
