#pragma once

#include <chrono>
#include <functional>
#include <string>
#include <utility>
#include <vector>

#include "flyball/client/client.h"
#include "flyball/client/discovery.h"
#include "tests/parity/portrait.h"
#include "tests/parity/record.h"
#include "tests/parity/scenario.h"
#include "tests/parity/witness.h"

namespace flyball::parity {

/// Plays one scenario on one server, as a person with all rights would.
class Player {
 public:
  struct Deps {
    client::Client client;
    client::RestMapper& mapper;
    Witness& witness;
    Clock& clock;
    std::vector<std::pair<std::string, std::string>> texts;  ///< see Portraitist
    /// With these flags besides. None: others need the manager as it is.
    std::function<Result<>(const std::vector<std::string>&)> restart_manager = {};
    /// While this holds, all is not as quiet as it seems, and what is waited for may take as long
    /// as this and then as long as it may anyway. None: it never does.
    std::function<bool()> disturbed = {};
    std::chrono::nanoseconds least_settle = {};  ///< what a checkpoint waits for in any case
    std::function<void()> at_checkpoint = {};    ///< called at each, when all is quiet
  };
  Player(Deps deps, const Scenario& scenario);

  /// An error says at which step, and what there was instead.
  Result<Record> Play();
  /// Deletes what the scenario has left outside of namespaces, and its namespaces.
  void CleanUp();

 private:
  Result<> PlaySteps();
  Result<> Do(const Step& step);
  Result<> Create(const Step& step);
  Result<> Apply(const Step& step);
  Result<> Patch(const Step& step);
  Result<> Delete(const Step& step);
  /// As people do who drain a node: again and again while a budget is against it.
  Result<> Evict(const Step& step);
  bool IsDisturbed() const { return deps_.disturbed && deps_.disturbed(); }
  /// Until what the step waits for has come true, and nothing has changed for as long as it says.
  Result<World> Await(const Step& step);

  /// Kinds of CRDs may take a moment.
  Result<client::Resource> Find(const std::function<Result<client::ServedResource>()>& find);
  Result<client::Resource> ResourceOf(const Reference& reference);
  struct Prepared {
    client::Resource resource;
    api::Json object;
  };
  /// The object in its namespace, or with the scenario's label.
  Result<Prepared> Prepare(api::Json object);
  Result<std::vector<api::ObjectKey>> KeysOf(const Step::Target& target,
                                             const client::Resource& resource) const;
  /// A write is done when the witness shows it, so that the next step does not see what was before.
  Result<> Finish(const Step& step, const client::Resource& resource, const api::Json& answer);
  World Now() const { return deps_.witness.WorldOf(scenario_.name); }

  const Deps deps_;
  const Scenario& scenario_;
  scenario::Values values_;
  Portraitist portraitist_;
  Record record_;
};

}  // namespace flyball::parity
