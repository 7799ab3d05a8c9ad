/// Writes the inputs that the fuzz programs start from, FOLDER/<program>/<number>: objects of every
/// kind, filled here and there by the tables, and texts that lead into the corners of the grammars.
/// The same files every time.
///   fuzz_seeds FOLDER
#include <algorithm>
#include <filesystem>
#include <fstream>
#include <functional>
#include <iostream>
#include <random>
#include <string>
#include <vector>

#include "flyball/api/core/v1.h"
#include "flyball/api/envelope.h"
#include "flyball/api/internal/field_access.h"
#include "flyball/api/json_encode.h"
#include "flyball/api/meta/v1.h"
#include "flyball/api/object.h"
#include "flyball/api/protobuf_encode.h"
#include "flyball/api/registry.h"
#include "flyball/base/check.h"
#include "tests/fuzz/crd_seeds.h"

namespace flyball::api {
namespace {

constexpr std::size_t kLongestSeed = 2048;  // half of what the programs take, so that it can grow
constexpr std::size_t kLongestYaml = 512;   // yaml-cpp is slow, and its corners are in small texts

/// Fills fields by chance, fewer of them the deeper they are.
class Filler {
 public:
  explicit Filler(std::uint32_t seed) : random_(seed) {}

  void Fill(void* object, const TypeInfo& type, int one_in) {
    bool form_chosen = false;
    for (const Field& field : type.fields) {
      void* const member = At(object, field);
      if (field.shape == Shape::kInlined) {
        Fill(member, *field.message, one_in);
      } else if (Chance(one_in) && !form_chosen) {
        form_chosen = type.is_union;
        FillMember(member, field, one_in);
      }
    }
    if (Chance(40)) UnknownOf(object, type).AddJson("unknown", R"({"a":[1,2.5,null]})");
    if (Chance(40) && !type.json_only) UnknownOf(object, type).AddProtobuf("\xf8\x7f\x01");
  }

 private:
  bool Chance(int one_in) { return random_() % static_cast<unsigned>(one_in) == 0; }

  template <typename T>
  const T& Pick(const std::vector<T>& choices) {
    return choices[random_() % choices.size()];
  }

  void FillMember(void* member, const Field& field, int one_in) {
    switch (field.shape) {
      case Shape::kValue:
      case Shape::kInlined:
        return FillValue(member, field, one_in);
      case Shape::kOptional:
        return FillValue(EmplaceOptional(member, field, false), field, one_in);
      case Shape::kList:
        for (auto n = random_() % 2; n < 2; ++n) FillValue(ListGrow(member, field), field, one_in);
        return;
      case Shape::kMap:
        for (const std::string_view key : {"app", "example.com/x"}) {
          if (Chance(2)) FillValue(MapEmplace(member, field, key), field, one_in);
        }
        return;
    }
  }

