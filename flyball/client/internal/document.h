#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "flyball/api/json.h"
#include "flyball/base/result.h"

namespace flyball::client {

class DocumentNode;

/// A YAML or JSON text that is read into plain structs by hand. Values of a wrong type are left
/// empty, and the first complaint is kept, so that the reading code asks once, at the end.
///
/// Such texts hold secrets: no complaint quotes a value. Unknown members are skipped and null
/// counts as absent, as upstream has it.
class Document {
 public:
  /// `name` is what complaints say the text is: a file's name.
  static Result<Document> Parse(std::string_view text, std::string name);

  DocumentNode root();
  const std::string& name() const { return name_; }

  void Complain(const std::string& path, std::string message);
  /// Of the first complaint, if there was any.
  Result<> Check() const;

 private:
  Document(api::Json json, std::string name) : json_(std::move(json)), name_(std::move(name)) {}

  api::Json json_;
  std::string name_;
  std::optional<Error> complaint_;
};

/// A value in a document, and where it stands: "users[1].user.token".
class DocumentNode {
 public:
  DocumentNode(Document& document, const api::Json* json, std::string path)
      : document_(&document), json_(json), path_(std::move(path)) {}

  const std::string& path() const { return path_; }
  bool present() const { return json_ != nullptr && !json_->IsNull(); }
  /// Null if absent.
  const api::Json* json() const { return json_; }

  DocumentNode operator[](std::string_view name) const;
  std::string Text() const;
  bool Bool() const;
  /// What base64 stands for. PARITY: or a list of numbers, as Go reads bytes.
  std::string Bytes() const;
  std::vector<DocumentNode> Elements() const;
  std::vector<std::string> Texts() const;
  /// The members of an object, in name order.
  std::vector<std::pair<std::string, DocumentNode>> Members() const;

  void Complain(std::string message) const { document_->Complain(path_, std::move(message)); }

 private:
  /// The value as a T; null if there is none, with a complaint if there is something else.
  template <typename T>
  const T* As(std::string_view what) const;
  std::string ListedBytes() const;

  Document* document_;
  const api::Json* json_;
  std::string path_;
};

}  // namespace flyball::client
