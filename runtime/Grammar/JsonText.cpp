#include "runtime/Grammar/JsonText.h"

#include "runtime/Json/Json.h"
#include "runtime/Tokenizer/Utf8.h"

namespace cheems::grammar {

JsonText::RuleId JsonText::shared(std::optional<RuleId> &rule, const char *name,
                                  NodeId (JsonText::*make)()) {
  if (!rule) {
    rule = builder.declare(name); // before its parts, which may need it
    builder.define(*rule, (this->*make)());
  }
  return *rule;
}

NodeId JsonText::comma(NodeId next) {
  return builder.literal(",", builder.either({next, builder.blank(next)}));
}

NodeId JsonText::colon(NodeId next) {
  return builder.literal(":", builder.either({next, builder.blank(next)}));
}

NodeId JsonText::boolean(NodeId next) {
  return builder.either(
      {builder.literal("true", next), builder.literal("false", next)});
}

NodeId JsonText::value(NodeId next) {
  return builder.call(shared(valueRule, "any JSON value", &JsonText::makeValue),
                      next);
}

NodeId JsonText::object(NodeId next) {
  return builder.call(
      shared(objectRule, "any JSON object", &JsonText::makeObject), next);
}

NodeId JsonText::array(NodeId next) {
  return builder.call(shared(arrayRule, "any JSON array", &JsonText::makeArray),
                      next);
}

NodeId JsonText::string(NodeId next) {
  return builder.call(
      shared(stringRule, "any JSON string", &JsonText::makeString), next);
}

NodeId JsonText::number(NodeId next) {
  return builder.call(
      shared(numberRule, "any JSON number", &JsonText::makeNumber), next);
}

NodeId JsonText::makeValue() {
  return builder.either({object(endNode), array(endNode), string(endNode),
                         number(endNode), boolean(endNode),
                         builder.literal("null", endNode)});
}

NodeId JsonText::makeObject() {
  auto member = [&](NodeId next) { return string(colon(value(next))); };
  return builder.literal(
      "{", list(member, 0, std::nullopt, builder.literal("}", endNode)));
}

NodeId JsonText::makeArray() {
  auto item = [&](NodeId next) { return value(next); };
  return builder.literal(
      "[", list(item, 0, std::nullopt, builder.literal("]", endNode)));
}

NodeId JsonText::makeString() {
  return builder.literal("\"", stringBody(endNode));
}

/// To the closing quote. One rule without calls, so that the inside of a string
/// is one state.
NodeId JsonText::stringBody(NodeId next) {
  NodeId loop = builder.placeholder();
  builder.become(
      loop, builder.either({character(loop), builder.literal("\"", next)}));
  return loop;
}

NodeId JsonText::character(NodeId next) {
  CharacterSet plain = CharacterSet::any();
  plain.remove(0, 0x1F);
  plain.remove('"', '"');
  plain.remove('\\', '\\');
  return builder.either({builder.characters(plain, next), escape(next)});
}

NodeId JsonText::makeCharacter() { return character(endNode); }

NodeId JsonText::escape(NodeId next) {
  auto digit = [&](std::string_view characters, NodeId after) {
    CharacterSet set;
    for (char one : characters) {
      set.add(static_cast<uint8_t>(one), static_cast<uint8_t>(one));
    }
    return builder.characters(set, after);
  };
  constexpr std::string_view any = "0123456789abcdefABCDEF";
  NodeId two = digit(any, digit(any, next));
  // a half of a surrogate pair is no character
  NodeId low = builder.literal("\\u", digit("dD", digit("cdefCDEF", two)));
  NodeId high = digit("dD", digit("89abAB", digit(any, digit(any, low))));
  NodeId belowSurrogates = digit("dD", digit("01234567", two));
  NodeId others = digit("0123456789abcefABCEF", digit(any, two));
  NodeId code =
      builder.literal("u", builder.either({high, belowSurrogates, others}));
  return builder.literal("\\",
                         builder.either({digit("\"\\/bfnrt", next), code}));
}

NodeId JsonText::string(int64_t minimum, std::optional<int64_t> maximum,
                        NodeId next) {
  if (minimum == 0 && !maximum) {
    return string(next);
  }
  RuleId one = shared(characterRule, "a character", &JsonText::makeCharacter);
  auto part = [&](NodeId after) { return builder.call(one, after); };
  if (!maximum) {
    return builder.literal("\"", builder.repeat(part, minimum, maximum,
                                                builder.literal("\"", next)));
  }
  auto found = lengthRules.find({minimum, *maximum});
  if (found == lengthRules.end()) {
    NodeId body =
        builder.repeat(part, minimum, minimum, upTo(*maximum - minimum));
    RuleId rule = builder.declare("a string");
    builder.define(rule, builder.literal("\"", body));
    found = lengthRules.emplace(std::make_pair(minimum, *maximum), rule).first;
  }
  return builder.call(found->second, next);
}

NodeId JsonText::upTo(int64_t count) {
  RuleId one = shared(characterRule, "a character", &JsonText::makeCharacter);
  NodeId close = builder.literal("\"", endNode);
  if (ends.empty()) {
    ends.push_back(close);
  }
  for (auto made = static_cast<int64_t>(ends.size()); made <= count; ++made) {
    ends.push_back(builder.either({builder.call(one, ends.back()), close}));
  }
  return ends[static_cast<size_t>(count)];
}

NodeId JsonText::canonical(const CharacterSet &set, NodeId next) {
  auto found = canonicalRules.find(set);
  if (found == canonicalRules.end()) {
    std::vector<NodeId> choices;
    CharacterSet plain = set;
    constexpr std::pair<char, const char *> escapes[] = {
        {'"', "\\\""}, {'\\', "\\\\"}, {'\b', "\\b"}, {'\f', "\\f"},
        {'\n', "\\n"}, {'\r', "\\r"},  {'\t', "\\t"}};
    for (auto [character, escaped] : escapes) {
      auto code = static_cast<uint8_t>(character);
      if (plain.contains(code)) {
        choices.push_back(builder.literal(escaped, endNode));
        plain.remove(code, code);
      }
    }
    for (uint32_t code = 0; code < 0x20; ++code) {
      if (plain.contains(code)) {
        constexpr char hexadecimal[] = "0123456789abcdef";
        choices.push_back(builder.literal(std::string("\\u00") +
                                              hexadecimal[code >> 4] +
                                              hexadecimal[code & 15],
                                          endNode));
        plain.remove(code, code);
      }
    }
    if (!plain.empty()) {
      choices.push_back(builder.characters(plain, endNode));
    }
    RuleId rule = builder.declare("a character");
    builder.define(rule, builder.either(choices));
    found = canonicalRules.emplace(set, rule).first;
  }
  return builder.call(found->second, next);
}

/// The characters of the texts as a tree: after one that no text has there,
/// anything may follow.
NodeId JsonText::stringExcept(const std::vector<std::string> &texts,
                              NodeId next) {
  struct Branch {
    std::map<uint32_t, size_t> then;
    bool isText = false;
  };
  std::vector<Branch> tree(1);
  for (const std::string &text : texts) {
    size_t at = 0;
    std::string_view rest = text;
    while (!rest.empty()) {
      builder.spend();
      utf8::Scan one = utf8::scan(rest);
      rest.remove_prefix(one.length);
      auto [found, isNew] =
          tree[at].then.try_emplace(one.codepoint, tree.size());
      at = found->second;
      if (isNew) {
        tree.emplace_back();
      }
    }
    tree[at].isText = true;
  }
  NodeId free = stringBody(next), close = builder.literal("\"", next);
  std::vector<NodeId> made(tree.size());
  for (size_t at = tree.size(); at-- > 0;) { // later ones are deeper
    CharacterSet others = CharacterSet::any();
    std::vector<NodeId> choices;
    for (auto [character, branch] : tree[at].then) {
      others.remove(character, character);
      choices.push_back(
          canonical(CharacterSet(character, character), made[branch]));
    }
    choices.push_back(canonical(others, free));
    if (!tree[at].isText) {
      choices.push_back(close);
    }
    made[at] = builder.either(choices);
  }
  return builder.literal("\"", made[0]);
}

NodeId JsonText::list(const std::function<NodeId(NodeId)> &item,
                      int64_t minimum, std::optional<int64_t> maximum,
                      NodeId next) {
  if (maximum && *maximum == 0) {
    return next;
  }
  auto further = [&](NodeId after) { return comma(item(after)); };
  NodeId rest = builder.repeat(
      further, std::max<int64_t>(minimum - 1, 0),
      maximum ? std::optional<int64_t>(*maximum - 1) : std::nullopt, next);
  NodeId some = item(rest);
  return minimum == 0 ? builder.either({some, next}) : some;
}

NodeId JsonText::nowhere() {
  if (!nowhereNode) {
    nowhereNode = builder.placeholder();
    builder.become(*nowhereNode, *nowhereNode);
  }
  return *nowhereNode;
}

NodeId JsonText::constants(const std::vector<Json> &values, NodeId next) {
  std::vector<NodeId> choices;
  std::vector<std::string> texts;
  for (const Json &value : values) {
    if (value.is_structured()) {
      choices.push_back(constant(value, next));
    } else {
      texts.push_back(printJson(value));
    }
  }
  if (!texts.empty()) {
    choices.push_back(builder.texts(std::move(texts), next));
  }
  return builder.either(choices);
}

NodeId JsonText::constant(const Json &value, NodeId next) {
  if (!value.is_structured()) {
    return builder.literal(printJson(value), next);
  }
  bool object = value.is_object();
  next = builder.literal(object ? "}" : "]", next);
  bool last = true;
  for (auto at = value.rbegin(); at != value.rend(); ++at) {
    next = last ? next : comma(next);
    last = false;
    next = constant(*at, next);
    if (object) {
      next = builder.literal(printJson(Json(at.key())), colon(next));
    }
  }
  return builder.literal(object ? "{" : "[", next);
}

} // namespace cheems::grammar
