#pragma once

#include <functional>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "flyball/api/meta/v1.h"
#include "flyball/sandbox/body.h"
#include "flyball/sandbox/objects.h"
#include "flyball/sandbox/request.h"
#include "flyball/sandbox/resources.h"

/// The verbs that change something, for any kind.
namespace flyball::sandbox {

/// What a verb comes to.
struct Done {
  Outcome outcome;
  std::vector<std::string> warnings = {};
};
using OnDone = std::move_only_function<void(StatusOr<Done>)>;

/// A request to a resource that is served. Copies share the request: its outcome may be known
/// later, and on another thread.
struct ResourceRequest {
  ResourceRequest(Request its_request, ResourcePtr its_resource)
      : shared(std::make_shared<const Request>(std::move(its_request))),
        request(*shared),
        resource(std::move(its_resource)) {}

  const RequestInfo& target() const { return request.target; }
  bool DryRun() const { return !request.target.query.Get("dryRun").empty(); }

  std::shared_ptr<const Request> shared;
  const Request& request;
  ResourcePtr resource;
};

class StoreWrites {
 public:
  explicit StoreWrites(Objects& objects) : objects_(objects) {}

  void Create(const ResourceRequest& call, OnDone done);
  /// PUT, of the object or of its status.
  void Update(const ResourceRequest& call, OnDone done);
  void Patch(const ResourceRequest& call, OnDone done);
  void Delete(const ResourceRequest& call, OnDone done);
  void DeleteOne(const ResourceRequest& call, const std::string& namespace_,
                 const std::string& name, const meta::v1::DeleteOptions& options, OnDone done);

  /// Replaces an object by what `change` makes of it, with all that an update is held to. It sees
  /// the object as the resource serves it.
  using Revise = std::function<StatusOr<api::AnyObject>(const api::AnyObject& before)>;
  void ReviseObject(const ResourceRequest& call, Revise change, std::vector<std::string> warnings,
                    OnDone done);

  /// Whether something may be made in the request's namespace; `name` is what it is called.
  StatusOr<> CheckNamespace(const ResourceRequest& call, std::string_view name) const;

 private:
  /// Who keeps account of the fields' owners: the server, or who made the object.
  enum class Owners : std::uint8_t { kTracked, kGiven };
  /// The giver of an object's name.
  enum class Named : std::uint8_t { kByRequest, kHere };
  StatusOr<Step> CreateStep(const ResourceRequest& call, const api::AnyObject& object, Named named,
                            Owners owners) const;
  StatusOr<Step> UpdateStep(const ResourceRequest& call, api::AnyObject before,
                            api::AnyObject object, Owners owners) const;
  void Apply(const ResourceRequest& call, OnDone done);
  /// Tries another name if a generated one is taken.
  void CreateNamed(const ResourceRequest& call, std::shared_ptr<Body> body, int tries, OnDone done);
  StorageKey KeyOf(const ResourceRequest& call) const;

  Objects& objects_;
};

/// DeleteOptions from the query and the body.
StatusOr<meta::v1::DeleteOptions> DeleteOptionsOf(const Request& request);

}  // namespace flyball::sandbox
