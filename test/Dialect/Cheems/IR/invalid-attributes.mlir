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

// expected-error@below {{cheems.target is a target on a module, not "cpu"}}
module attributes {cheems.target = "cpu"} {}

// -----

// expected-error@below {{cheems.stage is a #cheems.stage on a module, not "imported"}}
module attributes {cheems.stage = "imported"} {}

// -----

// expected-error@below {{cheems.state is a list of {name, type, shape} on a module, not [{name = "keys"}]}}
module attributes {cheems.state = [{name = "keys"}]} {}

// -----

// expected-error@below {{cheems.parameters is a list of {names, type, offset, ...} on a module, not 4 : i64}}
module attributes {cheems.parameters = 4 : i64} {}

// -----

// expected-error@below {{cheems.parameter_bytes is an i64 of at least 0 on a module, not -1 : i64}}
module attributes {cheems.parameter_bytes = -1 : i64} {}

// -----

// expected-error@below {{cheems.entry is a name on a function, not ""}}
func.func private @nameless() attributes {cheems.entry = ""}

// -----

// expected-error@below {{has an attribute that no pass knows: "cheems.decode"}}
func.func private @unknown() attributes {cheems.decode}

// -----

// expected-error@below {{cheems.field of argument 1 is a name, not 1 : i64}}
func.func private @field(i32, i32 {cheems.field = 1 : i64})

// -----

// expected-error@below {{cheems.index of argument 0 is an i64 of at least 0, not -1 : i64}}
func.func private @index(i32 {cheems.index = -1 : i64})

// -----

// expected-error@below {{has an attribute of argument 0 that no pass knows: "cheems.pool"}}
func.func private @argument(i32 {cheems.pool})
