// What is decided from a request's header alone, before its body is read.
#ifndef CHEEMS_SERVER_HTTP_GATE_H
#define CHEEMS_SERVER_HTTP_GATE_H

#include "server/Http/ApiKeys.h"
#include "server/Http/Cors.h"
#include "server/Http/Hosts.h"
#include "server/Http/StaticFiles.h"
#include <atomic>
#include <functional>
#include <optional>

namespace cheems::serve {

/// What the server can do; any thread may change it.
enum class Readiness { loading, ready, draining };

class Gate {
public:
  Gate() = default;
  Gate(ApiKeys keys, Cors cors, StaticFiles files)
      : keys(std::move(keys)), cors(std::move(cors)), files(std::move(files)) {}

  // Before it is first ready; they count from then on.
  /// By which names it may be asked.
  void limitHosts(Hosts allowed) { hosts = std::move(allowed); }
  /// What /health tells beside "ok": members of a JSON object, or "".
  void tellHealth(std::function<std::string()> tell) {
    healthMembers = std::move(tell);
  }

  void set(Readiness readiness) { state = readiness; }
  Readiness readiness() const { return state; }

  /// The answer, or nothing: the request goes on to the handler. In order:
  /// other names and origins, questions of browsers, the page and /health,
  /// which need no key, the key, a server that cannot answer now.
  std::optional<HttpResponse> answer(const HttpRequest &head) const;
  /// The header fields that every answer to this request has.
  HttpFields fields(const HttpRequest &head) const { return cors.fields(head); }
  /// Whose turn a request takes where requests wait: its key's, or, where there
  /// are no keys, its address's.
  std::string partyOf(const HttpRequest &head) const;

private:
  /// The server is asked by a name that is not one of its own.
  std::optional<HttpResponse> refuseHost(const HttpRequest &head) const;
  HttpResponse health() const;
  /// 503 and why, unless all is well.
  std::optional<HttpResponse> unavailable() const;

  std::atomic<Readiness> state{Readiness::loading};
  ApiKeys keys;
  Cors cors;
  StaticFiles files;
  // Set before `state` is ready for the first time, and read only after that.
  Hosts hosts;
  std::function<std::string()> healthMembers;
};

} // namespace cheems::serve

#endif
