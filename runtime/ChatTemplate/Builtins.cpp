// The filter table.
#include "runtime/ChatTemplate/Calls.h"

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

} // namespace cheems::jinja
