// What makes two layers one kind.
#include "Layer.h"

namespace cheems {
using namespace mlir;

namespace {
/// Collects the words of a kind: what the branches are, then what is optional
/// in them.
struct KindWords {
  SmallVector<std::string> parts, flags;
  /// The names list biases in this order: those of mixers with states are
  /// first.
  SmallVector<std::pair<const Projection *, StringRef>> ofStates, ofExperts,
      ofMLPs;

  void flag(bool set, const Twine &name) {
    if (set) {
      flags.push_back(name.str());
    }
  }

  void add(const Attention &a) {
    parts.push_back("attention");
    if (a.seesNothing()) {
      flag(true, "hidden");
      ofStates.push_back({&a.output, "o"});
      return;
    }
    if (a.mask && !a.mask->visibleHeads.empty()) {
      std::string heads;
      for (bool visible : a.mask->visibleHeads) {
        heads += visible ? '1' : '0';
      }
      flag(true, "visible" + heads);
    }
    flag(!a.rotary, "unturned");
    flag(a.queryNorm.has_value(), "qnorm");
    flag(a.keyNorm.has_value(), "knorm");
    ofStates.append({{&a.query, "q"}, {&a.key, "k"}, {&a.value, "v"}});
    if (a.computesMasks()) {
      ofStates.push_back({&a.mask->step, "dt"});
    }
    ofStates.push_back({&a.output, "o"});
  }

  void add(const SSD &s) {
    parts.push_back("ssd");
    flag(s.groups != s.heads, "groups" + Twine(s.groups));
    flag(s.logarithm, "log");
    flag(s.skip.has_value(), "skip");
    flag(!s.rotary, "unturned");
    ofStates.append({{&s.c, "c"},
                     {&s.b, "b"},
                     {&s.x, "x"},
                     {&s.step, "dt"},
                     {&s.output, "out"}});
  }

  void add(const MLP &m) {
    parts.push_back("mlp");
    if (m.gate) {
      ofMLPs.push_back({&*m.gate, "gate"});
    }
    ofMLPs.append({{&m.up, "up"}, {&m.down, "down"}});
  }

  void add(const RetrievedExperts &x) {
    if (!parts.empty() && parts.back() == "mlp") {
      parts.pop_back(); // experts beside an MLP are called after them
    }
    parts.push_back("experts");
    flag(x.router.has_value(), "router");
    flag(!x.router, "keys");
    ofExperts.push_back({x.router ? &*x.router : &x.queries, "expert"});
  }

  std::string text() {
    SmallVector<std::pair<const Projection *, StringRef>> all;
    all.append(ofStates);
    all.append(ofExperts);
    all.append(ofMLPs);
    auto biased = [](const auto &each) { return each.first->bias.has_value(); };
    if (llvm::all_of(all, biased)) {
      flag(true, "biased");
    } else {
      for (const auto &each : all) {
        flag(biased(each), each.second + "bias");
      }
    }
    parts.append(flags);
    return llvm::join(parts, "_");
  }
};

/// Numbers that functions of layers have as constants.
struct Constants {
  llvm::raw_ostream &os;

  void rotary(const std::optional<RotaryUse> &use) {
    if (use) {
      os << " rotary " << use->table << ' ' << use->size;
    }
  }
  void add(const Attention &a) {
    os << " attention " << a.heads << ' ' << a.keyValueHeads << ' '
       << a.headSize << ' ' << llvm::format("%a", a.scale);
    rotary(a.rotary);
    if (a.mask) {
      os << " mask " << stringifyMaskKind(a.mask->kind) << ' '
         << llvm::format("%a", a.mask->threshold) << ' '
         << a.mask->keep.value_or(0);
    }
    os << " window " << a.window.value_or(0);
    for (const std::optional<Norm> &norm : {a.queryNorm, a.keyNorm}) {
      os << llvm::format(" norm %a", norm ? norm->epsilon : 0.0);
    }
  }
  void add(const SSD &s) {
    os << " ssd " << s.heads << ' ' << s.headSize << ' ' << s.stateSize << ' '
       << s.groups;
    rotary(s.rotary);
  }
  void add(const MLP &m) { os << " mlp " << stringifyActivation(m.activation); }
  void add(const RetrievedExperts &x) {
    os << " experts " << x.heads << ' ' << x.perHead << ' '
       << stringifyScorePlacement(x.placement) << ' '
       << stringifyActivation(x.activation);
  }
};
} // namespace

std::string kindOf(const ModelTypes &types, const Layer &layer) {
  KindWords words;
  // A gate is named before what the parts have.
  words.flag(
      llvm::any_of(layer.branches,
                   [](const Branch &branch) {
                     return llvm::any_of(branch.mixers, [](const Mixer &mixer) {
                       const MLP *mlp = std::get_if<MLP>(&mixer.what);
                       return mlp && mlp->gate;
                     });
                   }),
      "gated");
  for (const Branch &branch : layer.branches) {
    for (const Mixer &mixer : branch.mixers) {
      std::visit([&](const auto &what) { words.add(what); }, mixer.what);
    }
  }
  return words.text();
}

std::string signatureOf(const ModelTypes &types, const Layer &layer) {
  std::string text = kindOf(types, layer);
  llvm::raw_string_ostream os(text);
  Constants constants{os};
  for (const Branch &branch : layer.branches) {
    os << llvm::format("\nnorm %a residual %a %d", branch.norm.epsilon,
                       branch.residual.factor,
                       int(branch.residual.weight.has_value()));
    for (const Mixer &mixer : branch.mixers) {
      os << llvm::format(" factors %a %a", mixer.inputFactor,
                         mixer.outputFactor);
      std::visit([&](const auto &what) { constants.add(what); }, mixer.what);
    }
  }
  for (const LayerWeight &weight : layerWeights(types, layer)) {
    os << '\n' << weight.type << ' ' << weight.quantized;
  }
  return text;
}

SmallVector<const Mixer *> sequenceMixers(const Layer &layer) {
  SmallVector<const Mixer *> found;
  for (const Branch &branch : layer.branches) {
    for (const Mixer &mixer : branch.mixers) {
      const auto *attention = std::get_if<Attention>(&mixer.what);
      if (std::holds_alternative<SSD>(mixer.what) ||
          (attention && !attention->seesNothing())) {
        found.push_back(&mixer);
      }
    }
  }
  return found;
}

SmallVector<ModelTypes::Pool> poolsOf(const ModelTypes &types,
                                      const Mixer &mixer) {
  const auto *attention = std::get_if<Attention>(&mixer.what);
  return !attention          ? types.ssdPools()
         : attention->window ? types.ringPools()
                             : types.attentionPools();
}

std::optional<RotaryUse> rotaryOf(const Mixer &mixer) {
  if (const auto *attention = std::get_if<Attention>(&mixer.what)) {
    return attention->rotary;
  }
  const auto *ssd = std::get_if<SSD>(&mixer.what);
  return ssd ? ssd->rotary : std::nullopt;
}

bool readsNorm(const Branch &branch) {
  return llvm::any_of(branch.mixers, [](const Mixer &mixer) {
    const auto *attention = std::get_if<Attention>(&mixer.what);
    return !attention || !attention->seesNothing();
  });
}
} // namespace cheems
