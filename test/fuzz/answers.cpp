// A model says anything: what is read of it does not depend on how it was cut.
// The first byte chooses the form of calls, the second how it thinks and
// whether several calls may come, the third how the text is cut.
#include "server/Api/AnswerReader.h"

#include <cstddef>
#include <cstdint>

using namespace cheems::serve;

/// Events as one text: each with a byte for its kind, less those that go on.
static std::string read(const AnswerReading &reading, const std::string &text,
                        size_t piece) {
  AnswerReader reader(reading);
  std::string all;
  char last = '\0';
  auto add = [&](const std::vector<AnswerEvent> &events) {
    for (const AnswerEvent &each : events) {
      auto kind = static_cast<char>(1 + static_cast<int>(each.kind));
      if (kind != last || each.kind == AnswerEvent::Kind::call) {
        all += kind;
      }
      last = kind;
      all += each.text;
    }
  };
  for (size_t at = 0; at < text.size(); at += piece) {
    add(reader.push(text.substr(at, piece)));
  }
  add(reader.finish());
  return all;
}

extern "C" int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
  if (size < 3) {
    return 0;
  }
  const auto &forms = callForms();
  AnswerReading reading;
  size_t form = data[0] % (forms.size() + 1);
  reading.calls = form == 0 ? nullptr : &forms[form - 1];
  reading.thinking = static_cast<Thinking>(data[1] % 3);
  reading.parallel = data[1] % 2 == 0;
  reading.names = {"find", "keep"};
  std::string text(reinterpret_cast<const char *>(data) + 3, size - 3);
  std::string whole = read(reading, text, text.size() + 1);
  if (read(reading, text, 1 + data[2] % 16) != whole) {
    __builtin_trap();
  }
  bool isPlain = !reading.calls && reading.thinking == Thinking::none;
  if (isPlain && !text.empty() && whole != '\x01' + text) {
    __builtin_trap();
  }
  return 0;
}
