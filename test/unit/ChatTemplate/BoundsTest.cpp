// How much memory and work a rendering may take.
#include "runtime/ChatTemplate/ChatTemplate.h"
#include "runtime/ChatTemplate/TrackedText.h"
#include "runtime/Error.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

using namespace cheems;
using testing::HasSubstr;

namespace {

std::string outcome(const std::string &source,
                    const std::string &variables = "{}",
                    const ChatTemplateLimits &limits = {}) {
  try {
    return "no error but " +
           std::to_string(
               ChatTemplate(source).renderJson(variables, limits).text.size());
  } catch (const Error &error) {
    return error.what();
  }
}

/// Does `step` to n.s forty times.
std::string doubling(const std::string &first, const std::string &step) {
  return "{% set n = namespace(s=" + first +
         ") %}{% for i in range(40) %}{% set n.s = " + step + " %}{% endfor %}";
}

TEST(Bounds, whateverDoublesItselfMeetsTheBoundOfMemory) {
  for (
      const std::string &source : std::vector<std::string>{
          doubling("'ab'", "n.s + n.s"),
          doubling("'ab'", "n.s ~ n.s"),
          doubling("'ab'", "n.s * 2"),
          doubling("'ab'", "[n.s, n.s] | join"),
          doubling("'ab'", "n.s.replace('ab', 'abab')"),
          doubling("'ab'", "'%s%s' % (n.s, n.s)"),
          doubling("'ab'", "'{0}{0}'.format(n.s)"),
          doubling("'\\n'", "n.s | tojson ~ n.s"),
          doubling("['ab']", "n.s + n.s"),
          doubling("['ab']", "n.s * 2"),
          doubling("('ab',)", "n.s + n.s"),
          R"({% set n = namespace(s='ab') %}{% for i in range(40) %}{% set a %}{{
             n.s }}{{ n.s }}{% endset %}{% set n.s = a %}{% endfor %})",
          R"({% macro f(a, d) %}{{ f(a ~ a, d - 1) if d else a }}{% endmacro %}{{
             f('ab', 40) }})",
      }) {
    EXPECT_THAT(outcome(source, "{}", {INT64_MAX, 8 << 20, 600}),
                HasSubstr("needs too much memory"))
        << source;
  }
}

TEST(Bounds, hugeWidthsAndCountsAreRefusedBeforeTheirMemoryIsHad) {
  for (const char *source :
       {"{{ 'a' * 100000000000 }}", "{{ '%2000000000d' % 1 }}",
        "{{ '%.2000000000f' % 1.5 }}", "{{ '{:2000000000}'.format('a') }}",
        "{{ '{:,.2000000000f}'.format(1.5) }}",
        "{{ 'a\nb' | indent(2000000000) }}",
        "{{ [1] | tojson(indent=2000000000) }}", "{{ [1] * 100000000000 }}"}) {
    EXPECT_THAT(outcome(source), testing::AnyOf(HasSubstr("too much memory"),
                                                HasSubstr("for too long")))
        << source;
  }
}

// Memory that is free again counts no more.
TEST(Bounds, whatATemplateThrowsAwayIsNotCounted) {
  EXPECT_EQ(outcome("{% for i in range(20) %}{% set a = 'abcdefgh' * 1000000 "
                    "%}{% endfor %}"),
            "no error but 0");
}

TEST(Bounds, memoryOfTheInputGrowsByLittleForEachOfItsBytes) {
  ChatTemplateLimits limits;
  limits.bytes = 1 << 20;
  std::string text = "{\"s\": \"" + std::string(4 << 20, 'x') + "\"}";
  EXPECT_EQ(outcome("{{ s }}{{ s | upper }}{{ s }}", text, limits),
            "no error but " + std::to_string(12 << 20));
  EXPECT_THAT(outcome("{{ s * 20 }}", text, limits),
              HasSubstr("too much memory"));
  // and reading the input itself is in the count
  std::string many = "{\"s\": [{}";
  for (int i = 0; i < 100'000; ++i) {
    many += ",{}";
  }
  EXPECT_THAT(outcome("", many + "]}", limits), HasSubstr("too much memory"));
}

TEST(Bounds, loopsInLoopsMeetTheBoundOfWork) {
  std::string many = "{\"m\": [0";
  for (int i = 0; i < 3000; ++i) {
    many += ", 0";
  }
  many += "]}";
  ChatTemplateLimits limits;
  limits.mostSteps = 1'000'000;
  EXPECT_THAT(outcome("{% for a in m %}{% for b in m %}{% for c in m %}"
                      "{% endfor %}{% endfor %}{% endfor %}",
                      many, limits),
              HasSubstr("runs for too long"));
  EXPECT_THAT(outcome("{% for a in m %}{% for b in m %}{{ m | sort | length }}"
                      "{% endfor %}{% endfor %}",
                      many, limits),
              HasSubstr("runs for too long"));
  EXPECT_THAT(outcome("{% for i in range(99999) %}{% for j in range(99999) %}"
                      "{% endfor %}{% endfor %}",
                      "{}", limits),
              HasSubstr("runs for too long"));
}

TEST(Bounds, theBoundOfWorkGrowsNoFurtherHoweverLongTheInputIs) {
  ChatTemplateLimits limits;
  limits.mostSteps /= 64;
  std::string text = "{\"s\": \"" + std::string(1 << 20, 'x') + "\"}";
  EXPECT_THAT(outcome("{% for i in range(99999) %}{{ s | length }}{% endfor %}",
                      text, limits),
              HasSubstr("more than 1000000 steps"));
}

TEST(Bounds, aThousandMessagesMayBeLookedAtOnceForEach) {
  std::vector<ChatMessage> messages(1000, {"user", "What a day."});
  EXPECT_EQ(ChatTemplate("{% for a in messages %}{% set n = namespace(c=0) %}"
                         "{% for b in messages %}{% if b.role == 'user' %}"
                         "{% set n.c = n.c + 1 %}{% endif %}{% endfor %}"
                         "{{ n.c }}{% endfor %}")
                .render(messages, true)
                .text.size(),
            4000u);
}

TEST(Bounds, aMeterCountsWhatIsHeldAndNotWhatWas) {
  using namespace jinja;
  Meter meter(1000);
  for (int i = 0; i < 100; ++i) {
    TrackedText text(std::string(500, 'x'));
    EXPECT_THROW(text.append(std::string(600, 'y'), Origin::stranger), Error);
    EXPECT_EQ(text.bytes(), std::string(500, 'x'));
  }
  {
    Meter inner(100); // of a rendering in a rendering
    EXPECT_THROW(TrackedText(std::string(500, 'x')), Error);
  }
  EXPECT_NO_THROW(TrackedText(std::string(500, 'x')));
}

} // namespace
