#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "flyball/api/json.h"
#include "flyball/api/map.h"
#include "flyball/base/logging.h"
#include "flyball/base/result.h"
#include "flyball/client/environment.h"

/// Kubeconfig files as they are written: clusters, users, and contexts that pair them. What a
/// client makes of them is AccessConfig's (access_config.h).
namespace flyball::client {

/// Where something was read: for messages, and for paths that are relative to the file.
struct ConfigPlace {
  std::string file;
  std::string path;  ///< "users[1].user"

  /// "/etc/kubernetes/config: users[1].user.token".
  std::string Of(std::string_view field) const;

  friend bool operator==(const ConfigPlace&, const ConfigPlace&) = default;
};

struct KubeconfigCluster {
  ConfigPlace place;
  std::string server;
  std::string tls_server_name;
  bool insecure_skip_tls_verify = false;
  std::string certificate_authority;  ///< a file; absolute, as are all files here
  std::string certificate_authority_data;
  std::string proxy_url;
  bool disable_compression = false;
  /// What the file has for exec plugins about this cluster; null if nothing.
  api::Json exec_extension;

  friend bool operator==(const KubeconfigCluster&, const KubeconfigCluster&) = default;
};

/// A command that gets us credentials.
struct ExecConfig {
  ConfigPlace place;
  std::string command;  ///< absolute, or a name to be found in PATH
  std::vector<std::string> args;
  std::vector<std::pair<std::string, std::string>> env;
  std::string api_version;
  std::string install_hint;
  bool provide_cluster_info = false;
  std::string interactive_mode;  ///< "Never", "IfAvailable" or "Always", once it is checked

  friend bool operator==(const ExecConfig&, const ExecConfig&) = default;
};

/// As whom the server is to treat us, if not as who we are.
struct Impersonation {
  std::string user;
  std::string uid;
  std::vector<std::string> groups;
  api::Map<std::vector<std::string>> extra;

  friend bool operator==(const Impersonation&, const Impersonation&) = default;
};

struct KubeconfigUser {
  ConfigPlace place;
  std::string client_certificate;  ///< a file, as is the key's
  std::string client_certificate_data;
  std::string client_key;
  std::string client_key_data;
  std::string token;
  std::string token_file;
  Impersonation impersonation;
  std::string username;
  std::string password;
  bool has_auth_provider = false;
  std::optional<ExecConfig> exec;

  friend bool operator==(const KubeconfigUser&, const KubeconfigUser&) = default;
};

struct KubeconfigContext {
  ConfigPlace place;
  std::string cluster;
  std::string user;
  std::string namespace_;

  friend bool operator==(const KubeconfigContext&, const KubeconfigContext&) = default;
};

/// What one file says, or several together.
struct Kubeconfig {
  std::string current_context;
  std::string current_context_file;  ///< which file says so
  api::Map<KubeconfigCluster> clusters;
  api::Map<KubeconfigUser> users;
  api::Map<KubeconfigContext> contexts;

  /// `file` is where the text is from: relative paths in it are resolved against its folder. The
  /// types of all fields are checked; whether they make sense is not.
  static Result<Kubeconfig> Parse(std::string_view text, const std::string& file);
  /// A file that must be there.
  static Result<Kubeconfig> Load(const std::string& file);
  /// Files of which any may be missing. What the first of them says of a name, or of the current
  /// context, counts; later ones add only names.
  static Result<Kubeconfig> LoadMerged(const std::vector<std::string>& files, const Logger& log);

  friend bool operator==(const Kubeconfig&, const Kubeconfig&) = default;
};

/// The files of KUBECONFIG, or else ~/.kube/config: what kubectl and other tools of people read.
/// Components of a cluster do not: they are told by flags.
std::vector<std::string> DefaultKubeconfigFiles(const Environment& environment);

}  // namespace flyball::client
