//===- Print.cpp - vprintf ------------------------------------------------===//
#include "SystemCalls.h"

#include <cstdio>
#include <string_view>

using namespace cheems::emulator;

namespace {

/// CUDA C++ Programming Guide, "Formatted Output": further ones are ignored,
/// and their specifiers are copied.
constexpr int mostArguments = 32;

class Printer {
public:
  Printer(const ThreadMemory &memory, std::string format, uint64_t arguments)
      : memory(memory), format(std::move(format)), next(arguments) {}

  Printed print() {
    while (at < format.size()) {
      const char letter = format[at];
      if (letter != '%') {
        result.text += letter;
        ++at;
      } else if (format.substr(at, 2) == "%%") {
        result.text += '%';
        at += 2;
      } else {
        specifier();
      }
    }
    return std::move(result);
  }

private:
  /// %[flags][width][.precision][size]type
  void specifier() {
    const size_t begin = at++;
    std::string made = "%";
    while (accept("-+ #0", made)) {
    }
    bool fits = number(made);
    if (accept(".", made)) {
      fits &= number(made);
    }
    std::string size;
    while (accept("hljztL", size)) {
    }
    const char type = at < format.size() ? format[at++] : '\0';
    if (!fits || result.arguments == mostArguments) {
      result.text += format.substr(begin, at - begin);
      return;
    }
    ++result.arguments;
    if (std::string_view("di").find(type) != std::string_view::npos) {
      add(made + "lld",
          isLong(size) ? argument<int64_t>()
                       : narrow<int8_t, int16_t>(argument<int32_t>(), size));
    } else if (std::string_view("ouxX").find(type) != std::string_view::npos) {
      add(made + "ll" + type,
          isLong(size) ? argument<uint64_t>()
                       : narrow<uint8_t, uint16_t>(argument<uint32_t>(), size));
    } else if (std::string_view("eEfFgGaA").find(type) !=
               std::string_view::npos) {
      add(made + type, argument<double>());
    } else if (type == 'c') {
      add(made + type, argument<int32_t>());
    } else if (type == 'p') {
      // NOLINTNEXTLINE(performance-no-int-to-ptr): an address of the GPU
      add(made + type, reinterpret_cast<void *>(argument<uint64_t>()));
    } else if (type == 's') {
      add(made + type, memory.string(argument<uint64_t>()).c_str());
    } else {
      memory.fail("printf-format", "A format string has '" +
                                       format.substr(begin, at - begin) +
                                       "', which is no conversion.");
    }
  }

  bool accept(std::string_view letters, std::string &to) {
    if (at < format.size() && letters.find(format[at]) != letters.npos) {
      to += format[at++];
      return true;
    }
    return false;
  }

  /// Digits, or `*` for an argument. False: there are too many arguments.
  bool number(std::string &to) {
    if (at < format.size() && format[at] == '*') {
      ++at;
      if (result.arguments == mostArguments) {
        return false;
      }
      ++result.arguments;
      to += std::to_string(argument<int32_t>());
      return true;
    }
    while (accept("0123456789", to)) {
    }
    return true;
  }

  static bool isLong(const std::string &size) {
    return size == "l" || size == "ll" || size == "j" || size == "z" ||
           size == "t";
  }

  template <typename Byte, typename Half, typename T>
  static T narrow(T value, const std::string &size) {
    return size == "hh"  ? static_cast<Byte>(value)
           : size == "h" ? static_cast<Half>(value)
                         : value;
  }

  template <typename T> T argument() {
    next = (next + sizeof(T) - 1) / sizeof(T) * sizeof(T);
    const T value = memory.load<T>(next);
    next += sizeof(T);
    return value;
  }

  template <typename T> void add(const std::string &specifier, T value) {
    const int length =
        std::snprintf(nullptr, 0, specifier.c_str(), value); // NOLINT
    std::string text(static_cast<size_t>(length) + 1, '\0');
    std::snprintf(text.data(), text.size(), specifier.c_str(), value); // NOLINT
    text.pop_back();
    result.text += text;
  }

  const ThreadMemory &memory;
  const std::string format;
  size_t at = 0;
  uint64_t next;
  Printed result;
};

} // namespace

Printed cheems::emulator::formatted(const ThreadMemory &memory, uint64_t format,
                                    uint64_t arguments) {
  return Printer(memory, memory.string(format), arguments).print();
}
