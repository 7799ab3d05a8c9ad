#include <cstdio>

#include "flyball/api/core/v1.h"
#include "flyball/api/json_decode.h"
#include "flyball/api/json_encode.h"
#include "flyball/api/shop/v1.h"
#include "flyball/api/structural_defaults.h"
#include "flyball/crds/widgets/v1.h"

int main() {
  const auto site = flyball::api::DecodeJson<flyball::shop::v1::Website>(
      R"({"hosts":["a.example.com"],"replicas":3,"later":true})");
  if (!site || *site->replicas != 3) return 1;
  flyball::core::v1::Pod pod;
  pod.metadata.name = site->hosts[0];
  flyball::widgets::v1::Widget widget;
  if (!flyball::api::ApplySchemaDefaults(widget)) return 1;
  std::printf("%s\n%s\n%s\n", flyball::api::EncodeJson(widget)->c_str(),
              flyball::api::EncodeJson(*site)->c_str(), flyball::api::EncodeJson(pod)->c_str());
}
