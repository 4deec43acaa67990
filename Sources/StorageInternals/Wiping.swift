import CLibrary

extension [UInt8] {
  /// Overwrites and removes the bytes, whose memory must have no other reference.
  package mutating func wipe() {
    // The optimizer does not remove calls to `explicit_bzero`.
    unsafe withUnsafeMutableBytes { unsafe overwrite($0) }
    self = []
  }
}

/// Overwrites 16 KiB of stack below the caller's frame, where old local variables may remain.
@inline(never) package func wipeReturnedFrames() {
  var frame = InlineArray<16384, UInt8>(repeating: 0)
  unsafe withUnsafeMutableBytes(of: &frame) { unsafe overwrite($0) }
}

private func overwrite(_ bytes: UnsafeMutableRawBufferPointer) {
  guard let start = bytes.baseAddress else { return }
  unsafe explicit_bzero(start, bytes.count)
}
