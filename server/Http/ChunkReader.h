// The body of a request that comes in chunks. Beast's parser (Boost 1.81) reads
// one, too, but asserts on a last chunk that comes byte by byte, and finds the
// end of an extension at another place when more bytes are there.
#ifndef CHEEMS_SERVER_HTTP_CHUNKREADER_H
#define CHEEMS_SERVER_HTTP_CHUNKREADER_H

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

namespace cheems::serve {

class ChunkReader {
public:
  explicit ChunkReader(uint64_t bodyBytes) : room(bodyBytes) {}

  enum class State { more, whole, malformed, tooLong };

  /// Takes bytes from the front of `bytes`, erases them and appends what they
  /// carry to `body`. Extensions and trailers are checked and left out.
  State take(std::string &bytes, std::string &body);
  /// What is wrong, where State::malformed.
  const char *reason() const { return wrong; }

  /// Most bytes of one line, and of all trailers.
  static constexpr size_t lineBytes = 4096;

private:
  enum class Part { size, data, dataEnd, trailer };

  State takeLine(std::string_view line);
  State malformed(const char *why);

  uint64_t room; ///< of the body
  uint64_t left = 0;
  size_t trailers = 0;
  Part part = Part::size;
  const char *wrong = "";
};

} // namespace cheems::serve

#endif
