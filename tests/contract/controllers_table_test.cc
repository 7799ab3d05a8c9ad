// docs/controllers.md says what each controller watches and may write. The first is what the
// controllers of the registry ask for, the second what upstream's service accounts may do.

#include <gtest/gtest.h>

#include <algorithm>
#include <fstream>
#include <iterator>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "flyball/controllers/common/internal/controller_fixture.h"
#include "flyball/controllers/registry.h"
#include "tests/contract/table.h"
#include "tests/scripted/certificates.h"

namespace flyball::contract {
namespace {

constexpr std::string_view kHead =
    "| controller | watches | may write |\n"
    "|---|---|---|\n";

/// Events, which nearly all may write, and finalizers, which stand for the right to be an owner,
/// are left out.
std::string Writes(std::string_view account) {
  if (account.empty()) return "as the manager itself";
  const std::set<std::string> writing = {"create", "update", "patch", "delete", "deletecollection"};
  std::string text;
  for (const Row& row : ReadTable("rbac.tsv")) {
    if (row[0] != account || row[2] == "events" || row[2].ends_with("/finalizers")) continue;
    std::string verbs;
    std::string verb;
    for (const char c : row[3] + ",") {
      if (c != ',') {
        verb += c;
        continue;
      }
      if (writing.contains(verb)) verbs += (verbs.empty() ? "" : ", ") + verb;
      verb.clear();
    }
    if (verbs.empty()) continue;
    const std::string what = row[2] == "*" ? "everything" : row[2];
    text += (text.empty() ? "" : "; ") + what + " (" + verbs + ")";
  }
  return text;
}

class ControllersTable : public controllers::ControllerFixture {
 protected:
  std::string Watches(const controllers::Entry& entry) {
    controllers::Settings settings;
    settings.service_account_token.private_key = scripted::Authority().key();
    settings.node_ipam.allocate = true;
    settings.node_ipam.cluster_ranges = "10.244.0.0/16";
    const auto made = entry.make(deps(), settings);
    if (!made || *made == nullptr) {
      ADD_FAILURE() << entry.name << (made ? " has nothing to do" : made.error().Describe());
      return {};
    }
    std::string text;
    for (const runtime::CacheTrace& cache : (*made)->Trace({}).caches) {
      text += (text.empty() ? "" : ", ") + cache.resource;
    }
    return text.empty() ? "the metadata of everything" : text;
  }
};

TEST_F(ControllersTable, IsInTheDocuments) {
  std::string table(kHead);
  for (const controllers::Entry& entry : controllers::All()) {
    table += "| `" + std::string(entry.name) + "` | " + Watches(entry) + " | " +
             Writes(entry.service_account) + " |\n";
  }
  std::ifstream file(FLYBALL_DOCUMENT);
  const std::string document(std::istreambuf_iterator<char>(file), {});
  EXPECT_NE(document.find(table), std::string::npos)
      << "docs/controllers.md does not have this table:\n"
      << table;
}

}  // namespace
}  // namespace flyball::contract
