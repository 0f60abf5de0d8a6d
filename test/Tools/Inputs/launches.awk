# The launches of each function of a layer, of a module at the stage `launches`.
/^  func\.func private @layer/ { sub(/\(.*/, ""); sub(/.*@/, ""); name = $0; count = 0 }
/cheems_tile\.launch/ { ++count }
/^  }$/ && name { print name ": " count; name = "" }
