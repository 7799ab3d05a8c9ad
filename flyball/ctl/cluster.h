#pragma once

#include <functional>
#include <optional>
#include <ostream>
#include <set>
#include <string>

#include "flyball/api/json.h"
#include "flyball/api/meta/v1.h"
#include "flyball/client/discovery.h"
#include "flyball/client/resource_client.h"
#include "flyball/client/rest_client.h"

namespace flyball::ctl {

using api::Json;
using api::ObjectKey;

/// What a command of a person's reads from and writes to.
struct Console {
  std::istream& in;
  std::ostream& out;
  std::ostream& err;
};

/// An API server as the verbs talk to it: any resource, as JSON, one request after the other. What
/// the server warns of goes to the console. One thread.
class Cluster {
 public:
  struct Options {
    std::string namespace_ = "default";
    bool namespace_given = false;  ///< by the person, and not by what a context says
  };

  Cluster(client::RestClient& rest, Console console, Options options)
      : rest_(rest), console_(console), options_(std::move(options)) {}

  const std::string& namespace_() const { return options_.namespace_; }
  bool namespace_given() const { return options_.namespace_given; }
  const Console& console() const { return console_; }
  Clock& clock() const { return rest_.clock(); }
  client::RestClient& rest() const { return rest_; }

  /// All that the server has. Asked for once; lives as long as this.
  Result<const client::Served*> Served();
  /// Where an object is that is called so, in the command's namespace if it needs one.
  ObjectKey KeyOf(const client::ServedResource& resource, std::string name) const {
    return {resource.resource.namespaced ? options_.namespace_ : "", std::move(name)};
  }

  /// Errors are told as the server words them.
  Result<transport::Response> Send(client::RestRequest request);

  Result<Json> Get(const client::Resource& resource, const ObjectKey& key,
                   std::string_view subresource = {});
  Result<Json> Create(const client::Resource& resource, const ObjectKey& key, const Json& object,
                      const meta::v1::CreateOptions& options = {});
  Result<Json> Update(const client::Resource& resource, const ObjectKey& key, const Json& object,
                      std::string_view subresource, const meta::v1::UpdateOptions& options = {});
  Result<Json> Patch(const client::Resource& resource, const ObjectKey& key,
                     const client::Patch& patch, const meta::v1::PatchOptions& options = {},
                     std::string_view subresource = {});
  Result<Json> Delete(const client::Resource& resource, const ObjectKey& key,
                      const meta::v1::DeleteOptions& options);

  /// How a server is asked to show objects.
  enum class Form : bool { kObjects, kTable };

  /// Calls `each` with every page of a list.
  Result<> List(const client::Resource& resource, const std::string& namespace_,
                meta::v1::ListOptions options, Form form,
                const std::function<Result<>(const Json& page)>& each);
  /// All objects of a list, each of which says its kind.
  Result<std::vector<Json>> ListObjects(const client::Resource& resource,
                                        const std::string& namespace_,
                                        const meta::v1::ListOptions& options = {});
  /// An object, or one in a table.
  Result<Json> GetAs(const client::Resource& resource, const ObjectKey& key, Form form);
  /// Calls `each` with what comes, until it returns false or the server ends the watch.
  Result<> Watch(const client::Resource& resource, const std::string& namespace_,
                 meta::v1::ListOptions options, Form form,
                 const std::function<bool(client::EventType type, const Json& object)>& each);

 private:
  Result<Json> SendForJson(client::RestRequest request);
  void Warn(const transport::Headers& headers);

  client::RestClient& rest_;
  const Console console_;
  const Options options_;
  std::optional<client::Served> served_;
  std::set<std::string> warned_;
};

}  // namespace flyball::ctl
