#include "server/Http/RequestReader.h"
#include "server/Http/Target.h"
#include <algorithm>
#include <boost/asio/buffer.hpp>
#include <boost/beast/http/basic_parser.hpp>
#include <boost/optional.hpp>

namespace cheems::serve {

namespace asio = boost::asio;
namespace http = boost::beast::http;
using boost::beast::string_view;
using ErrorCode = boost::beast::error_code;

static std::string lowered(string_view text) {
  std::string result(text.data(), text.size());
  for (char &c : result) {
    c = c >= 'A' && c <= 'Z' ? static_cast<char>(c + 32) : c;
  }
  return result;
}

/// Beast's parser of a header, which puts what it finds in a HttpRequest.
class RequestReader::Parser : public http::basic_parser<true> {
public:
  explicit Parser(HttpRequest &message) : message(message) {}
  std::string target;
  int version = 0; ///< 10 or 11

private:
  void on_request_impl(http::verb, string_view method, string_view path,
                       int number, ErrorCode &) override {
    version = number;
    message.method.assign(method.data(), method.size());
    target.assign(path.data(), path.size());
  }
  void on_field_impl(http::field, string_view name, string_view value,
                     ErrorCode &) override {
    message.fields.emplace_back(lowered(name),
                                std::string(value.data(), value.size()));
  }
  void on_header_impl(ErrorCode &) override {}
  void on_body_init_impl(boost::optional<std::uint64_t> const &,
                         ErrorCode &) override {}
  std::size_t on_body_impl(string_view bytes, ErrorCode &) override {
    return bytes.size();
  }
  void on_chunk_header_impl(std::uint64_t, string_view, ErrorCode &) override {}
  std::size_t on_chunk_body_impl(std::uint64_t, string_view bytes,
                                 ErrorCode &) override {
    return bytes.size();
  }
  void on_finish_impl(ErrorCode &) override {}
  void on_response_impl(int, string_view, int, ErrorCode &) override {}

