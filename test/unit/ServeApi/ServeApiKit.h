// A stand-in for the engine that says what a test wants, a responder that
// keeps what comes, and a model with a tokenizer of all bytes.
#ifndef CHEEMS_TEST_UNIT_SERVEAPI_SERVEAPIKIT_H
#define CHEEMS_TEST_UNIT_SERVEAPI_SERVEAPIKIT_H

#include "server/Api/Api.h"
#include "server/Api/Json.h"

#include <condition_variable>
#include <memory>
#include <mutex>
#include <string>
#include <vector>

namespace cheems::test {

/// Ids of the tokenizer: each byte is its own id; after them special tokens.
enum : int32_t { bosId = 256, startId = 257, endId = 258, abId = 259 };
constexpr int64_t vocabularySize = 264; ///< the last four have no token
/// The text of a token of the tokenizer whose id is beyond the model's.
constexpr const char *lostText = "<|lost|>";

/// A template of Qwen's kind, with tools.
extern const char *const qwenTemplate;
/// One that knows no tools.
extern const char *const plainTemplate;

/// `format` is a template, or a list of named ones as tokenizer_config.json has
/// it; `special` are up to four further special tokens, from 260 on.
std::shared_ptr<TextModel>
bytesModel(const std::string &format, const std::string &generation = "",
           const std::vector<std::string> &special = {});
/// Each byte's token.
std::vector<int32_t> bytesOf(const std::string &text);

/// Says `texts`, one per choice and round-robin, a byte a token.
class StandInEngine : public serve::GenerationEngine {
public:
  std::shared_ptr<serve::GenerationTicket>
  submit(serve::GenerationRequest request,
         std::shared_ptr<serve::GenerationSink> sink) override;
  int64_t context() const override { return 512; }
  std::vector<serve::SlotView> slots() const override;
  void saveSlot(int64_t slot, std::string name, SlotDone done) override;
  void restoreSlot(int64_t slot, std::string name, SlotDone done) override;
  void eraseSlot(int64_t slot, SlotDone done) override;
  void drain(std::function<void()> idle) override { idle(); }
  void abort() override {}

  std::vector<std::string> texts = {"hello"};
  std::optional<serve::GenerationFault> refusal; ///< instead of an answer
  std::optional<serve::GenerationFault> fault;   ///< after the first token
  bool waits = false; ///< takes requests and says nothing
  bool slotBusy = false;
  std::string slotError;
  std::vector<serve::GenerationRequest> requests;
  std::vector<std::shared_ptr<serve::GenerationTicket>> tickets;
  std::vector<std::shared_ptr<serve::GenerationSink>> sinks; ///< that wait
  std::vector<std::string> slotActions;

private:
  template <typename T> void keep(std::vector<T> &list, const T &one) {
    std::lock_guard<std::mutex> lock(keeping);
    list.push_back(one);
  }
  std::mutex keeping; ///< workers submit prompts of one request together
};

class StandInResponder : public serve::Responder {
public:
  void respond(serve::HttpResponse response) override;
  void beginStream(serve::HttpResponse head) override;
  void send(std::string bytes) override;
  void endStream() override;
  void onDropped(std::function<void()> handler) override;
  void note(const std::string &name, const std::string &json) override;

  void drop();
  void wait(); ///< until the answer is complete
  serve::HttpResponse response;
  std::string stream;
  int answers = 0, begun = 0, ended = 0;
  std::vector<std::string> notes;
  /// Returns each event's data from the stream.
  std::vector<std::string> events() const;

private:
  mutable std::mutex mutex;
  std::condition_variable changed;
  std::function<void()> dropped;
};

struct Reply {
  int status;
  serve::Json body; ///< of whole answers
  std::vector<std::string> events;
  serve::HttpFields fields;
};

/// An Api over the two.
class Served {
public:
  explicit Served(const std::string &format = qwenTemplate,
                  serve::ApiOptions options = {},
                  const std::string &generation = "",
                  const std::vector<std::string> &special = {});
  Reply ask(const std::string &method, const std::string &path,
            const std::string &body = "", const std::string &query = "",
            serve::HttpFields fields = {});
  Reply post(const std::string &path, const serve::Json &body) {
    return ask("POST", path, body.dump());
  }
  /// The only request that the engine got.
  const serve::GenerationRequest &request() const;

  std::shared_ptr<TextModel> text;
  StandInEngine engine;
  std::shared_ptr<StandInResponder> responder; ///< of the last request
  serve::Api api;
};

} // namespace cheems::test

#endif
