// Typed access to a JSON object.
#include "lib/Import/ConfigReader.h"
#include "lib/Import/Json.h"
#include "lib/Import/Messages.h"
#include "llvm/Support/raw_ostream.h"
#include <cmath>

namespace cheems {

std::string valueText(const llvm::json::Value &value) {
  switch (value.kind()) {
  case llvm::json::Value::Object:
    return spelledFloat(value)
               ? value.getAsObject()->getString("__float__")->str()
               : "an object";
  case llvm::json::Value::Array:
    return "a list";
  case llvm::json::Value::String:
    return quoted(*value.getAsString());
  default: {
    std::string text;
    llvm::raw_string_ostream(text) << value;
    return text;
  }
  }
}

const llvm::json::Value *ConfigReader::get(llvm::StringRef name) const {
  const llvm::json::Value *value = object.get(name);
  return value && value->kind() != llvm::json::Value::Null ? value : nullptr;
}

std::optional<int64_t> ConfigReader::integer(llvm::StringRef name, int64_t low,
                                             int64_t high) {
  const llvm::json::Value *value = get(name);
  if (!value) {
    return std::nullopt;
  }
  std::optional<int64_t> result = value->getAsInteger();
  if (!result || *result < low || *result > high) {
    fail(name, "must be an integer from " + llvm::Twine(low) + " to " +
                   llvm::Twine(high) + ", found " + valueText(*value));
    return std::nullopt;
  }
  return result;
}

std::optional<double> ConfigReader::number(llvm::StringRef name) {
  const llvm::json::Value *value = get(name);
  if (!value) {
    return std::nullopt;
  }
  std::optional<double> result = value->getAsNumber();
  if (!result || !std::isfinite(*result)) {
    fail(name, "must be a finite number, found " + valueText(*value));
    return std::nullopt;
  }
  return result;
}

std::optional<bool> ConfigReader::boolean(llvm::StringRef name) {
  const llvm::json::Value *value = get(name);
  if (value && !value->getAsBoolean()) {
    fail(name, "must be true or false, found " + valueText(*value));
  }
  return value ? value->getAsBoolean() : std::nullopt;
}

std::optional<llvm::StringRef> ConfigReader::string(llvm::StringRef name) {
  const llvm::json::Value *value = get(name);
  if (value && !value->getAsString()) {
    fail(name, "must be a string, found " + valueText(*value));
  }
  return value ? value->getAsString() : std::nullopt;
}

const llvm::json::Object *ConfigReader::child(llvm::StringRef name) {
  const llvm::json::Value *value = get(name);
  if (value && !value->getAsObject()) {
    fail(name, "must be an object, found " + valueText(*value));
  }
  return value ? value->getAsObject() : nullptr;
}

void ConfigReader::fail(llvm::StringRef name, const llvm::Twine &message) {
  record(failed(file + ": " + prefix + name + " " + message));
}

void ConfigReader::refuse(llvm::StringRef name, const llvm::Twine &message) {
  record(unsupported(file + ": " + prefix + name + " " + message));
}

void ConfigReader::record(llvm::Error error) {
  if (first) {
    llvm::consumeError(std::move(error));
  } else {
    first = std::move(error);
  }
}

} // namespace cheems
