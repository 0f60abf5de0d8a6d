// Arguments of calls, and the functions, filters and tests that take them.
#ifndef CHEEMS_RUNTIME_CHATTEMPLATE_CALLS_H
#define CHEEMS_RUNTIME_CHATTEMPLATE_CALLS_H

#include "runtime/ChatTemplate/Context.h"

#include <functional>
#include <initializer_list>

namespace cheems::jinja {

struct CallArguments {
  std::string callee; ///< for messages: "filter 'join'"
  Values positional;
  MeteredVector<std::pair<TrackedText, Value>> keywords;

  /// The arguments by parameter, in the parameters' order; null where one was
  /// not given. Fails on too many, unknown or doubled ones, or if fewer than
  /// `required` leading parameters have one.
  std::vector<const Value *>
  bind(std::initializer_list<const char *> parameters,
       size_t required = 0) const;
  /// Fails on any keyword or a number of arguments outside [least, most].
  void expect(size_t least, size_t most) const;
};

using Function = std::function<Value(Context &, CallArguments &)>;

/// A function as a value. `nesting` is that of the value it is bound to.
Value makeFunction(std::string name, Function function, int nesting = 0);

/// Given the value left of `|` or `is`. Null for unknown names.
using Filter = Value (*)(Context &, const Value &, CallArguments &);
using Test = bool (*)(Context &, const Value &, CallArguments &);
Filter findFilter(std::string_view name);
Test findTest(std::string_view name);
/// Whether Jinja has it, be it known here or not.
bool isJinjaFilter(std::string_view name);
bool isJinjaTest(std::string_view name);
/// Refuses a filter or test that is not known here.
[[noreturn]] void refuseFilter(const std::string &name);
[[noreturn]] void refuseTest(const std::string &name);

/// `range`, `namespace`, `dict`, `raise_exception`, `strftime_now`; nothing for
/// other names.
std::optional<Value> findFunction(std::string_view name);

/// The method of a string, dict or list, bound to it; nothing if Python has
/// none of that name there. One that Python has and this interpreter does not
/// fails as unsupported.
std::optional<Value> findMethod(const Value &object, std::string_view name);

/// Parts of the filter table, a file each.
using FilterTable = std::unordered_map<std::string_view, Filter>;
void addTextFilters(FilterTable &table);
void addSequenceFilters(FilterTable &table);

} // namespace cheems::jinja

#endif
