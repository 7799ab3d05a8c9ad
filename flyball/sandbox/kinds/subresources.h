#pragma once

#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "flyball/api/type_info.h"
#include "flyball/sandbox/objects.h"
#include "flyball/sandbox/resources.h"
#include "flyball/sandbox/store_writes.h"

/// What is asked under an object's name and is not the object: bindings, evictions, scales. And
/// what is asked and never stored: reviews. Subresources that are a part of the object itself, such
/// as its status, are updates of it and not here.
namespace flyball::sandbox {

class TokenIssuer;

/// The answer to such a question.
struct Reply {
  int code = 200;
  std::shared_ptr<const void> object = {};
  const api::TypeInfo* type = nullptr;

  template <typename T>
  static Reply Of(T object, int code = 200) {
    if (object.kind.empty()) object.kind = T::kType.name;
    if (object.apiVersion.empty()) object.apiVersion = T::kType.ApiVersion();
    return {code, std::make_shared<const T>(std::move(object)), &T::kType};
  }
  /// It is done, and there is no more to say.
  static Reply Success(int code = 201);
};
using OnReply = std::move_only_function<void(StatusOr<Reply>)>;

/// Who has a token that is for one of the audiences; none: nobody that is known.
using Authenticate = std::function<std::optional<User>(std::string_view token,
                                                       const std::vector<std::string>& audiences)>;

/// What they work with.
struct SubresourceDeps {
  Objects& objects;
  StoreWrites& writes;
  const TokenIssuer& tokens;
  const Authenticate& authenticate;
};

/// Answers one call; `verb` is one that the subresource allows.
using Handler = void (*)(const ResourceRequest& call, std::string_view verb, SubresourceDeps deps,
                         OnReply done);

/// That of a subresource, or of a whole collection if `subresource` is empty; null: it has none.
Handler HandlerOf(const Resource& resource, std::string_view subresource);

/// Whether a subresource is the object itself, seen in another way.
bool IsPartOfObject(const Resource& resource, const Resource::Subresource& subresource);

void BindPod(const ResourceRequest& call, std::string_view verb, SubresourceDeps deps,
             OnReply done);
void EvictPod(const ResourceRequest& call, std::string_view verb, SubresourceDeps deps,
              OnReply done);
void ServeScale(const ResourceRequest& call, std::string_view verb, SubresourceDeps deps,
                OnReply done);
void IssueToken(const ResourceRequest& call, std::string_view verb, SubresourceDeps deps,
                OnReply done);
void AnswerReview(const ResourceRequest& call, std::string_view verb, SubresourceDeps deps,
                  OnReply done);

}  // namespace flyball::sandbox
