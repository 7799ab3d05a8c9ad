// What the tables of custom kinds say.
#include <algorithm>
#include <string_view>

#include "flyball/crds/games_example_net/v1.h"
#include "flyball/crds/games_example_net/v1beta1.h"
#include "flyball/crds/games_example_net/v2.h"
#include "flyball/crds/keep_example_com/v1.h"
#include "flyball/crds/mesh_example_org/v1alpha3.h"
#include "flyball/crds/net_example_com/v1beta2.h"
#include "flyball/crds/strange_things_example_org/v1_alpha.h"
#include "flyball/crds/trust_example_com/v1.h"
#include "gtest/gtest.h"

namespace flyball {
namespace {

using api::Field;
using api::TypeInfo;

const Field& FieldOf(const TypeInfo& type, std::string_view name) {
  const auto found = std::ranges::find(type.fields, name, &Field::name);
  EXPECT_NE(found, type.fields.end()) << name;
  return *found;
}

TEST(CrdFacts, AKindHasWhatDiscoverySays) {
  const TypeInfo& type = trust_example_com::v1::Certificate::kType;
  EXPECT_EQ(type.ApiVersion(), "trust.example.com/v1");
  EXPECT_EQ(type.name, "Certificate");
  EXPECT_TRUE(type.is_kind && type.has_type_meta && type.json_only);
  ASSERT_TRUE(type.resource);
  EXPECT_EQ(type.resource->plural, "certificates");
  EXPECT_EQ(type.resource->short_names, "cert,certs");
  EXPECT_EQ(type.resource->categories, "trust");
  EXPECT_EQ(type.resource->verbs, "create,delete,deletecollection,get,list,patch,update,watch");
  EXPECT_TRUE(type.resource->namespaced);
  ASSERT_EQ(type.resource->subresources.size(), 1u);
  EXPECT_EQ(type.resource->subresources[0].name, "status");
  EXPECT_EQ(type.resource->subresources[0].kind, "Certificate");
  EXPECT_EQ(type.resource->subresources[0].verbs, "get,patch,update");
  EXPECT_EQ(trust_example_com::v1::CertificateList::kType.resource, nullptr);
}

TEST(CrdFacts, PrinterColumnsAreKept) {
  const api::CustomResourceInfo& custom =
      *trust_example_com::v1::Certificate::kType.resource->custom;
  ASSERT_EQ(custom.columns.size(), 5u);
  EXPECT_EQ(custom.columns[3].name, "Expires");
  EXPECT_EQ(custom.columns[3].type, "date");
  EXPECT_EQ(custom.columns[3].format, "date-time");
  EXPECT_EQ(custom.columns[3].description,
            "When the certificate is no longer valid, \"notAfter\".");
  EXPECT_EQ(custom.columns[3].json_path, ".status.notAfter");
  EXPECT_EQ(custom.columns[3].priority, 1);
  ASSERT_EQ(custom.selectable_fields.size(), 1u);
  EXPECT_EQ(custom.selectable_fields[0], ".spec.issuerRef.name");
}

TEST(CrdFacts, EveryVersionIsItsOwnPackage) {
  const api::ResourceInfo& v2 = *games_example_net::v2::Fleet::kType.resource;
  ASSERT_EQ(v2.subresources.size(), 2u);
  EXPECT_EQ(v2.subresources[1].name, "scale");
  EXPECT_EQ(v2.subresources[1].kind, "autoscaling/v1.Scale");
  ASSERT_TRUE(v2.custom->scale);
  EXPECT_EQ(v2.custom->scale->spec_replicas, ".spec.replicas");
  EXPECT_EQ(v2.custom->scale->status_replicas, ".status.replicas");
  EXPECT_EQ(v2.custom->scale->label_selector, ".status.selector");
  EXPECT_TRUE(v2.custom->served && v2.custom->storage && !v2.custom->deprecated);

  const api::CustomResourceInfo& v1 = *games_example_net::v1::Fleet::kType.resource->custom;
  EXPECT_TRUE(v1.served && !v1.storage && v1.deprecated && !v1.scale);
  EXPECT_FALSE(games_example_net::v1beta1::Fleet::kType.resource->custom->served);
  EXPECT_EQ(mesh_example_org::v1alpha3::VirtualRoute::kType.resource->custom->deprecation_warning,
            "mesh.example.org/v1alpha3 goes away with the next release; use v1");
}

TEST(CrdFacts, NamesOnTheWireStayWhatTheyAre) {
  const TypeInfo& type = strange_things_example_org::v1_alpha::OddIty::kType;
  EXPECT_EQ(type.name, "Odd-ity");
  EXPECT_EQ(type.version, "v1-alpha");
  EXPECT_EQ(type.resource->singular, "oddity");
  EXPECT_EQ(strange_things_example_org::v1_alpha::OddityCollection::kType.name, "oddityCollection");
  EXPECT_EQ(keep_example_com::v1::BackupPlan::kType.resource->singular, "backupplan");
  EXPECT_FALSE(keep_example_com::v1::BackupPlan::kType.resource->namespaced);
}

TEST(CrdFacts, ListAndMapTypesAreKept) {
  using net_example_com::v1beta2::AddressPoolSpec;
  const TypeInfo& spec = AddressPoolSpec::kType;
  EXPECT_EQ(FieldOf(spec, "ranges").list_type, "set");
  EXPECT_EQ(FieldOf(spec, "peers").list_type, "map:address:port");
  EXPECT_EQ(FieldOf(spec, "uses").list_type, "");
  EXPECT_TRUE(FieldOf(spec, "nodeSelector").atomic_map);
  EXPECT_TRUE(net_example_com::v1beta2::AddressPoolStatusBlocksItem::kType.atomic);
  EXPECT_EQ(FieldOf(spec, "uses").defaults->member, R"(["Workload","Tunnel"])");
  EXPECT_TRUE(FieldOf(spec, "ranges").required);
}

}  // namespace
}  // namespace flyball
