#include "server/Api/AnswerReader.h"

#include <iterator>
#include <utility>

namespace cheems::serve {

AnswerReader::AnswerReader(const AnswerReading &reading)
    : splitter(reading.thinking) {
  if (reading.calls) {
    calls.emplace(*reading.calls, reading.parallel, reading.names);
  }
}

static void append(std::vector<AnswerEvent> &events,
                   std::vector<AnswerEvent> more) {
  std::move(more.begin(), more.end(), std::back_inserter(events));
}

void AnswerReader::read(const ReasoningSplitter::Parts &parts,
                        std::vector<AnswerEvent> &events) {
  if (!parts.reasoning.empty()) {
    events.push_back({AnswerEvent::Kind::reasoning, parts.reasoning});
  }
  if (parts.said.empty()) {
    return;
  }
  if (calls) {
    append(events, calls->push(parts.said));
  } else {
    events.push_back({AnswerEvent::Kind::text, parts.said});
  }
}

std::vector<AnswerEvent> AnswerReader::push(const std::string &text) {
  std::vector<AnswerEvent> events;
  read(splitter.push(text), events);
  return events;
}

std::vector<AnswerEvent> AnswerReader::finish() {
  std::vector<AnswerEvent> events;
  read(splitter.finish(), events);
  if (calls) {
    append(events, calls->finish());
  }
  return events;
}

} // namespace cheems::serve
