// Numbers of JSON, and numbers between bounds digit by digit. A number with
// bounds has no exponent and at most 15 digits, unless it is whole: so numbers
// that differ are different doubles, too, and a bound means the same to who
// reads them as doubles.
#include "runtime/Grammar/JsonText.h"

#include <cmath>
#include <cstdlib>
#include <tuple>

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

namespace {

/// Digits of a number with bounds; of whole numbers, up to those of a bound.
constexpr int boundedDigits = 15, wholeBoundDigits = 20;
/// At most so many numbers are listed one by one.
constexpr Wide mostListed = 65536;

/// Numbers of one length, between two of that length.
class Digits {
public:
  /// `places` of the digits are after the point. The digits, without the
  /// point, are a multiple of `step`.
  Digits(GrammarBuilder &builder, std::string low, std::string high, int places,
         int64_t step, NodeId next, NodeId nowhere)
      : builder(builder), low(std::move(low)), high(std::move(high)),
        point(this->low.size() - static_cast<size_t>(places)), step(step),
        next(next), nowhere(nowhere) {}

  NodeId from(size_t at, bool lowBinds, bool highBinds, int64_t remainder) {
    size_t left = low.size() - at;
    int64_t rest = remainder, most = 1;
    for (size_t digit = 0; digit < left; ++digit) {
      rest = rest * 10 % step;
      most = std::min(most * 10, step);
    }
    // the digits that are left make a number below `most`, or any remainder:
    // without this nearly all of a large step's remainders would be tried
    if (rest != 0 && step - rest >= most) {
      return nowhere;
    }
    bool free = !lowBinds && !highBinds;
    if (auto found = made.find({left, rest}); free && found != made.end()) {
      return found->second;
    }
    builder.spend();
    std::vector<NodeId> choices;
    // zeros may be left out at the end of a fraction, and the whole of one
    if (at >= point && rest == 0 &&
        (!lowBinds || low.find_first_not_of('0', at) == low.npos)) {
      choices.push_back(next);
    }
    if (left > 0) {
      NodeId digits = digitAt(at, lowBinds, highBinds, remainder);
      if (digits != nowhere) {
        choices.push_back(at == point ? builder.literal(".", digits) : digits);
      }
    }
    NodeId node = choices.empty() ? nowhere : builder.either(choices);
    if (free) {
      made.emplace(std::make_pair(left, rest), node);
    }
    return node;
  }

private:
  NodeId digitAt(size_t at, bool lowBinds, bool highBinds, int64_t remainder) {
    char first = lowBinds ? low[at] : '0', final = highBinds ? high[at] : '9';
    std::vector<NodeId> choices;
    NodeId before = nowhere;
    char begin = first;
    auto flush = [&](char end) {
      if (before != nowhere && begin < end) {
        choices.push_back(builder.bytes(static_cast<uint8_t>(begin),
                                        static_cast<uint8_t>(end - 1), before));
      }
    };
    for (char digit = first; digit <= final; ++digit) {
      NodeId node =
          from(at + 1, lowBinds && digit == first, highBinds && digit == final,
               (remainder * 10 + (digit - '0')) % step);
      if (node != before) {
        flush(digit);
        begin = digit;
        before = node;
      }
    }
    flush(static_cast<char>(final + 1));
    return choices.empty() ? nowhere : builder.either(choices);
  }

  GrammarBuilder &builder;
  std::string low, high;
  size_t point;
  int64_t step;
  NodeId next, nowhere;
  /// Where no bound binds, nodes are found by the digits that are left, and by
  /// what those must make good.
  std::map<std::pair<size_t, int64_t>, NodeId> made;
};

} // namespace

