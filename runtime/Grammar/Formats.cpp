// Formats of strings as patterns. Each text of a pattern is valid for the
// format's standard and for the programs that check it; of the texts that are
// valid, rare forms are left out.
#include "runtime/Grammar/SchemaJudge.h"

#include <map>
#include <stdexcept>

namespace cheems::grammar {

namespace {

/// RFC 3339. Not every program knows the year 0 and seconds of 60.
const std::string date =
    "(?!0000)(?:\\d{4}-(?:(?:0[13578]|1[02])-(?:0[1-9]|[12]\\d|3[01])|"
    "(?:0[469]|11)-(?:0[1-9]|[12]\\d|30)|02-(?:0[1-9]|1\\d|2[0-8]))|"
    "(?:\\d\\d(?:0[48]|[2468][048]|[13579][26])|(?:[02468][048]|[13579][26])00)"
    "-02-29)";
const std::string time = "(?:[01]\\d|2[0-3]):[0-5]\\d:[0-5]\\d(?:\\.\\d{1,9})?"
                         "(?:Z|[+-](?:[01]\\d|2[0-3]):[0-5]\\d)";
/// RFC 3339, appendix A.
const std::string duration =
    "P(?:\\d{1,6}W|T\\d{1,6}(?:H(?:\\d{1,6}M(?:\\d{1,6}S)?)?|M(?:\\d{1,6}S)?|S)"
    "|\\d{1,6}(?:Y(?:\\d{1,6}M(?:\\d{1,6}D)?)?|M(?:\\d{1,6}D)?|D)"
    "(?:T\\d{1,6}(?:H(?:\\d{1,6}M(?:\\d{1,6}S)?)?|M(?:\\d{1,6}S)?|S))?)";
/// At most 253 characters in all; hyphens in the third and fourth place are
/// those of encoded names.
const std::string label =
    "(?!..--)[A-Za-z0-9](?:[A-Za-z0-9-]{0,38}[A-Za-z0-9])?";
const std::string topLabel = "[A-Za-z]{2,24}";
const std::string hostname =
    "(?:" + label +
    "\\.){0,5}(?!..--)[A-Za-z](?:[A-Za-z0-9-]{0,38}[A-Za-z0-9])?";
const std::string email =
    "(?=[^@]{1,64}@)[A-Za-z0-9_+-]+(?:\\.[A-Za-z0-9_+-]+)*"
    "@(?:" +
    label + "\\.){1,5}" + topLabel;
const std::string byte = "(?:25[0-5]|2[0-4]\\d|1\\d\\d|[1-9]?\\d)";
const std::string ipv4 = byte + "(?:\\." + byte + "){3}";
const std::string pointer = "(?:/(?:[^~/]|~[01])*)*";

std::string ipv6() {
  std::string group = "[0-9a-fA-F]{1,4}";
  std::string all = "(?:" + group + ":){7}" + group + "|:(?::" + group +
                    "){1,7}|(?:" + group + ":){1,7}:|::";
  for (int before = 1; before <= 6; ++before) {
    all += "|(?:" + group + ":){" + std::to_string(before) + "}(?::" + group +
           "){1," + std::to_string(7 - before) + "}";
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

std::map<std::string, std::shared_ptr<const Pattern>> makeFormats() {
  std::map<std::string, std::shared_ptr<const Pattern>> made;
  auto add = [&](std::initializer_list<const char *> names,
                 const std::string &text) {
    auto pattern = std::make_shared<const Pattern>(
        parsePattern("^(?:" + text + ")$", "a format"));
    for (const char *name : names) {
      made[name] = pattern;
    }
  };
  add({"date"}, date);
  add({"time"}, time);
  add({"date-time"}, date + "T" + time);
  add({"duration"}, duration);
  add({"uuid"}, "[0-9a-fA-F]{8}(?:-[0-9a-fA-F]{4}){3}-[0-9a-fA-F]{12}");
  add({"email", "idn-email"}, email);
  add({"hostname", "idn-hostname"}, hostname);
  add({"ipv4"}, ipv4);
  add({"ipv6"}, ipv6());
  add({"uri", "iri", "uri-reference", "iri-reference", "uri-template"}, uri());
  add({"json-pointer"}, pointer);
  add({"relative-json-pointer"}, "(?:0|[1-9]\\d{0,8})(?:#|" + pointer + ")");
  return made;
}

} // namespace

std::shared_ptr<const Pattern> patternOfFormat(const std::string &format) {
  static const std::map<std::string, std::shared_ptr<const Pattern>> formats =
      makeFormats();
  if (format == "regex") {
    throw std::invalid_argument(
        "the format regex is not supported; leave it out, and check the "
        "answer for it");
  }
  auto found = formats.find(format);
  return found == formats.end() ? nullptr : found->second;
}

} // namespace cheems::grammar
