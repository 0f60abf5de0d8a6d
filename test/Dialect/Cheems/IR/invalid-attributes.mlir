// RUN: cheems-opt %s --split-input-file --verify-diagnostics

// expected-error@below {{cheems.most_rows is an i64 of at least 1 on a function, not 0 : i64}}
func.func private @none() attributes {cheems.most_rows = 0 : i64}

// -----

// expected-error@below {{cheems.most_rows is an i64 of at least 1 on a function, not 64 : i32}}
func.func private @narrow() attributes {cheems.most_rows = 64 : i32}

// -----

// expected-error@below {{cheems.most_rows is an i64 of at least 1 on a function, not 64 : i64}}
module attributes {cheems.most_rows = 64 : i64} {}

// -----

// expected-error@below {{cheems.target is no target: "cpu"}}
module attributes {cheems.target = "cpu"} {}
