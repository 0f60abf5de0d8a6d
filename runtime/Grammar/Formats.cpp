// Formats of strings as patterns. Each text of a pattern is valid for the
// format's standard and for the programs that check it; of the texts that are
// valid, rare forms are left out.
#include "runtime/Grammar/SchemaJudge.h"

#include <algorithm>
#include <map>

namespace cheems::grammar {

namespace {

/// RFC 3339. Not every program knows the year 0 and seconds of 60.
constexpr char date[] =
    "(?!0000)(?:\\d{4}-(?:(?:0[13578]|1[02])-(?:0[1-9]|[12]\\d|3[01])|"
    "(?:0[469]|11)-(?:0[1-9]|[12]\\d|30)|02-(?:0[1-9]|1\\d|2[0-8]))|"
    "(?:\\d\\d(?:0[48]|[2468][048]|[13579][26])|(?:[02468][048]|[13579][26])00)"
    "-02-29)";
constexpr char time[] = "(?:[01]\\d|2[0-3]):[0-5]\\d:[0-5]\\d(?:\\.\\d{1,9})?"
                        "(?:Z|[+-](?:[01]\\d|2[0-3]):[0-5]\\d)";
/// RFC 3339, appendix A.
constexpr char duration[] =
    "P(?:\\d{1,6}W|T\\d{1,6}(?:H(?:\\d{1,6}M(?:\\d{1,6}S)?)?|M(?:\\d{1,6}S)?|S)"
    "|\\d{1,6}(?:Y(?:\\d{1,6}M(?:\\d{1,6}D)?)?|M(?:\\d{1,6}D)?|D)"
    "(?:T\\d{1,6}(?:H(?:\\d{1,6}M(?:\\d{1,6}S)?)?|M(?:\\d{1,6}S)?|S))?)";
/// Hyphens in the third and fourth place are those of encoded names. 63
/// characters are possible.
constexpr char label[] = "(?!..--)[A-Za-z0-9](?:[A-Za-z0-9-]*[A-Za-z0-9])?";
constexpr int64_t longestHostname = 245, longestLabel = 63, longestLocal = 64;

/// At most 253 characters in all.
std::string hostname() {
  return "(?:(?!..--)[A-Za-z0-9](?:[A-Za-z0-9-]{0,38}[A-Za-z0-9])?\\.){0,5}"
         "(?!..--)[A-Za-z](?:[A-Za-z0-9-]{0,38}[A-Za-z0-9])?";
}

/// Where 63 are the most, so they are in a label.
std::string shortHostname() {
  return std::string("(?:") + label +
         "\\.)*(?!..--)[A-Za-z](?:[A-Za-z0-9-]*[A-Za-z0-9])?";
}

/// Likewise, and at most 64 before the @.
std::string shortEmail() {
  return std::string("[A-Za-z0-9_+-]+(?:\\.[A-Za-z0-9_+-]+)*@(?:") + label +
         "\\.)+[A-Za-z]{2,}";
}

std::string email(int64_t local, int64_t domain) {
  return "(?=[^@]{1," + std::to_string(local) + "}@[^@]{1," +
         std::to_string(domain) + "}$)" + shortEmail();
}

constexpr char byte[] = "(?:25[0-5]|2[0-4]\\d|1\\d\\d|[1-9]?\\d)";
constexpr char pointer[] = "(?:/(?:[^~/]|~[01])*)*";

std::string ipv4() { return std::string(byte) + "(?:\\." + byte + "){3}"; }

std::string ipv6() {
  std::string group = "[0-9a-fA-F]{1,4}";
  std::string all = "(?:" + group + ":){7}" + group + "|:(?::" + group +
                    "){1,7}|(?:" + group + ":){1,7}:|::";
  for (int before = 1; before <= 6; ++before) {
    all.append("|(?:").append(group).append(":){");
    all.append(std::to_string(before)).append("}(?::").append(group);
    all.append("){1,").append(std::to_string(7 - before)).append("}");
  }
  return all;
}

/// With few states, since lengths multiply them.
std::string uri() {
  std::string escape = "%[0-9A-Fa-f]{2}";
  std::string within = "(?:[A-Za-z0-9._~!$&'()*+,;=:@/-]|" + escape + ")*";
  return "[A-Za-z][A-Za-z0-9+.-]*://[A-Za-z0-9]+(?:[.-][A-Za-z0-9]+)*"
         "(?::[1-9]\\d{0,3})?(?:/" +
         within + ")?(?:[?]" + within + ")?(?:#" + within + ")?";
}

std::shared_ptr<const Pattern> whole(const std::string &text) {
  return std::make_shared<const Pattern>(
      parsePattern("^(?:" + text + ")$", "a format"));
}

std::map<std::string, std::shared_ptr<const Pattern>> makeFormats() {
  std::map<std::string, std::shared_ptr<const Pattern>> made;
  auto add = [&](std::initializer_list<const char *> names,
                 const std::string &text) {
    auto pattern = whole(text);
    for (const char *name : names) {
      made[name] = pattern;
    }
  };
  add({"date"}, date);
  add({"time"}, time);
  add({"date-time"}, std::string(date) + "T" + time);
  add({"duration"}, duration);
  add({"uuid"}, "[0-9a-fA-F]{8}(?:-[0-9a-fA-F]{4}){3}-[0-9a-fA-F]{12}");
  for (char version = '1'; version <= '8'; ++version) { // as pydantic has them
    std::string name = std::string("uuid") + version;
    add({name.c_str()}, std::string("[0-9a-fA-F]{8}-[0-9a-fA-F]{4}-") +
                            version +
                            "[0-9a-fA-F]{3}-[89abAB][0-9a-fA-F]{3}-[0-9a-fA-F]{"
                            "12}");
  }
  add({"email", "idn-email"}, email(longestLocal, longestLabel));
  add({"hostname", "idn-hostname"}, hostname());
  add({"ipv4"}, ipv4());
  add({"ipv6"}, ipv6());
  add({"uri", "iri", "uri-reference", "iri-reference", "uri-template"}, uri());
  add({"json-pointer"}, pointer);
  add({"relative-json-pointer"},
      std::string("(?:0|[1-9]\\d{0,8})(?:#|") + pointer + ")");
  return made;
}

} // namespace

std::shared_ptr<const Pattern> patternOfFormat(const std::string &format) {
  static const std::map<std::string, std::shared_ptr<const Pattern>> formats =
      makeFormats();
  auto found = formats.find(format);
  return found == formats.end() ? nullptr : found->second;
}

ShortFormat shortFormat(const std::string &format, int64_t maximum) {
  // An @ and a domain like a.de need 5 characters: so neither of the parts is
  // too long.
  constexpr int64_t needsNoCount = longestLabel + 5;
  bool isEmail = format == "email" || format == "idn-email",
       isHostname = format == "hostname" || format == "idn-hostname";
  if (isEmail && maximum < needsNoCount) {
    return {whole(shortEmail()), maximum};
  }
  if (isEmail && maximum < longestLocal + 1 + longestLabel) {
    int64_t local = maximum / 2 - 1;
    return {whole(email(local, std::min(maximum - 1 - local, longestLabel))),
            maximum};
  }
  if (isHostname && maximum < longestHostname) {
    return {whole(shortHostname()), std::min(maximum, longestLabel)};
  }
  // no text of a format needs to be longer
  constexpr int64_t longestFormat = 512;
  return {patternOfFormat(format), std::min(maximum, longestFormat)};
}

} // namespace cheems::grammar
