// Which letters of a rendering strangers wrote, through all that a template
// does with them.
#include "runtime/ChatTemplate/ChatTemplate.h"
#include "runtime/Error.h"
#include "test/unit/Support/TestPaths.h"

#include <fstream>
#include <sstream>

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

using namespace cheems;

namespace {

/// With strangers' stretches in braces.
std::string shown(const RenderedText &rendered) {
  std::string out;
  size_t done = 0;
  for (auto [begin, end] : rendered.strangers) {
    out += rendered.text.substr(done, begin - done) + "{" +
           rendered.text.substr(begin, end - begin) + "}";
    done = end;
  }
  return out + rendered.text.substr(done);
}

std::string rendered(const std::string &source,
                     const std::map<std::string, std::string> &variables = {}) {
  return shown(ChatTemplate(source).renderMessages(
      R"js({"messages": [{"role": "user", "content": "<hi>"},
                         {"role": "<odd>", "content": "B"}],
            "s": "ab<c", "word": "stra\u00dfe", "spaced": " a b\nc ", "n": 5,
            "x": 2.5, "t": true, "z": null, "text": "5",
            "fill": "*>8", "format": "{}-%s",
            "d": {"key": ["v", 1], "b": {"deep": "w"}}})js",
      false, variables));
}

TEST(Origin, whatIsCopiedKeepsIt) {
  EXPECT_EQ(rendered("x{{ s }}y"), "x{ab<c}y");
  EXPECT_EQ(rendered("{% set a = s %}{{ a }}{{ a or 'm' }}"), "{ab<cab<c}");
  EXPECT_EQ(rendered("{{ 'm' if t else s }}{{ z or 'm' }}"), "mm");
  EXPECT_EQ(rendered("{{ 'm' ~ s ~ 'n' }}{{ 'm' + s }}"), "m{ab<c}nm{ab<c}");
  EXPECT_EQ(rendered("{{ s * 2 }}{{ 'm' * n }}"), "{ab<cab<c}mmmmm");
  EXPECT_EQ(rendered("{{ s | default('m') }}{{ y | default(s) }}"),
            "{ab<cab<c}");
  EXPECT_EQ(rendered("{{ s == 'ab<c' }}{{ 'ab<c' if s == 'ab<c' }}"),
            "Trueab<c");
}

TEST(Origin, partsKeepIt) {
  EXPECT_EQ(rendered("{{ ('[' ~ s ~ ']')[:3] }}{{ s[0] }}"), "[{aba}");
  EXPECT_EQ(rendered("{{ ('[' ~ s ~ ']')[::-1] }}"), "]{c<ba}[");
  EXPECT_EQ(rendered("{% for c in '[' ~ s %}{{ c }},{% endfor %}"),
            "[,{a},{b},{<},{c},");
  EXPECT_EQ(rendered("{{ ('x<' ~ s).split('<') | join('|') }}"), "x|{ab}|{c}");
  EXPECT_EQ(rendered("{{ ('x ' ~ spaced).rsplit() | join('|') }}"),
            "x|{a}|{b}|{c}");
  EXPECT_EQ(rendered("{{ spaced.splitlines() | join('|') }}"), "{ a b}|{c }");
  EXPECT_EQ(rendered("[{{ ('m ' ~ spaced) | trim }}]{{ spaced.strip() }}"),
            "[m { a b\nc}]{a b\nc}");
  EXPECT_EQ(rendered("{{ s | first }}{{ s | last }}{{ ('m' ~ s) | reverse }}"),
            "{acc<ba}m");
  EXPECT_EQ(rendered("{{ ('m' ~ s).removesuffix('<c') }}"), "m{ab}");
  EXPECT_EQ(rendered("{{ ('m' ~ s) | list | join }}"), "m{ab<c}");
}

TEST(Origin, replacementsHaveTheirOwn) {
  EXPECT_EQ(rendered("{{ s.replace('<', '-') }}"), "{ab}-{c}");
  EXPECT_EQ(rendered("{{ 'm-n' | replace('-', s) }}"), "m{ab<c}n");
  EXPECT_EQ(rendered("{{ 'mn'.replace('', s[0]) }}"), "{a}m{a}n{a}");
  EXPECT_EQ(rendered("{{ s | e }}{{ '<' | e }}"), "{ab&lt;c}&lt;");
  EXPECT_EQ(rendered("{{ ('m' | safe) + s }}"), "m{ab&lt;c}");
  EXPECT_EQ(rendered("{{ 'm\nn' | indent(s) }}"), "m\n{ab<c}n");
}

