#include "flyball/crd/generate_crds.h"

#include <map>
#include <set>

#include "flyball/crd/cpp_identifier.h"
#include "flyball/crd/crd_document.h"
#include "flyball/crd/definition_check.h"
#include "flyball/crd/resource_facts.h"
#include "flyball/crd/schema_mapper.h"
#include "flyball/crd/schema_place.h"
#include "flyball/crd/structural_check.h"

namespace flyball::crd {
namespace {

constexpr char kFolder[] = "flyball/crds/";

using apiextensions::v1::CustomResourceDefinitionVersion;

/// A package while it is filled.
struct Building {
  gen::Package package;
  NameSet names;
};

/// What a package has from one document.
struct Part {
  std::string package;
  std::size_t first = 0;
  std::size_t last = 0;
  std::size_t first_resource = 0;
  std::size_t last_resource = 0;
};

/// What the tables refer to and the library has.
gen::Package MetaPackage() {
  gen::Package meta;
  meta.name = "meta/v1";
  meta.declared_elsewhere = true;
  for (const auto* name : {"TypeMeta", "ObjectMeta", "ListMeta"}) {
    gen::StructFacts facts;
    facts.name = name;
    facts.package = meta.name;
    meta.structs.push_back(std::move(facts));
  }
  return meta;
}

/// "crds/certificates.yaml" -> "certificates".
std::string StemOf(std::string_view path) {
  const auto slash = path.rfind('/');
  std::string_view name = slash == std::string_view::npos ? path : path.substr(slash + 1);
  const auto dot = name.rfind('.');
  if (dot != std::string_view::npos && dot > 0) name = name.substr(0, dot);
  return std::string(name);
}

class Generator {
 public:
  explicit Generator(std::string name_space) : name_space_(std::move(name_space)) {}

  Result<> Add(const InputFile& file) {
    const std::string stem = StemOf(file.path);
    if (!stems_.insert(stem).second) {
      return Fail(ErrorCode::kInvalid, file.path, "another file has that name");
    }
    FLYBALL_TRY(auto documents, ReadCrds(file.path, file.text));
    for (const CrdDocument& document : documents) FLYBALL_TRY(Declare(document));
    inputs_.push_back({stem, std::move(documents)});
    return {};
  }

  /// Every kind has its name before the first struct inside of one takes any.
  Result<std::vector<gen::OutputFile>> Generate() {
    for (Input& input : inputs_) {
      for (const CrdDocument& document : input.documents) FLYBALL_TRY(Map(document, input.parts));
    }
    gen::Schema schema;
    schema.AddPackage(MetaPackage());
    for (auto& [name, building] : packages_) {
      AssignMemberNames(building.package);
      if (!schema.AddPackage(building.package)) {
        return Fail(ErrorCode::kBadRequest, "--namespace: the library has " + name + " itself");
      }
    }
    FLYBALL_TRY(schema.Check());
    return Emit(schema);
  }

 private:
  struct Input {
    std::string stem;
    std::vector<CrdDocument> documents;
    std::vector<Part> parts = {};

    std::string Header() const { return kFolder + stem + "_types.h"; }
  };

  std::string PackageOf(const CrdDocument& document,
                        const CustomResourceDefinitionVersion& version) const {
    const std::string& group = document.crd.spec.group;
    const std::string outer = name_space_.empty() ? NamespaceIdentifier(group) : name_space_;
    return outer + "/" + NamespaceIdentifier(version.name);
  }

  Result<> Declare(const CrdDocument& document) {
    FLYBALL_TRY(CheckDefinition(document));
    const auto& spec = document.crd.spec;
    for (std::size_t i = 0; i < spec.versions.size(); ++i) {
      const std::string name = PackageOf(document, spec.versions[i]);
      Building& building = packages_[name];
      gen::Package& package = building.package;
      if (package.name.empty()) {
        package.name = name;
        package.group = spec.group;
        package.version = spec.versions[i].name;
      } else if (package.group != spec.group || package.version != spec.versions[i].name) {
        return FailIn(document, IndexPath("spec", "versions", i) + ".name",
                      "the namespace " + name + " is that of " + package.group + "/" +
                          package.version + "; --namespace gives another");
      }
      for (const std::string& kind : {KindOf(document), ListKindOf(document)}) {
        if (building.names.TakeExactly(TypeIdentifier(kind))) continue;
        return FailIn(document, "spec.names", "there are two kinds " + kind + " in " + name);
      }
    }
    return {};
  }

