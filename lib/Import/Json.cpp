// A scan for depth and repeated keys, then llvm::json.
#include "lib/Import/Json.h"
#include "lib/Import/Messages.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/ADT/StringSet.h"
#include "llvm/ADT/StringSwitch.h"
#include <limits>

namespace cheems {
namespace {

constexpr size_t deepest = 64;

/// The token from its opening to its closing quote; to the end of the text
/// where that is missing.
llvm::StringRef stringToken(llvm::StringRef text, size_t begin) {
  size_t end = begin + 1;
  while (end < text.size() && text[end] != '"') {
    end += text[end] == '\\' ? 2 : 1;
  }
  return text.slice(begin, end + 1);
}

/// What llvm::json makes of a key, so that "a" and its \u escape count as the
/// same.
std::string decodeKey(llvm::StringRef token) {
  if (token.contains('\\')) {
    if (auto value = llvm::json::parse(token)) {
      return value->getAsString().value_or(token).str();
    } else {
      llvm::consumeError(value.takeError());
    }
  }
  return token.substr(1, token.size() - 2).str();
}

/// Leaves every other mistake to the parser; only has to be safe on any bytes.
llvm::Error checkStructure(llvm::StringRef text, llvm::StringRef file) {
  struct Level {
    bool object, atKey;
    llvm::StringSet<> keys;
  };
  std::vector<Level> levels;
  for (size_t i = 0; i < text.size(); ++i) {
    switch (text[i]) {
    case '{':
    case '[':
      if (levels.size() == deepest) {
        return failed(file + ": not valid JSON: nested deeper than " +
                      llvm::Twine(deepest) + " levels");
      }
      levels.push_back({text[i] == '{', true, {}});
      break;
    case '}':
    case ']':
      if (!levels.empty()) {
        levels.pop_back();
      }
      break;
    case ',':
    case ':':
      if (!levels.empty()) {
        levels.back().atKey = text[i] == ',';
      }
      break;
    case '"': {
      llvm::StringRef token = stringToken(text, i);
      i += token.size() - 1;
      if (!levels.empty() && levels.back().object && levels.back().atKey) {
        std::string key = decodeKey(token);
        if (!levels.back().keys.insert(key).second) {
          return failed(file + ": not valid JSON: " + quoted(key) +
                        " is given twice");
        }
      }
      break;
    }
    default:
      break;
    }
  }
  return llvm::Error::success();
}

} // namespace

llvm::Expected<llvm::json::Value> parseJson(llvm::StringRef text,
                                            llvm::StringRef file) {
  if (llvm::Error error = checkStructure(text, file)) {
    return std::move(error);
  }
  llvm::Expected<llvm::json::Value> value = llvm::json::parse(text);
  if (!value) {
    return failed(file +
                  ": not valid JSON: " + llvm::toString(value.takeError()));
  }
  return value;
}

llvm::Expected<llvm::json::Object> parseJsonObject(llvm::StringRef text,
                                                   llvm::StringRef file) {
  llvm::Expected<llvm::json::Value> value = parseJson(text, file);
  if (!value) {
    return value.takeError();
  }
  if (llvm::json::Object *object = value->getAsObject()) {
    return std::move(*object);
  }
  return failed(file + ": not a JSON object");
}

std::string spellFloats(llvm::StringRef text) {
  constexpr llvm::StringLiteral words[] = {"Infinity", "-Infinity", "NaN"};
  auto ofWord = [](char c) { return llvm::isAlnum(c) || c == '-' || c == '_'; };
  std::string result;
  for (size_t i = 0; i < text.size();) {
    size_t length = 1;
    llvm::StringRef rest = text.drop_front(i);
    if (text[i] == '"') {
      length = stringToken(text, i).size();
    } else if (ofWord(text[i])) {
      llvm::StringRef word = rest.take_while(ofWord);
      length = word.size();
      if (llvm::is_contained(words, word)) {
        result += ("{\"__float__\": \"" + word + "\"}").str();
        i += length;
        continue;
      }
    }
    result += rest.take_front(length);
    i += length;
  }
  return result;
}

std::optional<double> spelledFloat(const llvm::json::Value &value) {
  const llvm::json::Object *object = value.getAsObject();
  if (!object || object->size() != 1) {
    return std::nullopt;
  }
  constexpr double infinity = std::numeric_limits<double>::infinity();
  return llvm::StringSwitch<std::optional<double>>(
             object->getString("__float__").value_or(""))
      .Case("Infinity", infinity)
      .Case("-Infinity", -infinity)
      .Case("NaN", std::numeric_limits<double>::quiet_NaN())
      .Default(std::nullopt);
}

} // namespace cheems
