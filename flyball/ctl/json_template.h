#pragma once

#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "flyball/api/json.h"
#include "flyball/base/result.h"

namespace flyball::ctl {

/// Text with paths into a JSON document between braces, as `-o jsonpath=` and custom columns have
/// it: `{range .items[*]}{.metadata.name}{"\n"}{end}`, `{..image}`, `{.items[0:2]}`, `{['a','b']}`,
/// `{.items[?(@.status.phase=="Running")].metadata.name}`. What a path does not find is left out.
class JsonTemplate {
 public:
  static Result<JsonTemplate> Parse(std::string_view text);
  /// Of a path that need not stand in braces, nor begin with a dot: `metadata.name`.
  static Result<JsonTemplate> ParseRelaxed(std::string_view path);

  /// What the document makes of the text: values of one path with a space between, objects and
  /// lists as JSON.
  Result<std::string> Fill(const api::Json& document) const;
  /// All values that the paths find, one after the other.
  Result<std::vector<api::Json>> Find(const api::Json& document) const;

 private:
  struct Program;
  explicit JsonTemplate(std::shared_ptr<const Program> program) : program_(std::move(program)) {}

  std::shared_ptr<const Program> program_;
};

}  // namespace flyball::ctl
