import TestSupport

@testable import SecretStorage

/// The forger's passphrase, the user key that it opens, and the keys of a forged vault.
struct ForgerKeys {
  static let passphrase = Secret("the forger's passphrase".utf8)

  let user = Secret([UInt8](repeating: 0xF0, count: 32))
  let cipher = MeasuredCipher()

  func slot(
    _ number: UInt32 = 99, named name: [UInt8] = Array("passphrase".utf8),
    cost: (logN: UInt8, r: UInt32, p: UInt32) = (14, 8, 1), salt: UInt8 = 0xF1,
    in identifier: [UInt8]
  ) throws -> Field {
    let salt = [UInt8](repeating: salt, count: 32)
    let stretched = try cipher.stretch(Self.passphrase, salt: salt[...], cost: .minimum)
    func derive(_ purpose: String) throws -> Secret {
      try cipher.deriveKey(from: stretched, salt: salt[...], purpose: purpose)
    }
    let check = try derive("locket passphrase check").bytes
    let sealed = try cipher.seal(
      user, with: derive("locket passphrase slot"), authenticating: identifier)
    return Self.section(
      1,
      .counted(
        "slot", .number("slot number", number, 4), .counted("slot name", name),
        .number("slot type", 2, 1), .number("log N", cost.logN, 1), .number("r", cost.r, 4),
        .number("p", cost.p, 4), .counted("slot salt", salt), .counted("check", check.prefix(16)),
        .counted("sealed user key", sealed)))
  }

  /// Returns a key of the table, sealed under the forger's user key.
  func key(_ number: UInt32, _ purpose: UInt8, in identifier: [UInt8]) throws -> Field {
    let head: [Field] = [.number("key number", number, 4), .number("purpose", purpose, 1)]
    let wrapping = Field.number("wrapping", 1, 1)
    let salt = [UInt8](repeating: purpose, count: 32)
    let outer = try cipher.deriveKey(from: user, salt: salt[...], purpose: "locket key")
    let sealed = try cipher.seal(
      secret(of: number), with: outer, authenticating: identifier + head.encoded + wrapping.encoded)
    let copy = Field.list(
      "one of copies", wrapping, .counted("copy salt", salt), .counted("sealed key", sealed))
    return Self.section(2, .counted("key", head + [.list("copies", copy)]))
  }

  func secret(of number: UInt32) -> Secret {
    Secret([UInt8](repeating: UInt8(truncatingIfNeeded: number), count: 32))
  }

  static func section(_ tag: UInt8, _ content: Field) -> Field {
    .list("one of sections", .number("section", tag, 1), content)
  }

  /// Computes the tags of a key table under the forger's user key, and under the forger's key that
  /// replaces the table's last key of purpose 65.
  func tag(_ record: inout [Field]) throws {
    let table = record["table"].parts
    let link = table["sections"].parts.map { $0.parts["key"].parts }
      .last { $0[number: "purpose"] == 65 }
    let number = UInt32(truncatingIfNeeded: link?[number: "key number"] ?? 0)
    let linkKey = try cipher.deriveKey(
      from: secret(of: number), salt: table["identifier"].encoded[...],
      purpose: "locket continuity")
    record[number: "continuity count"] = 1
    record["continuity"] = .list(
      "continuity", .number("link number", number, 4),
      .bytes("link tag", try tag(before: "continuity count", of: record, under: linkKey)))
    record["tag"] = .bytes("tag", try tag(before: "tag", of: record, under: user))
  }

  private func tag(before name: String, of record: [Field], under key: Secret) throws -> [UInt8] {
    let key = try cipher.deriveKey(
      from: key, salt: record["salt"].encoded[...], purpose: "locket key table")
    return try cipher.seal(
      Secret([]), with: key, authenticating: Array(record.prefix { $0.name != name }).encoded)
  }
}

/// A key table with the identifier and keys of a vault, and a slot of the forger's.
struct TableForgery {
  enum Slots: Int, CaseIterable { case forgedAlone, forgedFirst, forgedLast }
  enum Keys: Int, CaseIterable { case all, few, reordered, ownCopies, none }
  enum Tag: CaseIterable { case unchanged, zeros, underOwnKey }

  var slots = Slots.forgedAlone
  var keys = Keys.all
  var tag = Tag.underOwnKey

  /// Returns the fields of a table in a place of a file, which a closure may change before the tag.
  func record(
    from table: [Field], sequence: UInt64, start: UInt64, predecessor: [UInt8]?,
    _ change: (inout [Field]) -> Void = { _ in }
  ) throws -> [Field] {
    let forger = ForgerKeys()
    var record = table
    let content = record["table"].parts
    let identifier = content["identifier"].encoded
    let all = content["sections"].parts
    let forged = try forger.slot(in: identifier)
    let honest = all.filter { $0.parts[number: "section"] == 1 }
    var sections = all.filter { $0.parts[number: "section"] == 2 }
    let others = all.filter { $0.parts[number: "section"] > 2 }
    switch keys {
    case .all: break
    case .few: sections.removeLast(sections.count / 2)
    case .reordered: sections.reverse()
    case .ownCopies:
      sections = try sections.map { section in
        let key = section.parts["key"].parts
        return try forger.key(
          UInt32(key[number: "key number"]), UInt8(key[number: "purpose"]), in: identifier)
      }
    case .none: sections = []
    }
    switch slots {
    case .forgedAlone: sections.insert(forged, at: 0)
    case .forgedFirst: sections = [forged] + honest + sections
    case .forgedLast: sections = honest + [forged] + sections
    }
    record["table"].parts["sections"].parts = sections + others
    record[number: "sequence"] = sequence
    record[number: "start"] = start
    if let predecessor { record["predecessor"] = .bytes("predecessor", predecessor) }
    change(&record)
    switch tag {
    case .unchanged: break
    case .zeros: record["tag"] = .bytes("tag", [UInt8](repeating: 0, count: 16))
    case .underOwnKey: try forger.tag(&record)
    }
    return record
  }
}

extension TableForgery {
  init(using generator: inout SeededGenerator) {
    self.init(
      slots: generator.one(of: Slots.allCases), keys: generator.one(of: Keys.allCases),
      tag: generator.one(of: Tag.allCases))
  }
}
