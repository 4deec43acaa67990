/// A name in a keyring file: letters and digits, and `_` with two hexadecimal digits for each other
/// byte of UTF-8.
struct EscapedName {
  /// The bytes of the name, in the case of the file.
  let bytes: [UInt8]

  /// Reads a name; nil if an escape is invalid or the bytes are not UTF-8.
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

  init(bytes: [UInt8]) {
    self.bytes = bytes
  }

  var text: String { String(decoding: bytes, as: UTF8.self) }

  /// The escaped name, in its original case.
  var escaped: [UInt8] {
    var escaped: [UInt8] = []
    escaped.reserveCapacity(bytes.count)
    for byte in bytes {
      if byte.isAlphanumeric {
        escaped.append(byte)
      } else {
        escaped += [
          UInt8(ascii: "_"), Self.digits[Int(byte >> 4)], Self.digits[Int(byte & 0xf)],
        ]
      }
    }
    return escaped
  }

  private static let digits = Array("0123456789ABCDEF".utf8)

  /// The names that differ from this one only in the case of letters, the likelier ones first.
  ///
  /// A configuration file does not keep upper case in option names. There are no spellings for a
  /// name that is longer than the usual names of people and services.
  var spellings: some Sequence<EscapedName> {
    let bytes = bytes.count > Self.countLimit ? [] : bytes
    let letters = bytes.indices.filter { bytes[$0].isLetter }
    let beginnings = letters.filter { $0 == 0 || !bytes[$0 - 1].isAlphanumeric }
    let choices = (0...letters.count).lazy.flatMap { count in
      CombinationSequence(of: letters, taking: count)
    }
    let likely = [letters, beginnings]
    return [AnySequence(likely), AnySequence(choices.prefix(Self.limit))].lazy.joined().map(raising)
  }

  /// The maximum length, in bytes, of a name with other spellings.
  private static let countLimit = 1024

  /// The maximum number of spellings, which take about a second to try.
  private static let limit = 1 << 16

  private func raising(_ indices: [Int]) -> EscapedName {
    var bytes = bytes
    for index in indices { bytes[index] &= 0xdf }
    return EscapedName(bytes: bytes)
  }
}

/// The combinations of a number of elements of a list.
private struct CombinationSequence: Sequence, IteratorProtocol {
  private let elements: [Int]
  private var chosen: [Int]?

  init(of elements: [Int], taking count: Int) {
    self.elements = elements
    chosen = count <= elements.count ? Array(0..<count) : nil
  }

  mutating func next() -> [Int]? {
    guard var places = chosen else { return nil }
    defer {
      let last = places.indices.last { places[$0] < elements.count - places.count + $0 }
      if let last {
        places[last] += 1
        for index in places.indices where index > last { places[index] = places[index - 1] + 1 }
        chosen = places
      } else {
        chosen = nil
      }
    }
    return places.map { elements[$0] }
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
