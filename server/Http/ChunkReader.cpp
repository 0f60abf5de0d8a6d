#include "server/Http/ChunkReader.h"
#include <algorithm>
#include <charconv>

namespace cheems::serve {

ChunkReader::State ChunkReader::malformed(const char *why) {
  wrong = why;
  return State::malformed;
}

ChunkReader::State ChunkReader::take(std::string &bytes, std::string &body) {
  State state = State::more;
  size_t at = 0;
  while (state == State::more && at < bytes.size()) {
    if (part == Part::data) {
      size_t count = std::min<uint64_t>(left, bytes.size() - at);
      body.append(bytes, at, count);
      at += count;
      left -= count;
      part = left == 0 ? Part::dataEnd : Part::data;
      continue;
    }
    size_t end = bytes.find('\n', at);
    size_t length = std::min(end, bytes.size()) - at;
    if (length > lineBytes) {
      state = malformed("a line of a chunk is too long");
    } else if (part == Part::dataEnd && bytes[at] != '\r') {
      state = malformed("a chunk has not the length that it tells");
    } else if (end == std::string::npos) {
      break;
    } else if (length == 0 || bytes[end - 1] != '\r') {
      state = malformed("a line of a chunk does not end with CRLF");
    } else {
      state = takeLine(std::string_view(bytes).substr(at, length - 1));
      at = end + 1;
    }
  }
  bytes.erase(0, at);
  return state;
}

ChunkReader::State ChunkReader::takeLine(std::string_view line) {
  bool control = std::any_of(line.begin(), line.end(), [](char c) {
    return (c >= 0 && c < 0x20 && c != '\t') || c == 0x7f;
  });
  if (control) {
    return malformed("control character in a line of a chunk");
  }
  if (part == Part::dataEnd) {
    part = Part::size;
    return line.empty() ? State::more
                        : malformed("a chunk has not the length that it tells");
  }
  if (part == Part::trailer) {
    if (line.empty()) {
      return State::whole;
    }
    trailers += line.size();
    size_t colon = line.find(':');
    bool field =
        colon != std::string_view::npos && colon > 0 &&
        line.substr(0, colon).find_first_of(" \t") == std::string_view::npos;
    return field && trailers <= lineBytes ? State::more
                                          : malformed("a trailer is no field");
  }
  bool digit = !line.empty() && line[0] != '-'; // which from_chars would take
  auto [stop, error] = std::from_chars(line.begin(), line.end(), left, 16);
  if (!digit || error != std::errc() || (stop != line.end() && *stop != ';')) {
    return malformed("a chunk's size is no number");
  }
  if (left > room) {
    return State::tooLong;
  }
  room -= left;
  part = left == 0 ? Part::trailer : Part::data;
  return State::more;
}

} // namespace cheems::serve
