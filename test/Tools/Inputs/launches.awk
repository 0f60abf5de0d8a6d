# The launches of each function of a layer, of a module at the stage `launches`. Those that a step of one row does not have, of
# few splits, do not count.
/^  func\.func private @layer/ { sub(/\(.*/, ""); sub(/.*@/, ""); name = $0; count = normed = merged = coded = rounds = 0 }
/cheems_tile\.launch @normed_matmul/ { ++normed }
/cheems_tile\.launch @matmul_[a-z0-9_]*few_rows/ { next }
/cheems_tile\.launch @rms_norm/ && normed { --normed; next }
/cheems_tile\.launch @round_rows/ { ++rounds; next }
/cheems_tile\.launch @merged_matmul/ { ++merged; --count } # and the merge before it
/cheems_tile\.launch @(rounded_matmul_int._of_one_row|matmul_of_one_row)/ && merged { --merged; next }
/cheems_tile\.launch @(normed|merged|rounded)_matmul_int/ { ++coded }
/cheems_tile\.launch/ { ++count }
/^  }$/ && name { print name ": " count + (rounds > coded ? rounds - coded : 0); name = "" }
