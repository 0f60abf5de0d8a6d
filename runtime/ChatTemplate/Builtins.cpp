// The filter table; filters and tests that it lacks.
#include "runtime/ChatTemplate/Calls.h"
#include "runtime/ChatTemplate/PythonText.h"

#include <set>

namespace cheems::jinja {

Filter findFilter(std::string_view name) {
  static const FilterTable table = [] {
    FilterTable filters;
    addTextFilters(filters);
    addSequenceFilters(filters);
    return filters;
  }();
  auto found = table.find(name);
  return found == table.end() ? nullptr : found->second;
}

bool isJinjaFilter(std::string_view name) {
  static const std::set<std::string_view> missing = {
      "attr",   "batch",     "center",    "filesizeformat", "pprint",
      "random", "slice",     "striptags", "truncate",       "urlencode",
      "urlize", "wordcount", "wordwrap",  "xmlattr"};
  return findFilter(name) || missing.count(name) != 0;
}

bool isJinjaTest(std::string_view name) {
  return findTest(name) || name == "lower" || name == "upper";
}

void refuseFilter(const std::string &name) {
  if (isJinjaFilter(name)) {
    unsupported("filter '" + name + "'");
  }
  fail("no filter named " + inQuotes(name) + " found");
}

void refuseTest(const std::string &name) {
  if (isJinjaTest(name)) {
    unsupported("test '" + name + "'");
  }
  fail("no test named " + inQuotes(name) + " found");
}

} // namespace cheems::jinja
