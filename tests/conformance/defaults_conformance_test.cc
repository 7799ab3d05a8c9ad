// Holds our defaulting against the API server's own: objects of every kind, made up by the Go
// program in defaults/, before and after.

#include <cstdio>
#include <map>
#include <set>
#include <string>

#include "flyball/api/core/v1.h"
#include "flyball/api/defaulting.h"
#include "flyball/api/diff.h"
#include "flyball/api/image_reference.h"
#include "flyball/api/internal/default_rule.h"
#include "flyball/api/internal/field_access.h"
#include "flyball/api/json_encode.h"
#include "flyball/api/protobuf_encode.h"
#include "tests/conformance/cases.h"

namespace flyball::api {
namespace {

using conformance::Fields;
using DefaultsConformance = conformance::CasesTest;

/// Decodes or fails the test.
std::optional<AnyObject> Decode(std::string_view bytes) {
  auto object = DecodeObject(bytes, Format::kProtobuf);
  if (!object) {
    ADD_FAILURE() << object.error().Describe();
    return std::nullopt;
  }
  return *std::move(object);
}

std::string Encode(const AnyObject& object) {
  auto bytes = EncodeObject(object, Format::kProtobuf);
  if (!bytes) ADD_FAILURE() << bytes.error().Describe();
  return bytes.value_or("");
}

/// What a person needs to see where two objects differ.
std::string Difference(const AnyObject& ours, const AnyObject& wanted) {
  const auto json = [](const AnyObject& object) {
    std::string text;
    const auto done = EncodeJson(object.get(), object.type(), text);
    return done ? Json::Parse(text).value_or(Json()) : Json();
  };
  return Diff(json(wanted), json(ours));
}

TEST_F(DefaultsConformance, ObjectsOfEveryKindGetWhatTheServerGivesThem) {
  std::map<std::string, int> seen;
  int changed = 0;
  const int count = ForEach("D", [&](std::size_t, Fields& fields) {
    const std::string api_version(fields.Raw());
    const std::string kind(fields.Raw());
    SCOPED_TRACE(api_version + " " + kind);
    const std::string before = fields.Text();
    const std::string after = fields.Text();
    auto object = Decode(before);
    const auto wanted = Decode(after);
    ASSERT_TRUE(object && wanted);

    ApplyDefaults(*object);
    const std::string once = Encode(*object);
    EXPECT_TRUE(once == after) << Difference(*object, *wanted);
    ApplyDefaults(*object);
    EXPECT_TRUE(Encode(*object) == once) << "the second time";
    ++seen[api_version + " " + kind];
    if (before != after) ++changed;
  });
  for (const auto& [kind, cases] : seen) {
    std::printf("%s: %d\n", kind.c_str(), cases);
    EXPECT_GE(cases, kind.ends_with("List") ? 5 : 60) << kind;
  }
  std::printf("objects: %d, of %zu kinds; defaults changed %d\n", count, seen.size(), changed);
  EXPECT_GE(count, 7000);
  EXPECT_GE(changed, 3500);
  for (const char* kind : {"v1 Pod", "v1 PodTemplate", "v1 ReplicationController",
                           "apps/v1 Deployment", "apps/v1 ReplicaSet", "apps/v1 StatefulSet",
                           "apps/v1 DaemonSet", "batch/v1 Job", "batch/v1 CronJob"}) {
    EXPECT_GE(seen[kind], 300) << kind;
  }
}

TEST_F(DefaultsConformance, APodTemplateByItselfGetsWhatItGetsInAnObject) {
  int count = 0;
  ForEach("D", [&](std::size_t, Fields& fields) {
    fields.Raw();  // apiVersion: there is one kind of that name
    if (fields.Raw() != "PodTemplate") return;
    const auto before = Decode(fields.Text());
    const auto after = Decode(fields.Text());
    ASSERT_TRUE(before && after);
    core::v1::PodTemplateSpec ours = before->As<core::v1::PodTemplate>()->template_;
    ApplyDefaults(ours);
    const auto& wanted = after->As<core::v1::PodTemplate>()->template_;
    EXPECT_TRUE(ours == wanted) << Diff(wanted, ours);
    ++count;
  });
  std::printf("pod templates: %d\n", count);
  EXPECT_GE(count, 200);
}

/// Applies to each struct of an object, one by one, the rows of its type, and drops the rows that
/// changed something from `idle`.
void FindWork(void* object, const TypeInfo& type, std::set<const DefaultRule*>& idle) {
  const auto encode = [&] {
    std::string bytes;
    const auto done = EncodeProtobuf(object, type, bytes);
    if (!done) ADD_FAILURE() << done.error().Describe();
    return bytes;
  };
  std::erase_if(idle, [&](const DefaultRule* rule) {
    if (rule->type != &type) return false;
    const std::string before = encode();
    rule->apply(object, rule->value);
    return encode() != before;
  });
  for (const Field& field : type.fields) {
    if (field.kind != Kind::kMessage) continue;
    ForEachStruct(At(object, field), field,
                  [&](void* inner) { FindWork(inner, *field.message, idle); });
  }
}

// A row that no case needs could be wrong, and nobody would know.
TEST_F(DefaultsConformance, EveryRowOfOurTablesHasWorkToDoSomewhere) {
  std::set<const DefaultRule*> idle;
  for (const DefaultTable* table : AllDefaultTables()) {
    for (const DefaultRule& rule : table->rules) idle.insert(&rule);
  }
  std::printf("rows: %zu\n", idle.size());
  EXPECT_GE(idle.size(), 100);
  ForEach("D", [&](std::size_t, Fields& fields) {
    fields.Raw();
    fields.Raw();
    auto object = Decode(fields.Text());
    ASSERT_TRUE(object);
    FindWork(object->get(), object->type(), idle);
  });
  for (const DefaultTable* table : AllDefaultTables()) {
    for (std::size_t i = 0; i < table->rules.size(); ++i) {
      const DefaultRule& rule = table->rules[i];
      EXPECT_FALSE(idle.contains(&rule)) << "row " << i << ", of " << rule.type->name;
    }
  }
}

TEST_F(DefaultsConformance, ImagesHaveTheTagsThatUpstreamSees) {
  std::map<std::string, int> tags;
  const int count = ForEach("I", [&](std::size_t, Fields& fields) {
    const std::string image = fields.Text();
    const std::string tag = fields.Text();
    EXPECT_EQ(ImageTag(image), tag) << image;
    ++tags[tag];
  });
  std::printf("images: %d, of which %d are no reference or have a digest alone, %d latest\n", count,
              tags[""], tags["latest"]);
  EXPECT_GE(count, 5000);
  EXPECT_GE(tags["latest"], 500);
}

}  // namespace
}  // namespace flyball::api