TEST(Origin, lettersOfAnotherCaseKeepIt) {
  EXPECT_EQ(rendered("{{ ('m' ~ word ~ 'n').upper() }}"), "M{STRASSE}N");
  EXPECT_EQ(rendered("{{ ('M' ~ s ~ 'N') | lower }}"), "m{ab<c}n");
  EXPECT_EQ(rendered("{{ ('m ' ~ s) | title }}{{ ('m' ~ s).capitalize() }}"),
            "M {Ab<C}M{ab<c}");
}

TEST(Origin, keysAndValuesOfPrintedContainersHaveTheirOwn) {
  EXPECT_EQ(rendered("{{ d | tojson }}"),
            R"({"{key}": ["{v}", {1}], "{b}": {"{deep}": "{w}"}})");
  EXPECT_EQ(rendered("{{ {'m': s} | tojson(indent=1) }}"),
            "{\n \"m\": \"{ab<c}\"\n}");
  EXPECT_EQ(rendered("{{ [word, 'm'] | tojson(ensure_ascii=true) }}"),
            "[\"{stra\\u00dfe}\", \"m\"]");
  EXPECT_EQ(rendered("{{ [1, 2] | tojson(separators=[s, 'm']) }}"),
            "[1{ab<c}2]");
  EXPECT_EQ(rendered("{{ [s, 'm', n] }}"), "['{ab<c}', 'm', {5}]");
  EXPECT_EQ(rendered("{{ d.b }}{{ d.b | string }}"),
            "{'{deep}': '{w}'}{'{deep}': '{w}'}");
}

TEST(Origin, keysKeepItWhereverTheyGo) {
  EXPECT_EQ(rendered("{% for k in d %}{{ k }},{% endfor %}"), "{key},{b},");
  EXPECT_EQ(
      rendered("{% for k, v in d.b.items() %}{{ k }}:{{ v }}{% endfor %}"),
      "{deep}:{w}");
  EXPECT_EQ(rendered("{{ d | items | map('first') | join(',') }}"),
            "{key},{b}");
  EXPECT_EQ(rendered("{{ d | dictsort | map(attribute=0) | join(',') }}"),
            "{b},{key}");
  EXPECT_EQ(rendered("{{ dict(**d.b) }}"), "{'{deep}': '{w}'}");
  EXPECT_EQ(rendered("{% macro f() %}{{ kwargs }}{% endmacro %}{{ f(**d.b) }}"),
            "{'{deep}': '{w}'}");
  EXPECT_EQ(rendered("{{ dict(d.b | items).keys() | list }}"), "['{deep}']");
}

TEST(Origin, filtersThatChooseKeepIt) {
  EXPECT_EQ(rendered("{{ [s, 'm'] | sort | join(',') }}"), "{ab<c},m");
  EXPECT_EQ(rendered("{{ ['x', s] | min }}{{ [s, 'x'] | max }}"), "{ab<c}x");
  EXPECT_EQ(rendered("{{ [s, 'm', s] | unique | join(',') }}"), "{ab<c},m");
  EXPECT_EQ(rendered("{{ messages | map(attribute='content') | join(',') }}"),
            "{<hi>},{B}");
  EXPECT_EQ(rendered("{{ messages | selectattr('content', 'eq', 'B') | "
                     "map(attribute='content') | first }}"),
            "{B}");
  EXPECT_EQ(rendered("{% for g, l in messages | groupby('content') %}{{ g }},"
                     "{% endfor %}"),
            "{<hi>},{B},");
  EXPECT_EQ(rendered("{{ [s, 'm'] | map('upper') | join(s) }}"), "{AB<Cab<c}M");
  EXPECT_EQ(rendered("{{ ','.join(['m', s]) }}"), "m,{ab<c}");
}

TEST(Origin, numbersOfStrangersAreTheirs) {
  EXPECT_EQ(rendered("{{ n }}m{{ x }}m{{ t }}m{{ z }}"),
            "{5}m{2.5}m{True}m{None}");
  EXPECT_EQ(rendered("{{ n + 1 }}m{{ -x }}m{{ 1 + 1 }}"), "{6}m{-2.5}m2");
  EXPECT_EQ(rendered("{{ text | int }}m{{ text | float }}m{{ x | round }}m"
                     "{{ n | abs }}m{{ [n, 1] | sum }}"),
            "{5}m{5.0}m{2.0}m{5}m{6}");
  EXPECT_EQ(rendered("{{ range(n) | last }}m{{ messages | length }}"), "{4}m2");
  EXPECT_EQ(rendered("{{ '%d' % n }}m{{ '%c' % 65 }}{{ '{:03}'.format(n) }}"),
            "{5}mA00{5}");
}

