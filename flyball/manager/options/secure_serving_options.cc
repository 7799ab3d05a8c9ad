#include "flyball/manager/options/secure_serving_options.h"

namespace flyball::manager {

void SecureServingOptions::AddFlags(flags::FlagSection& section) {
  section.Add("bind-address", bind_address,
              "The address to listen on for --secure-port. 0.0.0.0 and :: are all there are.");
  section.Add("secure-port", port,
              "The port for HTTPS with authentication and authorization. 0: no HTTPS.");
  section.Add("disable-http2-serving", disable_http2, "Offer HTTP/1.1 only.");
  section.Add("cert-dir", certificate_dir,
              "The folder where the certificate of our own making is kept, unless --tls-cert-file "
              "and --tls-private-key-file are given. Empty: in memory.");
  section.Add(
      "tls-cert-file", certificate_file,
      "A file with the certificate for HTTPS, PEM, and after it what chains it to its root. "
      "Without one there is one of our own making.");
  section.Add("tls-private-key-file", private_key_file,
              "A file with the key, PEM, of --tls-cert-file.");
  section.Add("tls-cipher-suites", cipher_suites,
              "The cipher suites to speak up to TLS 1.2, in Go's names.\nPreferred values: " +
                  CipherSuiteNames(false) + ".\nInsecure values: " + CipherSuiteNames(true) + ".");
  section.Add("tls-curve-preferences", curve_preferences,
              "The key exchanges to speak, in the numbers that Go's crypto/tls has for them: 23 "
              "(P-256), 24 (P-384), 25 (P-521), 29 (X25519), 4587 to 4589 (with ML-KEM).");
  section.Add("tls-min-version", min_tls_version,
              "The oldest version of TLS to speak: VersionTLS10, VersionTLS11, VersionTLS12, "
              "VersionTLS13.");
  section.Add(
      "tls-sni-cert-key", named_certificates,
      "Files with a certificate and its key, for those who ask for one of its names: "
      "\"foo.crt,foo.key\", or \"foo.crt,foo.key:*.foo.com,foo.com\" with the names. May be "
      "given several times. A full name wins over one with a wildcard, and a name given "
      "here over one in a certificate.");
  section.Add("http2-max-streams-per-connection", http2_max_streams,
              "How many requests a client may have open on an HTTP/2 connection. 0: the server's "
              "own limit.");
  section.Add("permit-port-sharing", permit_port_sharing,
              "Others may listen on the same port (SO_REUSEPORT).");
  section.Add("permit-address-sharing", permit_address_sharing,
              "Listen on 0.0.0.0 beside those who listen on one address, and do not wait for old "
              "connections to be forgotten (SO_REUSEADDR).");
}

void SecureServingOptions::Check(Problems& problems) const {
  const std::string shown = "--secure-port " + std::to_string(port) + " must be between ";
  // PARITY: upstream says the first of a port that may well be 0.
  if (port > 65535) {
    problems.Add(shown + "1 and 65535, inclusive. It cannot be turned off with 0");
  } else if (port < 0) {
    problems.Add(shown + "0 and 65535, inclusive. 0 for turning off secure port");
  }
}

}  // namespace flyball::manager
