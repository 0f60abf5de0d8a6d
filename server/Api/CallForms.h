// The forms in which families of models write calls of tools.
#ifndef CHEEMS_SERVER_API_CALLFORMS_H
#define CHEEMS_SERVER_API_CALLFORMS_H

#include "runtime/Grammar/Grammar.h"
#include "runtime/Tokenizer/Tokenizer.h"

#include <cstdint>
#include <string>
#include <vector>

namespace cheems::serve {

/// How calls stand after what opens them.
enum class CallLayout {
  objects, ///< {"name": …, "arguments": …}, one after another
  list,    ///< the same as items of a JSON list
  named    ///< name[ARGS]{…}
};

/// One form. What stands between calls and around them may be white space, too.
struct CallForm {
  const char *name; ///< as /props tells it
  CallLayout layout;
  /// Any of them begins calls; a grammar forces the first one. None: the answer
  /// itself is a call.
  std::vector<std::string> openers;
  std::string closer; ///< "": the end of the answer
  /// The answer may be a call without an opener, too.
  bool bare;
  char separator;            ///< of objects; '\0': none
  const char *argumentsName; ///< the member that templates write
  /// What a template says that only describes calls to the model; those of one
  /// entry come one after another, with nothing but white space between.
  std::vector<std::vector<std::string>> descriptions;
  /// Templates take ids of nine letters and digits alone.
  bool shortIds;
};

/// All of them. Where a prompt describes several, the first counts.
const std::vector<CallForm> &callForms();
/// "hermes, llama3, …"
std::string namesOfCallForms();

/// In calls of the layout `named`.
inline constexpr const char *argumentsMark = "[ARGS]";
inline constexpr const char *callIdMark = "[CALL_ID]";

/// What a grammar makes a model write that must call. Marks that are special
/// tokens of the tokenizer are written as those.
CallSyntax syntaxOf(const CallForm &form, const Tokenizer &tokenizer);
/// The marks of the form that are special tokens.
std::vector<int32_t> specialMarks(const CallForm &form,
                                  const Tokenizer &tokenizer);

} // namespace cheems::serve

#endif
