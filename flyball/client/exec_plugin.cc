#include "flyball/client/exec_plugin.h"

#include <unistd.h>

#include <algorithm>
#include <functional>
#include <map>

#include "flyball/api/base64.h"
#include "flyball/api/time.h"
#include "flyball/client/internal/client_certificate.h"
#include "flyball/client/internal/document.h"
#include "flyball/client/internal/header_text.h"
#include "flyball/client/internal/read_file.h"
#include "flyball/client/internal/redaction.h"
#include "flyball/client/internal/subprocess.h"

extern char** environ;

namespace flyball::client {
namespace {

using api::Json;

/// What the plugin may know of the cluster, in the protocol's words.
Result<Json> DescribeCluster(const AccessConfig& access) {
  std::string roots = access.certificate_authority.data;
  if (const std::string& file = access.certificate_authority.file; roots.empty() && !file.empty()) {
    FLYBALL_TRY(roots, ReadFile(file));
  }
  Json::Object cluster;
  cluster["server"] = access.server_text;
  if (!access.tls_server_name.empty()) cluster["tls-server-name"] = access.tls_server_name;
  if (access.insecure_skip_tls_verify) cluster["insecure-skip-tls-verify"] = true;
  if (!roots.empty()) cluster["certificate-authority-data"] = api::EncodeBase64(roots);
  if (!access.proxy_text.empty()) cluster["proxy-url"] = access.proxy_text;
  if (access.disable_compression) cluster["disable-compression"] = true;
  cluster["config"] = access.exec_extension;
  return Json(std::move(cluster));
}

/// Ours, then the configured ones, then the request: of what is set twice, the last counts.
std::vector<std::string> PluginEnvironment(const ExecConfig& config, const std::string& request) {
  std::map<std::string, std::string> variables;
  for (char** entry = environ; *entry != nullptr; ++entry) {
    const std::string_view text = *entry;
    if (const auto equals = text.find('=', 1); equals != std::string_view::npos) {
      variables[std::string(text.substr(0, equals))] = text.substr(equals + 1);
    }
  }
  for (const auto& [name, value] : config.env) variables[name] = value;
  variables["KUBERNETES_EXEC_INFO"] = request;
  std::vector<std::string> environment;
  for (const auto& [name, value] : variables) {
    environment.push_back(name);
    environment.back().append("=").append(value);
  }
  return environment;
}

/// A hint from the file is for the terminal, which it must not take over: control characters become
/// visible. Those of Unicode's second block are two bytes, the first of them 0xc2.
std::string WithoutControls(std::string_view text) {
  std::string visible;
  for (std::size_t i = 0; i < text.size(); ++i) {
    const auto byte = static_cast<unsigned char>(text[i]);
    const auto next = static_cast<unsigned char>(i + 1 < text.size() ? text[i + 1] : 0);
    const bool second_block = byte == 0xc2 && next >= 0x80 && next < 0xa0;
    const bool space = byte >= '\t' && byte <= '\r';
    if (second_block || byte == 0x7f || (byte < 0x20 && !space)) {
      constexpr std::string_view kDigits = "0123456789ABCDEF";
      const unsigned code = second_block ? next : byte;
      visible.append("U+00") += kDigits[code >> 4];
      visible += kDigits[code & 0xf];
      if (second_block) ++i;
    } else {
      visible += text[i];
    }
  }
  return visible;
}

/// Calls `each` with the lines of a text, without what is blank around them.
void ForEachLine(std::string_view text, const std::function<void(std::string_view)>& each) {
  while (!text.empty()) {
    const auto end = std::min(text.find('\n'), text.size());
    if (const auto line = TrimSpace(text.substr(0, end)); !line.empty()) each(line);
    text.remove_prefix(std::min(end + 1, text.size()));
  }
}

}  // namespace

bool ExecPlugin::StandardInputIsTerminal() { return isatty(STDIN_FILENO) == 1; }

Result<ExecPlugin> ExecPlugin::Create(const AccessConfig& access, Deps deps, Options options) {
  const ExecConfig& config = *access.exec;
  Json cluster;
  if (config.provide_cluster_info) {
    FLYBALL_TRY(cluster, DescribeCluster(access));
  }
  return ExecPlugin(config, std::move(cluster), std::move(deps), std::move(options));
}

Result<bool> ExecPlugin::Interactive() const {
  if (config_.interactive_mode == "Never") return false;
  const bool terminal = options_.has_terminal();
  if (config_.interactive_mode == "IfAvailable" || terminal) return terminal;
  return Fail(ErrorCode::kUnsupported, config_.place.Of("interactiveMode"),
              "is Always, but standard input is not a terminal");
}

std::string ExecPlugin::RequestText(bool interactive) const {
  Json::Object spec;
  if (!cluster_.IsNull()) spec["cluster"] = cluster_;
  spec["interactive"] = interactive;
  Json::Object request;
  request["apiVersion"] = config_.api_version;
  request["kind"] = "ExecCredential";
  request["spec"] = std::move(spec);
  return Json(std::move(request)).ToString();
}

Result<IssuedCredential> ExecPlugin::Run() const {
  FLYBALL_TRY(const bool interactive, Interactive());
  Subprocess subprocess;
  subprocess.arguments = {config_.command};
  subprocess.arguments.insert(subprocess.arguments.end(), config_.args.begin(), config_.args.end());
  subprocess.environment = PluginEnvironment(config_, RequestText(interactive));
  subprocess.interactive = interactive;
  subprocess.timeout = interactive ? 10 * options_.timeout : options_.timeout;
  subprocess.max_output = options_.max_output;

  deps_.log.V(4).Info("Running credential plugin", {{"command", config_.command}});
  const auto ended = RunSubprocess(subprocess, deps_.clock);
  const std::string where = config_.place.Of("command");
  if (!ended) {
    deps_.metrics.PluginFailed(ended.error().code());
    std::string message = config_.command + ": " + ended.error().message();
    if (ended.error().code() == ErrorCode::kNotFound && !config_.install_hint.empty()) {
      message += ". " + WithoutControls(config_.install_hint);
    }
    return Fail(ended.error().code(), where, std::move(message));
  }
  deps_.metrics.PluginEnded(ended->exit_code);
  auto credential = ReadAnswer(ended->output);
  LogComplaints(ended->complaints, ended->output, credential);
  if (ended->exit_code != 0) {
    return Fail(ErrorCode::kIo, where,
                "executable " + config_.command + " failed with exit code " +
                    std::to_string(ended->exit_code));
  }
  return credential;
}

Result<IssuedCredential> ExecPlugin::ReadAnswer(std::string_view text) const {
  const std::string name = config_.place.Of("command") + ": the answer of " + config_.command;
  FLYBALL_TRY(Document document, Document::Parse(text, name));
  const DocumentNode root = document.root();
  if (root["kind"].Text() != "ExecCredential") root["kind"].Complain("must be ExecCredential");
  if (root["apiVersion"].Text() != config_.api_version) {
    root["apiVersion"].Complain("must be " + config_.api_version +
                                ", the version that the plugin was asked for");
  }
  const DocumentNode status = root["status"];
  IssuedCredential credential;
  credential.token = status["token"].Text();
  credential.certificate = status["clientCertificateData"].Text();
  credential.key = status["clientKeyData"].Text();
  const DocumentNode expires = status["expirationTimestamp"];
  if (expires.present()) {
    const auto time = api::Time::Parse(expires.Text());
    if (time && !time->IsZero()) credential.expires = time->ToWallTime();
    if (!time) expires.Complain("must be a time in the form of RFC 3339");
  }
  if (!status.present()) status.Complain("is missing");
  if (!IsHeaderText(credential.token)) status["token"].Complain("contains control characters");
  if (credential.certificate.empty() != credential.key.empty()) {
    status.Complain("has only one of clientCertificateData and clientKeyData");
  }
  if (credential.token.empty() && credential.certificate.empty()) {
    status.Complain("has neither a token nor a client certificate");
  }
  FLYBALL_TRY(document.Check());
  if (!credential.certificate.empty()) {
    FLYBALL_TRY(CheckClientCertificate(credential.certificate, credential.key,
                                       name + ": status.clientCertificateData",
                                       name + ": status.clientKeyData"));
  }
  return credential;
}

void ExecPlugin::LogComplaints(std::string_view complaints, std::string_view output,
                               const Result<IssuedCredential>& credential) const {
  Redactor redactor;
  for (const auto& [name, value] : config_.env) {
    if (Redactor::IsSecretName(name)) redactor.AddSecret(value);
  }
  if (credential) {
    redactor.AddSecret(credential->token);
    redactor.AddSecret(credential->key);
  } else {
    redactor.AddSuspect(output);
  }
  ForEachLine(complaints, [&](std::string_view complaint) {
    deps_.log.Info("Credential plugin wrote to stderr",
                   {{"command", config_.command}, {"line", redactor.Redact(complaint)}});
  });
}

}  // namespace flyball::client
