// One request's answer on its connection, and the way to it from any thread.
#ifndef CHEEMS_SERVER_HTTP_REPLY_H
#define CHEEMS_SERVER_HTTP_REPLY_H

#include "server/Http/Exchange.h"
#include "server/Http/RequestLog.h"
#include "server/Http/StreamBuffer.h"
#include <chrono>
#include <functional>
#include <memory>
#include <string>

namespace cheems::serve {

class Connection;

/// Belongs to the connection's executor.
struct OngoingAnswer {
  HttpFields fields; ///< of its head, beside the handler's
  bool headOnly = false, newest = true, keepAlive = true;
  bool begun = false;  ///< its head is on the way
  bool stream = false; ///< in parts,
  bool chunked = false, events = false;
  bool ended = false; ///< the last of it is on the way
  bool gone = false;  ///< it ended without its handler
  std::function<void()> dropped;
  RequestRecord record;
  std::chrono::steady_clock::time_point start;
  StreamBuffer unsent; ///< the one part that any thread may touch
};

/// What a handler holds. One that lets it go before the answer is complete has
/// failed: the client is told so.
class Reply final : public Responder {
public:
  Reply(std::shared_ptr<Connection> connection,
        std::shared_ptr<OngoingAnswer> answer)
      : connection(std::move(connection)), answer(std::move(answer)) {}
  ~Reply() override;

  void respond(HttpResponse response) override;
  void beginStream(HttpResponse head) override;
  void send(std::string bytes) override;
  void endStream() override;
  void onDropped(std::function<void()> handler) override;
  void note(const std::string &name, const std::string &json) override;

private:
  std::shared_ptr<Connection> connection;
  std::shared_ptr<OngoingAnswer> answer;
};

} // namespace cheems::serve

#endif
