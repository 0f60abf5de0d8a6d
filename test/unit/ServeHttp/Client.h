// A client that sends and receives whatever bytes a test wants.
#ifndef CHEEMS_TEST_UNIT_SERVEHTTP_CLIENT_H
#define CHEEMS_TEST_UNIT_SERVEHTTP_CLIENT_H

#include <cstdint>
#include <map>
#include <string>

namespace cheems::test {

/// An answer as it came. Names of fields are in lower case.
struct Received {
  int status = 0; ///< 0: the connection ended before an answer
  std::map<std::string, std::string> fields;
  std::string body;   ///< without its chunks' frames
  bool whole = false; ///< its end came
};

/// A connection to a port of this machine. A read waits ten seconds at most.
class Client {
public:
  explicit Client(uint16_t port, int receiveBuffer = 0);
  ~Client();
  Client(Client &&other) noexcept;
  Client(const Client &) = delete;
  Client &operator=(const Client &) = delete;

  /// False where the server has closed the connection.
  bool send(const std::string &bytes);
  /// Sends as much as goes without waiting.
  void sendWhatGoes(const std::string &bytes);
  /// The next answer; those of status 100 are left out and counted. `headOnly`:
  /// no body follows, whatever the fields say.
  Received receive(bool headOnly = false);
  /// Bytes up to and with `end`, or up to the connection's end.
  std::string until(const std::string &end);
  /// Everything until the connection's end.
  std::string rest();
  /// Takes at most so many bytes; false at the connection's end.
  bool readSome(size_t most);
  /// Whether the server closes the connection without another byte.
  bool ends();
  /// What a client does that sends nothing more.
  void halfClose();
  void close();
  /// The connection is reset.
  void reset();

  int continues = 0; ///< answers of status 100

private:
  bool fill();
  Received receiveOne(bool headOnly);

  int file;
  std::string buffer;
};

/// "GET /path HTTP/1.1" with a field Host and `fields`, whose lines have ends.
std::string get(const std::string &path, const std::string &fields = "");
std::string post(const std::string &path, const std::string &body,
                 const std::string &fields = "");

} // namespace cheems::test

#endif
