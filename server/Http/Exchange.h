// The seam between HTTP and what answers: a request that was read whole, and
// the way its answer takes.
#ifndef CHEEMS_SERVER_HTTP_EXCHANGE_H
#define CHEEMS_SERVER_HTTP_EXCHANGE_H

#include "runtime/Budget.h"
#include <functional>
#include <memory>
#include <string>
#include <utility>
#include <vector>

namespace cheems::serve {

using HttpFields = std::vector<std::pair<std::string, std::string>>;

struct HttpRequest {
  std::string method; ///< "GET"
  std::string path;   ///< without the query, percent-decoded: "/v1/models"
  std::string query;  ///< after the '?', as it came
  HttpFields fields;  ///< names in lower case
  std::string body;
  std::string id;     ///< x-request-id: the client's where it is sound, or ours
  std::string client; ///< its address, for the log
  /// Whose turn it takes where requests wait: its key's, or its address's.
  std::string party;
  /// The part of the memory of all requests that this one takes, for its body
  /// and what is made of it. It is given back with the request. Null if nobody
  /// counts.
  std::shared_ptr<BudgetShare> share;

  /// The first field of that name, which is in lower case, or "".
  const std::string &field(const std::string &name) const;
};

struct HttpResponse {
  int status = 200;
  std::string type = "application/json";
  std::string body;
  HttpFields fields; ///< more of them, such as Retry-After
};

/// The way back of one request. Any thread may call any function; calls after
/// the client has gone do nothing. Exactly one of `respond` and `beginStream`
/// comes first.
class Responder {
public:
  virtual ~Responder() = default;
  /// The whole answer.
  virtual void respond(HttpResponse response) = 0;
  /// An answer that comes in parts; `head.body` is not used.
  virtual void beginStream(HttpResponse head) = 0;
  /// Bytes of it, which may be sent with those of the next calls. They wait in
  /// a bounded buffer: a client that does not read them for too long is
  /// dropped. In a stream of events each call sends whole ones, as a comment
  /// may come between two calls.
  virtual void send(std::string bytes) = 0;
  virtual void endStream() = 0;
  /// Called once, on an I/O thread, when the client has gone or was dropped
  /// before the answer was complete; at once if that has happened. A responder
  /// that is let go before its answer is complete ends it with an error.
  virtual void onDropped(std::function<void()> handler) = 0;
  /// What the log should tell of this request: "prompt_tokens" and so on.
  virtual void note(const std::string &name, const std::string &json) = 0;
};

/// What answers; called on an I/O thread, so it must not block: work of more
/// than a moment goes to another thread. A request for the head alone comes as
/// GET; the connection leaves the body out.
class RequestHandler {
public:
  virtual ~RequestHandler() = default;
  virtual void handle(HttpRequest request,
                      std::shared_ptr<Responder> responder) = 0;
};

} // namespace cheems::serve

#endif
