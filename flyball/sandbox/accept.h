#pragma once

#include <string_view>
#include <vector>

namespace flyball::sandbox {

/// One clause of an Accept header: "application/json;as=Table;g=meta.k8s.io;v=v1".
struct AcceptClause {
  std::string_view type;
  std::string_view as = {}, group = {}, version = {};
};

/// The clauses in their order. PARITY: weights (q=) are not looked at.
std::vector<AcceptClause> ParseAccept(std::string_view header);

/// Without the blanks around it.
std::string_view TrimBlanks(std::string_view text);

}  // namespace flyball::sandbox