  /// A document's versions, each into its package.
  Result<> Map(const CrdDocument& document, std::vector<Part>& parts) {
    const auto& versions = document.crd.spec.versions;
    for (std::size_t i = 0; i < versions.size(); ++i) {
      const CustomResourceDefinitionVersion& version = versions[i];
      Building& building = packages_.at(PackageOf(document, version));
      gen::Package& package = building.package;
      Part part{package.name, package.structs.size(), 0, package.resources.size(), 0};

      const std::string path =
          document.place + ": " + IndexPath("spec", "versions", i) + ".schema.openAPIV3Schema";
      const auto& schema = *version.schema->openAPIV3Schema;
      const bool has_status = version.subresources && version.subresources->status;
      FLYBALL_TRY(CheckStructural(schema, has_status, path));
      SchemaMapper mapper(package.name, building.names, package.structs);
      const std::string kind = KindOf(document);
      FLYBALL_TRY(mapper.MapKind(schema, TypeIdentifier(kind), kind, path));
      package.structs.push_back(ListStruct(document, package.name));
      package.resources.push_back(ResourceFactsOf(document, version));

      part.last = package.structs.size();
      part.last_resource = package.resources.size();
      parts.push_back(std::move(part));
    }
    return {};
  }

  Result<std::vector<gen::OutputFile>> Emit(const gen::Schema& schema) const {
    std::vector<gen::OutputFile> files;
    std::map<std::string, std::set<std::string>> includes;
    for (const Input& input : inputs_) {
      gen::OutputFile header{input.Header(), {}};
      gen::OutputFile table{kFolder + input.stem + "_table.cc", {}};
      for (const Part& part : input.parts) {
        const gen::Package some = Select(*schema.FindPackage(part.package), part, input.Header());
        FLYBALL_TRY(const std::string types, gen::EmitTypes(schema, some));
        Append(types, header.text);
        Append(gen::EmitTables(schema, some, {}), table.text);
        includes[part.package].insert(input.Header());
      }
      files.push_back(std::move(header));
      files.push_back(std::move(table));
    }
    for (const auto& [package, headers] : includes) {
      std::string text = "// @generated by flyball gen. Do not edit.\n#pragma once\n\n";
      for (const std::string& header : headers) text += "#include \"" + header + "\"\n";
      files.push_back({kFolder + package + ".h", std::move(text)});
    }
    return files;
  }

  /// A package with one part of what it has.
  static gen::Package Select(const gen::Package& whole, const Part& part,
                             const std::string& header) {
    gen::Package some = whole;
    some.header = header;
    const auto cut = [](auto& list, std::size_t first, std::size_t last) {
      list.erase(list.begin() + static_cast<std::ptrdiff_t>(last), list.end());
      list.erase(list.begin(), list.begin() + static_cast<std::ptrdiff_t>(first));
    };
    cut(some.structs, part.first, part.last);
    cut(some.resources, part.first_resource, part.last_resource);
    return some;
  }

  /// One emitted file behind another: what stands before the namespace is the same in both.
  static void Append(const std::string& file, std::string& text) {
    text += text.empty() ? file : file.substr(file.find("\nnamespace flyball::"));
  }

  const std::string name_space_;  ///< as packages have it: "acme/shop"
  std::set<std::string> stems_;
  std::vector<Input> inputs_;
  std::map<std::string, Building> packages_;
};

/// "acme::shop" -> "acme/shop".
Result<std::string> ParseNamespace(std::string_view text) {
  std::string package;
  for (const std::string& part : gen::Split(text, ':')) {
    if (NamespaceIdentifier(part) != part) {
      return Fail(ErrorCode::kBadRequest,
                  "--namespace " + std::string(text) + ": " + part + " is no name of a namespace");
    }
    package += (package.empty() ? "" : "/") + part;
  }
  return package;
}

}  // namespace

Result<std::vector<gen::OutputFile>> GenerateCrds(const std::vector<InputFile>& files,
                                                  std::string_view name_space) {
  FLYBALL_TRY(std::string package, ParseNamespace(name_space));
  Generator generator(std::move(package));
  for (const InputFile& file : files) FLYBALL_TRY(generator.Add(file));
  return generator.Generate();
}

}  // namespace flyball::crd
