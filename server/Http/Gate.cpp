#include "server/Http/Gate.h"
#include "server/Http/Refusal.h"
#include <algorithm>

namespace cheems::serve {

static constexpr const char *allMethods = "GET, HEAD, POST, OPTIONS";

std::optional<HttpResponse> Gate::unavailable() const {
  switch (state.load()) {
  case Readiness::loading:
    return refusal(503, "the model is being loaded", "", "loading");
  case Readiness::draining:
    return refusal(503, "the server is shutting down", "", "shutting_down");
  case Readiness::ready:
    break;
  }
  return std::nullopt;
}

HttpResponse Gate::health() const {
  if (auto response = unavailable()) {
    return *response;
  }
  std::string more = healthMembers ? healthMembers() : "";
  HttpResponse response;
  response.body = R"({"status":"ok")" + (more.empty() ? "" : "," + more) + "}";
  return response;
}

std::string Gate::partyOf(const HttpRequest &head) const {
  auto key = keys.indexOf(head.field("authorization"));
  return key ? "key " + std::to_string(*key) : head.client;
}

std::optional<HttpResponse> Gate::refuseHost(const HttpRequest &head) const {
  bool named =
      std::any_of(head.fields.begin(), head.fields.end(),
                  [](const auto &each) { return each.first == "host"; });
  // every browser sends the field
  if (!named || state == Readiness::loading ||
      hosts.allows(head.field("host"))) {
    return std::nullopt;
  }
  std::string host = head.field("host").substr(0, 200);
  return refusal(403, "this server may not be asked by the name '" + host +
                          "'; start it with --allowed-host to let it");
}

std::optional<HttpResponse> Gate::answer(const HttpRequest &head) const {
  if (auto refused = refuseHost(head)) {
    return refused;
  }
  if (!cors.allows(head)) {
    return refusal(403, "pages of " + head.field("origin").substr(0, 200) +
                            " may not ask this server; start it with "
                            "--cors-origin to let them");
  }
  if (head.method == "OPTIONS") {
    if (Cors::isPreflight(head)) {
      return Cors::preflight(head);
    }
    HttpResponse response;
    response.status = 204;
    response.fields = {{"Allow", allMethods}};
    return response;
  }
  if (head.method != "GET" && head.method != "HEAD" && head.method != "POST") {
    return noSuchMethod(head, allMethods);
  }
  if (auto file = files.answer(head)) {
    return file;
  }
  if (head.path == "/health" || head.path == "/v1/health") {
    return head.method == "POST" ? noSuchMethod(head, "GET, HEAD, OPTIONS")
                                 : health();
  }
  if (!keys.allows(head.field("authorization"))) {
    HttpResponse response =
        refusal(401,
                head.field("authorization").empty()
                    ? "an API key is needed: Authorization: Bearer KEY"
                    : "this API key is not known here",
                "", "invalid_api_key");
    response.fields.emplace_back("WWW-Authenticate", "Bearer");
    return response;
  }
  return unavailable();
}

} // namespace cheems::serve
