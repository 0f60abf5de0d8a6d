#include "runtime/Grammar/NumberRule.h"

#include "runtime/Json/Json.h"

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <numeric>

namespace cheems::grammar {

namespace {

constexpr int mostDigits = 20;
/// Larger steps would take a state for each of their remainders.
constexpr int64_t mostStep = 1000000;

Wide floorDivided(Wide value, Wide by) {
  return value / by - (value % by < 0 ? 1 : 0);
}

} // namespace

Wide powerOfTen(int exponent) {
  Wide value = 1;
  for (; exponent > 0; --exponent) {
    value *= 10;
  }
  return value;
}

Decimal::Decimal(const nlohmann::ordered_json &number) {
  std::string text;
  if (number.is_number_float() && std::abs(number.get<double>()) >= 0x1p53) {
    // such doubles are integers, and their shortest text may be another one
    char exact[400];
    std::snprintf(exact, sizeof exact, "%.0f", number.get<double>());
    text = exact;
  } else {
    text = printJson(number);
  }
  bool negative = text[0] == '-', fraction = false;
  int count = 0, exponent = 0;
  for (size_t at = negative; at < text.size(); ++at) {
    if (text[at] == 'e' || text[at] == 'E') {
      exponent = std::stoi(text.substr(at + 1));
      break;
    }
    if (text[at] == '.') {
      fraction = true;
      continue;
    }
    count += digits != 0 || text[at] != '0';
    if (count > mostDigits) {
      infinite = true;
      break;
    }
    digits = digits * 10 + (text[at] - '0');
    scale += fraction;
  }
  scale -= exponent;
  for (; scale > 0 && digits % 10 == 0 && digits != 0; --scale) {
    digits /= 10;
  }
  for (; scale < 0 && !infinite; ++scale) {
    digits *= 10;
    infinite = digits > powerOfTen(mostDigits);
  }
  digits = negative ? -digits : digits;
  scale = digits == 0 ? 0 : std::max(scale, 0);
}

Wide Decimal::floorAt(int places) const {
  if (places >= scale) {
    return digits * powerOfTen(places - scale);
  }
  // 10^37 is more than any digits
  return floorDivided(digits, powerOfTen(std::min(scale - places, 37)));
}

bool Decimal::fits(int places) const { return scale <= places; }

std::optional<Wide> NumberRule::lowAt(int places) const {
  std::optional<Wide> most;
  for (const auto &[at, exclusive] : lows) {
    if (at.infinite && at.digits < 0) {
      continue;
    }
    Wide low = at.infinite ? powerOfTen(37) : at.floorAt(places);
    low += !at.fits(places) || exclusive;
    most = std::max(most.value_or(low), low);
  }
  return most;
}

std::optional<Wide> NumberRule::highAt(int places) const {
  std::optional<Wide> least;
  for (const auto &[at, exclusive] : highs) {
    if (at.infinite && at.digits > 0) {
      continue;
    }
    Wide high = at.infinite ? -powerOfTen(37) : at.floorAt(places);
    high -= at.fits(places) && exclusive;
    least = std::min(least.value_or(high), high);
  }
  return least;
}

std::optional<NumberRule::Step> NumberRule::step() const {
  Step all;
  for (const Decimal &multiple : multiples) {
    all.places = std::max(all.places, multiple.scale);
  }
  if (all.places > 15) {
    return std::nullopt;
  }
  Wide step = 1;
  for (const Decimal &multiple : multiples) {
    Wide one =
        multiple.infinite ? powerOfTen(19) : multiple.floorAt(all.places);
    if (one > powerOfTen(18)) {
      return std::nullopt;
    }
    Wide rest = step, common = one;
    while (rest != 0) {
      common = std::exchange(rest, common % rest);
    }
    step = step / common * one;
    if (step > powerOfTen(18)) {
      return std::nullopt;
    }
    // it is a fraction whose denominator is a power of two
    Wide fives = 1;
    for (int place = 0; place < multiple.scale; ++place) {
      fives *= 5;
    }
    all.exact = all.exact && multiple.digits % fives == 0;
  }
  if (whole) { // x * 10^places is a multiple
    Wide shared = std::gcd(static_cast<int64_t>(step),
                           static_cast<int64_t>(powerOfTen(all.places)));
    step /= shared;
    all.places = 0;
    all.exact = true;
  }
  if (step > mostStep) {
    return std::nullopt;
  }
  all.step = static_cast<int64_t>(step);
  return all;
}

std::string printDecimal(Wide digits, int places) {
  std::string text;
  Wide rest = digits < 0 ? -digits : digits;
  for (int at = 0; rest > 0 || at <= places; ++at) {
    bool zeros = text.empty() && rest % 10 == 0 && at < places;
    if (at == places && !text.empty()) {
      text.push_back('.');
    }
    if (!zeros) {
      text.push_back(static_cast<char>('0' + static_cast<int>(rest % 10)));
    }
    rest /= 10;
  }
  text += digits < 0 ? "-" : "";
  std::reverse(text.begin(), text.end());
  return text;
}

} // namespace cheems::grammar
