#include "flyball/sandbox/apply/field_manager.h"

#include "flyball/api/apps/v1.h"
#include "flyball/api/core/v1.h"
#include "flyball/sandbox/apply/reset_fields.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"

namespace flyball::sandbox::apply {
namespace {

using testing::ElementsAre;
using testing::IsEmpty;

Json ParseJson(std::string_view text) { return Json::Parse(text).value(); }

/// The entries, a line each: who, how, since when, and what.
std::vector<std::string> Lines(const Entries& entries) {
  std::vector<std::string> lines;
  for (const auto& entry : entries) {
    lines.push_back(entry.manager + " " + entry.operation + " " + entry.apiVersion + " " +
                    (entry.subresource.empty() ? "" : entry.subresource + " ") +
                    (entry.time ? std::to_string(entry.time->unix_seconds()) : "-") + " " +
                    entry.fieldsV1->raw);
  }
  return lines;
}

/// An object on a server that has nothing else: each write is a second after the one before.
class Server {
 public:
  explicit Server(const api::TypeInfo& kind)
      : schema_(TypeSchema::OfType(kind)),
        manager_(FieldScope{.schema = schema_,
                            .api_version = kind.ApiVersion(),
                            .kind = std::string(kind.name),
                            .filters = {{kind.ApiVersion(), OwnableFields(kind, "")}}}) {}

  void Update(std::string_view after, std::string name, const Entries* said = nullptr) {
    const ManagedObject before{object_, entries_};
    Json now = ParseJson(after);
    entries_ = manager_.Update(exists_ ? &before : nullptr, now, said, {std::move(name), Tick()});
    object_ = std::move(now);
    exists_ = true;
  }
  Result<> Apply(std::string_view config, std::string name, bool force = false) {
    const ManagedObject live{object_, entries_};
    FLYBALL_TRY(Applied applied, manager_.Apply(exists_ ? &live : nullptr, ParseJson(config),
                                                {std::move(name), Tick()}, force));
    entries_ = std::move(applied.managed_fields);
    changed_ = applied.object.has_value();
    if (applied.object) object_ = *std::move(applied.object);
    exists_ = true;
    return {};
  }

  std::string object() const { return object_.ToString(); }
  std::vector<std::string> lines() const { return Lines(entries_); }
  const Entries& entries() const { return entries_; }
  bool changed() const { return changed_; }

 private:
  api::Time Tick() { return api::Time::FromUnix(++seconds_); }

  const TypeSchema schema_;
  const FieldManager manager_;
  Json object_;
  Entries entries_;
  bool exists_ = false;
  bool changed_ = false;
  int seconds_ = 0;
};

constexpr std::string_view kConfigMap =
    R"({"apiVersion":"v1","kind":"ConfigMap","metadata":{"name":"c","uid":"1"},"data":{"a":"1"}})";

TEST(FieldManager, WhoCreatesAnObjectOwnsWhatItSays) {
  Server server(core::v1::ConfigMap::kType);
  server.Update(kConfigMap, "kubectl-create");
  EXPECT_THAT(server.lines(), ElementsAre("kubectl-create Update v1 1 "
                                          R"({"f:data":{".":{},"f:a":{}}})"));
}

TEST(FieldManager, WhoChangesAFieldTakesItFromWhoOwnedIt) {
  Server server(core::v1::ConfigMap::kType);
  server.Update(kConfigMap, "kubectl-create");
  server.Update(
      R"({"apiVersion":"v1","kind":"ConfigMap","metadata":{"name":"c","uid":"1"},"data":{"a":"2"}})",
      "editor");
  EXPECT_THAT(server.lines(), ElementsAre(R"(kubectl-create Update v1 1 {"f:data":{}})",
                                          R"(editor Update v1 2 {"f:data":{"f:a":{}}})"));
}

TEST(FieldManager, AnUpdateThatChangesNothingKeepsItsTime) {
  Server server(core::v1::ConfigMap::kType);
  server.Update(kConfigMap, "kubectl-create");
  const Entries before = server.entries();
  server.Update(kConfigMap, "kubectl-create");
  EXPECT_EQ(server.entries(), before);
}

TEST(FieldManager, AnObjectWithoutEntriesStaysSoUntilItIsAppliedTo) {
  Server server(core::v1::ConfigMap::kType);
  const Entries reset;
  server.Update(kConfigMap, "kubectl-create");
  server.Update(kConfigMap, "kubectl-edit", &reset);
  EXPECT_THAT(server.lines(), IsEmpty());
  ASSERT_TRUE(server.Apply(
      R"({"apiVersion":"v1","kind":"ConfigMap","metadata":{"name":"c"},"data":{"b":"1"}})",
      "helm"));
  EXPECT_THAT(server.lines(),
              ElementsAre(R"(helm Apply v1 3 {"f:data":{"f:b":{}}})",
                          R"(before-first-apply Update v1 3 {"f:data":{".":{},"f:a":{}}})"));
}

TEST(FieldManager, ElevenUpdatersAreTooMany) {
  Server server(core::v1::ConfigMap::kType);
  for (int i = 0; i < 11; ++i) {
    std::string data;
    for (int j = 0; j <= i; ++j)
      data += (j == 0 ? "" : ",") + std::string("\"k") + char('a' + j) + "\":\"\"";
    server.Update(R"({"metadata":{"name":"c","uid":"1"},"data":{)" + data + "}}",
                  std::string("m") + char('a' + i));
  }
  EXPECT_EQ(server.entries().size(), 10);
  EXPECT_EQ(server.lines().front(),
            R"(ancient-changes Update v1 2 {"f:data":{".":{},"f:ka":{},"f:kb":{}}})");
}

constexpr std::string_view kDeployment = R"({"apiVersion":"apps/v1","kind":"Deployment",
"metadata":{"name":"web","namespace":"default"},"spec":{"replicas":1,"template":{"spec":{"containers":[
{"name":"web","image":"nginx:1","ports":[{"containerPort":80}]}]}}}})";

