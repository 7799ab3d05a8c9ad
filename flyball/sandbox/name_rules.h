#pragma once

#include <string>
#include <string_view>
#include <vector>

/// The rules of names in the words of kube-apiserver, for people search for them. Each gives what
/// is wrong, which may be several things; nothing if the text is in order.
namespace flyball::sandbox {

std::vector<std::string> LabelNameProblems(std::string_view name);
std::vector<std::string> SubdomainProblems(std::string_view name);
/// Of the key of a label, an annotation or a taint.
std::vector<std::string> QualifiedNameProblems(std::string_view name);
std::vector<std::string> LabelValueProblems(std::string_view value);

}  // namespace flyball::sandbox
