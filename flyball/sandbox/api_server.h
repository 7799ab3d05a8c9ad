#pragma once

#include <filesystem>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "flyball/api/names.h"
#include "flyball/base/executor.h"
#include "flyball/base/logging.h"
#include "flyball/base/mutex.h"
#include "flyball/base/timers.h"
#include "flyball/sandbox/answer.h"
#include "flyball/sandbox/custom/custom_resources.h"
#include "flyball/sandbox/kinds/subresources.h"
#include "flyball/sandbox/kinds/tokens.h"
#include "flyball/sandbox/objects.h"
#include "flyball/sandbox/openapi/openapi.h"
#include "flyball/sandbox/request.h"
#include "flyball/sandbox/resources.h"
#include "flyball/sandbox/storage/storage.h"
#include "flyball/sandbox/store_writes.h"
#include "flyball/transport/transport.h"

namespace flyball::sandbox {

class WatchStream;
class WatchFanout;

/// A Kubernetes API server. It is a Transport: clients in the process use it as they use a network,
/// and serving::HttpServer puts it on a socket for others. Who asks is known by a token; As() is
/// for those in the process, who are who they say.
///
/// Every resource of the schema is served, by the same few verbs on its type's table; what some
/// kinds have of their own are the strategies. docs/sandbox.md says in what it differs from
/// kube-apiserver.
///
/// Requests are handled where they come in, and nothing of that waits: answers come before Send()
/// returns, but for what has to get to disk first, and for lists, which may be long.
class ApiServer final : public transport::Transport {
 public:
  /// Requests that bring more are refused, with a Status. Whatever carries them to the server must
  /// let a little more through.
  static constexpr std::size_t kMaxBody = std::size_t{3} << 20;

  struct Account {
    std::string token;
    User user;
  };
  struct Options {
    std::filesystem::path folder = {};   ///< where objects are kept; empty: in memory
    std::size_t changes_kept = 10'000;   ///< of each resource
    std::vector<Account> accounts = {};  ///< who may do everything
    api::RandomBits random;              ///< for names and uids
    ServiceRanges::Options services = {};
    /// Answers paths that the server knows nothing of, for those who may do everything.
    std::function<std::optional<Answer>(const Request& request)> more_paths = {};
  };
  struct Deps {
    Executor& executor;
    Timers& timers;
    Logger log = {};
  };
  static Result<std::unique_ptr<ApiServer>> Create(Deps deps, Options options);

  /// Ends all watches, and lets what is under way finish.
  ~ApiServer() override;

  std::shared_ptr<transport::Exchange> Send(
      transport::Request request, std::shared_ptr<transport::ResponseHandler> handler) override;

  /// The server as one user sees it, who needs no token.
  std::unique_ptr<transport::Transport> As(User user);

  /// Watches and lists of the past get 410 from now on.
  void ForgetHistory();

  Storage& storage() { return *storage_; }

 private:
  class UserTransport;
  class TaskGuard;
  class Deletions;

  using HandlerPtr = std::shared_ptr<transport::ResponseHandler>;
  using ExchangePtr = std::shared_ptr<transport::Exchange>;

  ApiServer(Deps deps, Options options, std::unique_ptr<Resources> resources,
            std::unique_ptr<Storage> storage);

  Result<> Bootstrap();
  /// Whose token it is.
  std::optional<User> FindUser(std::string_view token,
                               const std::vector<std::string>& audiences) const;
  /// Who sent it: known by a token, or by a certificate.
  StatusOr<User> Authenticate(const transport::Request& request) const;
  ExchangePtr Handle(transport::Request http, const StatusOr<User>& user,
                     const HandlerPtr& handler);
  /// What is no resource: health, versions, discovery.
  std::optional<Answer> AnswerPath(const Request& request);
  ExchangePtr Serve(const ResourceRequest& call, NegotiatedMediaType media_type,
                    const HandlerPtr& handler);
  ExchangePtr ServeCollection(const ResourceRequest& call, const ResponseEncoder& encoder,
                              const HandlerPtr& handler);
  ExchangePtr Watch(const ResourceRequest& call, const ResponseEncoder& encoder,
                    const HandlerPtr& handler);
  StatusOr<Answer> Get(const ResourceRequest& call, const ResponseEncoder& encoder) const;
  void List(const ResourceRequest& call, const ResponseEncoder& encoder, const HandlerPtr& handler);
  void DeleteCollection(const ResourceRequest& call, const ResponseEncoder& encoder,
                        const HandlerPtr& handler);
  /// Whoever watches what is not served any more has to look again.
  void EndOrphanedWatches();
  OnDone Answering(const ResourceRequest& call, const ResponseEncoder& encoder,
                   const HandlerPtr& handler) const;
  OnReply Replying(NegotiatedMediaType media_type, const HandlerPtr& handler) const;

  const Deps deps_;
  const Options options_;
  const std::unique_ptr<Resources> resources_;
  std::unique_ptr<Storage> storage_;  // constant until the end
  Objects objects_;
  StoreWrites writes_;
  const TokenIssuer tokens_;
  const sandbox::Authenticate authenticate_;
  CustomResources custom_;
  OpenApi open_api_;

  const std::shared_ptr<WatchFanout> fanout_;

  Mutex mutex_;
  CondVar idle_;
  int tasks_ FLYBALL_GUARDED_BY(mutex_) = 0;  // lists under way
  std::vector<std::weak_ptr<WatchStream>> watches_ FLYBALL_GUARDED_BY(mutex_);
};

}  // namespace flyball::sandbox
