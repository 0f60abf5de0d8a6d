#include "server/Http/SseWriter.h"

namespace cheems::serve {

std::string SseWriter::text(const std::string &name, const std::string &data) {
  std::string result;
  result.reserve(name.size() + data.size() + 24);
  if (!name.empty()) {
    result.append("event: ").append(name).append("\n");
  }
  for (size_t begin = 0; begin <= data.size();) { // a line end ends a field
    size_t end = std::min(data.find('\n', begin), data.size());
    result.append("data: ").append(data, begin, end - begin).append("\n");
    begin = end + 1;
  }
  return result.append("\n");
}

void SseWriter::begin(HttpFields fields) {
  HttpResponse head;
  head.type = type;
  head.fields = std::move(fields);
  responder->beginStream(std::move(head));
}

void SseWriter::event(const std::string &json) { event("", json); }

void SseWriter::event(const std::string &name, const std::string &json) {
  responder->send(text(name, json));
}

void SseWriter::done() {
  event("[DONE]");
  responder->endStream();
}

void SseWriter::fail(const std::string &json) {
  event("error", json);
  responder->endStream();
}

} // namespace cheems::serve
