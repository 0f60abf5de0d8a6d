// What one client may take of the server.
#ifndef CHEEMS_SERVER_HTTP_LIMITS_H
#define CHEEMS_SERVER_HTTP_LIMITS_H

#include <chrono>
#include <cstddef>
#include <cstdint>

namespace cheems::serve {

struct Limits {
  using Milliseconds = std::chrono::milliseconds;

  size_t headerBytes = 16 << 10; ///< request line and fields
  uint64_t bodyBytes = 32 << 20;
  /// Memory of all requests together: their bodies, what is made of them, and
  /// answers that their clients have not taken. One of them may have half of
  /// it. At least one of the longest bodies has room.
  uint64_t memoryBytes = uint64_t{1} << 30;
  size_t connections = 4096;
  /// So many bytes of later requests are read before the current one is
  /// answered; then reading pauses.
  size_t aheadBytes = 16 << 10;
  /// So many bytes of a stream may wait for its client; with more it is
  /// dropped.
  size_t waitingBytes = 64 << 20;
  /// From the first byte, or from the connection's beginning.
  Milliseconds header{10'000};
  Milliseconds body{30'000};  ///< from the header's end, all of it
  Milliseconds idle{75'000};  ///< between two requests
  Milliseconds stall{30'000}; ///< without a byte taken of what waits
  /// How often the server looks whether a client has left that has sent more
  /// than is read.
  Milliseconds look{1'000};
  /// Events of one stream that come within it share a write; 0: none do.
  /// Screens show no more than some 60 pictures a second.
  Milliseconds streamInterval{16};
  Milliseconds ping{15'000}; ///< between comments in a silent event stream
  /// How long what a refused client still sends is read, so that it sees why.
  Milliseconds linger{2'000};
};

} // namespace cheems::serve

#endif
