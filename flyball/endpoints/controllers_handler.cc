#include "flyball/endpoints/controllers_handler.h"

#include <algorithm>
#include <charconv>
#include <chrono>
#include <string_view>
#include <utility>

#include "flyball/api/json.h"
#include "flyball/api/json_writer.h"
#include "flyball/endpoints/key_state.h"

namespace flyball::endpoints {
namespace {

using api::Json;

constexpr std::size_t kKeys = 100;
constexpr std::size_t kMostKeys = 10'000;

Json Seconds(std::chrono::nanoseconds time) { return std::chrono::duration<double>(time).count(); }
Json Count(std::size_t count) { return static_cast<std::int64_t>(count); }

Json KeyJson(const runtime::KeyReport& report) {
  Json::Object key;
  key["key"] = report.key;
  key["state"] = StateName(report);
  if (report.since) key["seconds"] = Seconds(*report.since);
  if (report.due_in) key["dueInSeconds"] = Seconds(*report.due_in);
  if (report.retries > 0) key["retries"] = report.retries;
  if (!report.last_error.empty()) key["lastError"] = report.last_error;
  return key;
}

Json QueueJson(const runtime::QueueReport& report) {
  Json::Object queue;
  queue["name"] = report.name;
  queue["waiting"] = Count(report.sizes.live + report.sizes.background);
  queue["processing"] = Count(report.sizes.processing);
  queue["held"] = Count(report.sizes.held);
  queue["delayed"] = Count(report.sizes.delayed);
  queue["failing"] = Count(report.failing);
  Json::Array keys;
  for (const auto& key : report.keys) keys.push_back(KeyJson(key));
  queue["keys"] = std::move(keys);
  return queue;
}

std::size_t KeysAskedFor(const RequestTarget& target) {
  const std::string_view text = target.Get("keys");
  std::size_t keys = kKeys;
  std::from_chars(text.data(), text.data() + text.size(), keys);
  return std::min(keys, kMostKeys);
}

}  // namespace

HttpHandler ControllersHandler(ReportControllers report) {
  return [report = std::move(report)](const Call& call) {
    Json::Array controllers;
    for (const ControllerReport& each : report(KeysAskedFor(call.target))) {
      Json::Object controller;
      controller["name"] = each.name;
      Json::Array queues;
      for (const auto& queue : each.queues) queues.push_back(QueueJson(queue));
      controller["queues"] = std::move(queues);
      controllers.emplace_back(std::move(controller));
    }
    Json::Object page;
    page["controllers"] = std::move(controllers);
    std::string text;
    api::JsonWriter writer(text, 2);
    Json(std::move(page)).Send(writer);
    return JsonText(200, text + "\n");
  };
}

}  // namespace flyball::endpoints
