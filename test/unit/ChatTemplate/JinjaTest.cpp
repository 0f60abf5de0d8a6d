// The interpreter against Python's jinja2, recorded by
// data/record_expressions.py; what it refuses; its limits.
#include "runtime/ChatTemplate/ChatTemplate.h"
#include "runtime/Error.h"
#include "test/unit/Support/TestPaths.h"
#include "test/unit/Support/TestRun.h"

#include <cstring>
#include <ctime>
#include <fstream>
#include <sstream>

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

using namespace cheems;
using testing::HasSubstr;
using testing::StartsWith;

namespace {

std::string render(const std::string &source,
                   const std::string &variables = "{}",
                   const ChatTemplateLimits &limits = {}) {
  return ChatTemplate(source).renderJson(variables, limits).text;
}

/// The error's message, and its status if wanted.
std::string errorOf(const std::string &source, Status *status = nullptr,
                    const std::string &variables = "{}",
                    const ChatTemplateLimits &limits = {}) {
  try {
    std::string text = render(source, variables, limits);
    return "no error but: " + text;
  } catch (const Error &error) {
    if (status) {
      *status = error.status;
    }
    return error.what();
  }
}

TEST(Jinja, RendersWhatPythonRenders) {
  std::ifstream file(std::string(cheems::test_paths::sourceFolder) +
                     "/test/unit/ChatTemplate/data/expressions.json");
  std::stringstream text;
  text << file.rdbuf();
  auto data = nlohmann::ordered_json::parse(text.str());
  // as they are written: the library would round large integers
  std::string variables = text.str().substr(strlen("{\"variables\": "));
  variables.resize(variables.find(",\n\"cases\": ["));
  ASSERT_GT(data["cases"].size(), 900u);
  for (const auto &each : data["cases"]) {
    std::string source = each["source"];
    SCOPED_TRACE(source);
    if (each["rendered"].is_null()) {
      EXPECT_THAT(errorOf(source, nullptr, variables),
                  StartsWith("chat template, line "));
      continue;
    }
    try {
      EXPECT_EQ(render(source, variables), each["rendered"].get<std::string>());
    } catch (const Error &error) {
      // the one case that Python knows and this refuses: attributes of numbers
      EXPECT_EQ(source, "{{ n.real }}") << error.what();
      EXPECT_EQ(error.status, Status::unsupported);
    }
  }
}

TEST(Jinja, RefusesWhatItDoesNotKnowWithItsNameAndLine) {
  struct {
    const char *source;
    const char *message;
  } const cases[] = {
      {"a\n{{ x | center }}",
       "chat template, line 2: filter 'center' is not supported"},
      {"{{ x is upper }}",
       "chat template, line 1: test 'upper' is not supported"},
      {"\n\n{% include 'x' %}",
       "chat template, line 3: statement 'include' is not supported"},
      {"{% block a %}{% endblock %}",
       "chat template, line 1: statement 'block' is not supported"},
      {"{% with a = 1 %}{% endwith %}", "statement 'with' is not supported"},
      {"{% for i in [] recursive %}{% endfor %}",
       "a recursive loop is not supported"},
      {"{{ 'a' | indent('<' | safe) }}",
       "filter 'indent' by a text marked safe is not supported"},
      {"{{ ('a' | safe).striptags() }}",
       "'striptags' of Markup is not supported"},
      {"\n{{ 'a'.center(3) }}", "line 2: 'center' of str is not supported"},
      {"{{ [1].append(2) }}", "'append' of list is not supported"},
      {"{{ {}.update(a=1) }}", "'update' of dict is not supported"},
      {"{{ ''.__class__ }}", "attribute '__class__' is not supported"},
      {"{{ {}['__class__'] }}", "attribute '__class__' is not supported"},
      {"{{ cycler('a') }}", "'cycler' is not supported"},
      {"{{ 10 ** 4400 }}",
       "an integer of more than 4300 digits is not supported"},
      {"{{ 0x10 }}", "a number that is not decimal is not supported"},
      {"{{ range(3) }}", "printing a range is not supported"},
      {"{{ [1] | map('string') }}", "printing a generator is not supported"},
      {"{{ [1] | map('center') }}", "filter 'center' is not supported"},
      {"{{ strftime_now('%f') }}", "strftime_now's '%f' is not supported"},
  };
  for (const auto &each : cases) {
    Status status = Status::ok;
    EXPECT_THAT(errorOf(each.source, &status), HasSubstr(each.message))
        << each.source;
    EXPECT_EQ(status, Status::unsupported) << each.source;
  }
}

TEST(Jinja, NamesTheLineOfWhatFails) {
  Status status = Status::ok;
  EXPECT_EQ(errorOf("a\n\n{{ 'a' + 1 }}", &status),
            "chat template, line 3: can only concatenate str (not \"int\") to "
            "str; use '~' to convert");
  EXPECT_EQ(status, Status::failed);
  EXPECT_EQ(errorOf("\n{{ a.b }}"), "chat template, line 2: 'a' is undefined");
  EXPECT_EQ(errorOf("{% if true %}\nx"),
            "chat template, line 2: expected '{% endif %}', found the end of "
            "the template");
  EXPECT_EQ(errorOf("\n{{ {'a': 1}.b.c }}"),
            "chat template, line 2: 'dict object' has no attribute 'b'");
}

TEST(Jinja, UnknownFiltersAndTestsFailOnlyWhereTheyRun) {
  const std::string source =
      "{% if x %}\n{{ 1 | nope }}{% elif y %}\n\n{{ 1 is nope }}{% endif %}"
      "{{ (1 | nope) if x else 'a' }}{{ 1 | center if x }}";
  EXPECT_EQ(render(source, R"({"x": false, "y": false})"), "a");
  EXPECT_EQ(errorOf(source, nullptr, R"({"x": true})"),
            "chat template, line 2: no filter named 'nope' found");
  EXPECT_EQ(errorOf(source, nullptr, R"({"x": false, "y": true})"),
            "chat template, line 4: no test named 'nope' found");
  // as Jinja, which refuses to compile these
  EXPECT_EQ(errorOf("\n{% for i in [] %}{{ i | nope }}{% endfor %}"),
            "chat template, line 2: no filter named 'nope'");
  EXPECT_EQ(errorOf("{% if false %}{% for i in [] %}{{ i is nope }}"
                    "{% endfor %}{% endif %}"),
            "chat template, line 1: no test named 'nope'");
}

TEST(Jinja, IntegersBeyond64BitsComeAndGoWithAllTheirDigits) {
  const std::string source = "{{ n }} {{ n | tojson }} {{ [n] }} {{ n + 1 }}";
  EXPECT_EQ(render(source, R"({"n": 18446744073709551616})"),
            "18446744073709551616 18446744073709551616 "
            "[18446744073709551616] 18446744073709551617");
  EXPECT_EQ(render("{{ n }}", R"({"n": -9223372036854775809})"),
            "-9223372036854775809");
  EXPECT_EQ(render("{{ n }} {{ m }}", R"({"n": 9223372036854775808,
                                          "m": -9223372036854775808})"),
            "9223372036854775808 -9223372036854775808");
  EXPECT_EQ(errorOf("x", nullptr, "{\"n\": 1" + std::string(400, '0') + "}"),
            "the chat template's variables hold a number beyond any double");
}