  HttpRequest &message;
};

RequestReader::RequestReader(const Limits &limits,
                             std::shared_ptr<BudgetShare> share)
    : limits(limits), parser(std::make_unique<Parser>(message)),
      chunks(limits.bodyBytes) {
  message.share = std::move(share);
  // what goes on may be more than the reader's own limits
  parser->header_limit(static_cast<std::uint32_t>(limits.headerBytes + 4));
  parser->body_limit(limits.bodyBytes);
}

RequestReader::~RequestReader() = default;

bool RequestReader::refuse(int status, const std::string &reason) {
  now = State::refused;
  keepAlive = false;
  refusedStatus = status;
  refusedReason = reason;
  return true;
}

bool RequestReader::take(std::string &bytes) {
  switch (now) {
  case State::header:
    return takeHeader(bytes);
  case State::body:
    return takeBody(bytes);
  case State::whole:
  case State::refused:
    break;
  }
  return false;
}

/// No control characters, no line that goes on in the next one, no space before
/// a colon, CRLF alone ends a line: each of them has made two programs see two
/// requests.
bool RequestReader::checkLines(std::string_view header) {
  for (size_t i = 0; i < header.size(); ++i) {
    auto c = static_cast<unsigned char>(header[i]);
    bool end = c == '\r' && i + 1 < header.size() && header[i + 1] == '\n';
    if (!end && (c == 0x7f || (c < 0x20 && c != '\t'))) {
      refuse(400, "control character in the request's header");
      return false;
    }
    if (end) {
      char next = i + 2 < header.size() ? header[i + 2] : 'x';
      if (next == ' ' || next == '\t') {
        refuse(400, "a field of the request goes on in a second line");
        return false;
      }
      ++i;
    }
  }
  return true;
}

bool RequestReader::takeHeader(std::string &bytes) {
  if (!begun) { // an empty line before a request is a leftover of old clients
    while (emptyLines < 2 && bytes.compare(0, 2, "\r\n") == 0) {
      bytes.erase(0, 2);
      ++emptyLines;
    }
    if (bytes.empty() || bytes == "\r") {
      return false;
    }
    begun = true;
  }
  // the beginning alone tells another protocol, such as TLS
  auto first = static_cast<unsigned char>(bytes[0]);
  if (first <= 0x20 || first >= 0x7f) {
    return refuse(400, "this is no HTTP request");
  }
  size_t end = bytes.find("\r\n\r\n", searched);
  size_t length = end == std::string::npos ? bytes.size() : end + 4;
  if (length > limits.headerBytes) {
    bool line = bytes.find("\r\n") < limits.headerBytes;
    return refuse(line ? 431 : 414,
                  std::string(line ? "the header" : "the first line") +
                      " of the request is longer than " +
                      std::to_string(limits.headerBytes) + " bytes");
  }
  if (end == std::string::npos) {
    searched = bytes.size() < 3 ? 0 : bytes.size() - 3;
    return false;
  }
  if (!checkLines(std::string_view(bytes).substr(0, length))) {
    return true;
  }
  ErrorCode error;
  parser->put(asio::buffer(bytes.data(), length), error);
  if (error == http::error::body_limit) {
    return tooLong();
  }
  if (error == http::error::bad_version) {
    return refuse(505, "this server speaks HTTP/1.1 and HTTP/1.0");
  }
  if (error) {
    return refuse(400, "the request is malformed: " + error.message());
  }
  bytes.erase(0, length);
  newest = parser->version != 10;
  keepAlive = parser->keep_alive();
  auto parsed = parseTarget(parser->target);
  if (!parsed) {
    return refuse(400, "the request's target is malformed");
  }
  message.path = std::move(parsed->path);
  message.query = std::move(parsed->query);
  if (checkFields()) {
    now = parser->is_done() ? State::whole : State::body;
    bodyBytes = parser->content_length().value_or(0);
  }
  return true;
}

bool RequestReader::checkFields() {
  int hosts = 0, lengths = 0, encodings = 0;
  for (const auto &[name, value] : message.fields) {
    hosts += name == "host";
    lengths += name == "content-length";
    encodings += name == "transfer-encoding";
    if (name == "transfer-encoding" && lowered(value) != "chunked") {
      refuse(501, "no transfer encoding but chunked");
      return false;
    }
    if (name == "content-length" &&
        !std::all_of(value.begin(), value.end(),
                     [](char c) { return c >= '0' && c <= '9'; })) {
      refuse(400, "Content-Length is no number");
      return false;
    }
    if (name == "content-encoding" && lowered(value) != "identity") {
      refuse(415, "no content encoding; send the body as it is");
      return false;
    }
    if (name == "expect") {
      if (lowered(value) != "100-continue") {
        refuse(417, "no expectation but 100-continue");
        return false;
      }
      waitsForContinue = newest;
    }
  }
  if (lengths > 1 || encodings > 1 || lengths + encodings > 1) {
    refuse(400, "the request tells its length twice");
    return false;
  }
  if (encodings > 0 && !newest) {
    refuse(400, "HTTP/1.0 has no chunks");
    return false;
  }
  if (hosts > 1 || (hosts == 0 && newest)) {
    refuse(400, "the request must have one field Host");
    return false;
  }
  return true;
}

bool RequestReader::tooLong() {
  return refuse(413, "the body of the request is longer than " +
                         std::to_string(limits.bodyBytes) + " bytes");
}

bool RequestReader::hasRoom() {
  if (!message.share) {
    return true;
  }
  uint64_t more = message.body.size() - message.share->bytes();
  return message.share->growToBegin(more) == BudgetShare::Full::none;
}

bool RequestReader::takeBody(std::string &bytes) {
  bool changed = takeChunks(bytes);
  if (now == State::refused || hasRoom()) {
    return changed;
  }
  std::string().swap(message.body); // its memory goes at once
  message.share.reset();
  return refuse(503, "the requests that are being read take too much memory; "
                     "try again later");
}

/// Or what has come of a body whose length was told.
bool RequestReader::takeChunks(std::string &bytes) {
  if (!parser->chunked()) {
    size_t missing = bodyBytes - message.body.size();
    size_t count = std::min(missing, bytes.size());
    message.body.append(bytes, 0, count);
    bytes.erase(0, count);
    now = count == missing ? State::whole : State::body;
    return now == State::whole;
  }
  switch (chunks.take(bytes, message.body)) {
  case ChunkReader::State::more:
    return false;
  case ChunkReader::State::whole:
    now = State::whole;
    return true;
  case ChunkReader::State::tooLong:
    return tooLong();
  case ChunkReader::State::malformed:
    break;
  }
  return refuse(400, chunks.reason());
}

} // namespace cheems::serve
