#include "server/Api/Api.h"

#include "server/Api/ApiError.h"
#include "server/Api/Endpoints.h"
#include "server/Engine/Faults.h"
#include "server/Http/Refusal.h"

#include <algorithm>
#include <malloc.h>
#include <new>

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

/// What follows the route's path; nothing if the request asks for another path.
std::optional<std::string> tailOf(const Route &route, const std::string &path) {
  std::string front = route.path;
  if (front.back() != '/') {
    return path == front ? std::optional<std::string>("") : std::nullopt;
  }
  return path.size() > front.size() && path.compare(0, front.size(), front) == 0
             ? std::optional(path.substr(front.size()))
             : std::nullopt;
}

/// An upper bound of what the values of a body take when it is parsed: each
/// value follows a syntax character, and strings may contain such characters,
/// too.
uint64_t parsedBytes(const std::string &body) {
  constexpr uint64_t perValue = 96;
  auto signs = std::count_if(body.begin(), body.end(), [](char c) {
    return c == ',' || c == ':' || c == '[' || c == '{';
  });
  return 2 * body.size() + perValue * uint64_t(signs);
}

ApiError stoppedError(const WorkStopped &stopped, const Call &call) {
  constexpr uint64_t mebibyte = 1 << 20;
  switch (stopped.reason) {
  case WorkStopped::Reason::cancelled:
    return {503, "the server is shutting down", "", "shutting_down"};
  case WorkStopped::Reason::time:
    return {400, "the request takes too long to read; shorten it", "",
            "too_expensive"};
  case WorkStopped::Reason::ownMemory:
    return {400,
            "the request needs more than the " +
                std::to_string(call.request.share->most() / mebibyte) +
                " MiB that one may have; shorten it, or ask for less at once",
            "", "too_expensive"};
  case WorkStopped::Reason::allMemory:
    break;
  }
  return {503, memoryIsShort, "", "memory"};
}

void run(Handler handler, Call &call) {
  try {
    Work::Memory parsed(parsedBytes(call.request.body));
    handler(call);
  } catch (const WorkStopped &stopped) {
    call.responder->respond(errorResponse(stoppedError(stopped, call)));
  } catch (const ApiError &error) {
    call.responder->respond(errorResponse(error));
  } catch (const Error &error) {
    call.responder->respond(errorResponse(errorOf(error)));
  } catch (const std::bad_alloc &) {
    call.responder->respond(
        errorResponse(ApiError(503, memoryIsShort, "", "memory")));
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

void Api::abort() { context->workers.cancel(); }

WorkerPool::Waiting Api::waiting() const { return context->workers.waiting(); }

static void letBodyGo(HttpRequest &request) {
  size_t bytes = request.body.size();
  std::string().swap(request.body);
  if (request.share) {
    request.share->shrink(std::min<uint64_t>(bytes, request.share->bytes()));
  }
}

/// Has a worker run it, unless its client leaves before.
static void post(const std::shared_ptr<Call> &call, Handler handler) {
  const ApiOptions &options = call->context->options;
  bool isShort = call->request.body.size() <= options.shortBytes;
  WorkerPool::Task task;
  task.work = std::make_shared<Work>(
      isShort ? options.shortWork : options.longWork, call->request.share);
  task.party = call->request.party;
  task.lane = isShort ? WorkerPool::Lane::quick : WorkerPool::Lane::slow;
  task.run = [call, handler, isShort] {
    run(handler, *call);
    letBodyGo(call->request); // whoever answers may keep the rest for long
    if (!isShort) {
      malloc_trim(0); // what it took goes back to the system
    }
  };
  std::weak_ptr<Context> weak = call->context;
  call->responder->onDropped([weak, work = task.work] {
    work->cancel();
    if (auto context = weak.lock()) {
      context->workers.forget(*work);
    }
  });
  if (!call->context->workers.post(std::move(task))) {
    call->responder->respond(errorResponse(
        ApiError(429, "too many requests wait", "", "queue_full")));
  }
}

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
    } else {
      post(call, route.handler);
    }
    return;
  }
  responder->respond(allowed.empty()
                         ? noSuchPath(request)
                         : noSuchMethod(request, allowed + "OPTIONS"));
}

} // namespace cheems::serve
