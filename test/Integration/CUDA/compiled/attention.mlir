// Attention of prompts and of single rows, in the forms that have kernels of their own.

// Blocks of rows, queries in registers.
func.func @prompt(%q: tensor<?x4x64xf32>, %key: tensor<?x2x64xf32>, %value: tensor<?x2x64xf32>, %mask: tensor<?x2xf32>, %segments: tensor<?x8xi32>, %layer: index,
    %y: tensor<?x4x64xf32>, %keys: tensor<?x2x2x?x64xbf16>, %values: tensor<?x2x2x?x64xbf16>, %masks: tensor<?x2x2x?xf32>)
    -> (tensor<?x4x64xf32>, tensor<?x2x2x?x64xbf16>, tensor<?x2x2x?x64xbf16>, tensor<?x2x2x?xf32>) {
  %o:4 = cheems.segmented_attention bias scale 0.125 block 64
      ins(%q, %key, %value : tensor<?x4x64xf32>, tensor<?x2x64xf32>, tensor<?x2x64xf32>) mask(%mask : tensor<?x2xf32>) segments(%segments : tensor<?x8xi32>) layer(%layer)
      outs(%y, %keys, %values, %masks : tensor<?x4x64xf32>, tensor<?x2x2x?x64xbf16>, tensor<?x2x2x?x64xbf16>, tensor<?x2x2x?xf32>)
      -> tensor<?x4x64xf32>, tensor<?x2x2x?x64xbf16>, tensor<?x2x2x?x64xbf16>, tensor<?x2x2x?xf32>
  return %o#0, %o#1, %o#2, %o#3 : tensor<?x4x64xf32>, tensor<?x2x2x?x64xbf16>, tensor<?x2x2x?x64xbf16>, tensor<?x2x2x?xf32>
}

// Queries in shared memory; heads of no power of two.
func.func @shared_query(%q: tensor<?x2x96xf32>, %key: tensor<?x1x96xf32>, %value: tensor<?x1x96xf32>, %mask: tensor<?x2xf32>, %segments: tensor<?x8xi32>, %layer: index,
    %y: tensor<?x2x96xf32>, %keys: tensor<?x2x1x?x96xbf16>, %values: tensor<?x2x1x?x96xbf16>, %masks: tensor<?x2x2x?xf32>)
    -> (tensor<?x2x96xf32>, tensor<?x2x1x?x96xbf16>, tensor<?x2x1x?x96xbf16>, tensor<?x2x2x?xf32>) {
  %o:4 = cheems.segmented_attention bias scale 0.1 block 64
      ins(%q, %key, %value : tensor<?x2x96xf32>, tensor<?x1x96xf32>, tensor<?x1x96xf32>) mask(%mask : tensor<?x2xf32>) segments(%segments : tensor<?x8xi32>) layer(%layer)
      outs(%y, %keys, %values, %masks : tensor<?x2x96xf32>, tensor<?x2x1x?x96xbf16>, tensor<?x2x1x?x96xbf16>, tensor<?x2x2x?xf32>)
      -> tensor<?x2x96xf32>, tensor<?x2x1x?x96xbf16>, tensor<?x2x1x?x96xbf16>, tensor<?x2x2x?xf32>
  return %o#0, %o#1, %o#2, %o#3 : tensor<?x2x96xf32>, tensor<?x2x1x?x96xbf16>, tensor<?x2x1x?x96xbf16>, tensor<?x2x2x?xf32>
}

