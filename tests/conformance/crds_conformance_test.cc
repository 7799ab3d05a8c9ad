// Custom kinds against upstream's own defaulting, and our reading of CRDs against its validation.
// crds/main.go says what the cases are.
#include <algorithm>
#include <iostream>
#include <string>

#include "flyball/api/diff.h"
#include "flyball/api/json.h"
#include "flyball/api/json_decode.h"
#include "flyball/api/object.h"
#include "flyball/api/registry.h"
#include "flyball/api/structural_defaults.h"
#include "flyball/crd/generate_crds.h"
#include "flyball/crds/delivery_example_io/v1alpha1.h"
#include "flyball/crds/games_example_net/v1.h"
#include "flyball/crds/games_example_net/v1beta1.h"
#include "flyball/crds/games_example_net/v2.h"
#include "flyball/crds/keep_example_com/v1.h"
#include "flyball/crds/mesh_example_org/v1.h"
#include "flyball/crds/mesh_example_org/v1alpha3.h"
#include "flyball/crds/mesh_example_org/v1beta1.h"
#include "flyball/crds/net_example_com/v1beta2.h"
#include "flyball/crds/observe_example_com/v1.h"
#include "flyball/crds/pipeline_example_io/v1alpha1.h"
#include "flyball/crds/strange_things_example_org/v1_alpha.h"
#include "flyball/crds/trust_example_com/v1.h"
#include "gtest/gtest.h"
#include "tests/conformance/cases.h"

namespace flyball::conformance {
namespace {

using api::TypeInfo;
using CrdConformance = CasesTest;

constexpr const TypeInfo* kKinds[] = {
    &delivery_example_io::v1alpha1::Application::kType,
    &games_example_net::v1::Fleet::kType,
    &games_example_net::v1beta1::Fleet::kType,
    &games_example_net::v2::Fleet::kType,
    &keep_example_com::v1::BackupPlan::kType,
    &mesh_example_org::v1::VirtualRoute::kType,
    &mesh_example_org::v1alpha3::VirtualRoute::kType,
    &mesh_example_org::v1beta1::VirtualRoute::kType,
    &net_example_com::v1beta2::AddressPool::kType,
    &observe_example_com::v1::Collector::kType,
    &pipeline_example_io::v1alpha1::Workflow::kType,
    &strange_things_example_org::v1_alpha::OddIty::kType,
    &trust_example_com::v1::Certificate::kType,
    &trust_example_com::v1::CertificateRequest::kType,
    &trust_example_com::v1::Issuer::kType,
};

TEST_F(CrdConformance, DefaultsAreThoseOfTheApiServer) {
  const int count = ForEach("O", [](std::size_t, Fields& fields) {
    const std::string api_version = fields.Text();
    const std::string kind = fields.Text();
    const std::string input = fields.Text();
    const auto expected = api::Json::Parse(fields.Text());
    const TypeInfo* type = api::FindKind(kKinds, api_version, kind);
    ASSERT_TRUE(type && expected) << api_version << " " << kind;
    api::AnyObject object(*type);
    const auto read = api::DecodeJson(input, *type, object.get());
    ASSERT_TRUE(read) << read.error().Describe() << "\n" << input;
    const auto defaulted = api::ApplySchemaDefaults(object.get(), *type);
    ASSERT_TRUE(defaulted) << defaulted.error().Describe();
    const auto written = api::ToJson(object.get(), *type);
    ASSERT_TRUE(written) << written.error().Describe();
    EXPECT_EQ(api::Diff(*expected, *written), "") << kind << "\n" << input;
  });
  ASSERT_GE(count, 500);
  const int rewritten = ForEach("D", [](std::size_t, Fields& fields) {
    std::cout << "quantities and times that came in another form than ours: " << fields.Raw()
              << "\n";
  });
  EXPECT_EQ(rewritten, 1);
}

TEST_F(CrdConformance, ASchemaIsTakenIfTheApiServerTakesIt) {
  int refused = 0;
  int known = 0;
  const int count = ForEach("S", [&](std::size_t, Fields& fields) {
    const std::string name = fields.Text();
    const std::string document = fields.Text();
    const bool taken = fields.Flag();
    const auto files = crd::GenerateCrds({{"crd.json", document}});
    // The server lets a default pass there that it would refuse in an object.
    if (name.starts_with("spec.port.default = true") && taken && !files) {
      ++known;
      return;
    }
    EXPECT_EQ(files.has_value(), taken) << name << ": " << (files ? "" : files.error().Describe());
    if (files) return;
    ++refused;
    EXPECT_TRUE(files.error().path().starts_with("crd.json: ")) << files.error().Describe();
    EXPECT_FALSE(files.error().message().empty());
  });
  ASSERT_GE(count, 100);
  EXPECT_EQ(known, 2);
  std::cout << count << " CRDs, of which " << refused << " refused, " << known
            << " more than upstream refuses\n";
}

}  // namespace
}  // namespace flyball::conformance
