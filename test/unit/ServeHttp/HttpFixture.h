// A listener on a free port with a handler that does what a path says.
#ifndef CHEEMS_TEST_UNIT_SERVEHTTP_HTTPFIXTURE_H
#define CHEEMS_TEST_UNIT_SERVEHTTP_HTTPFIXTURE_H

#include "Client.h"
#include "server/Http/Listener.h"
#include "server/Http/Refusal.h"
#include "server/Http/SseWriter.h"
#include <condition_variable>
#include <gtest/gtest.h>
#include <mutex>
#include <nlohmann/json.hpp>
#include <sstream>

namespace cheems::test {

using namespace cheems::serve;
using std::chrono::milliseconds;

/// /echo: what came, as JSON; /hold: kept until the test answers it; /throw
/// and /forget: a handler that fails.
class StandIn final : public RequestHandler {
public:
  struct Held {
    HttpRequest request;
    std::shared_ptr<Responder> responder;
  };

  void handle(HttpRequest request,
              std::shared_ptr<Responder> responder) override {
    if (request.path == "/echo") {
      HttpResponse response;
      response.body = nlohmann::json{{"method", request.method},
                                     {"query", request.query},
                                     {"body", request.body},
                                     {"id", request.id},
                                     {"client", request.client}}
                          .dump();
      responder->note("echoed", std::to_string(request.body.size()));
      responder->respond(response);
    } else if (request.path == "/hold") {
      responder->onDropped([this] {
        std::lock_guard<std::mutex> lock(mutex);
        ++drops;
        changed.notify_all();
      });
      std::lock_guard<std::mutex> lock(mutex);
      held.push_back({std::move(request), std::move(responder)});
      changed.notify_all();
    } else if (request.path == "/throw") {
      throw std::runtime_error("broken on purpose");
    } else if (request.path != "/forget") {
      responder->respond(noSuchPath(request));
    }
  }

  /// The index-th request to /hold, when it is there.
  Held wait(size_t index = 0) {
    std::unique_lock<std::mutex> lock(mutex);
    if (!changed.wait_for(lock, std::chrono::seconds(10),
                          [&] { return held.size() > index; })) {
      throw std::runtime_error("no request came for ten seconds");
    }
    return held[index];
  }
  /// Whether so many were dropped, before ten seconds have passed.
  bool dropped(int count = 1) {
    std::unique_lock<std::mutex> lock(mutex);
    return changed.wait_for(lock, std::chrono::seconds(10),
                            [&] { return drops >= count; });
  }
  int dropCount() {
    std::lock_guard<std::mutex> lock(mutex);
    return drops;
  }
  size_t heldCount() {
    std::lock_guard<std::mutex> lock(mutex);
    return held.size();
  }
  void clear() {
    std::vector<Held> gone;
    std::lock_guard<std::mutex> lock(mutex);
    gone.swap(held);
  }

private:
  std::mutex mutex;
  std::condition_variable changed;
  std::vector<Held> held;
  int drops = 0;
};

class HttpFixture : public ::testing::Test {
protected:
  ~HttpFixture() override { stop(); }

  /// With the members as they are now.
  void start() {
    gate = std::make_shared<Gate>(keys, cors, files);
    gate->set(Readiness::ready);
    // a handler may hold a way back, and that the log, longer than the test
    log = std::make_shared<RequestLog>(
        [to = logged](const std::string &lines) { *to += lines; });
    listener = std::make_unique<Listener>(place, limits, gate, log);
    listener->setHandler(handler);
  }
  Client connect(int receiveBuffer = 0) {
    if (!listener) {
      start();
    }
    return Client(listener->port(), receiveBuffer);
  }
  /// One request on a connection of its own.
  Received ask(const std::string &request) {
    Client client = connect();
    client.send(request);
    return client.receive(request.compare(0, 5, "HEAD ") == 0);
  }
  void stop() {
    listener.reset();
    log.reset();
  }
  /// The log's lines, after which the listener is gone.
  std::vector<nlohmann::json> records() {
    listener.reset();
    log->flush();
    std::vector<nlohmann::json> result;
    std::istringstream lines(*logged);
    for (std::string line; std::getline(lines, line);) {
      result.push_back(nlohmann::json::parse(line));
    }
    return result;
  }

  Limits limits;
  Listener::Place place;
  ApiKeys keys;
  Cors cors;
  StaticFiles files;
  std::shared_ptr<StandIn> handler = std::make_shared<StandIn>();
  std::shared_ptr<Gate> gate;
  std::shared_ptr<RequestLog> log;
  std::unique_ptr<Listener> listener;
  std::shared_ptr<std::string> logged = std::make_shared<std::string>();
};

/// {"error": …} of a body.
inline nlohmann::json errorOf(const Received &received) {
  return nlohmann::json::parse(received.body).at("error");
}

} // namespace cheems::test

#endif
