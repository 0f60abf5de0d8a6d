#include "runtime/Serve/Api/SpecialTexts.h"

#include "runtime/Serve/Api/ApiError.h"
#include "runtime/Tokenizer/Utf8.h"

#include <algorithm>
#include <bitset>
#include <charconv>

namespace cheems::serve {

SpecialTexts::SpecialTexts(const Tokenizer &tokenizer) {
  for (int32_t id = 0; id < tokenizer.vocabularySize(); ++id) {
    if (tokenizer.isSpecial(id)) {
      const std::string &text = tokenizer.idToToken(id);
      byFirstByte[static_cast<unsigned char>(text[0])].push_back(text);
    }
  }
  for (std::vector<std::string> &texts : byFirstByte) {
    std::sort(texts.begin(), texts.end(),
              [](const std::string &a, const std::string &b) {
                return a.size() > b.size();
              });
  }
}

std::pair<size_t, size_t> SpecialTexts::find(std::string_view text,
                                             size_t from) const {
  for (size_t at = from; at < text.size(); ++at) {
    for (const std::string &each :
         byFirstByte[static_cast<unsigned char>(text[at])]) {
      if (text.compare(at, each.size(), each) == 0) {
        return {at, each.size()};
      }
    }
  }
  return {std::string_view::npos, 0};
}

SpecialMarks::SpecialMarks(const SpecialTexts &special, const std::string &all)
    : special(special) {
  constexpr unsigned firstPrivate = 0xE000, count = 0xF900 - 0xE000;
  std::bitset<count> used;
  for (size_t at = 0; at + 2 < all.size(); ++at) {
    auto byte = [&](size_t i) { return unsigned(uint8_t(all[at + i])); };
    if (byte(0) == 0xEE || byte(0) == 0xEF) { // U+E000 to U+FFFF
      unsigned character =
          (byte(0) & 15) << 12 | (byte(1) & 63) << 6 | (byte(2) & 63);
      if (character - firstPrivate < count) {
        used.set(character - firstPrivate);
      }
    }
  }
  for (unsigned i = 0; i < count; ++i) {
    if (!used[i]) {
      utf8::append(mark, char32_t(firstPrivate + i));
      return;
    }
  }
  throw ApiError(400, "the messages use all characters for private use");
}

void SpecialMarks::hide(Json &value) {
  if (value.is_structured()) {
    for (Json &each : value) {
      hide(each);
    }
    return;
  }
  if (!value.is_string()) {
    return;
  }
  const auto &text = value.get_ref<const std::string &>();
  std::string out;
  size_t done = 0;
  for (;;) {
    auto [at, length] = special.find(text, done);
    if (at == std::string::npos) {
      break;
    }
    out.append(text, done, at - done);
    out += mark + std::to_string(hidden.size()) + mark;
    hidden.push_back(text.substr(at, length));
    done = at + length;
  }
  if (done > 0) {
    out.append(text, done, std::string::npos);
    value = std::move(out);
  }
}

std::vector<SpecialMarks::Part>
SpecialMarks::split(std::string_view rendered) const {
  std::vector<Part> parts;
  size_t done = 0;
  for (size_t at = hidden.empty() ? std::string_view::npos
                                  : rendered.find(mark);
       at != std::string_view::npos;) {
    size_t digits = at + mark.size(), end = rendered.find(mark, digits);
    size_t index = hidden.size();
    if (end == std::string_view::npos) {
      break;
    }
    auto [stop, error] =
        std::from_chars(rendered.data() + digits, rendered.data() + end, index);
    if (error != std::errc() || stop != rendered.data() + end ||
        index >= hidden.size()) { // the template cut it, or has it itself
      at = end;
      continue;
    }
    parts.push_back({std::string(rendered.substr(done, at - done)), false});
    parts.push_back({hidden[index], true});
    done = end + mark.size();
    at = rendered.find(mark, done);
  }
  parts.push_back({std::string(rendered.substr(done)), false});
  return parts;
}

std::string SpecialMarks::shown(std::string_view rendered) const {
  std::string out;
  for (const Part &part : split(rendered)) {
    out += part.text;
  }
  return out;
}

std::vector<int32_t> SpecialMarks::encode(const Tokenizer &tokenizer,
                                          std::string_view rendered) const {
  std::vector<int32_t> ids;
  auto add = [&](const std::string &text, bool parse) {
    std::vector<int32_t> more =
        tokenizer.encode(text, /*addSpecialTokens=*/false, parse);
    ids.insert(ids.end(), more.begin(), more.end());
  };
  // plain text is cut at the template's special tokens and nowhere else, so
  // that what is around a hidden one becomes the tokens it always becomes
  std::string plain;
  std::vector<Part> parts = split(rendered);
  if (parts.size() == 1) {
    add(parts[0].text, true);
    return ids;
  }
  for (const Part &part : parts) {
    if (part.isHidden) {
      plain += part.text;
      continue;
    }
    auto [first, length] = special.find(part.text, 0);
    if (first == std::string::npos) {
      plain += part.text;
      continue;
    }
    size_t last = first + length;
    for (auto next = special.find(part.text, last);
         next.first != std::string::npos;
         next = special.find(part.text, last)) {
      last = next.first + next.second;
    }
    add(plain + part.text.substr(0, first), false);
    add(part.text.substr(first, last - first), true);
    plain = part.text.substr(last);
  }
  add(plain, false);
  return ids;
}

} // namespace cheems::serve