TEST(FieldManager, WhoAppliesOwnsWhatItSaysByTheKeysOfItsLists) {
  Server server(apps::v1::Deployment::kType);
  ASSERT_TRUE(server.Apply(kDeployment, "kubectl"));
  EXPECT_THAT(
      server.lines(),
      ElementsAre(R"(kubectl Apply apps/v1 1 {"f:spec":{"f:replicas":{},"f:template":{"f:spec":)"
                  R"({"f:containers":{"k:{\"name\":\"web\"}":{".":{},"f:image":{},"f:name":{},)"
                  R"("f:ports":{"k:{\"containerPort\":80,\"protocol\":\"TCP\"}":{".":{},)"
                  R"("f:containerPort":{}}}}}}}}})"));
}

TEST(FieldManager, ApplyingAnotherValueConflictsUnlessForced) {
  Server server(apps::v1::Deployment::kType);
  ASSERT_TRUE(server.Apply(kDeployment, "kubectl"));
  const std::string scaled =
      R"({"apiVersion":"apps/v1","kind":"Deployment","metadata":{"name":"web"},"spec":{"replicas":5}})";
  const Result<> refused = server.Apply(scaled, "scaler");
  ASSERT_FALSE(refused);
  EXPECT_EQ(refused.error().code(), ErrorCode::kConflict);
  EXPECT_EQ(refused.error().message(),
            R"(Apply failed with 1 conflict: conflict with "kubectl": .spec.replicas)");
  EXPECT_THAT(refused.error().detail().causes,
              ElementsAre(ErrorCause{.reason = "FieldManagerConflict",
                                     .field = ".spec.replicas",
                                     .message = R"(conflict with "kubectl")"}));

  ASSERT_TRUE(server.Apply(scaled, "scaler", true));
  EXPECT_EQ(server.lines().back(), R"(scaler Apply apps/v1 3 {"f:spec":{"f:replicas":{}}})");
}

TEST(FieldManager, AConflictWithAnUpdaterNamesTheVersionItUsed) {
  Server server(core::v1::ConfigMap::kType);
  server.Update(kConfigMap, "kubectl");
  const Result<> refused = server.Apply(
      R"({"apiVersion":"v1","kind":"ConfigMap","metadata":{"name":"c"},"data":{"a":"2"}})", "helm");
  ASSERT_FALSE(refused);
  EXPECT_EQ(refused.error().message(),
            R"(Apply failed with 1 conflict: conflict with "kubectl" using v1: .data.a)");
}

TEST(FieldManager, WhatAnApplierNoLongerSaysGoesUnlessSomebodyElseOwnsIt) {
  Server server(core::v1::ConfigMap::kType);
  const auto with = [](std::string_view data) {
    return R"({"apiVersion":"v1","data":{)" + std::string(data) +
           R"(},"kind":"ConfigMap","metadata":{"name":"c"}})";
  };
  ASSERT_TRUE(server.Apply(with(R"("both":"1","mine":"1")"), "one"));
  ASSERT_TRUE(server.Apply(with(R"("both":"1","theirs":"1")"), "two"));
  ASSERT_TRUE(server.Apply(with(R"("new":"1")"), "one"));
  EXPECT_EQ(server.object(), with(R"("both":"1","new":"1","theirs":"1")"));
}

TEST(FieldManager, ApplyingTheSameAgainChangesNothing) {
  Server server(apps::v1::Deployment::kType);
  ASSERT_TRUE(server.Apply(kDeployment, "kubectl"));
  const Entries before = server.entries();
  ASSERT_TRUE(server.Apply(kDeployment, "kubectl"));
  EXPECT_FALSE(server.changed());
  EXPECT_EQ(server.entries(), before);
}

TEST(FieldManager, RefusesToApplyWhatTheSchemaDoesNotKnow) {
  Server server(core::v1::ConfigMap::kType);
  const Result<> refused = server.Apply(
      R"({"apiVersion":"v1","kind":"ConfigMap","metadata":{"name":"c"},"date":{}})", "kubectl");
  ASSERT_FALSE(refused);
  EXPECT_EQ(refused.error(), Error(ErrorCode::kInternal,
                                   "failed to create typed patch object (/c; /v1, "
                                   "Kind=ConfigMap): .date: field not declared in schema"));
}

TEST(FieldManager, RefusesToApplyManagedFields) {
  Server server(core::v1::ConfigMap::kType);
  const Result<> refused = server.Apply(
      R"({"apiVersion":"v1","kind":"ConfigMap","metadata":{"name":"c","managedFields":[]}})",
      "kubectl");
  ASSERT_FALSE(refused);
  EXPECT_EQ(refused.error(), Error(ErrorCode::kBadRequest, "metadata.managedFields must be nil"));
}

TEST(KeepTimes, TakesBackTheTimesOfEntriesThatAreTheSame) {
  Server server(core::v1::ConfigMap::kType);
  server.Update(kConfigMap, "kubectl-create");
  Entries after = server.entries();
  after[0].time = api::Time::FromUnix(99);
  KeepTimes(server.entries(), after);
  EXPECT_EQ(after, server.entries());

  after[0].time = api::Time::FromUnix(99);
  after[0].manager = "another";
  const Entries other = after;
  KeepTimes(server.entries(), after);
  EXPECT_EQ(after, other);
}

}  // namespace
}  // namespace flyball::sandbox::apply
