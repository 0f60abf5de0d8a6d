// The two long tables of tokenizer.json, vocabulary and merges, read without a
// document in between: tens of thousands of nodes would be most of the time
// that opening a model takes.
#ifndef CHEEMS_RUNTIME_TOKENIZER_TOKENTABLES_H
#define CHEEMS_RUNTIME_TOKENIZER_TOKENTABLES_H

#include <cstdint>
#include <deque>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace cheems {

struct TokenTables {
  std::vector<std::pair<std::string_view, int32_t>> tokens;
  std::vector<std::pair<std::string_view, std::string_view>> merges;
  std::string rest; ///< the file with both tables empty

  /// Reads files of the usual form; nothing where there is anything unusual in
  /// or around a table. The whole document then tells what it is. The result
  /// refers to `text`.
  static std::optional<TokenTables> read(std::string_view text);

private:
  std::deque<std::string> escaped; ///< strings that are not as in the text
  friend class TokenTableReader;
};

} // namespace cheems

#endif
