#include "flyball/operator/finalizer.h"

namespace flyball {

bool HasFinalizer(const meta::v1::ObjectMeta& metadata, std::string_view finalizer) {
  return std::ranges::find(metadata.finalizers, finalizer) != metadata.finalizers.end();
}

client::Patch FinalizersPatch(const meta::v1::ObjectMeta& metadata,
                              const std::vector<std::string>& finalizers) {
  const api::Json::Array list(finalizers.begin(), finalizers.end());
  return client::Patch::Merge(api::Json::Object{
      {"metadata", api::Json::Object{{"finalizers", list},
                                     {"resourceVersion", metadata.resourceVersion},
                                     {"uid", metadata.uid}}}});
}

std::vector<std::string> WithFinalizer(const meta::v1::ObjectMeta& metadata,
                                       std::string_view finalizer) {
  std::vector<std::string> finalizers = metadata.finalizers;
  finalizers.emplace_back(finalizer);
  return finalizers;
}

std::vector<std::string> WithoutFinalizer(const meta::v1::ObjectMeta& metadata,
                                          std::string_view finalizer) {
  std::vector<std::string> finalizers = metadata.finalizers;
  std::erase(finalizers, finalizer);
  return finalizers;
}

}  // namespace flyball
