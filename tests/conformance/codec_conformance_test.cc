// Holds our codecs against Kubernetes' own: the examples that the published modules carry, sparse
// objects of every kind, YAML documents and numbers. The cases come from the Go program in codec/,
// which ctest runs first; its sources say what each kind of line is. What we write here goes into
// files that the same program then reads with upstream's decoders.

#include <bit>
#include <cstdio>
#include <fstream>
#include <map>
#include <set>
#include <string>

#include "flyball/api/internal/field_access.h"
#include "flyball/api/json.h"
#include "flyball/api/json_encode.h"
#include "flyball/api/json_writer.h"
#include "flyball/api/object.h"
#include "flyball/api/registry.h"
#include "flyball/api/yaml_reader.h"
#include "gtest/gtest.h"
#include "tests/conformance/cases.h"

namespace flyball::api {
namespace {

using conformance::Fields;
using conformance::Hex;

/// What two objects of one kind differ in first, by the table and each leaf's own equality; empty
/// if in nothing.
class Difference {
 public:
  static std::string Between(const AnyObject& a, const AnyObject& b) {
    if (&a.type() != &b.type()) return "they are of two kinds";
    return Objects(a.get(), b.get(), a.type(), std::string(a.type().name));
  }

 private:
  static std::string Objects(const void* a, const void* b, const TypeInfo& type,
                             const std::string& path) {
    if (!(UnknownOf(a, type) == UnknownOf(b, type))) return path + ": unknown fields";
    for (const Field& field : type.fields) {
      std::string found =
          Members(At(a, field), At(b, field), field, path + "." + std::string(field.name));
      if (!found.empty()) return found;
    }
    return "";
  }

  static std::string Members(const void* a, const void* b, const Field& field,
                             const std::string& path) {
    switch (field.shape) {
      case Shape::kValue:
      case Shape::kInlined:
        return Values(a, b, field, path);
      case Shape::kOptional: {
        const void* in_a = GetOptional(a, field);
        const void* in_b = GetOptional(b, field);
        if (!in_a != !in_b) return path + ": one has it";
        return in_a ? Values(in_a, in_b, field, path) : "";
      }
      case Shape::kList:
        if (ListSize(a, field) != ListSize(b, field)) return path + ": sizes";
        for (std::size_t i = 0; i < ListSize(a, field); ++i) {
          std::string found = Values(ListAt(a, field, i), ListAt(b, field, i), field,
                                     path + "[" + std::to_string(i) + "]");
          if (!found.empty()) return found;
        }
        return "";
      case Shape::kMap:
        if (MapSize(a, field) != MapSize(b, field)) return path + ": sizes";
        for (std::size_t i = 0; i < MapSize(a, field); ++i) {
          const std::string& key = MapKey(a, field, i);
          if (key != MapKey(b, field, i)) return path + ": keys";
          std::string found =
              Values(MapValue(a, field, i), MapValue(b, field, i), field, path + "[" + key + "]");
          if (!found.empty()) return found;
        }
        return "";
    }
    return "";
  }

  static std::string Values(const void* a, const void* b, const Field& field,
                            const std::string& path) {
    if (field.kind == Kind::kMessage) return Objects(a, b, *field.message, path);
    const bool same = WithLeafType(field.kind, [&]<typename T>() { return As<T>(a) == As<T>(b); });
    return same ? "" : path;
  }
};

using CodecConformance = conformance::CasesTest;

/// What Go is to read, case by case. Any old file goes away first.
class Outputs {
 public:
  explicit Outputs(const std::string& name) : file_(FLYBALL_OUTPUTS "/" + name) {}

  void Add(std::size_t line, std::string_view format, std::string_view bytes) {
    file_ << line << '\t' << format << '\t' << Hex(bytes) << '\n';
  }