  void FillValue(void* value, const Field& field, int one_in) {
    switch (field.kind) {
      case Kind::kBool:
        As<bool>(value) = Chance(2);
        return;
      case Kind::kInt32:
        As<std::int32_t>(value) = Pick<std::int32_t>({0, 1, -1, 8080, INT32_MAX, INT32_MIN});
        return;
      case Kind::kInt64:
        As<std::int64_t>(value) = Pick<std::int64_t>({0, 1, -1, 300, INT64_MAX, INT64_MIN});
        return;
      case Kind::kDouble:
        As<double>(value) = Pick<double>({0, 0.5, -1e-7, 1e21, 100});
        return;
      case Kind::kString:
        As<std::string>(value) = Pick<std::string>({"web", "", "a.b/c", "é<&>\n", "12", "true"});
        return;
      case Kind::kBytes:
        As<std::string>(value) = Pick<std::string>({"", "key", std::string("\0\xff", 2)});
        return;
      case Kind::kStrings:
        As<std::vector<std::string>>(value) = {"get", "list"};
        return;
      case Kind::kQuantity:
        As<Quantity>(value) = *Quantity::Parse(Pick<std::string>({"100m", "1.5Gi", "0", "12e6"}));
        return;
      case Kind::kIntOrString:
        As<IntOrString>(value) = Chance(2) ? IntOrString(80) : IntOrString(std::string("25%"));
        return;
      case Kind::kTime:
        As<Time>(value) = Time::FromUnix(Pick<std::int64_t>({0, 1'800'000'000, -1}));
        return;
      case Kind::kMicroTime:
        As<MicroTime>(value) = MicroTime::FromUnix(1'800'000'000, 123'456'000);
        return;
      case Kind::kDuration:
        As<Duration>(value).value = std::chrono::milliseconds(Pick<int>({0, 1500, -3'600'000}));
        return;
      case Kind::kRaw:
        As<RawJson>(value).raw = Pick<std::string>({R"({"a":["x",1.5]})", "3", "\"x\"", "true"});
        return;
      case Kind::kMessage:
        return Fill(value, *field.message, one_in + 1);
    }
  }

  std::mt19937 random_;
};

void StampTypeMeta(AnyObject& object) {
  if (!object.type().has_type_meta) return;
  for (const Field& field : object.type().fields) {
    void* const member = At(object.get(), field);
    if (field.name == "apiVersion") As<std::string>(member) = object.type().ApiVersion();
    if (field.name == "kind") As<std::string>(member) = object.type().name;
  }
}

class SeedWriter {
 public:
  explicit SeedWriter(std::filesystem::path folder) : folder_(std::move(folder)) {}

  void Write(const std::string& program, std::string_view bytes) {
    const auto folder = folder_ / program;
    std::filesystem::create_directories(folder);
    std::ofstream file(folder / std::to_string(++count_), std::ios::binary);
    file.write(bytes.data(), static_cast<std::streamsize>(bytes.size())).flush();
    FLYBALL_CHECK(file, "cannot write to " + folder.string());
  }

 private:
  const std::filesystem::path folder_;
  int count_ = 0;
};

/// The text of an object that is filled as much as the length allows.
std::string Encode(const TypeInfo& type, std::uint32_t seed, std::size_t longest,
                   const std::function<Result<std::string>(const AnyObject&)>& encode) {
  std::string text;
  for (int one_in = 1; one_in < 64; one_in *= 2) {
    AnyObject object(type);
    Filler(seed).Fill(object.get(), type, one_in);
    StampTypeMeta(object);
    auto encoded = encode(object);
    if (!encoded) return {};  // the kind has no such form
    text = *std::move(encoded);
    if (text.size() <= longest) break;
  }
  return text;
}

void WriteObjects(SeedWriter& out) {
  for (std::size_t index = 0; index < AllKinds().size(); ++index) {
    const TypeInfo& type = *AllKinds()[index];
    const std::string prefix = {static_cast<char>(index & 0xff), static_cast<char>(index >> 8)};
    const auto seed = static_cast<std::uint32_t>(index + 1);
    const auto protobuf = [](const AnyObject& object) -> Result<std::string> {
      std::string bytes;
      FLYBALL_TRY(EncodeProtobuf(object.get(), object.type(), bytes));
      return bytes;
    };
    const auto json = [](const AnyObject& object) -> Result<std::string> {
      std::string text;
      FLYBALL_TRY(EncodeJson(object.get(), object.type(), text));
      return text;
    };
    const auto yaml = [](const AnyObject& object) { return EncodeObject(object, Format::kYaml); };
    const auto sealed = [](const AnyObject& object) {
      return EncodeObject(object, Format::kProtobuf);
    };
    out.Write("protobuf_fuzz", prefix + Encode(type, seed, kLongestSeed, protobuf));
    out.Write("json_fuzz", prefix + Encode(type, seed + 1000, kLongestSeed, json));
    out.Write("yaml_fuzz", Encode(type, seed + 2000, kLongestYaml, yaml));

    const std::string envelope = Encode(type, seed + 3000, kLongestSeed, sealed);
    meta::v1::WatchEvent event;
    event.type = index % 2 == 0 ? "ADDED" : "MODIFIED";
    event.object.raw = envelope;
    const std::string payload = *EncodeProtobuf(event);
    // As a stream, and as payloads that the program itself frames.
    out.Write("watch_frame_fuzz", std::string("\0\3", 2) + SealFrame(payload) + SealFrame(""));
    out.Write("watch_frame_fuzz", "\1\7" + payload + "\xff\xfe\xff" + envelope);
  }
}

/// Pods and nodes of every density, for the views.
void WriteViewed(SeedWriter& out) {
  const auto protobuf = [](const AnyObject& object) -> Result<std::string> {
    std::string bytes;
    FLYBALL_TRY(EncodeProtobuf(object.get(), object.type(), bytes));
    return bytes;
  };
  for (std::uint32_t seed = 5000; seed < 5050; ++seed) {
    out.Write("view_fuzz", "\1" + Encode(core::v1::Pod::kType, seed, kLongestSeed, protobuf));
    out.Write("view_fuzz",
              std::string("\0", 1) + Encode(core::v1::Node::kType, seed, kLongestSeed, protobuf));
  }
}

/// Two or three objects of a kind that have much in common, and patches written by hand.
void WritePatches(SeedWriter& out) {
  const auto json = [](const AnyObject& object) -> Result<std::string> {
    std::string text;
    FLYBALL_TRY(EncodeJson(object.get(), object.type(), text));
    return text;
  };
  for (std::size_t index = 0; index < AllKinds().size(); ++index) {
    const TypeInfo& type = *AllKinds()[index];
    if (!type.resource) continue;
    const std::string prefix = {static_cast<char>(index & 0xff), static_cast<char>(index >> 8)};
    const auto seed = static_cast<std::uint32_t>(index + 6000);
    const std::string first = Encode(type, seed, kLongestSeed / 2, json);
    const std::string second = Encode(type, seed + 1000, kLongestSeed / 2, json);
    const std::string documents = prefix + first + "\n" + second + "\n{}";
    for (const char which : {'\1', '\2'}) out.Write("patch_fuzz", which + documents);
  }
  for (const std::string_view lines : {
           R"({"a":[1,{"b":null}],"c/d":{}}
[{"op":"add","path":"/a/-","value":[]},{"op":"move","from":"/a/0","path":"/c~1d/x"}])",
           R"({"a":[1,2,3]}
[{"op":"test","path":"/a/-1","value":3},{"op":"copy","from":"/a","path":"/b"},)"
           R"({"op":"replace","path":"","value":{}},{"op":"remove","path":"/a/0"}])",
       }) {
    out.Write("patch_fuzz", std::string("\0\0\0", 3) + std::string(lines));
  }
  const auto& kinds = AllKinds();
  const auto pod =
      static_cast<std::size_t>(std::ranges::find(kinds, &core::v1::Pod::kType) - kinds.begin());
  const std::string prefix = {'\2', static_cast<char>(pod & 0xff), static_cast<char>(pod >> 8)};
  const std::string object =
      R"({"metadata":{"finalizers":["b","a"],"ownerReferences":[{"uid":"1"}]},"spec":{"containers":[)"
      R"({"name":"a","ports":[{"containerPort":80}]},{"name":"b"}],"volumes":[{"name":"v","emptyDir":{}}]}})";
  for (
      const std::string_view patch : {
          R"({"metadata":{"$deleteFromPrimitiveList/finalizers":["a"],"finalizers":["c"]}})",
          R"({"spec":{"$setElementOrder/containers":[{"name":"b"},{"name":"c"}],"containers":[)"
          R"({"name":"c"},{"$patch":"delete","name":"a"}]}})",
          R"({"spec":{"containers":[{"$patch":"replace"},{"name":"x"}]}})",
          R"({"spec":{"volumes":[{"$retainKeys":["name","hostPath"],"name":"v","hostPath":{}}]}})",
          R"({"$patch":"replace","spec":null})",
          R"({"metadata":{"finalizers":["a","c"]},"spec":{"containers":[{"name":"b"},{"name":"a"}]}})",
      }) {
    out.Write("patch_fuzz", prefix + object + "\n" + std::string(patch));
  }
}

std::string Repeat(std::string_view text, std::size_t times) {
  std::string repeated;
  for (std::size_t i = 0; i < times; ++i) repeated += text;
  return repeated;
}

/// A request as api_server_fuzz reads it.
std::string Request(char method, char type, const std::string& target, std::string_view body) {
  return std::string{method, type, '\0'} + target + "\n" + std::string(body);
}

/// Every kind sent to an API server in JSON and in protobuf, read, changed in each way and deleted.
void WriteRequests(SeedWriter& out) {
  enum Method : char { kPost, kPut, kPatch, kGet, kDelete };
  enum Type : char { kJson, kMerge, kStrategic, kJsonPatch, kApply, kYaml, kProtobuf };
  const auto json = [](const AnyObject& object) -> Result<std::string> {
    std::string text;
    FLYBALL_TRY(EncodeJson(object.get(), object.type(), text));
    return text;
  };
  constexpr char kNext = '\x1e';
  std::uint32_t seed = 5000;
  for (const TypeInfo* const type : AllKinds()) {
    if (type->resource == nullptr) continue;
    const std::string version(type->ApiVersion());
    std::string path = (version.contains('/') ? "/apis/" : "/api/") + version;
    if (type->resource->namespaced) path += "/namespaces/default";
    path += "/" + std::string(type->resource->plural);
    const std::string object = Encode(*type, ++seed, kLongestSeed / 2, json);
    const std::string one = path + "/web";
    out.Write("api_server_fuzz",
              Request(kPost, kJson, path, object) + kNext +
                  Request(kPatch, kMerge, one, R"({"metadata":{"labels":{"a":"b"}}})") + kNext +
                  Request(kPatch, kStrategic, one + "/status", R"({"status":{}})") + kNext +
                  Request(kDelete, kJson, one + "?gracePeriodSeconds=0", ""));
    out.Write("api_server_fuzz",
              Request(kPatch, kApply, one + "?fieldManager=m&force=true", object) + kNext +
                  Request(kPatch, kJsonPatch, one,
                          R"([{"op":"add","path":"/metadata/annotations","value":{"a":"b"}}])") +
                  kNext + Request(kGet, kJson, path + "?limit=1", ""));
    out.Write("api_server_fuzz", Request(kPost, kProtobuf, path, object) + kNext +
                                     Request(kPut, kYaml, one, "metadata: {name: web}"));
  }
}

void WriteHeads(SeedWriter& out) {
  for (const std::string_view rest : {"\r\n", "content-length: 3\r\n\r\nabc",
                                      "transfer-encoding: chunked\r\n\r\n3\r\nabc\r\n0\r\n\r\n",
                                      "transfer-encoding: chunked\r\n\r\n0\r\nabc: d\r\n\r\n",
                                      "expect: 100-continue\r\nconnection: close\r\n\r\n"}) {
    for (const std::string_view line : {"GET / HTTP/1.1", "POST http://a/b?c HTTP/1.0"}) {
      out.Write("http1_request_fuzz",
                "\x05" + std::string(line) + "\r\nhost: a\r\n" + std::string(rest));
    }
  }
}

void WriteTexts(SeedWriter& out) {
  for (const std::string_view text : {
           "a: &x {b: 1, c: [~, yes, 0x1F, 1_000, .5, -.inf]}\nd: *x\n<<: *x\n",
           "text: |-\n  one\n   two\n\n  three\nfold: >+\n  a\n  b\n\n\nlast: |2\n    x\n",
           "- 'it''s'\n- \"\\x41\\u00e9\\U0001F600\\n\"\n- !!str 12\n- !!int 12\n- 2001-01-01\n",
           "? a\n: - b\n  -\n    - c\n# comment\n...\n---\n",
           "{a: [b, {c: d, }, ], \"e\": 'f'}",
           "base: &b {x: 1}\nmore: {<<: [*b, {y: 2}], x: 3}\n",
           "apiVersion: v1\nkind: ConfigMap\ndata:\n  \"yes\": \"1\"\n  n: |\n    a\n    b\n",
           R"({"a":"\u0000\ud83d\ude00\u2028","b":[1e5,-0,0.1,1E-7,12345678901234567890],"":{}})",
           R"(["- a","? b",": c","a: b","a #b","'","!x","&x","*x","%","@","`","0o7","1:2","~"])",
           R"(["a\nb","a\n\n","\na"," a\nb","a\n b","a\tb\nc","a \nb","\t","a\rb","\u0085","﻿"])",
       }) {
    out.Write("yaml_fuzz", text);
    out.Write("json_fuzz", std::string("\0\0", 2) + std::string(text));
  }
  for (const std::size_t depth : {49, 99, 101, 1000}) {
    const std::string lists = Repeat("[", depth) + Repeat("]", depth);
    const std::string objects = Repeat("{\"a\":", depth) + "1" + Repeat("}", depth);
    for (const std::string& text : {lists, objects, Repeat("- ", depth), Repeat("[", depth)}) {
      out.Write("yaml_fuzz", text);
      out.Write("json_fuzz", std::string("\0\0", 2) + text);
    }
  }
  for (const std::string_view text :
       {"1\n1000m", "1.5Gi\n-0.1Ki", "9223372036854775807\n1", "-9223372036854775808\n-1n",
        "1e4096\n1E-4096", "1e6000\n-1e400000000", "1000e2147483647\n1.5e-2147483648",
        "0.0000000001\n1n", "12345678901234567890123m\n8Ei", "0\n0Ki",
        "100000000000000000000Ei\n+.5u", "1e18\n1e-9", "999999999999999999\n000001e3", "1P\n1k"}) {
    out.Write("quantity_fuzz", "\3" + std::string(text));
    out.Write("quantity_fuzz", "\xfd" + std::string(text));
  }
  for (const std::string_view text :
       {"a=b,c==d,e!=f", "g in (x,y,),h notin (z)", "i,!j,k>5,l<6", "example.com/app = web , !x",
        "in in (in)", "x in (), y", "metadata.name=a\\,b\\=c\\\\d,status.phase!=Running",
        "a==1,a=2", "=x", "a=\xff\\,", "k>9223372036854775807,k<-9223372036854775808"}) {
    out.Write("selector_fuzz", text);
  }
  for (const std::string_view time :
       {"2026-01-02T03:04:05Z", "2026-01-02T3:04:05.123456+01:30", "0000-12-31T23:59:60-24:00",
        "9999-12-31T23:59:59.999999-23:59", "0001-01-01T00:00:00,000000Z"}) {
    out.Write("leaf_fuzz", std::string("\0", 1) + std::string(time));
    out.Write("leaf_fuzz", "\1" + std::string(time));
  }
  for (const std::string_view numbers :
       {std::string_view("\0\0\0\0\x6b\x49\xd2\0\0\0\0\0\x3b\x9a\xca\0\0\0\0\1\0\0\0\0", 24),
        std::string_view("\x80\0\0\0\0\0\0\0\xff\xff\xff\xff\xff\xff\xff\xff\x7f\xff", 18)}) {
    for (const char type : {'\2', '\3', '\5'}) out.Write("leaf_fuzz", type + std::string(numbers));
  }
  for (const std::string_view text :
       {"1h2m3.5s", "-1.5ms2us3ns4µs", "0", "2562047h47m16.854775807s"})
    out.Write("leaf_fuzz", "\4" + std::string(text));
  for (const std::string_view text : {"aGVsbG8=", "aGk=\r\n", "YQ==", "////", "a"})
    out.Write("leaf_fuzz", "\6" + std::string(text));
  for (const std::string_view text : {"80", "25%", "-2147483648", "http", "99999999999%", "+1"})
    out.Write("leaf_fuzz", "\7" + std::string(text));
  for (const std::string_view text :
       {"example.com/app", "a-b.c", "é\xf0\x9f\x98\x80", "\xed\xa0\x80"})
    out.Write("leaf_fuzz", "\x8" + std::string(text));
}

}  // namespace
}  // namespace flyball::api

int main(int argc, char** argv) {
  if (argc != 2) {
    std::cerr << "usage: fuzz_seeds FOLDER\n";
    return 2;
  }
  flyball::api::SeedWriter out(argv[1]);
  flyball::api::WriteObjects(out);
  flyball::api::WriteViewed(out);
  flyball::api::WritePatches(out);
  flyball::api::WriteTexts(out);
  flyball::api::WriteRequests(out);
  flyball::api::WriteHeads(out);
  flyball::crd::WriteCrdSeeds(2 * flyball::api::kLongestSeed,
                              [&](std::string_view crd) { out.Write("crd_fuzz", crd); });
  return 0;
}