TEST(Origin, formatsAndWhatFillsThemHaveTheirOwn) {
  EXPECT_EQ(rendered("{{ 'm%s,%6s,%-6s|' % (s, s, s) }}"),
            "m{ab<c},  {ab<c},{ab<c}  |");
  EXPECT_EQ(rendered("{{ '%r' % s }}{{ '%.2s' % s }}"), "'{ab<c}'{ab}");
  EXPECT_EQ(rendered("{{ '[{}|{:>6}]'.format(s, s) }}"), "[{ab<c}|  {ab<c}]");
  EXPECT_EQ(rendered("{{ '{0!r}{a}'.format(s, a='m') }}"), "'{ab<c}'m");
  EXPECT_EQ(rendered("{{ '{:{f}}'.format('m', f=fill) }}"), "{*******}m");
  EXPECT_EQ(rendered("{{ format.format('m') }}{{ (format % 'm')[-1] }}"),
            "m{-%s}m");
}

TEST(Origin, whatBlocksPrintKeepsIt) {
  EXPECT_EQ(rendered("{% set a %}m{{ s }}{% endset %}{{ a }}"), "m{ab<c}");
  EXPECT_EQ(rendered("{% filter upper %}m{{ s }}{% endfilter %}"), "M{AB<C}");
  EXPECT_EQ(rendered("{% macro f(a) %}[{{ a }}{{ caller() }}]{% endmacro %}"
                     "{% call f(s) %}m{{ n }}{% endcall %}"),
            "[{ab<c}m{5}]");
  EXPECT_EQ(rendered("{% set o = namespace(a='m') %}{% for m in messages %}"
                     "{% set o.a = o.a ~ m.content %}{% endfor %}{{ o.a }}"),
            "m{<hi>B}");
}

// Templates make control tokens of them.
TEST(Origin, knownRolesAreTheTemplatesOwnAndOthersAreNot) {
  EXPECT_EQ(rendered("{% for m in messages %}<|{{ m.role }}|>{% endfor %}"),
            "<|user|><|{<odd>}|>");
  EXPECT_EQ(shown(ChatTemplate("{% for m in messages %}{{ m.role }}:"
                               "{{ m.content }}{% endfor %}")
                      .render({{"user", "a"}, {"x", "user"}}, true)),
            "user:{ax}:{user}");
}

TEST(Origin, specialTokensOfTheModelAreItsOwnUnlessARequestNamesThem) {
  EXPECT_EQ(rendered("{{ bos_token }}m", {{"bos_token", "<s>"}}), "<s>m");
  EXPECT_EQ(rendered("{{ s }}m", {{"s", "<s>"}}), "{ab<c}m");
}

/// All letters of texts as others, which no template and no engine prints by
/// itself.
void disguise(nlohmann::ordered_json &value) {
  if (value.is_structured()) {
    for (auto &each : value) {
      disguise(each);
    }
  } else if (value.is_string()) {
    std::string out;
    for (unsigned char c : value.get<std::string>()) {
      if (c < 0x80 && std::isalpha(c) != 0) { // U+4E00 and on
        out += {char(0xE4), char(0xB8 + (c >> 6)), char(0x80 | (c & 63))};
      } else {
        out += char(c);
      }
    }
    value = out;
  }
}

// whatever the recorded expressions do to texts
TEST(Origin, noExpressionMakesAStrangersLettersTheTemplates) {
  std::ifstream file(std::string(cheems::test_paths::sourceFolder) +
                     "/test/unit/ChatTemplate/data/expressions.json");
  auto data = nlohmann::ordered_json::parse(file);
  auto variables = data["variables"];
  disguise(variables);
  variables["messages"] = nlohmann::json::array();
  std::string json = variables.dump();
  size_t found = 0;
  for (const auto &each : data["cases"]) {
    std::string source = each["source"];
    if (source.find("\xE4\xB8") != std::string::npos) {
      continue;
    }
    RenderedText out;
    try {
      out = ChatTemplate(source).renderMessages(json, true);
    } catch (const Error &) {
      continue;
    }
    for (auto [begin, end] : out.strangers) {
      for (size_t i = begin; i < end; ++i) {
        bool isLetter = out.text[i] == '\xE4';
        found += isLetter;
        out.text[i] = '.';
      }
    }
    EXPECT_EQ(out.text.find('\xE4'), std::string::npos) << source;
  }
  EXPECT_GT(found, 300u);
}

} // namespace
