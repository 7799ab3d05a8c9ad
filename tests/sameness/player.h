#pragma once

#include <functional>
#include <string>

#include "flyball/base/clock.h"
#include "flyball/transport/transport.h"
#include "tests/sameness/scenario.h"
#include "tests/sameness/stand_ins.h"
#include "tests/scenario/placeholders.h"

namespace flyball::sameness {

/// Plays one scenario on one server. What it learns on the way is good for that server alone.
class Player {
 public:
  struct Server {
    transport::Transport& transport;
    std::string admin_token;
    std::function<Result<>()> forget_history;
  };
  Player(Server server, Clock& clock, const Scenario& scenario);

  /// Sends the request and says what came back, as one tree: "status", "content-type", "warning"
  /// and "body", with stand-ins for what no two servers have in common.
  Result<api::Json> Play(const Step& step);

 private:
  Result<transport::Request> Make(const Step& step) const;
  Result<transport::Response> Send(const Step& step);

  const Server server_;
  Clock& clock_;
  scenario::Values values_;
  StandIns stand_ins_;
};

}  // namespace flyball::sameness
