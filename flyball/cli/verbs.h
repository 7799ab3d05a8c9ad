#pragma once

#include <memory>
#include <optional>

namespace CLI {
class App;
}

namespace flyball::cli {

/// The verbs for clusters, get and its like, as subcommands.
class Verbs {
 public:
  explicit Verbs(CLI::App& app);
  ~Verbs();
  Verbs(const Verbs&) = delete;
  Verbs& operator=(const Verbs&) = delete;

  /// Does what was asked for, once the command line is parsed, and returns what the process is to
  /// return; nothing if no verb of these was.
  std::optional<int> Run();

 private:
  struct Flags;
  const std::unique_ptr<Flags> flags_;
};

}  // namespace flyball::cli
