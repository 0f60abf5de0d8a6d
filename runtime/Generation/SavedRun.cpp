#include "runtime/Generation/SavedRun.h"
#include "runtime/Error.h"
#include <algorithm>
#include <cstring>

namespace cheems {

namespace {

constexpr uint64_t tag = 0x316e7572; ///< "run1"; another layout, another number

/// Numbers as u64, lists as their length and their bytes.
class Writer {
public:
  void number(uint64_t value) {
    bytes.append(reinterpret_cast<const char *>(&value), sizeof(value));
  }
  template <typename List> void list(const List &values) {
    number(values.size());
    bytes.append(reinterpret_cast<const char *>(values.data()),
                 values.size() * sizeof(values[0]));
  }
  std::string bytes;
};

class Reader {
public:
  explicit Reader(std::string_view bytes) : rest(bytes) {}

  uint64_t number() {
    uint64_t value = 0;
    take(&value, sizeof(value));
    return value;
  }
  template <typename List> void list(List &values) {
    uint64_t count = number();
    if (count > rest.size() / sizeof(values[0])) {
      sound = false;
      return;
    }
    values.resize(count);
    take(values.data(), count * sizeof(values[0]));
  }
  bool good() const { return sound; }
  /// All was there, and nothing else.
  bool finished() const { return sound && rest.empty(); }

private:
  void take(void *to, size_t size) {
    sound = sound && size <= rest.size();
    if (sound && size != 0) {
      std::memcpy(to, rest.data(), size);
      rest.remove_prefix(size);
    }
  }

  std::string_view rest;
  bool sound = true;
};

} // namespace

std::string SavedRun::encode() const {
  Writer writer;
  writer.number(tag);
  writer.list(tokens);
  writer.number(answer);
  writer.list(logits);
  writer.number(chat);
  writer.number(messages.size());
  for (const ChatMessage &message : messages) {
    writer.list(message.role);
    writer.list(message.content);
  }
  writer.number(random.seed);
  writer.list(random.state);
  return writer.bytes;
}

SavedRun SavedRun::decode(std::string_view bytes, const std::string &name,
                          int64_t fed, int64_t vocabulary) {
  SavedRun run;
  Reader reader(bytes);
  bool ours = reader.number() == tag;
  if (ours) {
    reader.list(run.tokens);
    run.answer = reader.number();
    reader.list(run.logits);
    uint64_t chat = reader.number();
    ours = chat <= 1;
    run.chat = chat != 0;
    for (uint64_t count = reader.number(); count > 0 && reader.good();
         --count) {
      ChatMessage message;
      reader.list(message.role);
      reader.list(message.content);
      run.messages.push_back(std::move(message));
    }
    run.random.seed = reader.number();
    reader.list(run.random.state);
  }
  auto isToken = [&](int32_t token) {
    return token >= 0 && token < vocabulary;
  };
  size_t count = run.tokens.size();
  bool needsLogits = !run.chat && static_cast<uint64_t>(fed) == count;
  if (!ours || !reader.finished() || static_cast<uint64_t>(fed) > count ||
      run.answer > count ||
      !std::all_of(run.tokens.begin(), run.tokens.end(), isToken) ||
      run.logits.size() !=
          (needsLogits ? static_cast<size_t>(vocabulary) : 0) ||
      !run.random.sound()) {
    throw Error(name + ": its state was not saved by a run of this version of "
                       "cheems-run, so it cannot go on from it");
  }
  return run;
}

void saveRun(const Session &session, const std::string &path,
             const SavedRun &run) {
  session.save(0, path, run.encode());
}

SavedRun loadRun(Session &session, const std::string &path) {
  std::string bytes = session.load(0, path);
  return SavedRun::decode(bytes, path, session.position(0),
                          session.vocabulary());
}

} // namespace cheems
