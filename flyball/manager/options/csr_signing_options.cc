#include "flyball/manager/options/csr_signing_options.h"

#include <string_view>

#include "flyball/manager/flags/go_text.h"

namespace flyball::manager {
namespace {

using Signer = CsrSigningOptions::Signer;

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
              "File with the PEM-encoded CA certificate that issues the certificates of all "
              "signers. Cannot be combined with a --cluster-signing flag for a single signer.");
  section.Add("cluster-signing-key-file", all.key_file,
              "File with the PEM-encoded RSA or ECDSA private key that signs the certificates of "
              "all signers. Cannot be combined with a --cluster-signing flag for a single signer.");
  section.Add(
      "cluster-signing-kubelet-serving-cert-file", kubelet_serving.certificate_file,
      "File with the PEM-encoded CA certificate that issues certificates for the signer "
      "kubernetes.io/kubelet-serving. Cannot be combined with --cluster-signing-cert-file.");
  section.Add(
      "cluster-signing-kubelet-serving-key-file", kubelet_serving.key_file,
      "File with the PEM-encoded RSA or ECDSA private key that signs certificates for the signer "
      "kubernetes.io/kubelet-serving. Cannot be combined with --cluster-signing-key-file.");
  section.Add("cluster-signing-kubelet-client-cert-file", kubelet_client.certificate_file,
              "File with the PEM-encoded CA certificate that issues certificates for the signer "
              "kubernetes.io/kube-apiserver-client-kubelet. Cannot be combined with "
              "--cluster-signing-cert-file.");
  section.Add("cluster-signing-kubelet-client-key-file", kubelet_client.key_file,
              "File with the PEM-encoded RSA or ECDSA private key that signs certificates for the "
              "signer kubernetes.io/kube-apiserver-client-kubelet. Cannot be combined with "
              "--cluster-signing-key-file.");
  section.Add(
      "cluster-signing-kube-apiserver-client-cert-file", kube_apiserver_client.certificate_file,
      "File with the PEM-encoded CA certificate that issues certificates for the signer "
      "kubernetes.io/kube-apiserver-client. Cannot be combined with --cluster-signing-cert-file.");
  section.Add(
      "cluster-signing-kube-apiserver-client-key-file", kube_apiserver_client.key_file,
      "File with the PEM-encoded RSA or ECDSA private key that signs certificates for the signer "
      "kubernetes.io/kube-apiserver-client. Cannot be combined with --cluster-signing-key-file.");
  section.Add("cluster-signing-legacy-unknown-cert-file", legacy_unknown.certificate_file,
              "File with the PEM-encoded CA certificate that issues certificates for the signer "
              "kubernetes.io/legacy-unknown. Cannot be combined with --cluster-signing-cert-file.");
  section.Add(
      "cluster-signing-legacy-unknown-key-file", legacy_unknown.key_file,
      "File with the PEM-encoded RSA or ECDSA private key that signs certificates for the signer "
      "kubernetes.io/legacy-unknown. Cannot be combined with --cluster-signing-key-file.");
  section.Add("cluster-signing-duration", duration,
              "Longest validity of a signed certificate. A CertificateSigningRequest may ask for "
              "less in spec.expirationSeconds.");
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
