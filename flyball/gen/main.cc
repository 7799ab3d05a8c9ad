#include <cstdio>
#include <string>
#include <vector>

#include "flyball/gen/command.h"

/// The generator as the build runs it, before there is a `flyball` program to call.
int main(int argc, char** argv) {
  const std::vector<std::string> arguments(argv + 1, argv + argc);
  const auto result = flyball::gen::RunCommand(arguments);
  if (result) return 0;
  std::fprintf(stderr, "flyball gen: %s\n", result.error().Describe().c_str());
  return 1;
}
