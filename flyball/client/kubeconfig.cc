#include "flyball/client/kubeconfig.h"

#include <algorithm>
#include <filesystem>
#include <ranges>

#include "flyball/client/internal/document.h"
#include "flyball/client/internal/read_file.h"

namespace flyball::client {
namespace {

constexpr std::string_view kExecExtension = "client.authentication.k8s.io/exec";

/// Reads the structs of one file.
class Reader {
 public:
  explicit Reader(Document& document) : document_(document), folder_(FolderOf(document.name())) {}

  Kubeconfig Read() {
    const DocumentNode root = document_.root();
    Kubeconfig config;
    CheckKind(root);
    config.current_context = root["current-context"].Text();
    if (!config.current_context.empty()) config.current_context_file = document_.name();
    ReadNamed(root["clusters"], "cluster", config.clusters,
              [this](const DocumentNode& node) { return Cluster(node); });
    ReadNamed(root["users"], "user", config.users,
              [this](const DocumentNode& node) { return User(node); });
    ReadNamed(root["contexts"], "context", config.contexts,
              [this](const DocumentNode& node) { return Context(node); });
    // Of no use to us, but held to their types as upstream does.
    root["preferences"]["colors"].Bool();
    Extension(root["preferences"]["extensions"], "");
    Extension(root["extensions"], "");
    return config;
  }

 private:
  static std::filesystem::path FolderOf(const std::string& file) {
    std::error_code no_working_folder;
    return std::filesystem::absolute(file, no_working_folder).parent_path();
  }

  static void CheckKind(const DocumentNode& root) {
    const std::string version = root["apiVersion"].Text();
    const std::string kind = root["kind"].Text();
    if (!version.empty() && version != "v1") root["apiVersion"].Complain("must be v1");
    if (!kind.empty() && kind != "Config") root["kind"].Complain("must be Config");
  }

  ConfigPlace Place(const DocumentNode& node) const { return {document_.name(), node.path()}; }

  /// A list of {name: x, cluster: {...}} as a map.
  template <typename T, typename Read>
  static void ReadNamed(const DocumentNode& list, std::string_view member, api::Map<T>& into,
                        Read read) {
    for (const DocumentNode& entry : list.Elements()) {
      const std::string name = entry["name"].Text();
      if (into.contains(name)) {
        return entry["name"].Complain("'" + name + "' is a duplicate");
      }
      into[name] = read(entry[member]);
    }
  }

  KubeconfigCluster Cluster(const DocumentNode& node) const {
    KubeconfigCluster cluster;
    cluster.place = Place(node);
    cluster.server = node["server"].Text();
    cluster.tls_server_name = node["tls-server-name"].Text();
    cluster.insecure_skip_tls_verify = node["insecure-skip-tls-verify"].Bool();
    cluster.certificate_authority = File(node["certificate-authority"]);
    cluster.certificate_authority_data = node["certificate-authority-data"].Bytes();
    cluster.proxy_url = node["proxy-url"].Text();
    cluster.disable_compression = node["disable-compression"].Bool();
    cluster.exec_extension = Extension(node["extensions"], kExecExtension);
    return cluster;
  }

  KubeconfigUser User(const DocumentNode& node) const {
    KubeconfigUser user;
    user.place = Place(node);
    user.client_certificate = File(node["client-certificate"]);
    user.client_certificate_data = node["client-certificate-data"].Bytes();
    user.client_key = File(node["client-key"]);
    user.client_key_data = node["client-key-data"].Bytes();
    user.token = node["token"].Text();
    user.token_file = File(node["tokenFile"]);
    user.impersonation.user = node["as"].Text();
    user.impersonation.uid = node["as-uid"].Text();
    user.impersonation.groups = node["as-groups"].Texts();
    for (const auto& [key, values] : node["as-user-extra"].Members()) {
      user.impersonation.extra[key] = values.Texts();
    }
    user.username = node["username"].Text();
    user.password = node["password"].Text();
    user.has_auth_provider = AuthProvider(node["auth-provider"]);
    if (node["exec"].present()) user.exec = Exec(node["exec"]);
    Extension(node["extensions"], "");
    return user;
  }

  static bool AuthProvider(const DocumentNode& node) {
    node["name"].Text();
    for (const auto& [key, value] : node["config"].Members()) value.Text();
    return node.present();
  }

