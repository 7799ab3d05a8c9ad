#include "flyball/serving/internal/subject.h"

#include <openssl/objects.h>
#include <openssl/x509v3.h>

#include <memory>
#include <string_view>

#include "flyball/base/free_with.h"

namespace flyball::serving {
namespace {

constexpr std::string_view kUid = "1.3.6.1.4.1.57683.2";

std::string Text(const X509_NAME_ENTRY* entry) {
  unsigned char* utf8 = nullptr;
  const int size = ASN1_STRING_to_UTF8(&utf8, X509_NAME_ENTRY_get_data(entry));
  if (size < 0) return "";
  std::string text(reinterpret_cast<const char*>(utf8), static_cast<std::size_t>(size));
  OPENSSL_free(utf8);
  return text;
}

bool IsUid(const X509_NAME_ENTRY* entry) {
  char number[kUid.size() + 2];
  const int size =
      OBJ_obj2txt(number, sizeof(number), X509_NAME_ENTRY_get_object(entry), /*no_name=*/1);
  return size == static_cast<int>(kUid.size()) && number == kUid;
}

/// An address is none: clients do not ask for one by name.
bool IsDnsName(std::string_view name) {
  constexpr std::string_view kAllowed = "abcdefghijklmnopqrstuvwxyz0123456789-.*";
  return !name.empty() && name.find_first_not_of(kAllowed) == std::string_view::npos &&
         name.find_first_not_of("0123456789.") != std::string_view::npos;
}

}  // namespace

Subject SubjectOf(const X509* certificate) {
  Subject subject;
  const X509_NAME* const name = X509_get_subject_name(certificate);
  for (int i = 0; i < X509_NAME_entry_count(name); ++i) {
    const X509_NAME_ENTRY* const entry = X509_NAME_get_entry(name, i);
    const int kind = OBJ_obj2nid(X509_NAME_ENTRY_get_object(entry));
    // Of several names the last counts, as it does in Go.
    if (kind == NID_commonName) subject.common_name = Text(entry);
    if (kind == NID_organizationName) subject.organizations.push_back(Text(entry));
    if (IsUid(entry)) subject.uids.push_back(Text(entry));
  }
  return subject;
}

std::vector<std::string> NamesOf(const X509* certificate) {
  std::vector<std::string> names;
  if (const std::string own = SubjectOf(certificate).common_name; IsDnsName(own)) {
    names.push_back(own);
  }
  const std::unique_ptr<GENERAL_NAMES, FreeWith<GENERAL_NAMES_free>> others(
      static_cast<GENERAL_NAMES*>(
          X509_get_ext_d2i(certificate, NID_subject_alt_name, nullptr, nullptr)));
  for (int i = 0; i < sk_GENERAL_NAME_num(others.get()); ++i) {
    const GENERAL_NAME* const other = sk_GENERAL_NAME_value(others.get(), i);
    if (other->type != GEN_DNS) continue;
    const ASN1_IA5STRING* const text = other->d.dNSName;
    names.emplace_back(reinterpret_cast<const char*>(ASN1_STRING_get0_data(text)),
                       static_cast<std::size_t>(ASN1_STRING_length(text)));
  }
  return names;
}

}  // namespace flyball::serving
