// Every case that apply/ wrote, answered by our code. What the fields are stands there.
#include <algorithm>
#include <iostream>
#include <map>
#include <memory>
#include <string>
#include <vector>

#include "flyball/api/json_decode.h"
#include "flyball/api/object.h"
#include "flyball/api/registry.h"
#include "flyball/base/stable_sort.h"
#include "flyball/sandbox/apply/field_manager.h"
#include "flyball/sandbox/apply/fields_v1.h"
#include "flyball/sandbox/apply/manager_name.h"
#include "flyball/sandbox/apply/schema_check.h"
#include "tests/conformance/cases.h"

namespace flyball::sandbox::apply {
namespace {

/// Writes a type down as the Go program does.
class SchemaPrinter {
 public:
  std::string Print(const TypeNode* type) {
    Append(type);
    return std::move(out_);
  }

 private:
  void Append(const TypeNode* type) {
    if (type == nullptr) {
      out_ += '-';
      return;
    }
    const bool anything = type->scalar == Scalar::kAny && type->is_list && type->is_map;
    if (anything && type->fields.empty()) {
      out_ += type->map_is_atomic ? 'A' : 'D';
      return;
    }
    if (std::ranges::find(inside_, type) != inside_.end()) {
      out_ += '^';
      return;
    }
    inside_.push_back(type);
    if (type->scalar != Scalar::kNone)
      out_ += std::string("s") + "-nsbu"[static_cast<int>(type->scalar)];
    if (type->is_list) AppendList(*type);
    if (type->is_map) AppendMap(*type);
    inside_.pop_back();
  }

  void AppendList(const TypeNode& type) {
    out_ += type.list_is_atomic ? "[" : "[!";
    for (const std::string& key : type.keys) {
      const TypeNode::Field* field = type.item->FindField(key);
      const Json& value = field->default_value;
      out_ += key + "=" + PrintValue(value) + ",";
    }
    Append(type.item);
    out_ += ']';
  }

  void AppendMap(const TypeNode& type) {
    out_ += type.map_is_atomic ? "{!" : "{";
    for (const TypeNode::Field& field : type.fields) {
      out_ += field.name + ":";
      Append(field.type);
      out_ += ',';
    }
    out_ += '*';
    Append(type.other_fields);
    out_ += '}';
  }

  std::string out_;
  std::vector<const TypeNode*> inside_;
};

/// The first place where two texts part, with what is around it.
std::string Parting(const std::string& upstream, const std::string& ours) {
  const auto at =
      static_cast<std::size_t>(std::ranges::mismatch(upstream, ours).in1 - upstream.begin());
  const std::size_t from = at < 120 ? 0 : at - 120;
  return "\nupstream: " + upstream.substr(from, 240) + "\n    ours: " + ours.substr(from, 240);
}

class ApplyConformance : public conformance::CasesTest {
 protected:
  /// What a case is about. Schemas are made once.
  struct Subject {
    const api::TypeInfo* type = nullptr;  // of a built-in kind
    std::unique_ptr<TypeSchema> schema;
    std::unique_ptr<FieldManager> manager;
  };

  const Subject& TakeSubject(conformance::Fields& fields) {
    const std::string api_version(fields.Raw());
    const std::string kind(fields.Raw());
    const std::string_view subresource = fields.Raw();
    const std::string definition = fields.Text();
    const std::string reset = fields.Text();
    const std::string key = api_version + kind + std::string(subresource) + definition + reset;
    Subject& subject = subjects_[key];
    if (subject.manager) return subject;
    if (definition.empty()) subject.type = api::FindKind(api_version, kind);
    subject.schema = std::make_unique<TypeSchema>(SchemaOf(subject.type, definition));
    FieldScope scope{.schema = *subject.schema, .api_version = api_version, .kind = kind};
    if (subresource != "-") scope.subresource = subresource;
    if (!reset.empty()) scope.filters[api_version] = FieldFilter::Excluding(PathsOf(reset));
    subject.manager = std::make_unique<FieldManager>(std::move(scope));
    return subject;
  }

