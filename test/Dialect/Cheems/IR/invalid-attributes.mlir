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

// expected-error@below {{cheems.state is a list of #cheems.pool on a module, not "keys"}}
module attributes {cheems.state = "keys"} {}

// -----

// expected-error@below {{cheems.state is a list of #cheems.pool on a module, not ["keys"]}}
module attributes {cheems.state = ["keys"]} {}

// -----

// expected-error@below {{cheems.state is a list of #cheems.pool on a module, not []}}
func.func private @state() attributes {cheems.state = []}

// -----

// expected-error@below {{a pool has a name}}
module attributes {cheems.state = [#cheems.pool<name = "", role = keys, type = f32, shape = [4]>]} {}

// -----

// expected-error@below {{a pool has numbers, not 'tensor<4xf32>'}}
module attributes {cheems.state = [#cheems.pool<name = "keys", role = keys, type = tensor<4xf32>, shape = [4]>]} {}

// -----

// expected-error@below {{expected ::cheems::StateRole to be one of: keys, values, masks, scales, positions, counts, running}}
// expected-error@below {{failed to parse Cheems_PoolAttr parameter 'role' which is to be a `::cheems::StateRole`}}
module attributes {cheems.state = [#cheems.pool<name = "keys", role = key_scales, type = f32, shape = [4]>]} {}

// -----

// expected-error@below {{an extent is a number of at least 0, slots, capacity or ring}}
module attributes {cheems.state = [#cheems.pool<name = "keys", role = keys, type = f32, shape = [slots, -1]>]} {}

// -----

// expected-error@below {{expected integer value}}
module attributes {cheems.state = [#cheems.pool<name = "keys", role = keys, type = f32, shape = [rows]>]} {}

// -----

// expected-error@below {{cheems.parameters is a list of #cheems.stored_parameter on a module, not 4 : i64}}
module attributes {cheems.parameters = 4 : i64} {}

// -----

// expected-error@below {{cheems.parameters is a list of #cheems.stored_parameter on a module, not [{offset = 0 : i64}]}}
module attributes {cheems.parameters = [{offset = 0 : i64}]} {}

// -----

// expected-error@below {{cheems.parameters is a list of #cheems.stored_parameter on a module, not []}}
func.func private @parameters() attributes {cheems.parameters = []}

// -----

// expected-error@below {{names of a stored parameter are texts, at least one, not []}}
module attributes {cheems.parameters = [#cheems.stored_parameter<names = [], type = tensor<8xf32>, offset = 0>], cheems.parameter_bytes = 128 : i64} {}

// -----

// expected-error@below {{names of a stored parameter are texts, at least one, not ["norm", 3]}}
module attributes {cheems.parameters = [#cheems.stored_parameter<names = ["norm", 3], type = tensor<8xf32>, offset = 0>], cheems.parameter_bytes = 128 : i64} {}

// -----

// expected-error@below {{names of a stored parameter are texts, at least one, not [""]}}
module attributes {cheems.parameters = [#cheems.stored_parameter<names = [""], type = tensor<8xf32>, offset = 0>], cheems.parameter_bytes = 128 : i64} {}

// -----

// expected-error@below {{a stored parameter has a static shape of numbers whose bits an i64 counts, not 'tensor<?xf32>'}}
module attributes {cheems.parameters = [#cheems.stored_parameter<names = ["norm"], type = tensor<?xf32>, offset = 0>], cheems.parameter_bytes = 128 : i64} {}

// -----

// expected-error@below {{a stored parameter has a static shape of numbers whose bits an i64 counts, not 'tensor<8xindex>'}}
module attributes {cheems.parameters = [#cheems.stored_parameter<names = ["norm"], type = tensor<8xindex>, offset = 0>], cheems.parameter_bytes = 128 : i64} {}

// -----

// expected-error@below {{a stored parameter has a static shape of numbers whose bits an i64 counts, not 'tensor<4294967296x4294967296xf32>'}}
module attributes {cheems.parameters = [#cheems.stored_parameter<names = ["norm"], type = tensor<4294967296x4294967296xf32>, offset = 0>], cheems.parameter_bytes = 128 : i64} {}

// -----

// expected-error@below {{invalid kind of type specified: expected builtin.tensor, but found 'f32'}}
// expected-error@below {{failed to parse Cheems_StoredParameterAttr parameter 'type' which is to be a `::mlir::RankedTensorType`}}
module attributes {cheems.parameters = [#cheems.stored_parameter<names = ["norm"], type = f32, offset = 0>], cheems.parameter_bytes = 128 : i64} {}

// -----

// expected-error@below {{invalid kind of attribute specified}}
// expected-error@below {{failed to parse Cheems_StoredParameterAttr parameter 'layout' which is to be a `::cheems::LayoutAttrInterface`}}
module attributes {cheems.parameters = [#cheems.stored_parameter<names = ["norm"], type = tensor<8xf32>, offset = 0, layout = "rows">], cheems.parameter_bytes = 128 : i64} {}

// -----

// expected-error@below {{struct is missing required parameter: offset}}
module attributes {cheems.parameters = [#cheems.stored_parameter<names = ["norm"], type = tensor<8xf32>>], cheems.parameter_bytes = 128 : i64} {}

// -----

// expected-error@below {{the offset of a stored parameter is at least 0 and a multiple of 64, not -64}}
module attributes {cheems.parameters = [#cheems.stored_parameter<names = ["norm"], type = tensor<8xf32>, offset = -64>], cheems.parameter_bytes = 128 : i64} {}

// -----

// expected-error@below {{the offset of a stored parameter is at least 0 and a multiple of 64, not 32}}
module attributes {cheems.parameters = [#cheems.stored_parameter<names = ["norm"], type = tensor<8xf32>, offset = 32>], cheems.parameter_bytes = 128 : i64} {}

// -----

// expected-error@below {{permute of a stored parameter is a permutation of the dimensions of one name, not array<i64: 1, 1> of ["norm"]}}
module attributes {cheems.parameters = [#cheems.stored_parameter<names = ["norm"], type = tensor<4x2xf32>, offset = 0, permute = [1, 1]>], cheems.parameter_bytes = 128 : i64} {}

// -----

// expected-error@below {{permute of a stored parameter is a permutation of the dimensions of one name, not array<i64: 1, 0> of ["a", "b"]}}
module attributes {cheems.parameters = [#cheems.stored_parameter<names = ["a", "b"], type = tensor<4x2xf32>, offset = 0, permute = [1, 0]>], cheems.parameter_bytes = 128 : i64} {}

// -----

// expected-error@below {{row 1 of cheems.parameters ends past cheems.parameter_bytes, which counts the bytes of all rows}}
module attributes {cheems.parameters = [#cheems.stored_parameter<names = ["norm"], type = tensor<8xf32>, offset = 0>, #cheems.stored_parameter<names = ["norm"], type = tensor<8xf32>, offset = 128>], cheems.parameter_bytes = 128 : i64} {}

// -----

// expected-error@below {{row 0 of cheems.parameters ends past cheems.parameter_bytes, which counts the bytes of all rows}}
module attributes {cheems.parameters = [#cheems.stored_parameter<names = ["norm"], type = tensor<8xf32>, offset = 0>]} {}

// -----

// expected-error@below {{row 0 of cheems.parameters ends past cheems.parameter_bytes, which counts the bytes of all rows}}
module attributes {cheems.parameters = [#cheems.stored_parameter<names = ["norm"], type = tensor<8xf32>, offset = 9223372036854775744>], cheems.parameter_bytes = 128 : i64} {}

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

// expected-error@below {{cheems.field of argument 1 is a #cheems.step_field, not "tokens"}}
func.func private @field(i32, i32 {cheems.field = "tokens"})

// -----

// expected-error@below {{expected ::cheems::StepField to be one of: tokens, segments, rows, logits, parameters, pools, workspace, embedding_rows, embeddings, step_logits, top_values, top_tokens, log_sums}}
// expected-error@below {{failed to parse Cheems_StepFieldAttr parameter 'value' which is to be a `::cheems::StepField`}}
func.func private @no_field(i32 {cheems.field = #cheems.step_field<token>})

// -----

// expected-error@below {{cheems.name of argument 1 is a name, not ""}}
func.func private @name(i32, i32 {cheems.name = ""})

// -----

// expected-error@below {{cheems.name of result 0 is a name, not 1 : i64}}
func.func private @result() -> (i32 {cheems.name = 1 : i64})

// -----

// expected-error@below {{has an attribute of result 0 that no pass knows: "cheems.field"}}
func.func private @result() -> (i32 {cheems.field = #cheems.step_field<logits>})

// -----

// expected-error@below {{cheems.index of argument 0 is an i64 of at least 0, not -1 : i64}}
func.func private @index(i32 {cheems.index = -1 : i64})

// -----

// expected-error@below {{has an attribute of argument 0 that no pass knows: "cheems.pool"}}
func.func private @argument(i32 {cheems.pool})
