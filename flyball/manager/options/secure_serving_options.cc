#include "flyball/manager/options/secure_serving_options.h"

namespace flyball::manager {

void SecureServingOptions::AddFlags(flags::FlagSection& section) {
  section.Add("bind-address", bind_address,
              "IP address on which --secure-port is opened. 0.0.0.0 or :: means all addresses of "
              "both IP families.");
  section.Add("secure-port", port,
              "Port for HTTPS with authentication and authorization: health checks, metrics and "
              "debugging pages. 0 switches it off.");
  section.Add("disable-http2-serving", disable_http2,
              "Serve HTTP/1.1 only and do not offer HTTP/2 to clients.");
  section.Add(
      "cert-dir", certificate_dir,
      "Directory for the self-signed serving certificate, which is used unless --tls-cert-file and "
      "--tls-private-key-file are given. Empty keeps that certificate in memory.");
  section.Add("tls-cert-file", certificate_file,
              "File with the PEM-encoded serving certificate, followed by its intermediate CA "
              "certificates if there are any. If it is not given, a self-signed certificate is "
              "made and kept in --cert-dir.");
  section.Add("tls-private-key-file", private_key_file,
              "File with the PEM-encoded private key of the certificate in --tls-cert-file.");
  section.Add("tls-cipher-suites", cipher_suites,
              "Cipher suites that the server accepts for TLS 1.2, as a comma-separated list of "
              "their names in Go. Empty means the server's own choice.\nPreferred values: " +
                  CipherSuiteNames(false) + ".\nInsecure values: " + CipherSuiteNames(true) + ".");
  section.Add("tls-curve-preferences", curve_preferences,
              "Key exchange mechanisms (curves) that the server accepts, as a comma-separated list "
              "of Go's CurveID numbers: 23 (P-256), 24 (P-384), 25 (P-521), 29 (X25519), 4587 to "
              "4589 (with ML-KEM). Empty means the server's own choice.");
  section.Add("tls-min-version", min_tls_version,
              "Lowest TLS version that the server accepts: VersionTLS10, VersionTLS11, "
              "VersionTLS12 or VersionTLS13. The first two are treated as VersionTLS12.");
  section.Add(
      "tls-sni-cert-key", named_certificates,
      "Serving certificate and its private key for particular host names, as two file names with a "
      "comma between them: \"foo.crt,foo.key\" serves the names in the certificate, "
      "\"foo.crt,foo.key:*.foo.com,foo.com\" serves these names. May be repeated; an exact name is "
      "preferred to a wildcard, and a name in the flag to one in a certificate.");
  section.Add("http2-max-streams-per-connection", http2_max_streams,
              "Number of concurrent streams (open requests) that a client may have on one HTTP/2 "
              "connection. 0 means 100.");
  section.Add("permit-port-sharing", permit_port_sharing,
              "Bind the port with SO_REUSEPORT, so that several processes can listen on the same "
              "address and port.");
  section.Add("permit-address-sharing", permit_address_sharing,
              "Bind the port with SO_REUSEADDR, so that connections in TIME_WAIT do not block the "
              "address. Accepted for compatibility: this program always sets it.");
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
