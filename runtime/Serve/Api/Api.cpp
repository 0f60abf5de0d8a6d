#include "runtime/Serve/Api/Api.h"

#include "runtime/Serve/Api/ApiError.h"
#include "runtime/Serve/Api/Endpoints.h"
#include "runtime/Serve/Http/Refusal.h"

namespace cheems::serve {

namespace {

using Handler = void (*)(Call &);

struct Route {
  const char *method;
  const char *path; ///< one that ends with '/' takes whatever follows
  Handler handler;
  bool isQuick; ///< it runs where the request came
};

constexpr Route routes[] = {
    {"POST", "/v1/chat/completions", chatCompletions, false},
    {"POST", "/chat/completions", chatCompletions, false},
    {"POST", "/v1/completions", completions, false},
    {"POST", "/completion", llamaCompletion, false},
    {"POST", "/completions", llamaCompletion, false},
    {"POST", "/v1/embeddings", embeddings, false},
    {"POST", "/embedding", llamaEmbedding, false},
    {"POST", "/embeddings", llamaEmbedding, false},
    {"POST", "/tokenize", tokenize, false},
    {"POST", "/detokenize", detokenize, false},
    {"GET", "/tokenizer_info", tokenizerInfo, false},
    {"POST", "/apply-template", applyTemplate, false},
    {"POST", "/slots/", slotAction, false},
    {"GET", "/slots", slots, true},
    {"GET", "/metrics", metricsPage, true},
    {"GET", "/v1/models", models, true},
    {"GET", "/models", models, true},
    {"GET", "/v1/models/", oneModel, true},
    {"GET", "/props", props, true},
};

/// What stands behind the route's path; nothing where it is another path.
std::optional<std::string> tailOf(const Route &route, const std::string &path) {
  std::string front = route.path;
  if (front.back() != '/') {
    return path == front ? std::optional<std::string>("") : std::nullopt;
  }
  return path.size() > front.size() && path.compare(0, front.size(), front) == 0
             ? std::optional(path.substr(front.size()))
             : std::nullopt;
}

void run(Handler handler, Call &call) {
  try {
    handler(call);
  } catch (const ApiError &error) {
    call.responder->respond(errorResponse(error));
  } catch (const Error &error) {
    call.responder->respond(errorResponse(errorOf(error)));
  } catch (const std::exception &error) {
    call.responder->respond(errorResponse(
        ApiError(500, std::string("the request failed: ") + error.what())));
  }
}

} // namespace

void respondJson(Call &call, const Json &body) {
  HttpResponse response;
  response.body = dumped(body);
  call.responder->respond(std::move(response));
}

Api::Api(TextModel &text, GenerationEngine &engine, ApiOptions options)
    : context(std::make_shared<Context>(text, engine, std::move(options))) {
  text.tokenizer(); // what each request needs
}

Api::~Api() { context->workers.stop(); }

void Api::handle(HttpRequest request, std::shared_ptr<Responder> responder) {
  std::string allowed;
  for (const Route &route : routes) {
    auto tail = tailOf(route, request.path);
    if (!tail) {
      continue;
    }
    if (request.method != route.method) {
      bool isRead = std::string(route.method) == "GET";
      allowed += isRead ? "GET, HEAD, " : "POST, ";
      continue;
    }
    auto call = std::make_shared<Call>(
        Call{context, std::move(request), std::move(responder), *tail});
    if (route.isQuick) {
      run(route.handler, *call);
    } else if (!context->workers.post(
                   [call, handler = route.handler] { run(handler, *call); })) {
      call->responder->respond(errorResponse(
          ApiError(429, "too many requests wait", "", "queue_full")));
    }
    return;
  }
  responder->respond(allowed.empty()
                         ? noSuchPath(request)
                         : noSuchMethod(request, allowed + "OPTIONS"));
}

} // namespace cheems::serve
