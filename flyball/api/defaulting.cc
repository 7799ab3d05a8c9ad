#include "flyball/api/defaulting.h"

#include <algorithm>
#include <unordered_map>
#include <vector>

#include "flyball/api/internal/default_rule.h"
#include "flyball/api/internal/field_access.h"

namespace flyball::api {
namespace {

constexpr const DefaultTable* kTables[] = {
    &kPodDefaults,     &kVolumeDefaults,      &kAppsDefaults,    &kBatchDefaults,
    &kServiceDefaults, &kAutoscalingDefaults, &kClusterDefaults, &kPolicyDefaults,
};

/// What there is to do in the structs of one type, here and below.
struct Step {
  struct Part {
    const Field* field;
    const Step* step;
  };
  std::vector<const DefaultRule*> rules;
  std::vector<Part> parts;

  bool empty() const { return rules.empty() && parts.empty(); }
};

/// The steps of every type that the kinds with defaults are made of. A walk looks only into members
/// that lead to a rule: most of an object, such as its metadata, is never touched.
class Plan {
 public:
  static const Plan& Get() {
    static const Plan plan;
    return plan;
  }

  const Step* Find(const TypeInfo& type) const {
    const auto found = steps_.find(&type);
    return found == steps_.end() ? nullptr : &found->second;
  }

 private:
  Plan() {
    for (const DefaultTable* table : kTables) {
      for (const TypeInfo* kind : table->kinds) Add(*kind);
    }
  }

  /// None of these types contains itself, so this ends.
  const Step& Add(const TypeInfo& type) {
    if (const Step* known = Find(type)) return *known;
    Step step;
    for (const DefaultTable* table : kTables) {
      for (const DefaultRule& rule : table->rules) {
        if (rule.type == &type) step.rules.push_back(&rule);
      }
    }
    for (const Field& field : type.fields) {
      if (field.kind != Kind::kMessage) continue;
      const Step& below = Add(*field.message);
      if (!below.empty()) step.parts.push_back({&field, &below});
    }
    return steps_.emplace(&type, std::move(step)).first->second;
  }

  std::unordered_map<const TypeInfo*, Step> steps_;
};

/// Outer rules come first: they see what the author wrote, and inner rules complete what they add.
void Apply(void* object, const Step& step) {
  for (const DefaultRule* rule : step.rules) rule->apply(object, rule->value);
  for (const Step::Part& part : step.parts) {
    ForEachStruct(At(object, *part.field), *part.field,
                  [&](void* inner) { Apply(inner, *part.step); });
  }
}

/// The member that holds the objects of a list such as PodList.
const Field* ItemsOf(const TypeInfo& type) {
  const auto items = std::ranges::find(type.fields, "items", &Field::name);
  const bool found = items != type.fields.end() && items->kind == Kind::kMessage &&
                     items->shape == Shape::kList && items->message->is_kind;
  return found ? &*items : nullptr;
}

}  // namespace

std::span<const DefaultTable* const> AllDefaultTables() { return kTables; }

void ApplyDefaults(void* object, const TypeInfo& type) {
  if (const Step* step = Plan::Get().Find(type)) return Apply(object, *step);
  const Field* items = type.is_kind ? ItemsOf(type) : nullptr;
  const Step* step = items ? Plan::Get().Find(*items->message) : nullptr;
  if (!step) return;
  ForEachStruct(At(object, *items), *items, [&](void* item) { Apply(item, *step); });
}

}  // namespace flyball::api
