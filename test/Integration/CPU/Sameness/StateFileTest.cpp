// A sequence saved to a file and loaded by another session goes on with the
// same bits; a copied one too.
#include "Artefacts.h"
#include "Sequences.h"
#include "test/unit/Support/TemporaryFolder.h"

using namespace cheems;
using namespace cheems::test;

namespace {

class StateOfFile : public Compiled {};
INSTANTIATE_TEST_SUITE_P(Models, StateOfFile, over(allModels()), caseName);

TEST_P(StateOfFile, GoesOnWithTheSameBits) {
  TemporaryFolder folder;
  std::string path = folder.path / "state.bin";
  for (int64_t length : {1, 63, 140}) {
    Ids ids = drawIds(*model, length), other = drawIds(*model, 60, 2),
        tail = drawIds(*model, 70, 3);
    Session straight = makeSession(model, 2);
    whole(straight, 0, ids);
    straight.save(0, path);
    straight.copy(0, 1);
    Logits want = whole(straight, 0, tail);
    EXPECT_TRUE(same(want, whole(straight, 1, tail)));
    // another number of slots and threads; contexts with just enough room, and
    // with more
    for (int64_t context : {length + 70, length + 700}) {
      Session session = makeSession(model, 3, 2, 256, context);
      whole(session, 1, other);
      session.load(1, path);
      EXPECT_EQ(session.position(1), length);
      EXPECT_TRUE(same(want, whole(session, 1, tail)))
          << length << " of " << context;
    }
  }
}

TEST_P(StateOfFile, OtherModelsAreRefused) {
  TemporaryFolder folder;
  std::string path = folder.path / "state.bin";
  Session session = makeSession(model);
  whole(session, 0, drawIds(*model, 5));
  session.save(0, path);
  for (const char *name : {"doge-tiny", "doge-window"}) {
    Session stranger = makeSession(openArtefact(name, "scalar"));
    if (stranger.model().config() != model->config()) {
      EXPECT_THROW(stranger.load(0, path), Error) << name;
    }
  }
}

} // namespace
