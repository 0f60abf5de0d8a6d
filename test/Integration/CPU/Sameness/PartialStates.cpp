#include "PartialStates.h"
#include "Sequences.h"
#include <algorithm>
#include <random>

namespace cheems::test {

namespace {

/// A prompt, or tokens one by one.
struct Part {
  Ids ids;
  bool decodes;
};

Logits feed(Session &session, int64_t slot, const Part &part) {
  return part.decodes ? decoded(session, slot, part.ids)
                      : whole(session, slot, part.ids);
}

/// What a slot was fed, and the partial state after it.
struct Moment {
  std::vector<Part> parts;
  std::string state;
};

std::string partialState(const Session &session, int64_t slot) {
  std::string bytes(session.stateBytes(slot, true), '\0');
  session.writeState(slot, true, bytes.data());
  return bytes;
}

} // namespace

void partialStatesGoOn(const std::shared_ptr<const Model> &model, int rounds) {
  std::mt19937 random(3);
  auto draw = [&](int64_t least, int64_t most) {
    return least + static_cast<int64_t>(random() % (most - least + 1));
  };
  Session session = makeSession(model, 2, 1, 256),
          straight = makeSession(model, 1, 1, 256);
  const int64_t slot = 1,
                longest = std::min<int64_t>(90, session.context() / 6);
  auto drawPart = [&](bool decodes) {
    int64_t count = decodes ? draw(1, 4) : draw(longest / 2, longest);
    return Part{drawIds(*model, count, random()), decodes};
  };
  std::vector<Moment> moments; // each grew from the one before it
  std::vector<Part> parts;
  auto grow = [&](const Part &part) {
    Logits logits = feed(session, slot, part);
    parts.push_back(part);
    moments.push_back({parts, partialState(session, slot)});
    return logits;
  };
  auto goBack = [&](size_t moment) {
    moments.resize(moment + 1);
    session.readState(slot, moments.back().state);
    parts = moments.back().parts;
  };
  for (int round = 0; round < rounds; ++round) {
    if (session.position(slot) > 2 * longest) {
      goBack(0);
    }
    for (bool decodes : {round % 2 == 0, draw(0, 1) == 0}) {
      grow(drawPart(decodes));
      session.reset(0); // another sequence takes part in the session
      feed(session, 0, drawPart(decodes));
    }
    feed(session, slot, drawPart(round % 3 == 0)); // what will be forgotten
    goBack(
        static_cast<size_t>(draw(0, static_cast<int64_t>(moments.size()) - 1)));
    straight.reset(0);
    for (const Part &part : parts) {
      feed(straight, 0, part);
    }
    ASSERT_EQ(session.position(slot), straight.position(0));
    for (bool decodes : {false, true}) {
      Part next = drawPart(decodes);
      EXPECT_TRUE(same(feed(straight, 0, next), grow(next)))
          << "round " << round << (decodes ? ", decoded" : ", a prompt");
    }
  }
}

} // namespace cheems::test
