import CLibrary

/// A key, compared by its UTF-8 bytes, because a file may contain canonically equivalent keys.
package struct StoredKey: Sendable {
  package let string: String

  package init(_ string: String) {
    var string = string
    string.makeContiguousUTF8()
    self.string = string
  }

  var isASCII: Bool { string.utf8.allSatisfy { $0 < 0x80 } }

  private func withBytes<Result>(_ body: (UnsafeRawBufferPointer) -> Result) -> Result {
    // The bytes are not used after the closure returns, and the initializer made them contiguous.
    unsafe string.utf8.withContiguousStorageIfAvailable { bytes in
      unsafe body(UnsafeRawBufferPointer(bytes))
    }!
  }
}

extension StoredKey: Hashable, Comparable {
  package static func == (first: StoredKey, second: StoredKey) -> Bool {
    first.string.utf8.count == second.string.utf8.count && compare(first, second) == 0
  }

  package static func < (first: StoredKey, second: StoredKey) -> Bool {
    let order = compare(first, second)
    return order < 0 || order == 0 && first.string.utf8.count < second.string.utf8.count
  }

  package func hash(into hasher: inout Hasher) {
    unsafe withBytes { unsafe hasher.combine(bytes: $0) }
  }

  /// Compares the bytes up to the length of the shorter key.
  private static func compare(_ first: StoredKey, _ second: StoredKey) -> Int32 {
    unsafe first.withBytes { first in
      unsafe second.withBytes { second in
        let count = min(first.count, second.count)
        // An empty key has no address.
        if count == 0 { return 0 }
        return unsafe memcmp(first.baseAddress!, second.baseAddress!, count)
      }
    }
  }
}

/// A search for the key of a dictionary that a decoder takes for another one: that key itself, or
/// else the last canonically equivalent one in byte order.
struct KeySearch {
  private let key: StoredKey
  private let isASCII: Bool
  private var match: StoredKey?

  init(for key: StoredKey) {
    self.key = key
    isASCII = key.isASCII
  }

  var isOver: Bool { match == key }

  /// Returns whether the next key of the dictionary is a better match than those before it.
  mutating func isBest(_ next: StoredKey) -> Bool {
    guard next == key || !isASCII && next.string == key.string && (match.map { $0 < next } ?? true)
    else { return false }
    match = next
    return true
  }
}
