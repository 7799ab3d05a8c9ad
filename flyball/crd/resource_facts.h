#pragma once

#include <string>

#include "flyball/crd/crd_document.h"
#include "flyball/gen/schema.h"

/// What a CRD says of its resource besides the schema.
namespace flyball::crd {

std::string KindOf(const CrdDocument& document);
/// "WidgetList" where the CRD does not say.
std::string ListKindOf(const CrdDocument& document);

/// The list of the CRD's kind, as a struct of a package.
gen::StructFacts ListStruct(const CrdDocument& document, const std::string& package);

/// The facts of one version: what discovery says of it, and what the server shows of it.
gen::ResourceFacts ResourceFactsOf(
    const CrdDocument& document, const apiextensions::v1::CustomResourceDefinitionVersion& version);

}  // namespace flyball::crd
