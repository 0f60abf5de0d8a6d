// What is decided from a request's header alone, before its body is read.
#ifndef CHEEMS_RUNTIME_SERVE_HTTP_GATE_H
#define CHEEMS_RUNTIME_SERVE_HTTP_GATE_H

#include "runtime/Serve/Http/ApiKeys.h"
#include "runtime/Serve/Http/Cors.h"
#include "runtime/Serve/Http/StaticFiles.h"
#include <atomic>
#include <optional>

namespace cheems::serve {

/// What the server can do; any thread may change it.
enum class Readiness { loading, ready, draining };

class Gate {
public:
  Gate() = default;
  Gate(ApiKeys keys, Cors cors, StaticFiles files)
      : keys(std::move(keys)), cors(std::move(cors)), files(std::move(files)) {}

  void set(Readiness readiness) { state = readiness; }
  Readiness readiness() const { return state; }

  /// The answer, or nothing: the request goes on to the handler. In order:
  /// other origins, questions of browsers, the page and /health, which need no
  /// key, the key, a server that cannot answer now.
  std::optional<HttpResponse> answer(const HttpRequest &head) const;
  /// Of every answer to this request.
  HttpFields fields(const HttpRequest &head) const { return cors.fields(head); }

private:
  HttpResponse health() const;
  /// 503 and why, unless all is well.
  std::optional<HttpResponse> unavailable() const;

  std::atomic<Readiness> state{Readiness::loading};
  ApiKeys keys;
  Cors cors;
  StaticFiles files;
};

} // namespace cheems::serve

#endif
