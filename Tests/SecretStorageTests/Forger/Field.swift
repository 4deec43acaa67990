import TestSupport

/// A part of a record, named as on the format's page.
struct Field {
  indirect enum Content {
    case number(UInt64, width: Int)
    case bytes([UInt8])
    /// Fields behind their length as `u32`; `claim`, if any, replaces the length.
    case counted([Field], claim: UInt32?)
    /// Consecutive fields, such as the sections of a table.
    case list([Field])
  }

  let name: String
  var content: Content

  static func number(_ name: String, _ value: some FixedWidthInteger, _ width: Int) -> Field {
    Field(name: name, content: .number(UInt64(truncatingIfNeeded: value), width: width))
  }

  static func bytes(_ name: String, _ bytes: some Collection<UInt8>) -> Field {
    Field(name: name, content: .bytes(Array(bytes)))
  }

  static func counted(_ name: String, _ fields: [Field]) -> Field {
    Field(name: name, content: .counted(fields, claim: nil))
  }

  static func counted(_ name: String, _ fields: Field...) -> Field { counted(name, fields) }

  static func counted(_ name: String, _ bytes: some Collection<UInt8>) -> Field {
    counted(name, .bytes(name, bytes))
  }

  static func list(_ name: String, _ fields: [Field]) -> Field {
    Field(name: name, content: .list(fields))
  }

  static func list(_ name: String, _ fields: Field...) -> Field { list(name, fields) }

  var parts: [Field] {
    get {
      switch content {
      case .counted(let fields, _), .list(let fields): fields
      case .number, .bytes: []
      }
    }
    set {
      switch content {
      case .counted(_, let claim): content = .counted(newValue, claim: claim)
      case .list: content = .list(newValue)
      case .number, .bytes: break
      }
    }
  }

  var encoded: [UInt8] {
    switch content {
    case .number(let value, let width): return Self.littleEndian(value, width)
    case .bytes(let bytes): return bytes
    case .counted(let fields, let claim):
      let bytes = fields.encoded
      return Self.littleEndian(UInt64(claim ?? UInt32(bytes.count)), 4) + bytes
    case .list(let fields): return fields.encoded
    }
  }

  private static func littleEndian(_ value: UInt64, _ width: Int) -> [UInt8] {
    (0..<width).map { UInt8(truncatingIfNeeded: value >> UInt64(8 * $0)) }
  }
}

extension [Field] {
  var encoded: [UInt8] { reduce(into: []) { $0 += $1.encoded } }

  /// The first field with a name, at this level; empty bytes if there is none.
  subscript(name: String) -> Field {
    get { first { $0.name == name } ?? .bytes(name, []) }
    set {
      guard let index = firstIndex(where: { $0.name == name }) else { return }
      self[index] = newValue
    }
  }

  subscript(number name: String) -> UInt64 {
    get { if case .number(let value, _) = self[name].content { value } else { 0 } }
    set {
      guard case .number(_, let width) = self[name].content else { return }
      self[name].content = .number(newValue, width: width)
    }
  }

  /// Changes one random eligible field at any depth; returns false if there is none.
  @discardableResult
  mutating func changeOne(
    using generator: inout SeededGenerator, where isEligible: (Field) -> Bool,
    _ change: (inout Field, inout SeededGenerator) -> Void
  ) -> Bool {
    let count = count(isEligible)
    if count == 0 { return false }
    var number = Int.random(in: 0..<count, using: &generator)
    changeOne(at: &number, isEligible) { change(&$0, &generator) }
    return true
  }

  private func count(_ isEligible: (Field) -> Bool) -> Int {
    reduce(0) { $0 + (isEligible($1) ? 1 : 0) + $1.parts.count(isEligible) }
  }

  /// Changes the eligible field at an index, which counts down and ends negative.
  private mutating func changeOne(
    at number: inout Int, _ isEligible: (Field) -> Bool, _ body: (inout Field) -> Void
  ) {
    for index in indices where number >= 0 {
      if isEligible(self[index]) {
        number -= 1
        if number < 0 { return body(&self[index]) }
      }
      self[index].parts.changeOne(at: &number, isEligible, body)
    }
  }
}
