// Requests from memory: however they are cut, the same ones are read; what is
// read has one length, a sound path and a body within its limit; what is
// refused gives one line.
#include "server/Http/RequestReader.h"

#include <algorithm>
#include <vector>

using namespace cheems::serve;
using State = RequestReader::State;

namespace {

void require(bool condition) {
  if (!condition) {
    __builtin_trap();
  }
}

const Limits limits = [] {
  Limits small;
  small.headerBytes = 512;
  small.bodyBytes = 300;
  return small;
}();

struct Outcome {
  std::vector<std::string> requests;
  int status = 0; ///< of a refusal, after them
  std::string rest;

  bool operator==(const Outcome &other) const {
    return requests == other.requests && status == other.status;
  }
};

int count(const HttpRequest &request, const std::string &name) {
  return static_cast<int>(
      std::count_if(request.fields.begin(), request.fields.end(),
                    [&](const auto &field) { return field.first == name; }));
}

void check(RequestReader &reader) {
  HttpRequest &request = reader.request();
  require(!request.method.empty());
  require(request.path == "*" || request.path[0] == '/');
  require(std::none_of(request.path.begin(), request.path.end(), [](char c) {
    return static_cast<unsigned char>(c) < 0x20 || c == 0x7f;
  }));
  require(request.body.size() <= limits.bodyBytes);
  int lengths = count(request, "content-length");
  int encodings = count(request, "transfer-encoding");
  require(lengths + encodings <= 1);
  if (lengths == 1) {
    require(std::to_string(request.body.size()) ==
                request.field("content-length") ||
            request.field("content-length")[0] == '0');
  } else if (encodings == 0) {
    require(request.body.empty());
  }
  require(!reader.isNewest() || count(request, "host") == 1);
  for (const auto &[name, value] : request.fields) {
    require(!name.empty() && name.find_first_of(" \t\r\n:") == name.npos);
    require(value.find_first_of("\r\n") == value.npos &&
            value.find('\0') == value.npos);
  }
}

/// Reads one request after the other, `step` bytes at a time.
Outcome read(const std::string &bytes, size_t step) {
  Outcome outcome;
  auto reader = std::make_unique<RequestReader>(limits);
  for (size_t i = 0; i < bytes.size() && outcome.status == 0; i += step) {
    outcome.rest += bytes.substr(i, step);
    while (outcome.status == 0 && reader->take(outcome.rest)) {
      if (reader->state() == State::whole) {
        check(*reader);
        const HttpRequest &request = reader->request();
        std::string text =
            request.method + " " + request.path + "?" + request.query + "\n";
        for (const auto &[name, value] : request.fields) {
          text += name + ": " + value + "\n";
        }
        outcome.requests.push_back(text + request.body);
        reader = std::make_unique<RequestReader>(limits);
      } else if (reader->state() == State::refused) {
        outcome.status = reader->status();
        require(outcome.status >= 400 && outcome.status < 600);
        require(!reader->reason().empty() && !reader->keepsAlive());
        require(reader->reason().find('\n') == std::string::npos);
      }
    }
    // what is kept of a client that never ends is bounded
    require(outcome.status != 0 ||
            outcome.rest.size() <= limits.headerBytes + 4096 + step);
  }
  return outcome;
}

} // namespace

extern "C" int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
  std::string bytes(reinterpret_cast<const char *>(data), size);
  Outcome whole = read(bytes, std::max<size_t>(size, 1));
  require(read(bytes, 1) == whole);
  require(read(bytes, 7) == whole);
  return 0;
}
