#include "flyball/api/registry.h"

#include <set>
#include <string>

#include "flyball/api/apps/v1.h"
#include "flyball/api/core/v1.h"
#include "flyball/api/meta/v1.h"
#include "gtest/gtest.h"

namespace flyball::api {
namespace {

TEST(Registry, FindsKindsByGroupAndVersion) {
  EXPECT_EQ(FindKind("v1", "Pod"), &core::v1::Pod::kType);
  EXPECT_EQ(FindKind("apps/v1", "Deployment"), &apps::v1::Deployment::kType);
  EXPECT_NE(FindKind("apps/v1beta1", "Deployment"), FindKind("apps/v1", "Deployment"));
  EXPECT_EQ(FindKind("apps/v2", "Deployment"), nullptr);
  EXPECT_EQ(FindKind("v1", "Deployment"), nullptr);
  EXPECT_EQ(FindKind("", "Pod"), nullptr);
  EXPECT_EQ(FindKind("v1", "pod"), nullptr);
  EXPECT_EQ(FindKind("v1", ""), nullptr);
}

TEST(Registry, WhatEveryGroupHasIsFoundUnderAny) {
  EXPECT_EQ(FindKind("v1", "Status"), &meta::v1::Status::kType);
  EXPECT_EQ(FindKind("apps/v1", "DeleteOptions"), &meta::v1::DeleteOptions::kType);
  EXPECT_EQ(FindKind("example.com/v7", "WatchEvent"), &meta::v1::WatchEvent::kType);
}

TEST(Registry, EveryKindIsFoundUnderItsOwnNameAndCanBeMade) {
  std::set<std::string> names;
  for (const TypeInfo* type : AllKinds()) {
    const std::string api_version = type->ApiVersion();
    EXPECT_EQ(FindKind(api_version, type->name), type) << api_version << " " << type->name;
    EXPECT_TRUE(type->is_kind);
    EXPECT_TRUE(names.insert(api_version + " " + std::string(type->name)).second);
    void* object = type->create();
    ASSERT_NE(object, nullptr);
    type->destroy(object);
  }
  EXPECT_EQ(names.size(), 371U);
}

}  // namespace
}  // namespace flyball::api
