/// A name that is stored in escaped form in a keyring file.
///
/// Each UTF-8 byte that is not an ASCII letter or digit is escaped as `_` and two hexadecimal
/// digits.
struct EscapedName {
  private static let digits = Array("0123456789ABCDEF".utf8)
  /// The maximum number of combinations of uppercase letters, which take about a second to try.
  private static let variantLimit = 1 << 16

  /// The unescaped bytes in UTF-8.
  let bytes: [UInt8]

  /// Unescapes a name; returns nil if an escape sequence is invalid or the bytes are not UTF-8.
  init?(_ escaped: String) {
    var bytes: [UInt8] = []
    var rest = Array(escaped.utf8)[...]
    while let byte = rest.popFirst() {
      if byte == UInt8(ascii: "_") {
        guard let high = rest.popFirst()?.hexadecimal, let low = rest.popFirst()?.hexadecimal else {
          return nil
        }
        bytes.append(high << 4 | low)
      } else {
        bytes.append(byte)
      }
    }
    guard String(validating: bytes, as: UTF8.self) != nil else { return nil }
    self.bytes = bytes
  }

  init(bytes: [UInt8]) { self.bytes = bytes }

  var string: String { String(decoding: bytes, as: UTF8.self) }

  /// The escaped name, as `keyrings.cryptfile` writes it before it converts option names to
  /// lowercase.
  var escaped: [UInt8] {
    var escaped: [UInt8] = []
    escaped.reserveCapacity(bytes.count)
    for byte in bytes {
      if byte.isAlphanumeric {
        escaped.append(byte)
      } else {
        escaped += [UInt8(ascii: "_"), Self.digits[Int(byte >> 4)], Self.digits[Int(byte & 0xf)]]
      }
    }
    return escaped
  }

  /// The possible original names of this lowercase name.
  ///
  /// A configuration file stores option names in lowercase. The sequence begins with the name in
  /// uppercase and the name with capitalized words. Up to 65,536 names follow, with an increasing
  /// number of uppercase letters. For a name of more than 1,024 bytes, the sequence contains only
  /// the name itself. The same name may occur more than once.
  var caseVariants: some Sequence<EscapedName> {
    let bytes = bytes.count > 1024 ? [] : bytes
    let letters = bytes.indices.filter { bytes[$0].isLetter }
    let initials = letters.filter { $0 == 0 || !bytes[$0 - 1].isAlphanumeric }
    let combinations = (0...letters.count).lazy
      .flatMap { CombinationSequence(of: letters, taking: $0) }.prefix(Self.variantLimit)
    return [AnySequence([letters, initials]), AnySequence(combinations)].lazy.joined()
      .map(capitalizing)
  }

  private func capitalizing(_ indices: [Int]) -> EscapedName {
    var bytes = bytes
    for index in indices { bytes[index] &= 0xdf }
    return EscapedName(bytes: bytes)
  }
}

extension UInt8 {
  fileprivate var hexadecimal: UInt8? {
    if isDigit { return self - UInt8(ascii: "0") }
    let lower = self | 0x20
    return (UInt8(ascii: "a")...UInt8(ascii: "f")).contains(lower)
      ? lower - UInt8(ascii: "a") + 10 : nil
  }
}

/// The combinations of a given number of elements, in lexicographic order.
private struct CombinationSequence: Sequence, IteratorProtocol {
  private let elements: [Int]
  /// The indices of the elements of the next combination; nil at the end.
  private var indices: [Int]?

  init(of elements: [Int], taking count: Int) {
    self.elements = elements
    indices = count <= elements.count ? Array(0..<count) : nil
  }

  mutating func next() -> [Int]? {
    guard let chosen = indices else { return nil }
    let last = chosen.indices.last { chosen[$0] < elements.count - chosen.count + $0 }
    // Increments the last index that can be incremented, and lets the later ones follow it.
    indices = last.map { last in
      Array(chosen[..<last]) + (last..<chosen.count).map { chosen[last] + 1 + $0 - last }
    }
    return chosen.map { elements[$0] }
  }
}
