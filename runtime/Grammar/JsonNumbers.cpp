// Numbers of JSON, and integers between bounds digit by digit.
#include "runtime/Grammar/JsonText.h"

namespace cheems::grammar {

NodeId JsonText::digits(int64_t minimum, std::optional<int64_t> maximum,
                        NodeId next) {
  return builder.repeat(
      [&](NodeId after) { return builder.bytes('0', '9', after); }, minimum,
      maximum, next);
}

NodeId JsonText::makeNumber() {
  NodeId power = digits(1, exponentDigits, endNode);
  NodeId sign = builder.either(
      {power, builder.literal("+", power), builder.literal("-", power)});
  NodeId exponent = builder.either(
      {builder.literal("e", sign), builder.literal("E", sign), endNode});
  NodeId fraction = builder.either(
      {builder.literal(".", digits(1, fractionDigits, exponent)), exponent});
  NodeId whole = builder.either(
      {builder.literal("0", fraction),
       builder.bytes('1', '9', digits(0, wholeDigits - 1, fraction))});
  return builder.either({whole, builder.literal("-", whole)});
}

/// Numbers of one length from `low` to `high`; without `high`, to 99…9.
static NodeId between(GrammarBuilder &builder, const std::string &low,
                      const std::string &high, size_t at, bool lowBinds,
                      bool highBinds, NodeId next) {
  if (at == low.size()) {
    return next;
  }
  auto digit = [](char of) { return static_cast<uint8_t>(of); };
  uint8_t first = lowBinds ? digit(low[at]) : '0';
  uint8_t final = highBinds ? digit(high[at]) : '9';
  auto rest = [&](bool lowStill, bool highStill) {
    return between(builder, low, high, at + 1, lowStill, highStill, next);
  };
  if (!lowBinds && !highBinds) {
    return builder.bytes('0', '9', rest(false, false));
  }
  if (first == final) {
    return builder.bytes(first, final, rest(lowBinds, highBinds));
  }
  std::vector<NodeId> choices;
  if (lowBinds) {
    choices.push_back(builder.bytes(first, first, rest(true, false)));
    ++first;
  }
  if (highBinds) {
    choices.push_back(builder.bytes(final, final, rest(false, true)));
    --final;
  }
  if (first <= final) {
    choices.push_back(builder.bytes(first, final, rest(false, false)));
  }
  return builder.either(choices);
}

/// A number that is not negative.
NodeId JsonText::magnitude(uint64_t minimum, std::optional<uint64_t> maximum,
                           NodeId next) {
  std::string low = std::to_string(minimum);
  std::string high =
      maximum ? std::to_string(*maximum)
              : std::string(std::max<size_t>(low.size(), wholeDigits), '9');
  std::vector<NodeId> choices;
  for (size_t length = low.size(); length <= high.size(); ++length) {
    std::string from = "1" + std::string(length - 1, '0');
    if (length == low.size()) {
      from = low;
    }
    std::string to = length == high.size() ? high : std::string(length, '9');
    choices.push_back(between(builder, from, to, 0, true, true, next));
  }
  return builder.either(choices);
}

NodeId JsonText::integer(std::optional<int64_t> minimum,
                         std::optional<int64_t> maximum, NodeId next) {
  auto negated = [](int64_t value) { return uint64_t(0) - uint64_t(value); };
  std::vector<NodeId> choices;
  if (!maximum || *maximum >= 0) {
    choices.push_back(magnitude(
        minimum ? static_cast<uint64_t>(std::max<int64_t>(*minimum, 0)) : 0,
        maximum ? std::optional<uint64_t>(*maximum) : std::nullopt, next));
  }
  if (!minimum || *minimum < 0) {
    choices.push_back(builder.literal(
        "-", magnitude(maximum && *maximum < 0 ? negated(*maximum) : 1,
                       minimum ? std::optional<uint64_t>(negated(*minimum))
                               : std::nullopt,
                       next)));
  }
  return builder.either(choices);
}

} // namespace cheems::grammar
