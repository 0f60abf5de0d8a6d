#include "server/Http/Listener.h"
#include "runtime/Error.h"
#include "server/Http/Connection.h"
#include "server/Http/Refusal.h"
#include "server/Http/RequestId.h"
#include "server/Http/ResponseHead.h"
#include <boost/asio/executor_work_guard.hpp>
#include <boost/asio/ip/tcp.hpp>
#include <boost/asio/strand.hpp>
#include <csignal>
#include <new>
#include <thread>

namespace cheems::serve {

namespace asio = boost::asio;
using asio::ip::tcp;
using ErrorCode = boost::system::error_code;

/// Before the next try, where the system has no descriptor or memory left.
static constexpr std::chrono::milliseconds systemIsShort{100};

/// Held by what it has pending.
struct Listener::Acceptor {
  struct Loop : std::enable_shared_from_this<Loop> {
    explicit Loop(const std::shared_ptr<Site> &site)
        : site(site), strand(asio::make_strand(site->context)), socket(strand),
          pause(strand) {}

    void open(const Place &place);
    void accept();
    void keepAccepting();
    void accepted(ErrorCode error, tcp::socket taken);
    /// One more than there may be.
    void turnAway(tcp::socket &taken) const;

    std::shared_ptr<Site> site;
    asio::strand<asio::io_context::executor_type> strand;
    tcp::acceptor socket;
    asio::steady_timer pause;
    tcp::endpoint endpoint;
  };

  explicit Acceptor(const std::shared_ptr<Site> &site)
      : work(site->context.get_executor()), loop(std::make_shared<Loop>(site)) {
  }

