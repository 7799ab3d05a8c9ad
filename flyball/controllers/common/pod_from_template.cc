#include "flyball/controllers/common/pod_from_template.h"

namespace flyball::controllers::common {

core::v1::Pod PodFromTemplate(const core::v1::PodTemplateSpec& template_,
                              const std::string& namespace_,
                              const meta::v1::OwnerReference& owner) {
  core::v1::Pod pod;
  pod.metadata.namespace_ = namespace_;
  // Upstream leaves the dash out where no name could begin so. None that a server takes is such.
  pod.metadata.generateName = owner.name + "-";
  pod.metadata.labels = template_.metadata.labels;
  pod.metadata.annotations = template_.metadata.annotations;
  pod.metadata.finalizers = template_.metadata.finalizers;
  pod.metadata.ownerReferences.push_back(owner);
  pod.spec = template_.spec;
  return pod;
}

}  // namespace flyball::controllers::common
