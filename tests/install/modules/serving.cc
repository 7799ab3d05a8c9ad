#include "flyball/serving/certificates.h"

int main() {
  const auto make = &flyball::serving::CertificateAuthority::Make;
  return make != nullptr ? 0 : 1;
}
