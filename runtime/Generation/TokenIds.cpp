#include "runtime/Generation/TokenIds.h"
#include "runtime/Error.h"
#include "runtime/Generation/Prompt.h"
#include <algorithm>
#include <charconv>
#include <cmath>

namespace cheems {

static bool separates(char c) {
  return c == ',' || c == ' ' || c == '\t' || c == '\r' || c == '\n';
}

/// A long or odd word, cut for a message.
static std::string shown(std::string_view word) {
  return word.size() <= 40 ? std::string(word)
                           : std::string(word.substr(0, 40)) + "…";
}

std::vector<int64_t> parseTokenIds(const std::string &list,
                                   const std::string &what) {
  bool inFile = !list.empty() && list[0] == '@';
  std::string text = inFile ? readText(list.substr(1)) : list;
  std::vector<int64_t> ids;
  for (size_t at = 0; at < text.size();) {
    if (separates(text[at])) {
      ++at;
      continue;
    }
    size_t end = at;
    while (end < text.size() && !separates(text[end])) {
      ++end;
    }
    int64_t id = 0;
    auto [stop, error] =
        std::from_chars(text.data() + at, text.data() + end, id);
    if (stop != text.data() + end || error != std::errc()) {
      std::string_view word = std::string_view(text).substr(at, end - at);
      throw Error(Status::usage,
                  what + ": '" + shown(word) +
                      "' is not a token id; write whole numbers with commas "
                      "between them, as in 1,2,3");
    }
    ids.push_back(id);
    at = end;
  }
  if (ids.empty()) {
    throw Error(Status::usage,
                what + " has no token id; write numbers with commas "
                       "between them, as in 1,2,3");
  }
  return ids;
}

LogitBias parseLogitBias(const std::string &text, const std::string &what) {
  const char *begin = text.data(), *end = begin + text.size();
  LogitBias bias = {};
  auto [sign, error] = std::from_chars(begin, end, bias.token);
  bool sound = error == std::errc() && sign != end && bias.token >= 0 &&
               (*sign == '+' || *sign == '-');
  if (sound) {
    bool adds = *sign == '+'; // which from_chars does not take
    auto [stop, bad] = std::from_chars(adds ? sign + 1 : sign, end, bias.bias);
    sound = bad == std::errc() && stop == end && !std::isnan(bias.bias) &&
            !(adds && sign[1] == '-');
  }
  if (!sound) {
    throw Error(Status::usage,
                what + ": '" + shown(text) +
                    "' is not a token id with what to add to its logit, as in "
                    "15043+1 or 15043-inf");
  }
  return bias;
}

std::vector<int32_t> checkTokenIds(const int64_t *ids, size_t count,
                                   int64_t vocabulary,
                                   const std::string &what) {
  auto bad = std::find_if(
      ids, ids + count, [&](int64_t id) { return id < 0 || id >= vocabulary; });
  if (bad != ids + count) {
    throw Error(what + ": token id " + std::to_string(*bad) + " at index " +
                std::to_string(bad - ids) + " is outside the vocabulary of " +
                std::to_string(vocabulary) + " (0 to " +
                std::to_string(vocabulary - 1) + ")");
  }
  return std::vector<int32_t>(ids, ids + count);
}

std::vector<int32_t> checkVocabulary(std::vector<int32_t> tokens,
                                     int64_t vocabulary) {
  for (int32_t token : tokens) {
    if (token >= vocabulary) {
      throw Error("the tokenizer gives token id " + std::to_string(token) +
                  ", but the model has a vocabulary of " +
                  std::to_string(vocabulary) +
                  "; its tokenizer.json belongs to another model");
    }
  }
  return tokens;
}

std::string formatTokenIds(const std::vector<int32_t> &ids) {
  std::string text;
  for (int32_t id : ids) {
    text += (text.empty() ? "" : ",") + std::to_string(id);
  }
  return text;
}

} // namespace cheems