TEST(Jinja, GenerationBlockPrintsItsBody) {
  EXPECT_EQ(
      render(
          "a{% generation %}{% set x = 1 %}b{{ x }}{% endgeneration %}{{ x }}"),
      "ab1");
}

TEST(Jinja, StrftimeNowPrintsTheDate) {
  auto today = [] {
    std::time_t now = std::time(nullptr);
    char text[64];
    std::strftime(text, sizeof(text), "%d %b %Y", std::localtime(&now));
    return std::string(text);
  };
  std::string before = today();
  std::string printed = render("{{ strftime_now('%d %b %Y') }}");
  EXPECT_THAT(printed, testing::AnyOf(before, today()));
  EXPECT_EQ(render("{{ strftime_now('') }}"), "");
}

/// Those of users in a long run alone: instrumented code takes minutes for so
/// many steps.
ChatTemplateLimits hostileLimits() {
  if (cheems::test::isLongRun()) {
    return {};
  }
  return {200'000, 8 << 20, ChatTemplateLimits().depth};
}

// Each would run, grow or nest without end, or nearly.
TEST(Jinja, HostileTemplatesEnd) {
  std::string nested(100000, '(');
  std::string chain = "{{ 1";
  std::string blocks;
  for (int i = 0; i < 5000; ++i) {
    chain += " + 1";
    blocks += "{% if true %}";
  }
  const std::string hostile[] = {
      "{{ " + nested,
      "{{ " + std::string(100000, '-') + "1 }}",
      "{{ " + std::string(100000, '[') + "1 }}",
      chain + " }}",
      blocks,
      ("{% for a in range(99999) %}{% for b in range(99999) %}{% endfor %}{% "
       "endfor %}"),
      "{% macro f() %}{{ f() }}{% endmacro %}{{ f() }}",
      ("{% set n = namespace(s='aaaaaaaaaa') %}{% for i in range(1000) %}{% "
       "set "
       "n.s = n.s + n.s %}{% endfor %}"),
      ("{% set n = namespace(s=[1]) %}{% for i in range(1000) %}{% set n.s = "
       "n.s + n.s %}{% endfor %}"),
      ("{% set n = namespace(s=[1]) %}{% for i in range(1000) %}{% set n.s = "
       "[n.s, n.s] %}{% endfor %}"),
      ("{% set n = namespace(s=[1]) %}{% for i in range(60) %}{% set n.s = "
       "[n.s, n.s] %}{% endfor %}{{ n.s }}"),
      ("{% set n = namespace(s=[1]) %}{% for i in range(60) %}{% set n.s = "
       "[n.s, n.s] %}{% endfor %}{{ n.s | tojson }}"),
      ("{% set n = namespace(s=[1], t=[1]) %}{% for i in range(60) %}{% set "
       "n.s "
       "= [n.s, n.s] %}{% set n.t = [n.t, n.t] "
       "%}{% endfor %}{{ n.s == n.t }}"),
      ("{% set n = namespace(s=[1].count) %}{% for i in range(1000) %}{% set "
       "n.s = [n.s].count %}{% endfor %}"),
      ("{% set n = namespace(s=1) %}{% for i in range(1000) %}{% for j in "
       "[n.s] "
       "%}{% set n.s = loop %}{% endfor %}{% "
       "endfor %}"),
      "{{ 'a' * 9223372036854775807 }}",
      "{{ [1] * 9223372036854775807 }}",
      "{{ 'ab' * 50000000 * 2 }}",
      "{{ ('a' * 10000000).rfind('b' + 'a' * 5000000) }}",
      "{{ 'a' | indent(9223372036854775807, true) }}",
      "{{ [[1]] | tojson(indent=9223372036854775807) }}",
      "{{ ('a' * 6000000).split('a') }}",
      "{{ ('a' * 10000000) | list }}",
      "{{ 'abc'[::-9223372036854775807] ~ ('a' * 9000000000) }}",
  };
  for (const std::string &source : hostile) {
    EXPECT_THAT(errorOf(source, nullptr, "{}", hostileLimits()),
                StartsWith("chat template, line "))
        << source.substr(0, 200);
  }
}

// The same, in less time than a whole conversation may take.
TEST(Jinja, HostileFormatsMacrosAndIntegersEnd) {
  const std::string hostile[] = {
      "{{ '%*d' % (2000000000, 1) }}{{ '%99999999999d' % 1 }}",
      "{{ '%.2000000000f' % 1.5 }}",
      "{{ '{:2000000000}'.format(1) }}",
      "{{ '{:02000000000,}'.format(1) }}",
      ("{% set n = namespace(s='{0}{0}') %}{% for i in range(100) %}{% set n.s "
       "= n.s.format('{0}{0}') %}{% endfor %}"),
      "{{ 10 ** 1000000000 }}",
      ("{% set n = namespace(s=3) %}{% for i in range(99999) %}{% set n.s = "
       "n.s "
       "* n.s %}{% endfor %}"),
      ("{% set n = namespace(s=10 ** 4000) %}{% for i in range(99999) %}{% set "
       "t = n.s // 3 %}{{ n.s * n.s }}{% endfor %}"),
      ("{% macro f() %}{% call f() %}{{ caller() }}{% endcall %}{% endmacro %}"
       "{% call f() %}a{% endcall %}"),
      ("{% macro f() %}{{ caller() }}{% endmacro %}{% set n = namespace() %}"
       "{% macro g() %}{% set n.c = caller %}{% endmacro %}"
       "{% for i in range(99999) %}{% set p = n.c %}{% call g() %}{{ p() }}"
       "{% endcall %}{% endfor %}{{ n.c() }}"),
      ("{% set n = namespace(s=1) %}{% for i in range(1000) %}{% for j in [1] "
       "%}{% if loop.changed(n.s) %}{% set n.s = [loop] %}{% endif %}{% endfor "
       "%}{% endfor %}{{ n.s }}"),
      ("{% macro f() %}{{ varargs | length }}{% endmacro %}{% for i in "
       "range(9999) %}{{ f(*range(99999)) }}{% endfor %}"),
      "{{ ('<' | safe) + '<' * 5000000 }}",
      ("{% for i in range(99999) %}{% filter replace('a', 'b' * 1000) %}"
       "{{ 'a' * 1000 }}{% endfilter %}{% endfor %}"),
  };
  for (const std::string &source : hostile) {
    EXPECT_THROW(ChatTemplate(source).renderJson(
                     "{}", ChatTemplateLimits{300'000, 16 << 20, 600}),
                 Error)
        << source;
  }
}

TEST(Jinja, ValuesThatHoldThemselvesAreFreed) {
  EXPECT_EQ(render("{% set n = namespace() %}{% set n.me = n %}{% set n.more = "
                   "[n, {'n': n}] %}{{ n.me.me is defined }}"),
            "True");
  EXPECT_EQ(render("{% macro f() %}{{ n.f is callable }}{% endmacro %}{% set n "
                   "= namespace(f=f) %}{{ f() }}"),
            "True");
  EXPECT_EQ(render("{% for i in [1] %}{% macro f() %}{{ i }}{% endmacro %}{{ "
                   "f() }}{% endfor %}"),
            "1");
}

} // namespace
