#include "flyball/manager/options/csr_signing_options.h"

#include <string_view>

#include "flyball/manager/flags/go_text.h"

namespace flyball::manager {
namespace {

using Signer = CsrSigningOptions::Signer;

/// --cluster-signing-NAME-cert-file and its key.
void AddSigner(flags::FlagSection& section, std::string_view name, std::string_view signs,
               Signer& signer) {
  const std::string flag = "cluster-signing-" + std::string(name);
  const std::string purpose = " for kubernetes.io/" + std::string(signs) +
                              ". Not together with --cluster-signing-{cert,key}-file.";
  section.Add(flag + "-cert-file", signer.certificate_file,
              "A file with the CA certificate, PEM, that issues certificates" + purpose);
  section.Add(flag + "-key-file", signer.key_file,
              "A file with the RSA or ECDSA key, PEM, that signs certificates" + purpose);
}

void CheckSigner(Problems& problems, std::string_view name, const Signer& signer) {
  if (signer.certificate_file.empty() == signer.key_file.empty()) return;
  problems.Add(flags::Quote(name) + ": cannot specify " +
               (signer.key_file.empty() ? "cert without key" : "key without cert"));
}

void DescribeSigner(ConfigWriter& config, std::string_view name, const Signer& signer) {
  config.AddObject(name, [&signer](ConfigWriter& files) {
    files.Add("CertFile", signer.certificate_file);
    files.Add("KeyFile", signer.key_file);
  });
}

}  // namespace

void CsrSigningOptions::AddFlags(flags::FlagSection& section) {
  section.Add("cluster-signing-cert-file", all.certificate_file,
              "A file with the CA certificate, PEM, that issues the cluster's certificates, all of "
              "them. Not together with the more special flags.");
  section.Add(
      "cluster-signing-key-file", all.key_file,
      "A file with the RSA or ECDSA key, PEM, that signs the cluster's certificates, all of "
      "them. Not together with the more special flags.");
  AddSigner(section, "kubelet-serving", "kubelet-serving", kubelet_serving);
  AddSigner(section, "kubelet-client", "kube-apiserver-client-kubelet", kubelet_client);
  AddSigner(section, "kube-apiserver-client", "kube-apiserver-client", kube_apiserver_client);
  AddSigner(section, "legacy-unknown", "legacy-unknown", legacy_unknown);
  section.Add("cluster-signing-duration", duration,
              "How long certificates are good for at most. A request may ask for less in "
              "spec.expirationSeconds.");
}

void CsrSigningOptions::Check(Problems& problems) const {
  CheckSigner(problems, "cluster-signing-kubelet-serving", kubelet_serving);
  // PARITY: upstream's messages for these two are each named after another flag.
  CheckSigner(problems, "cluster-signing-kube-apiserver-client", kubelet_client);
  CheckSigner(problems, "cluster-signing-kube-apiserver", kube_apiserver_client);
  CheckSigner(problems, "cluster-signing-legacy-unknown", legacy_unknown);
  const bool special = kubelet_serving.given() || kubelet_client.given() ||
                       kube_apiserver_client.given() || legacy_unknown.given();
  if (all.given() && special) {
    problems.Add(
        "cannot specify --cluster-signing-{cert,key}-file and other --cluster-signing-*-file flags "
        "at the same time");
  }
}

void CsrSigningOptions::Describe(ConfigWriter& config) const {
  config.Add("ClusterSigningCertFile", all.certificate_file);
  config.Add("ClusterSigningKeyFile", all.key_file);
  DescribeSigner(config, "KubeletServingSignerConfiguration", kubelet_serving);
  DescribeSigner(config, "KubeletClientSignerConfiguration", kubelet_client);
  DescribeSigner(config, "KubeAPIServerClientSignerConfiguration", kube_apiserver_client);
  DescribeSigner(config, "LegacyUnknownSignerConfiguration", legacy_unknown);
  config.Add("ClusterSigningDuration", duration);
}

}  // namespace flyball::manager
