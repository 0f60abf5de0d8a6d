// Reads JSON straight into values, so that an integer keeps all its digits.
#include "runtime/ChatTemplate/Variables.h"

#include "runtime/ChatTemplate/PythonText.h"
#include "runtime/Error.h"

#include <algorithm>

#include <nlohmann/json.hpp>

namespace cheems::jinja {

namespace {

using Json = nlohmann::json;

class Reader : public nlohmann::json_sax<Json> {
public:
  bool null() override { return addScalar(Value()); }
  bool boolean(bool value) override { return addScalar(Value(value)); }
  bool number_integer(number_integer_t value) override {
    return addScalar(Value(int64_t(value)));
  }
  bool number_unsigned(number_unsigned_t value) override {
    return addInteger(std::to_string(value));
  }
  bool number_float(number_float_t value, const string_t &text) override {
    // the library gives integers beyond 64 bits as this, too
    bool isInteger = text.find_first_of(".eE") == std::string::npos;
    return isInteger ? addInteger(text) : addScalar(Value(double(value)));
  }
  bool string(string_t &value) override {
    return add(Value(TrackedText(value, originOf(value))));
  }
  bool binary(binary_t &) override { return false; }

  bool start_object(size_t) override { return open(true); }
  bool start_array(size_t) override { return open(false); }
  bool key(string_t &name) override {
    containers.back().key = TrackedText(name, Origin::stranger);
    return true;
  }
  bool end_object() override {
    auto dict = std::move(containers.back().dict);
    containers.pop_back();
    return add(Value(std::shared_ptr<const Dict>(std::move(dict))));
  }
  bool end_array() override {
    auto items = std::move(containers.back().items);
    containers.pop_back();
    return add(Value::list(std::move(items)));
  }
  bool parse_error(size_t, const std::string &,
                   const nlohmann::detail::exception &error) override {
    constexpr int numberOverflow = 406;
    if (error.id == numberOverflow) {
      throw Error(
          "the chat template's variables hold a number beyond any double");
    }
    return false;
  }

  Value document;

private:
  struct Container {
    std::shared_ptr<Dict> dict; ///< null: a list
    TrackedText key;
    Values items;
  };

  bool add(Value value) {
    if (containers.empty()) {
      document = std::move(value);
    } else if (Container &last = containers.back(); last.dict) {
      last.dict->set(Value(last.key), std::move(value));
    } else {
      last.items.push_back(std::move(value));
    }
    return true;
  }

  bool addScalar(Value value) {
    return add(std::move(value).from(Origin::stranger));
  }

  Origin originOf(std::string_view text) const {
    size_t depth = containers.size();
    bool isRole = depth >= 2 && containers[depth - 1].dict &&
                  !containers[depth - 2].dict &&
                  containers[depth - 1].key.bytes() == "role";
    return isRole ? originOfRole(text) : Origin::stranger;
  }

  bool addInteger(const std::string &text) {
    return addScalar(Value::integer(parseInteger(text, 10).value()));
  }

  bool open(bool isObject) {
    if (int(containers.size()) >= maximumNesting) {
      throw Error("the variables nest more than " +
                  std::to_string(maximumNesting) + " deep");
    }
    containers.push_back({isObject ? makeShared<Dict>() : nullptr, {}, {}});
    return true;
  }

  MeteredVector<Container> containers;
};

} // namespace

std::shared_ptr<const Dict> readVariables(std::string_view json) {
  Reader reader;
  bool isRead = Json::sax_parse(json.begin(), json.end(), &reader);
  if (!isRead || !reader.document.isMapping()) {
    throw Error("the chat template's variables must be a JSON object");
  }
  return reader.document.sharedDict();
}

std::shared_ptr<const Dict> readMessages(std::string_view json) {
  Reader reader;
  if (!Json::sax_parse(json.begin(), json.end(), &reader)) {
    throw Error("the messages are not JSON");
  }
  if (!reader.document.isMapping()) {
    auto alone = makeShared<Dict>();
    alone->set(Value::literal("messages"), reader.document);
    reader.document = Value(std::shared_ptr<const Dict>(std::move(alone)));
  }
  const Value *messages = reader.document.dict().findText("messages");
  auto isMessage = [](const Value &each) { return each.isMapping(); };
  if (!messages || !messages->sequence() ||
      !std::all_of(messages->sequence()->items.begin(),
                   messages->sequence()->items.end(), isMessage)) {
    throw Error("the messages must be a JSON array of objects, or an object "
                "with such an array as its member messages");
  }
  return reader.document.sharedDict();
}

Origin originOfRole(std::string_view role) {
  for (std::string_view known :
       {"system", "developer", "user", "assistant", "tool"}) {
    if (role == known) {
      return Origin::model;
    }
  }
  return Origin::stranger;
}

} // namespace cheems::jinja