  ExecConfig Exec(const DocumentNode& node) const {
    ExecConfig exec;
    exec.place = Place(node);
    exec.command = node["command"].Text();
    // A plain name is looked for in PATH.
    if (exec.command.find('/') != std::string::npos) exec.command = File(node["command"]);
    exec.args = node["args"].Texts();
    for (const DocumentNode& variable : node["env"].Elements()) {
      exec.env.emplace_back(variable["name"].Text(), variable["value"].Text());
    }
    exec.api_version = node["apiVersion"].Text();
    exec.install_hint = node["installHint"].Text();
    exec.provide_cluster_info = node["provideClusterInfo"].Bool();
    exec.interactive_mode = node["interactiveMode"].Text();
    const bool had_no_modes = exec.api_version == "client.authentication.k8s.io/v1beta1" ||
                              exec.api_version == "client.authentication.k8s.io/v1alpha1";
    if (exec.interactive_mode.empty() && had_no_modes) exec.interactive_mode = "IfAvailable";
    return exec;
  }

  KubeconfigContext Context(const DocumentNode& node) const {
    KubeconfigContext context;
    context.place = Place(node);
    context.cluster = node["cluster"].Text();
    context.user = node["user"].Text();
    context.namespace_ = node["namespace"].Text();
    Extension(node["extensions"], "");
    return context;
  }

  /// The extension of that name, null if there is none.
  static api::Json Extension(const DocumentNode& list, std::string_view name) {
    api::Map<api::Json> extensions;
    for (const DocumentNode& entry : list.Elements()) {
      const std::string key = entry["name"].Text();
      if (const api::Json* first = extensions.find(key); first != nullptr && !first->IsNull()) {
        entry["name"].Complain("'" + key + "' is a duplicate");
      }
      const api::Json* const value = entry["extension"].json();
      extensions[key] = value == nullptr ? api::Json() : *value;
    }
    const api::Json* const found = extensions.find(name);
    return found == nullptr ? api::Json() : *found;
  }

  /// A path, made absolute; empty if there is none.
  std::string File(const DocumentNode& node) const {
    std::string file = node.Text();
    if (file.empty() || file.starts_with('/')) return file;
    file = (folder_ / file).lexically_normal();
    while (file.size() > 1 && file.ends_with('/')) file.pop_back();
    return file;
  }

  Document& document_;
  const std::filesystem::path folder_;
};

template <typename T>
void AddMissing(const api::Map<T>& from, api::Map<T>& into) {
  for (const auto& [name, value] : from) {
    if (!into.contains(name)) into[name] = value;
  }
}

}  // namespace

std::string ConfigPlace::Of(std::string_view field) const {
  std::string text = file;
  if (!path.empty()) text += (text.empty() ? "" : ": ") + path;
  if (!field.empty())
    text += (path.empty() ? (text.empty() ? "" : ": ") : ".") + std::string(field);
  return text;
}

Result<Kubeconfig> Kubeconfig::Parse(std::string_view text, const std::string& file) {
  FLYBALL_TRY(Document document, Document::Parse(text, file));
  Kubeconfig config = Reader(document).Read();
  FLYBALL_TRY(document.Check());
  return config;
}

Result<Kubeconfig> Kubeconfig::Load(const std::string& file) {
  FLYBALL_TRY(const std::string text, ReadFile(file));
  return Parse(text, file);
}

Result<Kubeconfig> Kubeconfig::LoadMerged(const std::vector<std::string>& files,
                                          const Logger& log) {
  Kubeconfig merged;
  std::vector<std::string> missing;
  std::size_t found = 0;
  for (const std::string& file : files) {
    if (file.empty()) continue;
    auto config = Load(file);
    if (!config && config.error().code() == ErrorCode::kNotFound) {
      missing.push_back(file);
      continue;
    }
    if (!config) return config;
    ++found;
    if (merged.current_context.empty()) {
      merged.current_context = std::move(config->current_context);
      merged.current_context_file = std::move(config->current_context_file);
    }
    AddMissing(config->clusters, merged.clusters);
    AddMissing(config->users, merged.users);
    AddMissing(config->contexts, merged.contexts);
  }
  if (found == 0 && !missing.empty()) {
    log.V(1).Info("Config not found", {{"files", missing}});
  }
  return merged;
}

std::vector<std::string> DefaultKubeconfigFiles(const Environment& environment) {
  const std::string list = environment.variable("KUBECONFIG");
  if (list.empty()) return {environment.variable("HOME") + "/.kube/config"};
  std::vector<std::string> files;
  for (const auto part : std::views::split(list, ':')) {
    std::string file(part.begin(), part.end());
    if (std::ranges::find(files, file) == files.end()) files.push_back(std::move(file));
  }
  return files;
}

}  // namespace flyball::client