  static TypeSchema SchemaOf(const api::TypeInfo* type, const std::string& definition) {
    if (type != nullptr) return TypeSchema::OfType(*type);
    if (definition == "deduced") return TypeSchema::Deduced();
    const auto props = api::DecodeJson<apiextensions::v1::JSONSchemaProps>(definition);
    EXPECT_TRUE(props);
    return TypeSchema::OfCustomKind(*props, false);
  }

  /// "spec,metadata.labels"
  static FieldSet PathsOf(std::string_view text) {
    FieldSet set;
    while (!text.empty()) {
      std::string_view path = text.substr(0, text.find(','));
      text.remove_prefix(std::min(path.size() + 1, text.size()));
      Path steps;
      while (!path.empty()) {
        const std::string_view step = path.substr(0, path.find('.'));
        steps.push_back(PathElement::Field(step));
        path.remove_prefix(std::min(step.size() + 1, path.size()));
      }
      set.Insert(steps);
    }
    return set;
  }

  static Json Parse(const std::string& text) { return Json::Parse(text).value_or(Json()); }

  static Entries TakeEntries(conformance::Fields& fields) {
    Entries entries(fields.Number<std::size_t>());
    for (auto& entry : entries) {
      entry.manager = fields.Text();
      entry.operation = fields.Text();
      entry.apiVersion = fields.Text();
      if (const std::string seconds(fields.Raw()); seconds != "-") {
        entry.time = api::Time::FromUnix(std::stoll(seconds));
      }
      entry.fieldsType = fields.Text();
      if (std::string raw = fields.Text(); !raw.empty())
        entry.fieldsV1 = api::RawJson{std::move(raw)};
      entry.subresource = fields.Text();
    }
    return entries;
  }

  /// What upstream left of an object of a custom kind went through a tree, which keeps neither the
  /// order nor the escapes of the text: that is written again. Of a built-in kind it is to the
  /// byte.
  static Entries Settled(const Subject& subject, Entries entries) {
    if (subject.type != nullptr) return entries;
    for (auto& entry : entries) {
      const auto read = ReadFieldsV1(entry.fieldsV1 ? entry.fieldsV1->raw : "{}");
      if (read) entry.fieldsV1 = api::RawJson{WriteFieldsV1(read->fields)};
    }
    return entries;
  }

  /// Something to read, and to compare byte by byte.
  static std::string Print(const Entries& entries) {
    std::string out;
    for (const auto& entry : entries) {
      out += "\n" + entry.manager + " " + entry.operation + " " + entry.apiVersion + " " +
             (entry.time ? std::to_string(entry.time->unix_seconds()) : "-") + " " +
             entry.fieldsType + " " + entry.subresource + " " +
             (entry.fieldsV1 ? entry.fieldsV1->raw : "-");
    }
    return out;
  }

  /// What is stored of a tree: of a built-in kind, what its type makes of it.
  static std::string Stored(const Subject& subject, const Json& tree) {
    if (subject.type == nullptr) return tree.ToString();
    api::AnyObject object(*subject.type);
    const Result<> decoded = api::DecodeJson(tree.ToString(), *subject.type, object.get());
    EXPECT_TRUE(decoded) << decoded.error().Describe();
    return api::ToJson(object.get(), *subject.type).value_or(Json()).ToString();
  }

