// One client: reads its requests and sends their answers, in order.
#ifndef CHEEMS_SERVER_HTTP_CONNECTION_H
#define CHEEMS_SERVER_HTTP_CONNECTION_H

#include "server/Http/Outbox.h"
#include "server/Http/Reply.h"
#include "server/Http/RequestReader.h"
#include "server/Http/Site.h"
#include <array>
#include <boost/asio/post.hpp>
#include <memory>
#include <optional>

namespace cheems::serve {

/// All functions but `post`, `abort` and `close` are called on the socket's
/// strand. Pending handlers hold the connection, so it lives as long as one is
/// pending.
class Connection : public std::enable_shared_from_this<Connection> {
public:
  Connection(boost::asio::ip::tcp::socket socket, std::shared_ptr<Site> site);
  ~Connection();

  void start();
  /// Ends the answer that is being given: with an error, or an event that says
  /// so; then the connection.
  void abort();
  /// At once.
  void close();

  template <typename Call> void post(Call call) {
    site->unlessStopped(
        [&] { boost::asio::post(socket.get_executor(), std::move(call)); });
  }

  // for Reply; an answer that is not the present one is left alone
  using AnswerPointer = std::shared_ptr<OngoingAnswer>;
  void respond(const AnswerPointer &answer, HttpResponse response);
  void beginStream(const AnswerPointer &answer, HttpResponse head);
  /// Sends what the stream's buffer holds, at once or a moment later.
  void flush(const AnswerPointer &answer);
  void endStream(const AnswerPointer &answer);
  void abandon(const AnswerPointer &answer);

private:
  enum class Phase { reading, answering, lingering, closed };

  void read();
  void received(boost::system::error_code error, size_t count);
  void inputEnd();
  /// Whether an answer that is begun goes to anybody.
  void probe();
  /// The same while more has come than is read, so that no read tells.
  void look(Limits::Milliseconds sinceProbe);
  bool isPaused() const;
  /// The connection is dropped when the client's system resets it.
  void awaitReset();
  /// Goes on with the bytes that are there.
  void advance();
  /// The header is known; false: it was answered already.
  bool checkHeader();
  void waitForHeader(Limits::Milliseconds time);
  void refuseLate(const std::string &what);
  /// The request is whole, or refused: `early` is its answer then.
  void begin(std::optional<HttpResponse> early, bool keepAlive);
  void hand(HttpRequest request);
  bool isPresent(const AnswerPointer &answer) const;
  void send(const AnswerPointer &answer, const std::string &bytes);
  std::string head(const HttpResponse &response,
                   std::optional<size_t> length) const;
  void sendComment();
  void keepAwake();
  void sentAll();
  void finish();
  void linger();
  void drop(const char *why);
  void logAnswer(const char *end);
  void tellDropped();

  std::shared_ptr<Site> site;
  boost::asio::ip::tcp::socket socket;
  Outbox outbox;
  Deadline readDeadline, pingDeadline, flushDeadline, lookDeadline;
  Phase phase = Phase::reading;
  std::string client;
  std::array<char, 8192> input;
  std::string unread; ///< bytes that no request has taken
  bool reading = false, inputEnded = false, awaitsReset = false;
  size_t lingered = 0;
  std::unique_ptr<RequestReader> reader;
  bool headerChecked = false;
  AnswerPointer present;
  std::chrono::steady_clock::time_point lastSent;
};

} // namespace cheems::serve

#endif
