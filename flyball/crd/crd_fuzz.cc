/// Input: a CRD, as YAML or JSON. What maps gives the same C++ every time, and nothing of the text
/// in it gets out of its comment; what does not is an error that says where.
#include <cstdint>
#include <string_view>

#include "flyball/api/utf8.h"
#include "flyball/base/check.h"
#include "flyball/crd/generate_crds.h"
#include "flyball/gen/schema.h"

namespace flyball::crd {
namespace {

void CheckRefusal(const Error& error) {
  FLYBALL_CHECK(error.path().starts_with("crd.yaml"), "an error that does not say where");
  FLYBALL_CHECK(!error.message().empty(), "an error without a message");
  FLYBALL_CHECK(api::IsValidUtf8(error.Describe()), "an error that is not UTF-8");
}

/// Outside of comments a header has nothing but names and punctuation.
void CheckHeader(std::string_view text) {
  for (const std::string& line : gen::Split(text, '\n')) {
    const auto first = line.find_first_not_of(' ');
    if (first != std::string::npos && line.compare(first, 3, "///") == 0) {
      FLYBALL_CHECK(!line.ends_with('\\'), "a comment that goes on in the next line");
      continue;
    }
    for (const char c : line) FLYBALL_CHECK(c >= ' ' && c <= '~', "code that is not ASCII");
  }
}

void Check(const std::string& input) {
  const std::vector<InputFile> files = {{"crd.yaml", input}};
  const auto once = GenerateCrds(files);
  if (!once) return CheckRefusal(once.error());
  const auto again = GenerateCrds(files);
  FLYBALL_CHECK(again && again->size() == once->size(), "mapped once and not again");
  for (std::size_t i = 0; i < once->size(); ++i) {
    FLYBALL_CHECK((*once)[i].path == (*again)[i].path, "another file the second time");
    FLYBALL_CHECK((*once)[i].text == (*again)[i].text, "another text the second time");
    FLYBALL_CHECK(api::IsValidUtf8((*once)[i].text), "C++ that is not UTF-8");
    if ((*once)[i].path.ends_with(".h")) CheckHeader((*once)[i].text);
  }
}

}  // namespace
}  // namespace flyball::crd

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  flyball::crd::Check({reinterpret_cast<const char*>(data), size});
  return 0;
}