// Two warps share the columns of values, and exchange weights.
func.func @great(%q: tensor<?x1x192xf32>, %key: tensor<?x1x192xf32>, %value: tensor<?x1x192xf32>, %mask: tensor<?x1xf32>, %segments: tensor<?x8xi32>, %layer: index,
    %y: tensor<?x1x192xf32>, %keys: tensor<?x2x1x?x192xbf16>, %values: tensor<?x2x1x?x192xbf16>, %masks: tensor<?x2x1x?xf32>)
    -> (tensor<?x1x192xf32>, tensor<?x2x1x?x192xbf16>, tensor<?x2x1x?x192xbf16>, tensor<?x2x1x?xf32>) {
  %o:4 = cheems.segmented_attention bias scale 0.07 block 64
      ins(%q, %key, %value : tensor<?x1x192xf32>, tensor<?x1x192xf32>, tensor<?x1x192xf32>) mask(%mask : tensor<?x1xf32>) segments(%segments : tensor<?x8xi32>) layer(%layer)
      outs(%y, %keys, %values, %masks : tensor<?x1x192xf32>, tensor<?x2x1x?x192xbf16>, tensor<?x2x1x?x192xbf16>, tensor<?x2x1x?xf32>)
      -> tensor<?x1x192xf32>, tensor<?x2x1x?x192xbf16>, tensor<?x2x1x?x192xbf16>, tensor<?x2x1x?xf32>
  return %o#0, %o#1, %o#2, %o#3 : tensor<?x1x192xf32>, tensor<?x2x1x?x192xbf16>, tensor<?x2x1x?x192xbf16>, tensor<?x2x1x?xf32>
}

// Entries in f32.
func.func @exact_entries(%q: tensor<?x2x36xf32>, %key: tensor<?x1x36xf32>, %value: tensor<?x1x36xf32>, %mask: tensor<?x1xf32>, %segments: tensor<?x8xi32>, %layer: index,
    %y: tensor<?x2x36xf32>, %keys: tensor<?x2x1x?x36xf32>, %values: tensor<?x2x1x?x36xf32>, %masks: tensor<?x2x1x?xf32>)
    -> (tensor<?x2x36xf32>, tensor<?x2x1x?x36xf32>, tensor<?x2x1x?x36xf32>, tensor<?x2x1x?xf32>) {
  %o:4 = cheems.segmented_attention bias scale 0.125 block 64
      ins(%q, %key, %value : tensor<?x2x36xf32>, tensor<?x1x36xf32>, tensor<?x1x36xf32>) mask(%mask : tensor<?x1xf32>) segments(%segments : tensor<?x8xi32>) layer(%layer)
      outs(%y, %keys, %values, %masks : tensor<?x2x36xf32>, tensor<?x2x1x?x36xf32>, tensor<?x2x1x?x36xf32>, tensor<?x2x1x?xf32>)
      -> tensor<?x2x36xf32>, tensor<?x2x1x?x36xf32>, tensor<?x2x1x?x36xf32>, tensor<?x2x1x?xf32>
  return %o#0, %o#1, %o#2, %o#3 : tensor<?x2x36xf32>, tensor<?x2x1x?x36xf32>, tensor<?x2x1x?x36xf32>, tensor<?x2x1x?xf32>
}

// A row per sequence, its entries in pieces.
func.func @decode(%q: tensor<?x6x40xf32>, %key: tensor<?x2x40xf32>, %value: tensor<?x2x40xf32>, %mask: tensor<?x6xf32>, %segments: tensor<?x8xi32>, %layer: index,
    %y: tensor<?x6x40xf32>, %keys: tensor<?x2x2x?x40xbf16>, %values: tensor<?x2x2x?x40xbf16>, %masks: tensor<?x2x6x?xf32>)
    -> (tensor<?x6x40xf32>, tensor<?x2x2x?x40xbf16>, tensor<?x2x2x?x40xbf16>, tensor<?x2x6x?xf32>) {
  %o:4 = cheems.segmented_attention bias scale 0.125 block 64 one_row
      ins(%q, %key, %value : tensor<?x6x40xf32>, tensor<?x2x40xf32>, tensor<?x2x40xf32>) mask(%mask : tensor<?x6xf32>) segments(%segments : tensor<?x8xi32>) layer(%layer)
      outs(%y, %keys, %values, %masks : tensor<?x6x40xf32>, tensor<?x2x2x?x40xbf16>, tensor<?x2x2x?x40xbf16>, tensor<?x2x6x?xf32>)
      -> tensor<?x6x40xf32>, tensor<?x2x2x?x40xbf16>, tensor<?x2x2x?x40xbf16>, tensor<?x2x6x?xf32>
  return %o#0, %o#1, %o#2, %o#3 : tensor<?x6x40xf32>, tensor<?x2x2x?x40xbf16>, tensor<?x2x2x?x40xbf16>, tensor<?x2x6x?xf32>
}
