//===- Buffer.cpp ---------------------------------------------------------===//
#include "Buffer.h"

#include "Error.h"
#include "Npy.h"

#include <charconv>
#include <cmath>
#include <cstring>

namespace cheems::ptxrun {
namespace {

/// No buffer is larger.
constexpr uint64_t mostBytes = uint64_t(1) << 36;

Error wrong(const std::string &text, const std::string &why) {
  return Error(Status::usage, "'" + text + "': " + why);
}

/// splitmix64: the same numbers on every machine.
class Random {
public:
  Random(uint64_t seed, const std::string &name) : state(seed) {
    for (char c : name) {
      state = next() ^ static_cast<unsigned char>(c);
    }
  }

  uint64_t next() {
    state += 0x9e3779b97f4a7c15;
    uint64_t mixed = (state ^ state >> 30) * 0xbf58476d1ce4e5b9;
    mixed = (mixed ^ mixed >> 27) * 0x94d049bb133111eb;
    return mixed ^ mixed >> 31;
  }

  /// A number in [-1, 1).
  double real() { return double(int64_t(next()) >> 11) * 0x1p-52; }

private:
  uint64_t state;
};

std::vector<std::string_view> split(std::string_view text, char separator) {
  std::vector<std::string_view> parts;
  while (true) {
    size_t end = text.find(separator);
    parts.push_back(text.substr(0, end));
    if (end == text.npos) {
      return parts;
    }
    text.remove_prefix(end + 1);
  }
}

std::vector<uint64_t> parseExtents(const std::string &text,
                                   std::string_view list) {
  std::vector<uint64_t> extents;
  uint64_t all = 1;
  for (std::string_view part : split(list, 'x')) {
    uint64_t extent = 0;
    auto [end, error] =
        std::from_chars(part.data(), part.data() + part.size(), extent);
    if (error != std::errc() || end != part.data() + part.size() ||
        extent == 0 || extent > mostBytes / 8 / all) {
      throw wrong(text, "extents are whole numbers, as in [4x8]");
    }
    all *= extent;
    extents.push_back(extent);
  }
  return extents;
}

} // namespace

Buffer Buffer::parse(const std::string &text) {
  size_t colon = text.find(':'), open = text.find('['), close = text.find(']'),
         equals = text.find('=');
  if (open == text.npos || close == text.npos || equals != close + 1 ||
      open > close || (colon != text.npos && colon > open && colon < close)) {
    throw wrong(text, "write NAME:TYPE[EXTENTS]=VALUES, as in x:f32[64]=iota");
  }
  Buffer buffer;
  size_t type = 0;
  if (colon != text.npos && colon < open) {
    buffer.name = text.substr(0, colon);
    type = colon + 1;
  }
  buffer.type = ElementType::parse(text.substr(type, open - type));
  buffer.extents = parseExtents(
      text, std::string_view(text).substr(open + 1, close - open - 1));
  buffer.initial = text.substr(equals + 1);
  return buffer;
}

uint64_t Buffer::elements() const {
  uint64_t all = 1;
  for (uint64_t extent : extents) {
    all *= extent;
  }
  return all;
}

std::string Buffer::shape() const {
  std::string text = std::string(type.name) + "[";
  for (size_t i = 0; i < extents.size(); ++i) {
    text += (i ? "x" : "") + std::to_string(extents[i]);
  }
  return text + "]";
}

uint64_t Buffer::element(const std::byte *data, uint64_t index) const {
  uint64_t bits = 0;
  std::memcpy(&bits, data + index * type.bytes, type.bytes);
  return bits;
}

std::vector<std::byte> Buffer::values(const std::string &text,
                                      uint64_t seed) const {
  if (text == "none") {
    return {};
  }
  if (text.starts_with('@')) {
    return readFile(text.substr(1), *this);
  }
  std::vector<std::byte> data(bytes());
  auto fill = [&](auto bitsOf) {
    for (uint64_t index = 0; index < elements(); ++index) {
      uint64_t bits = bitsOf(index);
      std::memcpy(data.data() + index * type.bytes, &bits, type.bytes);
    }
  };
  Random random(seed, name);
  if (text == "zeros") {
    return data;
  }
  if (text == "iota") {
    fill([&](uint64_t index) { return type.encode(double(index)); });
  } else if (text == "random") {
    fill([&](uint64_t) {
      return type.kind == ElementType::Kind::floating
                 ? type.encode(random.real())
                 : random.next();
    });
  } else if (text.starts_with("random:")) {
    auto bounds = split(std::string_view(text).substr(7), ':');
    ElementType whole = ElementType::parse("s64");
    if (bounds.size() != 2) {
      throw wrong(text, "write random:LEAST:MOST");
    }
    auto least = int64_t(whole.encode(bounds[0]));
    auto most = int64_t(whole.encode(bounds[1]));
    if (least > most || least < -(int64_t(1) << 52) ||
        most > (int64_t(1) << 52)) {
      throw wrong(text, "the first number must not be above the second one");
    }
    fill([&](uint64_t) {
      return type.encode(
          double(least + int64_t(random.next() % uint64_t(most - least + 1))));
    });
  } else {
    auto numbers = split(text, ',');
    if (numbers.size() != 1 && numbers.size() != elements()) {
      throw wrong(text, std::to_string(numbers.size()) + " numbers for " +
                            std::to_string(elements()) + " elements");
    }
    std::vector<uint64_t> bits;
    bits.reserve(numbers.size());
    for (std::string_view number : numbers) {
      bits.push_back(type.encode(number));
    }
    fill([&](uint64_t index) { return bits[index % bits.size()]; });
  }
  return data;
}

std::string Buffer::print(const std::byte *data,
                          const std::vector<bool> &written) const {
  std::string text = name + ": " + shape() + "\n";
  uint64_t row = extents.back();
  for (uint64_t index = 0; index < elements(); ++index) {
    text += " " + (written[index] ? type.print(element(data, index)) : "?");
    if (index % row == row - 1) {
      text += "\n";
    }
  }
  return text;
}

} // namespace cheems::ptxrun
