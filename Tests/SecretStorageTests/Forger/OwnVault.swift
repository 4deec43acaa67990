@testable import SecretStorage

/// An export by the format's page from the forger, who knows its keys and can seal any contents.
struct OwnVault {
  private let keys = ForgerKeys()
  private let identifier = [UInt8](repeating: 0xF7, count: 16)
  private let start: UInt64
  /// Changes the fields of tables, attributes and secrets before sealing.
  private let change: (inout [Field]) -> Void

  init(
    startingAt start: UInt64 = 1, changing change: @escaping (inout [Field]) -> Void = { _ in }
  ) { (self.start, self.change) = (start, change) }

  /// Returns a file with that many items, half of them in separate records.
  func file(items count: Int = 4) throws -> ForgedFile {
    let single = count / 2
    let groups = ((0..<single).map { [$0] } + [Array(single..<count)]).filter { !$0.isEmpty }
    let end = start + UInt64(groups.count) + 1
    var records: [[Field]] = []
    for _ in 0..<2 { records.append(try keyTable(end, after: records.last)) }
    for group in groups { records.append(try items(group, after: records.last)) }
    let header: [Field] = [
      .bytes("magic", Array("LocketV\n".utf8)), .number("version", 3, 4), .number("zero", 0, 4),
      .bytes("digest", [UInt8](repeating: 0, count: 16)),
    ]
    return ForgedFile(header: header, records: records)
  }

  private func head(_ kind: UInt8, after last: [Field]?) -> [Field] {
    let predecessor = last.map { ForgedFile.digest($0.encoded) } ?? [UInt8](repeating: 0, count: 32)
    return [
      .number("kind", kind, 1),
      .number("sequence", last.map { $0[number: "sequence"] &+ 1 } ?? start, 8),
      .bytes("predecessor", predecessor), .bytes("salt", [UInt8](repeating: kind, count: 32)),
    ]
  }

  private func keyTable(_ end: UInt64, after last: [Field]?) throws -> [Field] {
    var sections = [try keys.slot(in: identifier)]
    for (purpose, number) in [(1, 1), (2, 2), (3, 3), (64, 4), (65, 5)] as [(UInt8, UInt32)] {
      sections.append(try keys.key(number, purpose, in: identifier))
    }
    sections.append(ForgerKeys.section(16, .counted("end", [.number("end", end, 8)])))
    var table: [Field] = [.bytes("identifier", identifier), .list("sections", sections)]
    change(&table)
    var record = head(1, after: last)
    record += [
      .bytes("subject", [UInt8](repeating: 0xFF, count: 16)), .number("start", start, 8),
      .counted("table", table), .number("continuity count", 1, 1),
      .bytes("continuity", [UInt8](repeating: 0, count: 20)),
      .bytes("tag", [UInt8](repeating: 0, count: 16)),
    ]
    try keys.tag(&record)
    return record
  }

  private func items(_ numbers: [Int], after last: [Field]?) throws -> [Field] {
    var record = head(2, after: last)
    var attributes: [Field] = [
      .bytes("subject", [UInt8](repeating: 0xFF, count: 16)),
      .number("entry count", numbers.count, 4),
      .list("entries", numbers.map { entry($0, record[number: "sequence"]) }),
    ]
    change(&attributes)
    var entries = attributes["entries"].parts
    var secrets: [UInt8] = []
    for index in entries.indices { secrets += try seal(&entries[index].parts) }
    attributes["entries"].parts = entries
    var bytes = attributes.encoded
    bytes += [UInt8](repeating: 0, count: Self.padded(bytes.count) - bytes.count)
    record += [
      .number("attributes key", UInt32(4), 4), .number("attributes length", bytes.count, 4),
    ]
    let key = try keys.cipher.deriveKey(
      from: keys.secret(of: 4), salt: record["salt"].encoded[...], purpose: "locket attributes")
    let sealed = try keys.cipher.seal(
      Secret(bytes), with: key, authenticating: identifier + record.encoded)
    return record + [.bytes("attributes", sealed), .bytes("secrets", secrets)]
  }

  private func entry(_ number: Int, _ sequence: UInt64) -> Field {
    let name = [UInt8](repeating: UInt8(truncatingIfNeeded: number), count: 16)
    if number == 1 {
      // An item to remove, so that every operation occurs.
      return .list(
        "one of entries", .number("operation", 2, 1),
        .bytes("name", [UInt8](repeating: 0, count: 16)), .number("removed revision", 3, 8))
    }
    let purpose = UInt8(number % 2 + 1)
    let isInternet = number == 3
    let date = 1_700_000_000_000_000 + Int64(number)
    return .list(
      "one of entries", .number("operation", 1, 1), .bytes("name", name),
      .number("revision", sequence, 8), .number("created", date, 8), .number("modified", date, 8),
      .number("class", isInternet ? 2 : 1, 1), .number("accessibility", purpose, 1),
      .number("flags", 0, 4), .number("sealed revision", sequence, 8),
      .number("secret's key", purpose, 4), .number("sealed accessibility", purpose, 1),
      .bytes("secret's salt", [UInt8](repeating: 0x5A, count: 32)),
      .number("secret's length", 0, 4),
      .counted("item fields", .list("all item fields", itemFields(isInternet, number))))
  }

  private func itemFields(_ isInternet: Bool, _ number: Int) -> [Field] {
    let identity: [(UInt8, Field)] =
      isInternet
      ? [(3, .bytes("server", "server".utf8)), (7, .number("port", 8080, 2))]
      : [(1, .bytes("service", "campaign".utf8))]
    let others: [(UInt8, Field)] = [
      (2, .bytes("account", "own \(number)".utf8)), (16, .bytes("label", "label".utf8)),
      (19, .number("creator", 7, 4)), (21, .number("is invisible", 1, 1)),
    ]
    return (identity + others).map { tag, content in
      .list("one of item fields", .number("field", tag, 1), .counted("content", content))
    }
  }

  /// Seals the secret of an entry, and fills in its length.
  private func seal(_ entry: inout [Field]) throws -> [UInt8] {
    guard entry[number: "operation"] == 1 else { return [] }
    var secret: [Field] = [.counted("secret", "own secret".utf8)]
    change(&secret)
    var bytes = secret.encoded
    bytes += [UInt8](repeating: 0, count: Self.padded(bytes.count) - bytes.count)
    let names = ["name", "sealed revision", "secret's key", "sealed accessibility"]
    var context = identifier + names.flatMap { entry[$0].encoded }
    if entry[number: "flags"] != 0 { context += entry["flags"].encoded }
    let number = UInt32(truncatingIfNeeded: entry[number: "secret's key"])
    let key = try keys.cipher.deriveKey(
      from: keys.secret(of: number), salt: entry["secret's salt"].encoded[...],
      purpose: "locket secret")
    let sealed = try keys.cipher.seal(Secret(bytes), with: key, authenticating: context)
    if entry[number: "secret's length"] == 0 {
      entry[number: "secret's length"] = UInt64(sealed.count)
    }
    return sealed
  }

  private static func padded(_ count: Int) -> Int {
    let least = max(count, 64)
    let exponent = Int.bitWidth - 1 - least.leadingZeroBitCount
    let significant = Int.bitWidth - exponent.leadingZeroBitCount
    let unit = max(1 << (exponent - significant), 64)
    return (least + unit - 1) / unit * unit
  }
}
