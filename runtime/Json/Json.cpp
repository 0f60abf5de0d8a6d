// The library's parser and printer, for the kinds of documents that we have.
#include "runtime/Json/Json.h"
#include "runtime/Json/OrderedReader.h"

namespace cheems {

using nlohmann::json;
using nlohmann::ordered_json;

template <typename Document> Document parseJson(std::string_view text) {
  return Document::parse(text, nullptr, /*allow_exceptions=*/false);
}

template <> ordered_json parseJson(std::string_view text) {
  OrderedReader reader(nullptr, /*throws=*/false);
  return ordered_json::sax_parse(text, &reader)
             ? reader.take()
             : ordered_json(ordered_json::value_t::discarded);
}

template <typename Document>
Document parseJsonOrThrow(std::string_view text, const JsonCheck &check) {
  using Event = typename Document::parse_event_t;
  auto sees = [&](int depth, Event event, Document &) {
    if (event == Event::object_start) {
      check(static_cast<size_t>(depth), JsonEvent::object);
    } else if (event == Event::array_start) {
      check(static_cast<size_t>(depth), JsonEvent::array);
    } else if (event == Event::key) {
      check(static_cast<size_t>(depth), JsonEvent::name);
    }
    return true;
  };
  return check ? Document::parse(text, sees) : Document::parse(text);
}

template <>
ordered_json parseJsonOrThrow(std::string_view text, const JsonCheck &check) {
  OrderedReader reader(check, /*throws=*/true);
  ordered_json::sax_parse(text, &reader);
  return reader.take();
}

template <typename Document>
std::string printJson(const Document &document, int indent) {
  return document.dump(indent);
}

template <typename Document>
std::string printJsonOfAnyBytes(const Document &document, int indent,
                                bool ascii) {
  return document.dump(indent, ' ', ascii, Document::error_handler_t::replace);
}

template json parseJson<json>(std::string_view);
template json parseJsonOrThrow<json>(std::string_view, const JsonCheck &);
template std::string printJson<json>(const json &, int);
template std::string printJsonOfAnyBytes<json>(const json &, int, bool);
template std::string printJson<ordered_json>(const ordered_json &, int);
template std::string printJsonOfAnyBytes<ordered_json>(const ordered_json &,
                                                       int, bool);

} // namespace cheems
