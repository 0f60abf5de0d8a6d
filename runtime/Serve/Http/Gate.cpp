#include "runtime/Serve/Http/Gate.h"
#include "runtime/Serve/Http/Refusal.h"

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
  HttpResponse response;
  response.body = R"({"status":"ok"})";
  return response;
}

std::optional<HttpResponse> Gate::answer(const HttpRequest &head) const {
  if (!cors.allows(head)) {
    return refusal(403, "pages of " + head.field("origin") +
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
