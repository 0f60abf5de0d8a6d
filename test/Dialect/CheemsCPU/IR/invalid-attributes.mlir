// RUN: cheems-opt %s --split-input-file --verify-diagnostics

// expected-error@below {{cheems_cpu.workspace is three i64 of at least 0 on a function, not array<i64: 1, 2>}}
func.func private @two() attributes {cheems_cpu.workspace = array<i64: 1, 2>}

// -----

// expected-error@below {{cheems_cpu.workspace is three i64 of at least 0 on a function, not array<i64: 1, 2, -1>}}
func.func private @negative() attributes {cheems_cpu.workspace = array<i64: 1, 2, -1>}

// -----

// expected-error@below {{cheems_cpu.name is a name on an scf.forall, not 1 : i64}}
func.func private @named() attributes {cheems_cpu.name = 1 : i64}

// -----

func.func @empty(%n: index) {
  // expected-error@below {{cheems_cpu.name is a name on an scf.forall, not ""}}
  scf.forall (%i) in (%n) {
  } {cheems_cpu.name = ""}
  return
}

// -----

// expected-error@below {{has an attribute that no pass knows: "cheems_cpu.panels"}}
module attributes {cheems_cpu.panels = 4 : i64} {}
