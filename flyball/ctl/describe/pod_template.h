#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "flyball/api/core/v1.h"
#include "flyball/ctl/describe/description.h"

/// Parts that pods and what makes them have in common.
namespace flyball::ctl::describe {

/// `pod` is whose containers they are, and says how they fare; null in a template.
void AddContainers(std::string_view title, const std::vector<core::v1::Container>& containers,
                   const std::vector<core::v1::ContainerStatus>& statuses, const core::v1::Pod* pod,
                   Description& out);
void AddResources(const core::v1::ResourceRequirements& resources, int level, Description& out);
/// `indent` is empty, or two blanks in a template.
void AddVolumes(const std::vector<core::v1::Volume>& volumes, std::string_view indent,
                Description& out);
void AddTolerations(std::string_view title, std::vector<core::v1::Toleration> tolerations,
                    Description& out);
void AddTopologySpread(std::string_view indent,
                       std::vector<core::v1::TopologySpreadConstraint> constraints,
                       Description& out);

void AddPodTemplate(const core::v1::PodTemplateSpec& pod_template, Description& out);
/// The same by itself, as `rollout history` shows it.
std::string PodTemplateText(const core::v1::PodTemplateSpec& pod_template);

}  // namespace flyball::ctl::describe
