// Every labelled constraint of cheems.mark is checked: @mark_cN breaks CN.
// RUN: cheems-opt %s --split-input-file --verify-diagnostics

func.func @mark_c1(%n: index) {
  scf.forall (%i) in (%n) {
    // expected-error@below {{C1: must be in a function, and in no loop or branch}}
    cheems.mark "a"
  }
  return
}

// -----

func.func @mark_c1_branch(%c: i1) {
  scf.if %c {
    // expected-error@below {{C1: must be in a function, and in no loop or branch}}
    cheems.mark "a"
  }
  return
}

// -----

func.func @mark_c1_block(%c: i1) {
  cf.br ^next
^next:
  // expected-error@below {{C1: must be in a function, and in no loop or branch}}
  cheems.mark "a"
  return
}

// -----

// expected-error@below {{C1: must be in a function, and in no loop or branch}}
cheems.mark "a"

// -----

func.func @mark_c2() {
  // expected-error@below {{C2: needs a name}}
  cheems.mark ""
  return
}
