// Small chat templates that write calls of tools in the form of a family, each
// with what its model would say.
#ifndef CHEEMS_TEST_UNIT_SERVEAPI_FORMTEMPLATES_H
#define CHEEMS_TEST_UNIT_SERVEAPI_FORMTEMPLATES_H

#include <string>
#include <vector>

namespace cheems::test {

struct FormExample {
  std::string form;   ///< as /props tells it
  std::string source; ///< of the template
  /// One call is `before` name `between` arguments `after`; of two, `joint`
  /// stands where one of them begins after the other.
  std::string before, between, after;
  std::string joint; ///< for `after` and `before`; "": those themselves
};

/// All forms, some of them twice.
const std::vector<FormExample> &formExamples();

inline std::string callIn(const FormExample &form, const std::string &name,
                          const std::string &arguments) {
  return form.before + name + form.between + arguments + form.after;
}

/// One that thinks: `<think>` is a part of its prompt unless enable_thinking is
/// false.
extern const char *const thinkingTemplate;

} // namespace cheems::test

#endif
