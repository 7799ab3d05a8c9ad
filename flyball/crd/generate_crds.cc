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

constexpr char kFolder[] = "flyball/crds";

using apiextensions::v1::CustomResourceDefinitionVersion;

/// A package while it is filled.
struct Building {
  gen::Package package;
  NameSet names;
};

/// The structs of a package that came from one file: their tables stand in one source.
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

class Generator {
 public:
  explicit Generator(std::string name_space) : name_space_(std::move(name_space)) {}

  Result<> Add(const InputFile& file) {
    const std::string table = TableFileOf(file.path);
    if (!tables_.insert(table).second) {
      return Fail(ErrorCode::kInvalid, file.path, "another file has that name");
    }
    FLYBALL_TRY(auto documents, ReadCrds(file.path, file.text));
    for (const CrdDocument& document : documents) FLYBALL_TRY(Declare(document));
    inputs_.push_back({table, std::move(documents)});
    return {};
  }

  /// Every kind has its name before the first struct inside of one takes any.
  Result<std::vector<gen::OutputFile>> Generate() {
    std::map<std::string, std::vector<Part>> parts;
    for (const Input& input : inputs_) {
      for (const CrdDocument& document : input.documents) {
        FLYBALL_TRY(Map(document, parts[input.table]));
      }
    }
    gen::Schema schema;
    schema.AddPackage(MetaPackage());
    for (auto& [name, building] : packages_) {
      AssignMemberNames(building.package);
      schema.AddPackage(building.package);
    }
    FLYBALL_TRY(schema.Check());
    return Emit(schema, parts);
  }

 private:
  struct Input {
    std::string table;
    std::vector<CrdDocument> documents;
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
        package.folder = kFolder;
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

  Result<std::vector<gen::OutputFile>> Emit(
      const gen::Schema& schema, const std::map<std::string, std::vector<Part>>& parts) const {
    std::vector<gen::OutputFile> files;
    for (const auto& [name, building] : packages_) {
      const gen::Package& package = *schema.FindPackage(name);
      FLYBALL_TRY(std::string types, gen::EmitTypes(schema, package));
      files.push_back({package.folder + "/" + name + ".h", std::move(types)});
    }
    for (const auto& [table, its_parts] : parts) {
      std::string text;
      for (const Part& part : its_parts) {
        const gen::Package& whole = *schema.FindPackage(part.package);
        gen::Package some = whole;
        some.structs.assign(whole.structs.begin() + static_cast<std::ptrdiff_t>(part.first),
                            whole.structs.begin() + static_cast<std::ptrdiff_t>(part.last));
        some.resources.assign(
            whole.resources.begin() + static_cast<std::ptrdiff_t>(part.first_resource),
            whole.resources.begin() + static_cast<std::ptrdiff_t>(part.last_resource));
        text += gen::EmitTables(schema, some, {});
      }
      files.push_back({table, std::move(text)});
    }
    return files;
  }

  const std::string name_space_;  ///< as packages have it: "acme/shop"
  std::set<std::string> tables_;
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

std::string TableFileOf(std::string_view path) {
  const auto slash = path.rfind('/');
  std::string_view name = slash == std::string_view::npos ? path : path.substr(slash + 1);
  const auto dot = name.rfind('.');
  if (dot != std::string_view::npos && dot > 0) name = name.substr(0, dot);
  return std::string(kFolder) + "/" + std::string(name) + "_table.cc";
}

Result<std::vector<gen::OutputFile>> GenerateCrds(const std::vector<InputFile>& files,
                                                  std::string_view name_space) {
  FLYBALL_TRY(std::string package, ParseNamespace(name_space));
  Generator generator(std::move(package));
  for (const InputFile& file : files) FLYBALL_TRY(generator.Add(file));
  return generator.Generate();
}

}  // namespace flyball::crd
