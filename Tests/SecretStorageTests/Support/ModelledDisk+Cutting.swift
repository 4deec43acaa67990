import TestSupport

extension ModelledDisk {
  /// Returns the files that a power failure leaves after a number of changes.
  ///
  /// The odds, in quarters, are those of each change that is not durable; random ones by default.
  func files(
    cutAfter count: Int, of changes: [Change], odds: Int? = nil,
    using generator: inout SeededGenerator
  ) -> Files {
    var safe = start
    var data: [UInt64: [Change]] = [:]
    var names: [String: [Change]] = [:]
    for change in changes[..<count] {
      switch change {
      case .write(let inode, _, _), .truncate(let inode, _): data[inode, default: []].append(change)
      case .synchronize(let inode):
        for change in data[inode] ?? [] { safe.apply(change) }
        data[inode] = nil
      case .names(let directory, _): names[directory, default: []].append(change)
      case .synchronizeNames(let directory):
        for change in names[directory] ?? [] { safe.apply(change) }
        names[directory] = nil
      }
    }
    let pending =
      names.keys.sorted().flatMap { names[$0] ?? [] }
      + data.keys.sorted().flatMap { data[$0] ?? [] }
    let isTorn = odds == nil
    let odds = odds ?? Int.random(in: 0...4, using: &generator)
    for change in pending {
      if Int.random(in: 0..<4, using: &generator) < odds {
        safe.apply(change)
      } else if isTorn, Bool.random(using: &generator) {
        safe.tear(change, using: &generator)
      }
    }
    return safe
  }
}

extension ModelledDisk.Files {
  fileprivate mutating func apply(_ change: ModelledDisk.Change) {
    switch change {
    case .write(let inode, let offset, let bytes):
      var content = contents[inode] ?? []
      if content.count < offset + bytes.count {
        content += [UInt8](repeating: 0, count: offset + bytes.count - content.count)
      }
      content.replaceSubrange(offset..<(offset + bytes.count), with: bytes)
      contents[inode] = content
    case .truncate(let inode, let size):
      contents[inode] = Array((contents[inode] ?? []).prefix(size))
    case .names(let directory, let changed):
      for (name, inode) in changed { names[directory, default: [:]][name] = inode }
    case .synchronize, .synchronizeNames: break
    }
  }

  /// Applies part of a write: its size, and any of its sectors.
  fileprivate mutating func tear(
    _ change: ModelledDisk.Change, using generator: inout SeededGenerator
  ) {
    guard case .write(let inode, let offset, let bytes) = change else { return }
    let old = contents[inode] ?? []
    let isNoise = Bool.random(using: &generator)
    // The new size may appear without the data, or in part.
    let end = offset + bytes.count
    let size =
      Bool.random(using: &generator) ? end : Int.random(in: offset...end, using: &generator)
    var content = old
    while content.count < size {
      content.append(isNoise ? UInt8.random(in: .min ... .max, using: &generator) : 0)
    }
    let odds = Int.random(in: 0...3, using: &generator)
    var position = offset
    while position < min(end, content.count) {
      let next = min((position / 512 + 1) * 512, end, content.count)
      if Int.random(in: 0..<4, using: &generator) < odds {
        content.replaceSubrange(
          position..<next, with: bytes[(position - offset)..<(next - offset)])
      }
      position = next
    }
    contents[inode] = content
  }
}
