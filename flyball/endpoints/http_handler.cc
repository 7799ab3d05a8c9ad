#include "flyball/endpoints/http_handler.h"

#include <utility>

namespace flyball::endpoints {
namespace {

transport::Response Whole(int status, std::string type, std::string body) {
  transport::Response response;
  response.status = status;
  response.headers = {{"content-type", std::move(type)}, {"x-content-type-options", "nosniff"}};
  response.body = std::move(body);
  return response;
}

}  // namespace

transport::Response PlainText(int status, std::string text) {
  return Whole(status, "text/plain; charset=utf-8", std::move(text));
}

transport::Response PlainError(int status, std::string text) {
  return PlainText(status, std::move(text) + "\n");
}

transport::Response JsonText(int status, std::string json) {
  return Whole(status, "application/json", std::move(json));
}

}  // namespace flyball::endpoints