 private:
  std::ofstream file_;
};

/// Decodes or fails the test.
std::optional<AnyObject> Decode(std::string_view bytes, Format format) {
  auto object = DecodeObject(bytes, format);
  if (!object) {
    ADD_FAILURE() << object.error().Describe() << "\n"
                  << (format == Format::kProtobuf ? Hex(bytes) : std::string(bytes));
    return std::nullopt;
  }
  return *std::move(object);
}

std::string Encode(const AnyObject& object, Format format) {
  auto bytes = EncodeObject(object, format);
  if (!bytes) ADD_FAILURE() << bytes.error().Describe();
  return bytes.value_or("");
}

std::string CompactJson(const AnyObject& object) {
  std::string text;
  const auto done = EncodeJson(object.get(), object.type(), text);
  if (!done) ADD_FAILURE() << done.error().Describe();
  return text;
}

std::string Sorted(const Result<Json>& document) {
  if (!document) ADD_FAILURE() << document.error().Describe();
  return document ? document->ToString() : "";
}

void ExpectSame(const AnyObject& a, const AnyObject& b, std::string_view what) {
  EXPECT_EQ(Difference::Between(a, b), "") << what;
}

/// Examples of versions that no server we talk to serves, and that the schema leaves out.
const std::set<std::string> kNotInSchema = {
    "apiextensions.k8s.io.v1beta1.ConversionReview",
    "apiextensions.k8s.io.v1beta1.CustomResourceDefinition",
    "metrics.k8s.io.v1alpha1.NodeMetrics",
    "metrics.k8s.io.v1alpha1.PodMetrics",
};

TEST_F(CodecConformance, EveryPublishedExampleIsTheSameInAllFormatsAndIsWrittenBackByteForByte) {
  Outputs outputs("examples.txt");
  std::map<std::string, int> passed;
  std::set<std::string> left_out;
  ForEach("E", [&](std::size_t line, Fields& fields) {
    const std::string module(fields.Raw());
    const std::string name(fields.Raw());
    SCOPED_TRACE(module + " " + name);
    for (int i = 0; i < 3; ++i) fields.Raw();  // group, version and kind, which `name` says
    const std::string json = fields.Text();
    const std::string yaml = fields.Text();
    const std::string protobuf = fields.Text();
    if (kNotInSchema.contains(name)) {
      left_out.insert(name);
      const auto refused = DecodeObject(json, Format::kJson);
      ASSERT_FALSE(refused.has_value());
      EXPECT_EQ(refused.error().code(), ErrorCode::kUnsupported);
      return;
    }
    const auto from_json = Decode(json, Format::kJson);
    const auto from_yaml = Decode(yaml, Format::kYaml);
    const auto from_protobuf = Decode(protobuf, Format::kProtobuf);
    ASSERT_TRUE(from_json && from_yaml && from_protobuf);
    ExpectSame(*from_protobuf, *from_json, "protobuf and JSON");
    ExpectSame(*from_yaml, *from_json, "YAML and JSON");

    const std::string our_json = Encode(*from_protobuf, Format::kJson);
    const std::string our_protobuf = Encode(*from_json, Format::kProtobuf);
    const std::string our_yaml = Encode(*from_json, Format::kYaml);
    EXPECT_EQ(our_json, json + "\n");
    EXPECT_TRUE(our_protobuf == protobuf) << Hex(our_protobuf) << "\n" << Hex(protobuf);
    const auto yaml_again = Decode(our_yaml, Format::kYaml);
    ASSERT_TRUE(yaml_again.has_value());
    ExpectSame(*yaml_again, *from_json, "our YAML and JSON");

    outputs.Add(line, "json", our_json);
    outputs.Add(line, "yaml", our_yaml);
    outputs.Add(line, "protobuf", our_protobuf);
    ++passed[module];
  });
  for (const auto& [module, count] : passed) {
    std::printf("%s: %d types\n", module.c_str(), count);
  }
  EXPECT_EQ(passed["k8s.io/api"], 193);
  EXPECT_EQ(passed["k8s.io/apiextensions-apiserver"], 2);
  EXPECT_EQ(passed["k8s.io/metrics"], 12);
  EXPECT_EQ(left_out, kNotInSchema);
}

TEST_F(CodecConformance, SparseObjectsOfEveryKindAreReadAndWrittenAsUpstreamDoes) {
  Outputs outputs("objects.txt");
  std::map<const TypeInfo*, int> seen;
  int lossy = 0;
  const int count = ForEach("G", [&](std::size_t line, Fields& fields) {
    const std::string group = fields.Text();
    const std::string version(fields.Raw());
    const std::string kind(fields.Raw());
    SCOPED_TRACE(group + "/" + version + " " + kind);
    const std::string protobuf = fields.Text();
    const std::string json = fields.Text();
    const std::string protobuf_of_json = fields.Text();
    const std::string json_of_json = fields.Text();

    const auto from_json = Decode(json, Format::kJson);
    ASSERT_TRUE(from_json.has_value());
    EXPECT_EQ(CompactJson(*from_json), json_of_json);
    const std::string sorted = fields.Text();
    const std::string sorted_floats = fields.Text();
    EXPECT_EQ(Sorted(Json::Parse(json)), sorted);
    EXPECT_EQ(Sorted(Json::Parse(json, JsonNumbers::kFloat64)), sorted_floats);
    ++seen[&from_json->type()];
    if (from_json->type().json_only) {
      EXPECT_EQ(protobuf, "");
    } else {
      const auto from_protobuf = Decode(protobuf, Format::kProtobuf);
      ASSERT_TRUE(from_protobuf.has_value());
      EXPECT_EQ(CompactJson(*from_protobuf), json);
      const auto typed = [&](JsonNumbers numbers) {
        return ToJson(from_protobuf->get(), from_protobuf->type(), UnknownMembers::kKept, numbers);
      };
      EXPECT_EQ(Sorted(typed(JsonNumbers::kExact)), sorted);
      EXPECT_EQ(Sorted(typed(JsonNumbers::kFloat64)), sorted_floats);
      const std::string our_protobuf = Encode(*from_protobuf, Format::kProtobuf);
      EXPECT_TRUE(our_protobuf == protobuf) << Hex(our_protobuf) << "\n" << Hex(protobuf);
      const std::string of_json = Encode(*from_json, Format::kProtobuf);
      EXPECT_TRUE(of_json == protobuf_of_json) << Hex(of_json) << "\n" << Hex(protobuf_of_json);
      if (protobuf == protobuf_of_json) {
        ExpectSame(*from_protobuf, *from_json, "protobuf and JSON");
      } else {
        ++lossy;
      }
      outputs.Add(line, "protobuf", our_protobuf);
    }

    const std::string our_yaml = Encode(*from_json, Format::kYaml);
    const auto from_yaml = Decode(our_yaml, Format::kYaml);
    ASSERT_TRUE(from_yaml.has_value());
    EXPECT_EQ(Encode(*from_yaml, Format::kYaml), our_yaml);
    outputs.Add(line, "json", Encode(*from_json, Format::kJson));
    outputs.Add(line, "yaml", our_yaml);
  });
  std::printf("sparse objects: %d, of %zu kinds; JSON cannot say all of %d\n", count, seen.size(),
              lossy);
  EXPECT_GE(count, 5000);
  for (const TypeInfo* type : AllKinds()) {
    EXPECT_GE(seen[type], 5) << type->ApiVersion() << " " << type->name;
  }
}

TEST_F(CodecConformance, YamlDocumentsBecomeTheJsonThatUpstreamMakesOfThem) {
  int valid = 0;
  const int count = ForEach("Y", [&](std::size_t, Fields& fields) {
    const std::string text = fields.Text();
    if (fields.Raw() != "1") return;
    ++valid;
    const std::string wanted = fields.Text();
    SCOPED_TRACE(text);
    JsonTreeSink tree;
    const auto read = ReadYaml(text, tree);
    ASSERT_TRUE(read.has_value()) << read.error().Describe() << "\nupstream: " << wanted;
    const auto json = Json::Parse(wanted);
    ASSERT_TRUE(json.has_value()) << json.error().Describe();
    EXPECT_EQ(tree.Take().ToString(), json->ToString());
  });
  std::printf("YAML documents: %d, of which %d valid\n", count, valid);
  EXPECT_GE(valid, 1000);
}

TEST_F(CodecConformance, FloatsAreWrittenAsGoWritesThem) {
  const int count = ForEach("F", [&](std::size_t, Fields& fields) {
    std::string text;
    JsonWriter(text).Double(std::bit_cast<double>(fields.Number<std::uint64_t>()));
    EXPECT_EQ(text, fields.Text());
  });
  std::printf("floats: %d\n", count);
  EXPECT_GE(count, 1000);
}

}  // namespace
}  // namespace flyball::api