 private:
  std::map<std::string, Subject> subjects_;
};

TEST_F(ApplyConformance, KnowsTheSchemaOfEveryKindAsUpstream) {
  int served = 0;
  const int count = ForEach("T", [&](std::size_t, conformance::Fields& fields) {
    const std::string api_version(fields.Raw());
    const std::string kind(fields.Raw());
    SCOPED_TRACE(api_version + " " + kind);
    const std::string upstream = fields.Text();
    const api::TypeInfo* type = api::FindKind(api_version, kind);
    ASSERT_NE(type, nullptr);
    // What is not served, or not stored, is nobody's.
    const api::ResourceInfo* resource = type->resource;
    if (resource == nullptr || !resource->verbs.contains("patch")) return;
    ++served;
    const TypeSchema schema = TypeSchema::OfType(*type);
    const std::string ours = SchemaPrinter().Print(&schema.root());
    EXPECT_TRUE(upstream == ours) << Parting(upstream, ours);
  });
  std::cout << count << " kinds, " << served << " served\n";
  EXPECT_GE(served, 60);
}

TEST_F(ApplyConformance, CombinesSetsAsUpstream) {
  const int count = ForEach("F", [&](std::size_t, conformance::Fields& fields) {
    const std::string text = fields.Text();
    const FieldSet a = ReadFieldsV1(text).value().fields;
    const FieldSet b = ReadFieldsV1(fields.Text()).value().fields;
    EXPECT_EQ(WriteFieldsV1(a), text);
    FieldSet set = a;
    set.Add(b);
    EXPECT_EQ(WriteFieldsV1(set), fields.Text());
    set = a;
    const bool removed = set.Remove(b);
    EXPECT_EQ(removed, set != a);
    EXPECT_EQ(WriteFieldsV1(set), fields.Text());
    set = a;
    set.RemoveTrees(b);
    EXPECT_EQ(WriteFieldsV1(set), fields.Text());
    EXPECT_EQ(WriteFieldsV1(a.Intersection(b)), fields.Text());
    std::string paths;
    a.ForEach([&](const Path& path) {
      paths += (paths.empty() ? "" : "\n") + ToString(path);
      EXPECT_TRUE(a.Has(path));
    });
    EXPECT_EQ(paths, fields.Text());
  });
  EXPECT_GE(count, 3000);
}

TEST_F(ApplyConformance, ReadsSetsAsUpstream) {
  int refused = 0;
  int canonical = 0;
  const int count = ForEach("P", [&](std::size_t, conformance::Fields& fields) {
    const std::string text = fields.Text();
    SCOPED_TRACE(text);
    const bool refuses = fields.Flag();
    const std::string again = fields.Text();
    const Result<ReadFields> read = ReadFieldsV1(text);
    EXPECT_EQ(!read, refuses);
    if (refuses) ++refused;
    if (!read || refuses) return;
    EXPECT_EQ(WriteFieldsV1(read->fields), again);
    if (read->canonical) {
      EXPECT_EQ(text, again);
      ++canonical;
    }
  });
  std::cout << count << " texts, " << refused << " refused, " << canonical << " canonical\n";
  EXPECT_GE(count, 3000);
  EXPECT_GE(canonical, 400);
}

TEST_F(ApplyConformance, NamesManagersByTheirUserAgentAsUpstream) {
  const int count = ForEach("N", [&](std::size_t, conformance::Fields& fields) {
    const std::string agent = fields.Text();
    EXPECT_EQ(ManagerFromUserAgent(agent), fields.Text());
  });
  EXPECT_GE(count, 13);
}

TEST_F(ApplyConformance, KeepsManagedFieldsOfUpdatesAsUpstream) {
  const int count = ForEach("U", [&](std::size_t, conformance::Fields& fields) {
    const Subject& subject = TakeSubject(fields);
    const std::string before_text = fields.Text();
    const Json before = Parse(before_text);
    const Entries entries = TakeEntries(fields);
    const std::string after_text = fields.Text();
    const bool sent = fields.Flag();
    const Entries said = TakeEntries(fields);
    const std::string manager = fields.Text();
    const api::Time now = api::Time::FromUnix(fields.Number());
    const std::string upstream = Print(Settled(subject, TakeEntries(fields)));
    SCOPED_TRACE("before: " + before_text + "\nafter: " + after_text +
                 "\nentries:" + Print(entries) + "\nsaid: " + (sent ? Print(said) : "nothing") +
                 "\nby: " + manager);
    const ManagedObject live{before, entries};
    const Json after = Parse(after_text);
    const std::string ours =
        Print(Settled(subject, subject.manager->Update(before_text.empty() ? nullptr : &live, after,
                                                       sent ? &said : nullptr, {manager, now})));
    if (upstream == ours) return;
    const Result<> fits = CheckAgainstSchema(*subject.schema, after, Duplicates::kAllowed);
    ADD_FAILURE() << (fits ? "" : fits.error().message()) << Parting(upstream, ours);
  });
  std::cout << count << " updates\n";
  EXPECT_GE(count, 5000);
}

TEST_F(ApplyConformance, AppliesAsUpstream) {
  std::map<int, int> codes;
  int unchanged = 0;
  const int count = ForEach("A", [&](std::size_t, conformance::Fields& fields) {
    const Subject& subject = TakeSubject(fields);
    const std::string live_text = fields.Text();
    const Json before = Parse(live_text);
    const Entries entries = TakeEntries(fields);
    const std::string applied = fields.Text();
    const std::string manager = fields.Text();
    const bool force = fields.Flag();
    const api::Time now = api::Time::FromUnix(fields.Number());
    SCOPED_TRACE("live: " + live_text + "\napplied: " + applied + "\nentries:" + Print(entries) +
                 "\nby: " + manager + (force ? ", forced" : ""));
    const ManagedObject live{before, entries};
    const Result<Applied> result = subject.manager->Apply(live_text.empty() ? nullptr : &live,
                                                          Parse(applied), {manager, now}, force);
    const int code = fields.Number<int>();
    ++codes[code];
    const std::string message = fields.Text();
    if (code == 0) {
      ASSERT_TRUE(result) << result.error().Describe();
      fields.Raw();
      const Json& ours = result->object      ? *result->object
                         : live_text.empty() ? subject.schema->empty_object()
                                             : before;
      if (!result->object) ++unchanged;
      EXPECT_EQ(Stored(subject, Parse(fields.Text())), Stored(subject, ours));
      EXPECT_EQ(Print(Settled(subject, TakeEntries(fields))),
                Print(Settled(subject, result->managed_fields)));
      return;
    }
    ASSERT_FALSE(result) << message;
    const std::map<int, ErrorCode> expected = {
        {400, ErrorCode::kBadRequest}, {409, ErrorCode::kConflict}, {500, ErrorCode::kInternal}};
    EXPECT_EQ(result.error().code(), expected.at(code)) << message;
    // The order in which upstream finds several complaints is that of a Go map.
    constexpr std::string_view kUndeclared = "field not declared in schema";
    if (code == 500 && message.ends_with(kUndeclared)) {
      EXPECT_TRUE(result.error().message().ends_with(kUndeclared)) << result.error().message();
    } else if (code != 500 || !message.contains("errors:")) {
      EXPECT_EQ(result.error().message(), message);
    }
    std::vector<ErrorCause> causes = result.error().detail().causes;
    StableSort(causes,
               [](const ErrorCause& a, const ErrorCause& b) { return a.message < b.message; });
    ASSERT_EQ(causes.size(), fields.Number<std::size_t>());
    for (const ErrorCause& cause : causes) {
      EXPECT_EQ(cause.reason, "FieldManagerConflict");
      EXPECT_EQ(cause.field, fields.Text());
      EXPECT_EQ(cause.message, fields.Text());
    }
  });
  std::cout << count << " applies, " << unchanged << " that change nothing, " << codes[409]
            << " conflicts, " << codes[500] << " that do not fit, " << codes[400]
            << " bad requests\n";
  EXPECT_GE(count, 5000);
  EXPECT_GE(codes[409], 500);
}

}  // namespace
}  // namespace flyball::sandbox::apply
