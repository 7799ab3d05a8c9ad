#include "website_controller.h"

#include "flyball/api/apps/v1.h"
#include "flyball/api/core/v1.h"
#include "flyball/crds/web/v1.h"
#include "flyball/operator/operator.h"

namespace website {
namespace {

using flyball::Outcome;
using flyball::ReconcileContext;
using flyball::Result;
using flyball::apps::v1::Deployment;
using flyball::core::v1::ConfigMap;
using flyball::core::v1::Service;
using flyball::web::v1::Website;

using Labels = flyball::api::Map<std::string>;

Labels LabelsOf(const Website& site) {
  return {{"app.kubernetes.io/name", "website"}, {"web.example.com/website", site.metadata.name}};
}

ConfigMap PageOf(const Website& site) {
  ConfigMap page;
  page.metadata.name = site.metadata.name;
  page.metadata.labels = LabelsOf(site);
  page.data["index.html"] = site.spec.html;
  return page;
}

Deployment ServersOf(const Website& site) {
  Deployment servers;
  servers.metadata.name = site.metadata.name;
  servers.metadata.labels = LabelsOf(site);
  servers.spec.replicas = site.spec.replicas.value_or(1);
  servers.spec.selector.emplace().matchLabels = LabelsOf(site);
  servers.spec.template_.metadata.labels = LabelsOf(site);

  auto& pod = servers.spec.template_.spec;
  auto& volume = pod.volumes.emplace_back();
  volume.name = "page";
  volume.configMap.emplace().name = site.metadata.name;

  auto& server = pod.containers.emplace_back();
  server.name = "server";
  server.image = "nginx:1.29-alpine";
  server.ports.emplace_back().containerPort = 80;
  auto& mount = server.volumeMounts.emplace_back();
  mount.name = "page";
  mount.mountPath = "/usr/share/nginx/html";
  return servers;
}

Service FrontOf(const Website& site) {
  Service front;
  front.metadata.name = site.metadata.name;
  front.metadata.labels = LabelsOf(site);
  front.metadata.annotations["web.example.com/host"] = site.spec.host;
  front.spec.selector = LabelsOf(site);
  front.spec.ports.emplace_back().port = 80;
  return front;
}

Result<> Report(ReconcileContext& context, const Website& site) {
  const auto servers = context.Find<Deployment>(site.metadata.name);
  const int wanted = site.spec.replicas.value_or(1);
  const int ready = servers ? servers->status.readyReplicas : 0;

  auto status = flyball::StatusOf(site);
  status.readyReplicas = ready;
  const bool changed = context.SetCondition(
      status.conditions,
      {.type = "Ready",
       .status = ready >= wanted,
       .reason = ready >= wanted ? "Served" : "ServersMissing",
       .message = std::to_string(ready) + " of " + std::to_string(wanted) + " servers are ready"});
  FLYBALL_TRY(context.SetStatus(site, status));
  if (changed && ready >= wanted) context.Event("Served", site.spec.host + " is served");
  return {};
}

Result<Outcome> Reconcile(ReconcileContext& context, const Website& site) {
  FLYBALL_TRY(context.Apply(PageOf(site)));
  FLYBALL_TRY(context.Apply(ServersOf(site)));
  FLYBALL_TRY(context.Apply(FrontOf(site)));
  FLYBALL_TRY(Report(context, site));
  return Outcome::Done();
}

/// What a Website owns goes by itself; its host is what people outside of the cluster remember.
Result<Outcome> CleanUp(ReconcileContext& context, const Website& site) {
  context.Event("Withdrawn", site.spec.host + " is no longer served");
  return Outcome::Done();
}

}  // namespace

void AddWebsiteController(flyball::Manager& manager) {
  flyball::ControllerBuilder<Website>(manager, "website")
      .When(flyball::SpecOrMetadataChanged<Website>())
      .Owns<ConfigMap>()
      .Owns<Deployment>()
      .Owns<Service>()
      .Finalizer("web.example.com/cleanup", CleanUp)
      .MaxConcurrentReconciles(4)
      .Reconcile(Reconcile);
}

}  // namespace website