NodeId JsonText::magnitudes(const NumberRule &rule, bool negative,
                            const NumberRule::Step &step, NodeId next) {
  std::vector<NodeId> choices;
  int most = rule.whole ? wholeBoundDigits : boundedDigits;
  for (int length = 1; length <= most; ++length) {
    int places = rule.whole                ? 0
                 : !rule.multiples.empty() ? step.places
                                           : boundedDigits - length;
    if (length + places > most) {
      break;
    }
    std::optional<Wide> low = rule.lowAt(places), high = rule.highAt(places);
    if (negative) {
      std::swap(low, high);
      low = low ? std::optional<Wide>(-*low) : std::nullopt;
      high = high ? std::optional<Wide>(-*high) : std::nullopt;
    }
    // without a bound, as many digits as numbers have otherwise, or as the
    // other bound needs
    if (!high && length > wholeDigits &&
        (!low || *low < powerOfTen(length - 1 + places))) {
      break;
    }
    Wide least = length == 1 ? 0 : powerOfTen(length - 1 + places);
    least = std::max(least, negative ? Wide(1) : Wide(0));
    least = std::max(least, low.value_or(0));
    Wide greatest = powerOfTen(length + places) - 1;
    greatest = std::min(greatest, high.value_or(greatest));
    if (least > greatest) {
      continue;
    }
    auto digits = [&](Wide value) {
      std::string text = printDecimal(value, 0);
      return std::string(static_cast<size_t>(length + places) - text.size(),
                         '0') +
             text;
    };
    choices.push_back(Digits(builder, digits(least), digits(greatest), places,
                             step.step, next, nowhere())
                          .from(0, true, true, 0));
  }
  return choices.empty() ? nowhere() : builder.either(choices);
}

/// Multiples of a step like 0.01, one by one. Programs that divide doubles do
/// not agree about all of them: where they are few enough, only those are
/// written where the quotient of the doubles is an integer, too.
NodeId JsonText::listed(const NumberRule &rule, const NumberRule::Step &step,
                        NodeId next) {
  std::vector<std::string> texts;
  Wide low = rule.lowAt(step.places).value_or(0),
       high = rule.highAt(step.places).value_or(-1);
  Wide first = low % step.step == 0 ? low
               : low > 0            ? low + step.step - low % step.step
                                    : low - low % step.step;
  for (Wide value = first; value <= high; value += step.step) {
    builder.spend();
    std::string text = printDecimal(value, step.places);
    double number = std::strtod(text.c_str(), nullptr);
    bool agreed = true;
    for (const Decimal &multiple : rule.multiples) {
      double quotient =
          number /
          std::strtod(printDecimal(multiple.digits, multiple.scale).c_str(),
                      nullptr);
      agreed = agreed && quotient == std::floor(quotient);
    }
    if (agreed && text.size() <= size_t(boundedDigits) + 2) {
      texts.push_back(text);
    }
  }
  return texts.empty() ? nowhere() : builder.texts(std::move(texts), next);
}

std::optional<std::string> JsonText::problemOf(const NumberRule &rule) {
  if (!rule.step()) {
    return "multipleOf has too many digits; at most 6 are possible";
  }
  return std::nullopt;
}

NodeId JsonText::makeInteger() {
  NumberRule whole;
  whole.whole = true;
  return between(whole, endNode);
}

NodeId JsonText::number(const NumberRule &rule, NodeId next) {
  if (rule.any()) {
    return rule.whole ? builder.call(shared(integerRule, "any integer",
                                            &JsonText::makeInteger),
                                     next)
                      : number(next);
  }
  return between(rule, next);
}

NodeId JsonText::between(const NumberRule &rule, NodeId next) {
  NumberRule::Step step = rule.step().value_or(NumberRule::Step());
  std::optional<Wide> low = rule.lowAt(step.places),
                      high = rule.highAt(step.places);
  if (!step.exact && low && high && (*high - *low) / step.step <= mostListed) {
    return listed(rule, step, next);
  }
  std::vector<NodeId> choices;
  NodeId positive = magnitudes(rule, false, step, next),
         negative = magnitudes(rule, true, step, next);
  for (NodeId node :
       {positive,
        negative == nowhere() ? nowhere() : builder.literal("-", negative)}) {
    if (node != nowhere()) {
      choices.push_back(node);
    }
  }
  return choices.empty() ? nowhere() : builder.either(choices);
}

} // namespace cheems::grammar
