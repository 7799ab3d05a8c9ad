#include "flyball/ctl/describe/pod_template.h"

#include <algorithm>
#include <utility>

#include "flyball/base/stable_sort.h"

namespace flyball::ctl::describe {
namespace {

std::string Text(bool value) { return value ? "true" : "false"; }

void AddProjected(const core::v1::ProjectedVolumeSource& projected, Description& out) {
  out.Field(2, "Type", "Projected (a volume that contains injected data from multiple sources)");
  for (const auto& source : projected.sources) {
    if (source.secret) {
      out.Field(2, "SecretName", source.secret->name);
      out.Field(2, "Optional", Text(source.secret->optional.value_or(false)));
    } else if (source.downwardAPI) {
      out.Field(2, "DownwardAPI", "true");
    } else if (source.configMap) {
      out.Field(2, "ConfigMapName", source.configMap->name);
      out.Field(2, "Optional", Text(source.configMap->optional.value_or(false)));
    } else if (source.serviceAccountToken) {
      out.Field(2, "TokenExpirationSeconds",
                source.serviceAccountToken->expirationSeconds.value_or(0));
    }
  }
}

void AddDownward(const core::v1::DownwardAPIVolumeSource& downward, Description& out) {
  out.Field(2, "Type", "DownwardAPI (a volume populated by information about the pod)");
  out.Line(2, "Items:");
  for (const auto& item : downward.items) {
    if (item.fieldRef) out.Line(3, item.fieldRef->fieldPath + " -> " + item.path);
    if (item.resourceFieldRef) out.Line(3, item.resourceFieldRef->resource + " -> " + item.path);
  }
}

void AddCsi(const core::v1::CSIVolumeSource& csi, Description& out) {
  out.Field(2, "Type", "CSI (a Container Storage Interface (CSI) volume source)");
  out.Field(2, "Driver", csi.driver);
  out.Field(2, "FSType", csi.fsType.value_or(""));
  out.Field(2, "ReadOnly", Text(csi.readOnly.value_or(false)));
  out.Labels("    VolumeAttributes", csi.volumeAttributes);
}

/// DIVERGES: kinds of volumes that the API keeps for old objects only (those of cloud disks and of
/// storage systems before CSI) are not told apart.
void AddSource(const core::v1::Volume& volume, Description& out) {
  if (volume.hostPath) {
    out.Field(2, "Type", "HostPath (bare host directory volume)");
    out.Field(2, "Path", volume.hostPath->path);
    out.Field(2, "HostPathType", volume.hostPath->type.value_or("<none>"));
  } else if (volume.emptyDir) {
    const auto& limit = volume.emptyDir->sizeLimit;
    out.Field(2, "Type", "EmptyDir (a temporary directory that shares a pod's lifetime)");
    out.Field(2, "Medium", volume.emptyDir->medium);
    out.Field(2, "SizeLimit", limit && limit->Sign() > 0 ? limit->ToString() : "<unset>");
  } else if (volume.secret) {
    out.Field(2, "Type", "Secret (a volume populated by a Secret)");
    out.Field(2, "SecretName", volume.secret->secretName);
    out.Field(2, "Optional", Text(volume.secret->optional.value_or(false)));
  } else if (volume.configMap) {
    out.Field(2, "Type", "ConfigMap (a volume populated by a ConfigMap)");
    out.Field(2, "Name", volume.configMap->name);
    out.Field(2, "Optional", Text(volume.configMap->optional.value_or(false)));
  } else if (volume.nfs) {
    out.Field(2, "Type", "NFS (an NFS mount that lasts the lifetime of a pod)");
    out.Field(2, "Server", volume.nfs->server);
    out.Field(2, "Path", volume.nfs->path);
    out.Field(2, "ReadOnly", Text(volume.nfs->readOnly));
  } else if (volume.persistentVolumeClaim) {
    out.Field(2, "Type",
              "PersistentVolumeClaim (a reference to a PersistentVolumeClaim in the same "
              "namespace)");
    out.Field(2, "ClaimName", volume.persistentVolumeClaim->claimName);
    out.Field(2, "ReadOnly", Text(volume.persistentVolumeClaim->readOnly));
  } else if (volume.image) {
    out.Field(2, "Type", "Image (a container image or OCI artifact)");
    out.Field(2, "Reference", volume.image->reference);
    out.Field(2, "PullPolicy", volume.image->pullPolicy);
  } else if (volume.downwardAPI) {
    AddDownward(*volume.downwardAPI, out);
  } else if (volume.projected) {
    AddProjected(*volume.projected, out);
  } else if (volume.csi) {
    AddCsi(*volume.csi, out);
  } else {
    out.Line(1, "<unknown>");
  }
}

std::string TolerationText(const core::v1::Toleration& toleration) {
  std::string text = toleration.key;
  if (!toleration.value.empty()) text += "=" + toleration.value;
  if (!toleration.effect.empty()) text += ":" + toleration.effect;
  if (toleration.operator_ == "Exists" && toleration.value.empty()) {
    text += text.empty() ? "op=Exists" : " op=Exists";
  }
  if (toleration.tolerationSeconds) {
    text += " for " + std::to_string(*toleration.tolerationSeconds) + "s";
  }
  return text;
}

}  // namespace

void AddVolumes(const std::vector<core::v1::Volume>& volumes, std::string_view indent,
                Description& out) {
  const std::string title = std::string(indent) + "Volumes:";
  out.Line(0, title + (volumes.empty() ? "\t<none>" : ""));
  for (const auto& volume : volumes) {
    out.Line(1, (indent.empty() ? "" : " ") + volume.name + ":");
    AddSource(volume, out);
  }
}

void AddTolerations(std::string_view title, std::vector<core::v1::Toleration> tolerations,
                    Description& out) {
  StableSort(tolerations, {}, &core::v1::Toleration::key);
  std::vector<std::string> texts;
  for (const auto& toleration : tolerations) texts.push_back(TolerationText(toleration));
  out.Column(title, texts);
}

void AddTopologySpread(std::string_view indent,
                       std::vector<core::v1::TopologySpreadConstraint> constraints,
                       Description& out) {
  if (constraints.empty()) return;
  StableSort(constraints, {}, &core::v1::TopologySpreadConstraint::topologyKey);
  std::vector<std::string> texts;
  for (const auto& constraint : constraints) {
    texts.push_back(constraint.topologyKey + ":" + constraint.whenUnsatisfiable +
                    " when max skew " + std::to_string(constraint.maxSkew) + " is exceeded");
    if (constraint.labelSelector) {
      texts.back() += " for selector " + SelectorText(*constraint.labelSelector);
    }
  }
  out.Column(std::string(indent) + "Topology Spread Constraints", texts);
}

void AddPodTemplate(const core::v1::PodTemplateSpec& pod_template, Description& out) {
  const auto& spec = pod_template.spec;
  out.Line(0, "Pod Template:");
  out.Labels("  Labels", pod_template.metadata.labels);
  if (!pod_template.metadata.annotations.empty()) {
    out.Annotations("  Annotations", pod_template.metadata.annotations);
  }
  if (!spec.serviceAccountName.empty()) {
    out.Field(1, "Service Account", spec.serviceAccountName);
  }
  if (!spec.initContainers.empty()) {
    AddContainers("  Init Containers", spec.initContainers, {}, nullptr, out);
  }
  AddContainers("  Containers", spec.containers, {}, nullptr, out);
  AddVolumes(spec.volumes, "  ", out);
  AddTopologySpread("  ", spec.topologySpreadConstraints, out);
  if (!spec.priorityClassName.empty()) {
    out.Field(1, "Priority Class Name", spec.priorityClassName);
  }
  out.Labels("  Node-Selectors", spec.nodeSelector);
  AddTolerations("  Tolerations", spec.tolerations, out);
}

std::string PodTemplateText(const core::v1::PodTemplateSpec& pod_template) {
  Description out;
  AddPodTemplate(pod_template, out);
  // PARITY: what `rollout history` shows is not aligned.
  return std::move(out).TakeUnaligned();
}

}  // namespace flyball::ctl::describe
