#include "runtime/Serve/Http/SseWriter.h"

namespace cheems::serve {

std::string SseWriter::text(const std::string &name, const std::string &data) {
  std::string result = name.empty() ? "" : "event: " + name + "\n";
  for (size_t begin = 0; begin <= data.size();) { // a line end ends a field
    size_t end = std::min(data.find('\n', begin), data.size());
    result += "data: " + data.substr(begin, end - begin) + "\n";
    begin = end + 1;
  }
  return result + "\n";
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
