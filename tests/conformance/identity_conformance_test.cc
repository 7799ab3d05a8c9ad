// Holds what controllers tell objects apart by against upstream's own code: hashes of templates,
// revisions, equality and names. The cases come from the Go program in identity/, which ctest runs
// first; its sources say what each kind of line is.

#include <cstdio>
#include <string>

#include "flyball/api/core/v1.h"
#include "flyball/api/equality.h"
#include "flyball/api/names.h"
#include "flyball/api/object.h"
#include "flyball/api/protobuf_decode.h"
#include "flyball/api/template_hash.h"
#include "flyball/controllers/common/restored_revision.h"
#include "gtest/gtest.h"
#include "tests/conformance/cases.h"

namespace flyball::api {
namespace {

using conformance::Fields;
using IdentityConformance = conformance::CasesTest;

core::v1::PodTemplateSpec ReadTemplate(Fields& fields) {
  const auto decoded = DecodeProtobuf<core::v1::PodTemplateSpec>(fields.Text());
  if (!decoded) ADD_FAILURE() << decoded.error().Describe();
  return decoded.value_or(core::v1::PodTemplateSpec());
}

CollisionCount ReadCollisions(Fields& fields) {
  Fields ahead = fields;
  if (ahead.Raw() != "none") return fields.Number<std::int32_t>();
  fields.Raw();
  return std::nullopt;
}

TEST_F(IdentityConformance, TemplatesHaveTheHashThatUpstreamGivesThem) {
  const int count = ForEach("T", [](std::size_t, Fields& fields) {
    const auto pod_template = ReadTemplate(fields);
    const CollisionCount collisions = ReadCollisions(fields);
    EXPECT_EQ(PodTemplateHash(pod_template, collisions), fields.Raw());
  });
  std::printf("template hashes: %d\n", count);
  EXPECT_GE(count, 5000);
}

TEST_F(IdentityConformance, RevisionsHoldTheBytesAndHaveTheHashThatUpstreamGivesThem) {
  int differ = 0;
  const int count = ForEach("R", [&](std::size_t, Fields& fields) {
    const auto pod_template = ReadTemplate(fields);
    const CollisionCount collisions = ReadCollisions(fields);
    const auto daemon_set = RevisionData(pod_template, RevisionOwner::kDaemonSet);
    const auto stateful_set = RevisionData(pod_template, RevisionOwner::kStatefulSet);
    ASSERT_TRUE(daemon_set && stateful_set);
    EXPECT_EQ(*daemon_set, fields.Text());
    EXPECT_EQ(*stateful_set, fields.Text());
    EXPECT_EQ(RevisionHash(*stateful_set, collisions), fields.Raw());
    if (*daemon_set != *stateful_set) ++differ;
  });
  std::printf("revisions: %d, of which %d differ between the two forms\n", count, differ);
  EXPECT_GE(count, 2000);
  EXPECT_GE(differ, 100);
}

TEST_F(IdentityConformance, OlderRevisionsAreASetsOwnWhereUpstreamFindsThemSo) {
  int same = 0;
  const int count = ForEach("V", [&](std::size_t, Fields& fields) {
    apps::v1::StatefulSet set;
    set.spec.template_ = ReadTemplate(fields);
    apps::v1::ControllerRevision revision;
    revision.data.raw = fields.Text();
    const bool wanted = fields.Flag();
    const auto data = RevisionData(set.spec.template_, RevisionOwner::kStatefulSet);
    ASSERT_TRUE(data);
    EXPECT_EQ(controllers::common::IsRestoredBy(revision, set, *data), wanted);
    same += wanted ? 1 : 0;
  });
  std::printf("older revisions: %d, of which %d the same\n", count, same);
  EXPECT_GE(count, 600);
  EXPECT_GE(same, 200);
  EXPECT_LE(same, count - 100);
}

TEST_F(IdentityConformance, NearCopiesAreEqualWhereUpstreamFindsThemSo) {
  int equal = 0;
  const int count = ForEach("E", [&](std::size_t, Fields& fields) {
    const auto a = DecodeObject(fields.Text(), Format::kProtobuf);
    const auto b = DecodeObject(fields.Text(), Format::kProtobuf);
    ASSERT_TRUE(a && b);
    const bool wanted = fields.Flag();
    EXPECT_EQ(SemanticEqual(a->get(), b->get(), a->type()), wanted) << a->type().name;
    EXPECT_EQ(SemanticEqual(b->get(), a->get(), a->type()), wanted) << a->type().name;
    equal += wanted ? 1 : 0;
  });
  std::printf("pairs: %d, of which %d equal\n", count, equal);
  EXPECT_GE(count, 5000);
  EXPECT_GE(equal, 1000);
}

TEST_F(IdentityConformance, NamesAreMadeAsUpstreamMakesThem) {
  int count = ForEach("S", [](std::size_t, Fields& fields) {
    const std::string text = fields.Text();
    EXPECT_EQ(SafeEncode(text), fields.Raw());
  });
  count += ForEach("G", [](std::size_t, Fields& fields) {
    const std::string name = GenerateName(fields.Text(), [] { return std::uint64_t{0}; });
    EXPECT_EQ(name, fields.Text() + "bbbbb");
  });
  count += ForEach("H", [](std::size_t, Fields& fields) {
    const std::string prefix = fields.Text();
    const std::string hash = fields.Text();
    EXPECT_EQ(NameWithHash(prefix, hash), fields.Text());
    EXPECT_EQ(RevisionName(prefix, hash), fields.Text());
  });
  count += ForEach("C", [](std::size_t, Fields& fields) {
    const std::string name = fields.Text();
    const auto scheduled = Time::FromUnix(fields.Number(), 5);
    EXPECT_EQ(CronJobJobName(name, scheduled), fields.Text());
  });
  count += ForEach("I", [](std::size_t, Fields& fields) {
    const std::string job = fields.Text();
    const auto index = fields.Number();
    EXPECT_EQ(IndexedPodGenerateName(job, index), fields.Text());
  });
  std::printf("names: %d\n", count);
  EXPECT_GE(count, 1500);
}

}  // namespace
}  // namespace flyball::api
