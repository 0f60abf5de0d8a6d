#include "Operation.h"
#include "runtime/Error.h"
#include <algorithm>
#include <map>

namespace cheems::bench {

namespace {

/// How shapes of a kind are written, and made.
struct Kind {
  const char *form;
  size_t least, count;
  std::shared_ptr<Operation> (*make)(const std::vector<int64_t> &numbers);
  std::vector<std::string> defaults;
};

const std::map<std::string, Kind> &kinds() {
  static const std::map<std::string, Kind> all = {
      {"ssd", {"TxHxPxN[xG]", 4, 5, makeSSD, {"8192x12x64x128"}}},
      {"attention", {"TxHxP[xW]", 3, 4, makeAttention, {"8192x8x128x1024"}}},
      {"experts",
       {"TxDxExk[xH]",
        4,
        5,
        makeExperts,
        {"1x768x65536x32", "512x768x65536x32"}}}};
  return all;
}

} // namespace

bool isOperation(const std::string &kind) { return kinds().count(kind) != 0; }

std::vector<int64_t> parseNumbers(const std::string &text, size_t least,
                                  size_t count, int64_t most) {
  std::vector<int64_t> numbers;
  for (size_t at = 0; at <= text.size();) {
    size_t end = std::min(text.find('x', at), text.size());
    std::string digits = text.substr(at, end - at);
    if (digits.empty() || digits.size() > 10 ||
        digits.find_first_not_of("0123456789") != std::string::npos) {
      return {};
    }
    numbers.push_back(std::stoll(digits));
    if (numbers.back() < 1 || numbers.back() > most) {
      return {};
    }
    at = end + 1;
  }
  return numbers.size() < least || numbers.size() > count
             ? std::vector<int64_t>()
             : numbers;
}

OperationPointer parseOperation(const std::string &kind,
                                const std::string &shape) {
  constexpr int64_t most = 1 << 24;
  const Kind &of = kinds().at(kind);
  std::vector<int64_t> numbers = parseNumbers(shape, of.least, of.count, most);
  auto refuse = [&](const std::string &why) {
    return Error(Status::usage, "--shapes of " + kind + " takes " + of.form +
                                    why + ", not '" + shape + "'; see --help");
  };
  if (numbers.empty()) {
    throw refuse(", each between 1 and " + std::to_string(most));
  }
  try {
    std::shared_ptr<Operation> made = of.make(numbers);
    made->kind = kind;
    made->shape = shape;
    made->rows = numbers[0];
    return made;
  } catch (const Error &error) {
    throw refuse(std::string(" with ") + error.what());
  }
}

std::vector<OperationPointer> defaultOperations(const std::string &kind) {
  std::vector<OperationPointer> result;
  for (const std::string &shape : kinds().at(kind).defaults) {
    result.push_back(parseOperation(kind, shape));
  }
  return result;
}

} // namespace cheems::bench
