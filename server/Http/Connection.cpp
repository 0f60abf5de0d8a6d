#include "server/Http/Connection.h"
#include "server/Http/Refusal.h"
#include "server/Http/RequestId.h"
#include "server/Http/ResponseHead.h"
#include "server/Http/SseWriter.h"
#include <boost/asio/dispatch.hpp>
#include <exception>
#include <netinet/tcp.h>
#include <new>

namespace cheems::serve {

namespace asio = boost::asio;
using asio::ip::tcp;
using ErrorCode = boost::system::error_code;

/// So many bytes of a refused client are read and thrown away; then its
/// connection is reset.
static constexpr size_t mostLingered = 1 << 20;

/// So many bytes of an answer may wait however little memory is left: there is
/// always room for a refusal, and for the next event of a client that reads.
static constexpr size_t alwaysSent = 16 << 10;

/// A whole answer of at most so much may have the memory that new requests must
/// leave, as streams may: most answers that were generated are shorter.
static constexpr size_t shortAnswer = 256 << 10;

static constexpr const char *goOn = "HTTP/1.1 100 Continue\r\n\r\n";

Connection::Connection(tcp::socket taken, std::shared_ptr<Site> site)
    : site(std::move(site)), socket(std::move(taken)),
      outbox(
          socket, this->site->limits, this->site->memory, [this] { sentAll(); },
          [this](const char *why) { drop(why); }),
      readDeadline(socket.get_executor()), pingDeadline(socket.get_executor()),
      flushDeadline(socket.get_executor()),
      lookDeadline(socket.get_executor()) {}

Connection::~Connection() = default;

void Connection::start() {
  ErrorCode ignored;
  auto peer = socket.remote_endpoint(ignored);
  if (!ignored) {
    client = peer.address().to_string(ignored);
  }
  (void)socket.set_option(tcp::no_delay(true), ignored);
  (void)socket.set_option(asio::socket_base::keep_alive(true), ignored);
  reader = std::make_unique<RequestReader>(site->limits, site->share());
  waitForHeader(site->limits.header);
  read();
}

// ---- reading

/// TCP_CLOSE_WAIT: the client has ended its side, perhaps after bytes that are
/// not read. TCP_CLOSE: the connection is reset.
static int stateOf(tcp::socket &socket) {
  tcp_info info = {};
  socklen_t size = sizeof(info);
  int failed =
      getsockopt(socket.native_handle(), IPPROTO_TCP, TCP_INFO, &info, &size);
  return failed ? 0 : info.tcpi_state;
}

bool Connection::isPaused() const {
  return phase == Phase::answering && unread.size() >= site->limits.aheadBytes;
}

void Connection::read() {
  if (reading || inputEnded || phase == Phase::closed) {
    return;
  }
  if (isPaused()) {
    awaitReset();
    look(Limits::Milliseconds(0));
    return;
  }
  reading = true;
  socket.async_read_some(
      asio::buffer(input),
      [self = shared_from_this()](ErrorCode error, size_t count) {
        self->received(error, count);
      });
}

/// A close that is seen is probed once. One that is not may wait for room in
/// the system's buffer: there the client is probed for as often as a silent
/// stream is kept awake.
void Connection::look(Limits::Milliseconds sinceProbe) {
  lookDeadline.set(site->limits.look, shared_from_this(),
                   [this, sinceProbe]() mutable {
                     if (!isPaused()) {
                       return;
                     }
                     sinceProbe += site->limits.look;
                     if (stateOf(socket) == TCP_CLOSE_WAIT) {
                       probe();
                       return;
                     }
                     if (sinceProbe >= site->limits.ping) {
                       probe();
                       sinceProbe = Limits::Milliseconds(0);
                     }
                     look(sinceProbe);
                   });
}

void Connection::awaitReset() {
  if (awaitsReset) {
    return;
  }
  awaitsReset = true;
  socket.async_wait(tcp::socket::wait_error,
                    [self = shared_from_this()](ErrorCode error) {
                      self->awaitsReset = false;
                      // urgent data is told, too
                      if (!error && stateOf(self->socket) == TCP_CLOSE) {
                        self->drop("dropped");
                      }
                    });
}

void Connection::received(ErrorCode error, size_t count) {
  reading = false;
  if (phase == Phase::closed) {
    return;
  }
  if (error && error != asio::error::eof) {
    drop("dropped");
    return;
  }
  if (error) {
    inputEnded = true;
    inputEnd();
    return;
  }
  if (phase == Phase::lingering) {
    lingered += count;
    if (lingered > mostLingered) {
      drop("dropped");
      return;
    }
  } else {
    bool first =
        phase == Phase::reading && unread.empty() && reader->untouched();
    unread.append(input.data(), count);
    if (first) {
      waitForHeader(site->limits.header);
    }
    advance();
  }
  read();
}

void Connection::waitForHeader(Limits::Milliseconds time) {
  readDeadline.set(time, shared_from_this(), [this] {
    if (phase != Phase::reading || reader->untouched()) {
      drop("dropped"); // nothing was asked
    } else {
      refuseLate("header");
    }
  });
}

void Connection::refuseLate(const std::string &what) {
  begin(refusal(408, "the request's " + what + " did not come in time"), false);
}

void Connection::inputEnd() {
  switch (phase) {
  case Phase::reading:
    advance();
    break;
  case Phase::answering:
    probe();
    break;
  case Phase::lingering:
    drop("dropped");
    break;
  case Phase::closed:
    break;
  }
}

/// A client that has closed its connection and one that has only ended its
/// requests look the same, until something is sent: the first one's system
/// answers with a reset. What is sent is what any client leaves out. HTTP/1.0
/// knows no answer before the answer: there nothing can be sent.
void Connection::probe() {
  if (present->ended) {
    return;
  }
  if (present->events) {
    sendComment();
  } else if (!present->begun && present->newest) {
    outbox.push(shared_from_this(), goOn);
  }
  awaitReset();
}

void Connection::advance() {
  while (phase == Phase::reading) {
    bool changed = reader->take(unread);
    if (!changed && !inputEnded) {
      return;
    }
    if (!changed) { // no more will come
      if (reader->untouched()) {
        linger();
      } else {
        begin(refusal(400, "the request ends in its middle"), false);
      }
      return;
    }
    if (reader->state() == RequestReader::State::refused) {
      begin(refusal(reader->status(), reader->reason()), false);
    } else if (!headerChecked && !checkHeader()) {
      return;
    } else if (reader->state() == RequestReader::State::whole &&
               phase == Phase::reading) {
      begin(std::nullopt, reader->keepsAlive());
    }
  }
}

bool Connection::checkHeader() {
  headerChecked = true;
  std::optional<HttpResponse> early = site->gate->answer(reader->request());
  if (reader->state() == RequestReader::State::body) {
    if (early) {
      // a body that is there already costs nothing
      reader->take(unread);
    } else {
      readDeadline.set(site->limits.body, shared_from_this(),
                       [this] { refuseLate("body"); });
      if (reader->expectsContinue() && unread.empty()) {
        outbox.push(shared_from_this(), goOn);
      }
    }
  }
  if (early) {
    begin(std::move(early), reader->keepsAlive() &&
                                reader->state() == RequestReader::State::whole);
    return false;
  }
  return true;
}

// ---- answering

void Connection::begin(std::optional<HttpResponse> early, bool keepAlive) {
  phase = Phase::answering;
  readDeadline.clear();
  HttpRequest &request = reader->request();
  present = std::make_shared<OngoingAnswer>();
  present->headOnly = request.method == "HEAD";
  present->newest = reader->isNewest();
  present->keepAlive =
      keepAlive && site->gate->readiness() != Readiness::draining;
  present->fields = site->gate->fields(request);
  present->start = std::chrono::steady_clock::now();
  request.id = requestId(request.field("x-request-id"));
  request.client = client;
  request.party = site->gate->partyOf(request);
  RequestRecord &record = present->record;
  record.time = std::chrono::system_clock::now();
  record.id = request.id;
  record.client = client;
  record.method = request.method;
  record.path = request.path;
  record.received = request.body.size();
  site->begun();
  if (early) {
    respond(present, std::move(*early));
  } else {
    hand(std::move(request));
  }
}

void Connection::hand(HttpRequest request) {
  if (present->headOnly) {
    request.method = "GET"; // its body is left out here
  }
  std::shared_ptr<RequestHandler> handler = site->handler();
  try {
    handler->handle(std::move(request),
                    std::make_shared<Reply>(shared_from_this(), present));
  } catch (const std::bad_alloc &) {
    close();
  } catch (const std::exception &error) {
    respond(present, refusal(500, error.what()));
  }
}

bool Connection::isPresent(const AnswerPointer &answer) const {
  return answer == present && !answer->ended && phase == Phase::answering;
}

std::string Connection::head(const HttpResponse &response,
                             std::optional<size_t> length) const {
  Framing framing;
  framing.id = present->record.id;
  framing.fields = present->fields;
  framing.length = length;
  framing.chunked = present->chunked;
  framing.keepAlive = present->keepAlive;
  return headText(response, framing);
}

void Connection::respond(const AnswerPointer &answer, HttpResponse response) {
  if (!isPresent(answer) || answer->begun) {
    return;
  }
  bool bodiless = answer->headOnly || hasNoBody(response.status);
  size_t size = response.body.size();
  bool reserved = !bodiless && outbox.reserve(size, size <= shortAnswer);
  if (!bodiless && !reserved && size > alwaysSent) {
    response = refusal(503, "what is asked of the server takes too much "
                            "memory; try again later");
  }
  answer->begun = answer->ended = true;
  answer->record.status = response.status;
  answer->record.sent = bodiless ? 0 : response.body.size();
  outbox.push(shared_from_this(), head(response, response.body.size()));
  if (!bodiless) {
    outbox.push(shared_from_this(), std::move(response.body), reserved);
  }
}

void Connection::beginStream(const AnswerPointer &answer, HttpResponse head) {
  if (!isPresent(answer) || answer->begun) {
    return;
  }
  answer->begun = answer->stream = true;
  answer->chunked = answer->newest;
  answer->keepAlive = answer->keepAlive && answer->newest;
  answer->events = head.type.compare(0, 17, "text/event-stream") == 0;
  answer->record.status = head.status;
  if (answer->events) {
    head.fields.emplace_back("Cache-Control", "no-cache");
    head.fields.emplace_back("X-Accel-Buffering", "no"); // nginx
  }
  outbox.push(shared_from_this(), this->head(head, std::nullopt));
  if (answer->headOnly) {
    answer->ended = answer->gone = true;
    tellDropped();
  } else if (answer->events) {
    lastSent = std::chrono::steady_clock::now();
    keepAwake();
  }
}

/// Events that come faster than a screen shows them share a write, since a
/// write costs more than all else that an event takes. The first one is sent at
/// once. The others are sent at moments that all streams have in common: one
/// step made them, and the thread wakes once for all streams. As long as events
/// come, the thread looks for more at the next moment, so that nobody has to
/// wake it.
void Connection::flush(const AnswerPointer &answer) {
  using Clock = std::chrono::steady_clock;
  Clock::duration interval = site->limits.streamInterval;
  for (std::string bytes = answer->unsent.take(); !bytes.empty();
       bytes = answer->unsent.take()) {
    send(answer, bytes);
    if (interval > Clock::duration::zero() && isPresent(answer)) {
      Clock::duration passed =
          Clock::now().time_since_epoch() % interval; // since such a moment
      flushDeadline.set(interval - passed, shared_from_this(),
                        [this, answer] { flush(answer); });
      return;
    }
  }
}

void Connection::send(const AnswerPointer &answer, const std::string &bytes) {
  if (!isPresent(answer) || !answer->stream || bytes.empty()) {
    return;
  }
  // One piece may be as long as it is, and the next may come at once: what
  // waits beside it tells who does not read.
  if (outbox.backlog() > site->limits.waitingBytes) {
    drop("stalled");
    return;
  }
  lastSent = std::chrono::steady_clock::now();
  answer->record.sent += bytes.size();
  std::string part = answer->chunked ? chunkText(bytes) : bytes;
  bool reserved = outbox.reserve(part.size(), /*goesOn=*/true);
  if (!reserved && outbox.waiting() + part.size() > alwaysSent) {
    drop("stalled");
    return;
  }
  outbox.push(shared_from_this(), std::move(part), reserved);
}

void Connection::endStream(const AnswerPointer &answer) {
  if (!isPresent(answer) || !answer->stream) {
    return;
  }
  send(answer, answer->unsent.take());
  if (!isPresent(answer)) { // it was dropped
    return;
  }
  answer->ended = true;
  pingDeadline.clear();
  flushDeadline.clear();
  if (answer->chunked) {
    outbox.push(shared_from_this(), "0\r\n\r\n");
  } else if (outbox.waiting() == 0) {
    finish();
  }
}

void Connection::abandon(const AnswerPointer &answer) {
  if (!isPresent(answer)) {
    return;
  }
  if (!answer->begun) {
    respond(answer, refusal(500, "the request was given up"));
  } else {
    drop("aborted"); // an answer without its end must not look whole
  }
}

/// Sends an empty comment in a stream of events. It is a chunk of its own,
/// except with HTTP/1.0, which has no chunks.
void Connection::sendComment() {
  outbox.push(shared_from_this(), present->chunked
                                      ? chunkText(SseWriter::comment)
                                      : SseWriter::comment);
}

/// Proxies and clients give up on a connection that is silent for long.
void Connection::keepAwake() {
  using std::chrono::duration_cast;
  auto silent = duration_cast<Limits::Milliseconds>(
      std::chrono::steady_clock::now() - lastSent);
  Limits::Milliseconds rest = site->limits.ping - silent;
  if (rest.count() <= 0) {
    if (outbox.waiting() == 0) {
      sendComment();
    }
    lastSent = std::chrono::steady_clock::now();
    rest = site->limits.ping;
  }
  pingDeadline.set(rest, shared_from_this(), [this] { keepAwake(); });
}

// ---- ends

void Connection::sentAll() {
  if (phase == Phase::answering && present->ended) {
    finish();
  }
}

void Connection::logAnswer(const char *end) {
  RequestRecord &record = present->record;
  std::chrono::duration<double> passed =
      std::chrono::steady_clock::now() - present->start;
  record.seconds = passed.count();
  if (std::string(record.end) == "done") { // not yet told otherwise
    record.end = end;
  }
  if (site->log) {
    site->log->write(record);
  }
}

void Connection::tellDropped() {
  std::function<void()> call;
  call.swap(present->dropped);
  if (call) {
    call();
  }
}

void Connection::finish() {
  pingDeadline.clear();
  logAnswer("done");
  present->dropped = nullptr;
  bool goesOn = present->keepAlive;
  present.reset();
  if (goesOn) {
    phase = Phase::reading;
    reader = std::make_unique<RequestReader>(site->limits, site->share());
    headerChecked = false;
    waitForHeader(unread.empty() ? site->limits.idle : site->limits.header);
  } else {
    linger();
  }
  site->ended();
  // not in the depth of the answer before it
  post([self = shared_from_this()] {
    self->advance();
    self->read();
  });
}

/// A connection that is closed while bytes of the client are unread is reset,
/// and with it goes the answer that it has not read.
void Connection::linger() {
  if (inputEnded) {
    drop("dropped");
    return;
  }
  phase = Phase::lingering;
  unread.clear();
  ErrorCode ignored;
  (void)socket.shutdown(tcp::socket::shutdown_send, ignored);
  readDeadline.set(site->limits.linger, shared_from_this(),
                   [this] { drop("dropped"); });
}

void Connection::drop(const char *why) {
  if (phase == Phase::closed) {
    return;
  }
  auto self = shared_from_this();
  phase = Phase::closed;
  ErrorCode ignored;
  (void)socket.close(ignored);
  outbox.close();
  readDeadline.clear();
  pingDeadline.clear();
  flushDeadline.clear();
  lookDeadline.clear();
  if (present) {
    logAnswer(why);
    if (!present->ended) {
      present->ended = present->gone = true;
      tellDropped();
    }
    present->dropped = nullptr;
    present.reset();
    site->ended();
  }
  site->remove(this);
}

void Connection::close() {
  post([self = shared_from_this()] { self->drop("aborted"); });
}

void Connection::abort() {
  post([self = shared_from_this(), this] {
    if (phase != Phase::answering) {
      drop("aborted");
      return;
    }
    if (present->ended) {
      present->keepAlive = false;
      return;
    }
    AnswerPointer answer = present;
    answer->keepAlive = false;
    answer->record.end = "aborted";
    const char *message = "the server is shutting down";
    if (!answer->begun) {
      respond(answer, refusal(503, message, "", "shutting_down"));
    } else if (answer->events) {
      send(answer, answer->unsent.take() +
                       SseWriter::text("error", errorJson(503, message, "",
                                                          "shutting_down")));
      endStream(answer);
    } else {
      drop("aborted");
      return;
    }
    answer->gone = true;
    std::function<void()> call;
    call.swap(answer->dropped);
    if (call) {
      call();
    }
  });
}

} // namespace cheems::serve
