// Integers of any size, as Python has them: what a template's int is when 64
// bits do not hold it.
#ifndef CHEEMS_RUNTIME_CHATTEMPLATE_BIGINTEGER_H
#define CHEEMS_RUNTIME_CHATTEMPLATE_BIGINTEGER_H

#include "runtime/ChatTemplate/Meter.h"

#include <boost/multiprecision/cpp_int.hpp>

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <utility>

namespace cheems::jinja {

using BigInteger = boost::multiprecision::number<
    boost::multiprecision::cpp_int_backend<
        0, 0, boost::multiprecision::signed_magnitude,
        boost::multiprecision::unchecked,
        Metered<boost::multiprecision::limb_type>>,
    boost::multiprecision::et_off>;

/// Python reads and prints no more digits than that.
constexpr size_t maximumDigits = 4300;
/// Numbers of so many digits have no more bits. `Value::integer` refuses more,
/// so every operation is on numbers of bounded size.
constexpr size_t maximumBits = 14285;

/// What the work on a number grows with: 64 bits each.
inline size_t limbsOf(const BigInteger &value) {
  return value.backend().size();
}
/// Bits of its magnitude.
size_t bitsOf(const BigInteger &value);
/// `digits` below `base`, 0-9 and a-z in either case; nothing if there is none,
/// another character, or more than `maximumDigits`.
std::optional<BigInteger> parseDigits(std::string_view digits, int base);
/// Nothing if 64 bits do not hold it.
std::optional<int64_t> smallInteger(const BigInteger &value);
/// The nearest double; infinite if there is none.
double nearestDouble(const BigInteger &value);
/// The digits of a number that is not negative, in base 2, 8 or 16. The work
/// grows with the number of digits, that of str() with its square.
std::string digitsOf(const BigInteger &magnitude, int base);
/// Python's // and %: the quotient rounds down. `divisor` is not zero.
std::pair<BigInteger, BigInteger> dividedBy(const BigInteger &value,
                                            const BigInteger &divisor);
/// The double nearest to value / divisor; infinite if there is none.
double ratioOf(const BigInteger &value, const BigInteger &divisor);

} // namespace cheems::jinja

#endif
