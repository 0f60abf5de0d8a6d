// A conversation with a model, turn by turn.
#ifndef CHEEMS_RUNTIME_GENERATION_CHAT_H
#define CHEEMS_RUNTIME_GENERATION_CHAT_H

#include "runtime/ChatTemplate/ChatTemplate.h"
#include "runtime/Error.h"
#include "runtime/Generation/Conversation.h"
#include "runtime/Generation/Generator.h"
#include "runtime/Generation/SavedRun.h"
#include "runtime/Text/TextModel.h"
#include <optional>
#include <string>
#include <vector>

namespace cheems {

/// A message that cannot be had as tokens, or has no room; it is not in the
/// conversation, which can go on.
struct MessageRefused : Error {
  explicit MessageRefused(const Error &reason) : Error(reason) {}
};

/// Puts turns through a model: the whole conversation is rendered each time,
/// and what the model has not seen of it is fed.
class Chat {
public:
  /// All must outlive it. Throws Error where the model has no chat template.
  Chat(TextModel &text, Session &session, Sampler &sampler,
       GenerationLimits limits);

  /// From the next turn on; an empty one is none.
  void setSystemPrompt(const std::string &prompt);
  /// Forgets all turns; the system prompt stays.
  void clear();
  /// Forgets the last message and its answer; false where there is none.
  bool undo();
  /// The conversation so far and what the slot holds of it.
  SavedRun saved() const;
  /// Goes on with one that was saved, whose state the slot holds.
  void resume(const SavedRun &run);
  /// One turn: the answer to `message`, in whole characters as they come. A
  /// turn that was interrupted before the answer began is forgotten. Throws
  /// MessageRefused, Error. What `receive` throws as OutputClosed is thrown on
  /// when the turn so far has been kept.
  Stop answer(const std::string &message,
              const std::function<void(const std::string &)> &receive);
  /// Another answer to the last message, in the place of its answer; nothing
  /// where there is no message. Otherwise as `answer`.
  std::optional<Stop>
  regenerate(const std::function<void(const std::string &)> &receive);

  /// The conversation as a file, and one from a file in the place of this one.
  /// Throw Error; nothing is changed then.
  void save(const std::string &path) const;
  void load(const std::string &path);

  /// Whether a message got an answer, if only the beginning of one, since it
  /// was made or resumed.
  bool answered() const { return hasAnswered; }

  const Statistics &statistics() const { return generator.statistics(); }

private:
  std::vector<int32_t> encodeConversation();

  TextModel &text;
  Session &session;
  Sampler &sampler;
  GenerationLimits limits;
  const ChatTemplate &format;
  std::map<std::string, std::string> variables;
  Conversation conversation;
  Generator generator;
  std::vector<ChatMessage> messages;
  bool hasAnswered = false;
};

} // namespace cheems

#endif
