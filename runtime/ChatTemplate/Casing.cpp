// Case mapping. utf8proc maps one character to one; the tables hold the
// characters that become several.
#include "runtime/ChatTemplate/PythonText.h"

#include <unordered_map>

#include <utf8proc.h>

namespace cheems::jinja {

namespace {

// Each entry: the character, then what it becomes (Unicode's SpecialCasing,
// unconditional entries).
constexpr const char *specialUpper =
    "\u00dfSS \u0149\u02bcN \u01f0J\u030c \u0390\u0399\u0308\u0301 "
    "\u03b0\u03a5\u0308\u0301 \u0587\u0535\u0552 "
    "\u1e96H\u0331 \u1e97T\u0308 \u1e98W\u030a \u1e99Y\u030a \u1e9aA\u02be "
    "\u1f50\u03a5\u0313 "
    "\u1f52\u03a5\u0313\u0300 \u1f54\u03a5\u0313\u0301 "
    "\u1f56\u03a5\u0313\u0342 \u1f80\u1f08\u0399 \u1f81\u1f09\u0399 "
    "\u1f82\u1f0a\u0399 "
    "\u1f83\u1f0b\u0399 \u1f84\u1f0c\u0399 \u1f85\u1f0d\u0399 "
    "\u1f86\u1f0e\u0399 \u1f87\u1f0f\u0399 \u1f88\u1f08\u0399 "
    "\u1f89\u1f09\u0399 \u1f8a\u1f0a\u0399 \u1f8b\u1f0b\u0399 "
    "\u1f8c\u1f0c\u0399 \u1f8d\u1f0d\u0399 \u1f8e\u1f0e\u0399 "
    "\u1f8f\u1f0f\u0399 \u1f90\u1f28\u0399 \u1f91\u1f29\u0399 "
    "\u1f92\u1f2a\u0399 \u1f93\u1f2b\u0399 \u1f94\u1f2c\u0399 "
    "\u1f95\u1f2d\u0399 \u1f96\u1f2e\u0399 \u1f97\u1f2f\u0399 "
    "\u1f98\u1f28\u0399 \u1f99\u1f29\u0399 \u1f9a\u1f2a\u0399 "
    "\u1f9b\u1f2b\u0399 \u1f9c\u1f2c\u0399 \u1f9d\u1f2d\u0399 "
    "\u1f9e\u1f2e\u0399 \u1f9f\u1f2f\u0399 \u1fa0\u1f68\u0399 "
    "\u1fa1\u1f69\u0399 \u1fa2\u1f6a\u0399 \u1fa3\u1f6b\u0399 "
    "\u1fa4\u1f6c\u0399 \u1fa5\u1f6d\u0399 \u1fa6\u1f6e\u0399 "
    "\u1fa7\u1f6f\u0399 \u1fa8\u1f68\u0399 \u1fa9\u1f69\u0399 "
    "\u1faa\u1f6a\u0399 \u1fab\u1f6b\u0399 \u1fac\u1f6c\u0399 "
    "\u1fad\u1f6d\u0399 \u1fae\u1f6e\u0399 \u1faf\u1f6f\u0399 "
    "\u1fb2\u1fba\u0399 \u1fb3\u0391\u0399 \u1fb4\u0386\u0399 "
    "\u1fb6\u0391\u0342 \u1fb7\u0391\u0342\u0399 \u1fbc\u0391\u0399 "
    "\u1fc2\u1fca\u0399 \u1fc3\u0397\u0399 \u1fc4\u0389\u0399 "
    "\u1fc6\u0397\u0342 \u1fc7\u0397\u0342\u0399 \u1fcc\u0397\u0399 "
    "\u1fd2\u0399\u0308\u0300 \u1fd3\u0399\u0308\u0301 \u1fd6\u0399\u0342 "
    "\u1fd7\u0399\u0308\u0342 \u1fe2\u03a5\u0308\u0300 "
    "\u1fe3\u03a5\u0308\u0301 \u1fe4\u03a1\u0313 \u1fe6\u03a5\u0342 "
    "\u1fe7\u03a5\u0308\u0342 "
    "\u1ff2\u1ffa\u0399 \u1ff3\u03a9\u0399 \u1ff4\u038f\u0399 "
    "\u1ff6\u03a9\u0342 \u1ff7\u03a9\u0342\u0399 \u1ffc\u03a9\u0399 "
    "\ufb00FF \ufb01FI \ufb02FL \ufb03FFI \ufb04FFL \ufb05ST "
    "\ufb06ST \ufb13\u0544\u0546 \ufb14\u0544\u0535 \ufb15\u0544\u053b "
    "\ufb16\u054e\u0546 \ufb17\u0544\u053d ";
constexpr const char *specialTitle =
    "\u00dfSs \u0149\u02bcN \u01f0J\u030c \u0390\u0399\u0308\u0301 "
    "\u03b0\u03a5\u0308\u0301 \u0587\u0535\u0582 "
    "\u1e96H\u0331 \u1e97T\u0308 \u1e98W\u030a \u1e99Y\u030a \u1e9aA\u02be "
    "\u1f50\u03a5\u0313 "
    "\u1f52\u03a5\u0313\u0300 \u1f54\u03a5\u0313\u0301 "
    "\u1f56\u03a5\u0313\u0342 \u1fb2\u1fba\u0345 \u1fb4\u0386\u0345 "
    "\u1fb6\u0391\u0342 "
    "\u1fb7\u0391\u0342\u0345 \u1fc2\u1fca\u0345 \u1fc4\u0389\u0345 "
    "\u1fc6\u0397\u0342 \u1fc7\u0397\u0342\u0345 \u1fd2\u0399\u0308\u0300 "
    "\u1fd3\u0399\u0308\u0301 \u1fd6\u0399\u0342 \u1fd7\u0399\u0308\u0342 "
    "\u1fe2\u03a5\u0308\u0300 \u1fe3\u03a5\u0308\u0301 \u1fe4\u03a1\u0313 "
    "\u1fe6\u03a5\u0342 \u1fe7\u03a5\u0308\u0342 \u1ff2\u1ffa\u0345 "
    "\u1ff4\u038f\u0345 \u1ff6\u03a9\u0342 \u1ff7\u03a9\u0342\u0345 "
    "\ufb00Ff \ufb01Fi \ufb02Fl \ufb03Ffi \ufb04Ffl \ufb05St "
    "\ufb06St \ufb13\u0544\u0576 \ufb14\u0544\u0565 \ufb15\u0544\u056b "
    "\ufb16\u054e\u0576 \ufb17\u0544\u056d ";

using Mapping = std::unordered_map<char32_t, std::string>;

Mapping parseMapping(std::string_view table) {
  Mapping mapping;
  for (size_t offset = 0; offset < table.size();) {
    char32_t from = nextCharacter(table, offset);
    size_t end = table.find(' ', offset);
    mapping.emplace(from, table.substr(offset, end - offset));
    offset = end + 1;
  }
  return mapping;
}

/// A character that is being mapped; what it becomes has its origin.
struct Letter {
  char32_t character;
  Origin origin;
};
using Letters = MeteredVector<Letter>;

void appendMapped(TrackedText &out, Letter letter, const Mapping &special,
                  utf8proc_int32_t (*simple)(utf8proc_int32_t)) {
  auto found = special.find(letter.character);
  if (found != special.end()) {
    out.append(found->second, letter.origin);
  } else {
    appendCharacter(out, char32_t(simple(utf8proc_int32_t(letter.character))),
                    letter.origin);
  }
}

void appendUpper(TrackedText &out, Letter letter) {
  static const Mapping mapping = parseMapping(specialUpper);
  appendMapped(out, letter, mapping, utf8proc_toupper);
}

void appendTitle(TrackedText &out, Letter letter) {
  static const Mapping mapping = parseMapping(specialTitle);
  appendMapped(out, letter, mapping, utf8proc_totitle);
}

bool isCased(char32_t character) {
  auto category = utf8proc_category(utf8proc_int32_t(character));
  return category == UTF8PROC_CATEGORY_LU || category == UTF8PROC_CATEGORY_LL ||
         category == UTF8PROC_CATEGORY_LT;
}

bool isCaseIgnorable(char32_t character) {
  switch (utf8proc_category(utf8proc_int32_t(character))) {
  case UTF8PROC_CATEGORY_MN:
  case UTF8PROC_CATEGORY_ME:
  case UTF8PROC_CATEGORY_CF:
  case UTF8PROC_CATEGORY_LM:
  case UTF8PROC_CATEGORY_SK:
    return true;
  default:
    return character == '\'' || character == '.' || character == ':' ||
           character == 0xB7 || character == 0x2019;
  }
}

// A sigma that ends a word: a cased letter before it, none after.
bool isFinalSigma(const Letters &text, size_t at) {
  size_t before = at;
  while (before > 0 && isCaseIgnorable(text[before - 1].character)) {
    --before;
  }
  size_t after = at + 1;
  while (after < text.size() && isCaseIgnorable(text[after].character)) {
    ++after;
  }
  return before > 0 && isCased(text[before - 1].character) &&
         !(after < text.size() && isCased(text[after].character));
}

void appendLower(TrackedText &out, const Letters &text, size_t at) {
  auto [character, origin] = text[at];
  if (character == 0x130) { // I with a dot keeps it
    out.append("i\u0307", origin);
  } else if (character == 0x3A3) {
    appendCharacter(out, isFinalSigma(text, at) ? 0x3C2 : 0x3C3, origin);
  } else {
    appendCharacter(
        out, char32_t(utf8proc_tolower(utf8proc_int32_t(character))), origin);
  }
}

Letters lettersOf(const TrackedText &text) {
  Letters all;
  text.visitRuns([&](std::string_view run, Origin origin) {
    for (size_t offset = 0; offset < run.size();) {
      all.push_back({nextCharacter(run, offset), origin});
    }
  });
  return all;
}

} // namespace

TrackedText upper(const TrackedText &text) {
  TrackedText out;
  for (Letter each : lettersOf(text)) {
    appendUpper(out, each);
  }
  return out;
}

TrackedText lower(const TrackedText &text) {
  TrackedText out;
  Letters all = lettersOf(text);
  for (size_t i = 0; i < all.size(); ++i) {
    appendLower(out, all, i);
  }
  return out;
}

TrackedText title(const TrackedText &text) {
  TrackedText out;
  Letters all = lettersOf(text);
  for (size_t i = 0; i < all.size(); ++i) {
    if (i > 0 && isCased(all[i - 1].character)) {
      appendLower(out, all, i);
    } else {
      appendTitle(out, all[i]);
    }
  }
  return out;
}

TrackedText capitalize(const TrackedText &text) {
  TrackedText out;
  Letters all = lettersOf(text);
  for (size_t i = 0; i < all.size(); ++i) {
    if (i > 0) {
      appendLower(out, all, i);
    } else {
      appendTitle(out, all[i]);
    }
  }
  return out;
}

} // namespace cheems::jinja