  asio::executor_work_guard<asio::io_context::executor_type> work;
  std::shared_ptr<Loop> loop;
  std::vector<std::thread> threads;
};

void Listener::Acceptor::Loop::open(const Place &place) {
  std::string where = place.host + ":" + std::to_string(place.port);
  ErrorCode error;
  tcp::resolver resolver(site->context);
  auto found = resolver.resolve(place.host, std::to_string(place.port),
                                tcp::resolver::passive, error);
  if (error || found.empty()) {
    throw Error("--host " + place.host + ": " + error.message());
  }
  endpoint = found.begin()->endpoint();
  // a server that is started again finds its port still in use
  if (socket.open(endpoint.protocol(), error) ||
      socket.set_option(tcp::acceptor::reuse_address(true), error) ||
      socket.bind(endpoint, error) ||
      socket.listen(asio::socket_base::max_listen_connections, error)) {
    throw Error("cannot listen on " + where + ": " + error.message() +
                "; choose another --host or --port");
  }
  endpoint = socket.local_endpoint();
}

void Listener::Acceptor::Loop::accept() {
  socket.async_accept(
      asio::make_strand(site->context),
      [self = shared_from_this()](ErrorCode error, tcp::socket taken) {
        self->accepted(error, std::move(taken));
      });
}

/// A try that finds no memory must not be the last one.
void Listener::Acceptor::Loop::keepAccepting() {
  for (bool waits = false; !waits;) {
    try {
      accept();
      waits = true;
    } catch (const std::bad_alloc &) {
      std::this_thread::sleep_for(systemIsShort);
    }
  }
}

void Listener::Acceptor::Loop::accepted(ErrorCode error, tcp::socket taken) {
  if (!socket.is_open()) {
    return;
  }
  bool full = error == asio::error::no_descriptors ||
              error == boost::system::errc::too_many_files_open_in_system ||
              error == asio::error::no_buffer_space ||
              error == asio::error::no_memory;
  if (full) {
    pause.expires_after(systemIsShort);
    pause.async_wait([self = shared_from_this()](ErrorCode ended) {
      if (!ended && self->socket.is_open()) {
        self->keepAccepting();
      }
    });
    return;
  }
  if (error) {
    // the client has gone already
  } else if (site->isFull()) {
    turnAway(taken);
  } else {
    try {
      auto connection = std::make_shared<Connection>(std::move(taken), site);
      site->add(connection);
      connection->post([connection] { connection->start(); });
    } catch (const std::bad_alloc &) {
      std::this_thread::yield(); // that client finds nobody
    }
  }
  keepAccepting();
}

/// Memory may be short for a moment. What fails then is the connection whose
/// turn it is, which goes with what it had pending, and not the server.
static void runConnections(asio::io_context &context) {
  for (bool ended = false; !ended;) {
    try {
      context.run();
      ended = true;
    } catch (const std::bad_alloc &) {
      std::this_thread::yield(); // others may give some back
    }
  }
}

void Listener::Acceptor::Loop::turnAway(tcp::socket &taken) const {
  HttpResponse response = refusal(
      503, "the server has as many connections as it takes", "", "connections");
  Framing framing;
  framing.id = requestId("");
  framing.length = response.body.size();
  framing.keepAlive = false;
  std::string text = headText(response, framing) + response.body;
  ErrorCode ignored;
  (void)taken.non_blocking(true, ignored); // it has room for so little
  taken.write_some(asio::buffer(text), ignored);
  (void)taken.shutdown(tcp::socket::shutdown_send, ignored);
}

Listener::Listener(const Place &place, const Limits &limits,
                   std::shared_ptr<Gate> gate, std::shared_ptr<RequestLog> log)
    : shared(std::make_shared<Site>(limits, std::move(gate), std::move(log))),
      acceptor(std::make_unique<Acceptor>(shared)) {
  acceptor->loop->open(place);
  acceptor->loop->accept();
  sigset_t all, before; // signals are for the threads that know what to do
  sigfillset(&all);
  pthread_sigmask(SIG_SETMASK, &all, &before);
  for (int i = 0; i < std::max(1, place.threads); ++i) {
    acceptor->threads.emplace_back(
        [site = shared] { runConnections(site->context); });
  }
  pthread_sigmask(SIG_SETMASK, &before, nullptr);
}

Listener::~Listener() {
  stopAccepting();
  // accepted() may still add one: after it none does
  asio::post(acceptor->loop->strand, [site = shared] {
    for (const auto &connection : site->connections()) {
      connection->close();
    }
  });
  acceptor->work.reset();
  for (std::thread &thread : acceptor->threads) {
    thread.join();
  }
  shared->stop();
  // what came in between holds its connection, and that the context
  shared->context.restart();
  shared->context.poll();
  // it may hold a way back, which holds all of this
  shared->setHandler(nullptr);
}

uint16_t Listener::port() const { return acceptor->loop->endpoint.port(); }

std::string Listener::host() const {
  return acceptor->loop->endpoint.address().to_string();
}

std::string Listener::address() const {
  const tcp::endpoint &endpoint = acceptor->loop->endpoint;
  std::string host = endpoint.address().to_string();
  return "http://" + (endpoint.address().is_v6() ? "[" + host + "]" : host) +
         ":" + std::to_string(endpoint.port());
}

bool Listener::isLocal() const {
  return acceptor->loop->endpoint.address().is_loopback();
}

void Listener::limitMemory(uint64_t bytes) {
  shared->memory->resize(shared->withRoomForABody(bytes));
}

void Listener::setHandler(std::shared_ptr<RequestHandler> handler) {
  shared->setHandler(std::move(handler));
}

void Listener::stopAccepting() {
  asio::post(acceptor->loop->strand, [loop = acceptor->loop] {
    ErrorCode ignored;
    (void)loop->socket.close(ignored);
    loop->pause.cancel();
  });
}

void Listener::whenIdle(std::function<void()> idle) {
  shared->whenIdle(std::move(idle));
}

void Listener::abortAll() {
  for (const auto &connection : shared->connections()) {
    connection->abort();
  }
}

size_t Listener::connections() const { return shared->connectionCount(); }

} // namespace cheems::serve
