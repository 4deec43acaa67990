import Foundation
import KeychainCompatibility
import TestSupport
import Testing

/// Values of property lists that Foundation writes and reads in its own way.
final class FoundationValuesTests: DefaultsFileTests {
  /// Texts with each control character and noncharacter, and those that look like escapes.
  private static let texts: [String] = {
    let scalars = Array(0...0x20) + [0x7F, 0x85, 0x2028, 0xFEFF, 0xFFFE, 0xFFFF, 0x1FFFE]
    let characters = scalars.compactMap { Unicode.Scalar($0).map(String.init) }
    // Foundation drops a byte order mark at the start of a string.
    return characters.filter { $0 != "\u{FEFF}" } + characters.map { "a\($0)b" } + [
      "\r\n", "a\r\n\r\nb\n\rc", "$null", "$null:1", "$null:x", "$base64:", "$base64:YQBi",
      "$base64:JG51bGw=", "$base64:\u{301}", "<![CDATA[$null]]>", "]]>", "<&>\"'", "&#0;", "",
    ]
  }()

  /// Writes a file with each text as a value, as a key, and within other values.
  private func writeTexts(_ format: ListFormat) throws -> [String: String] {
    var values: [String: String] = [:]
    for (number, text) in Self.texts.enumerated() {
      values["value \(number)"] = text
      values[text] = "key \(number)"
    }
    let nested: [String: Any] = ["texts": Self.texts, "keys": values]
    try write((values as [String: Any]).merging(["nested": nested]) { $1 }, format, to: file)
    return values
  }

  private struct Nested: Codable {
    let texts: [String]
    let keys: [String: String]
  }

  private func expect(_ values: [String: String], in store: KeyValueStore) throws {
    for (key, text) in values {
      let read: String? = try store.value(of: key)
      #expect(read.map { Array($0.utf8) } == Array(text.utf8), "\(key.debugDescription)")
      #expect(StoredValue<String?>(key, in: store).wrappedValue == text)
    }
    let nested = try #require(try store.value(of: "nested", as: Nested.self))
    #expect(nested.texts.map { Array($0.utf8) } == Self.texts.map { Array($0.utf8) })
    #expect(nested.keys == values)
  }

  @Test(arguments: [ListFormat.xml, .binary])
  func importTakesTextAsFoundationDoes(_ format: ListFormat) throws {
    let values = try writeTexts(format)
    let report = try DefaultsMigration(into: store).run(propertyList: file, removingSource: true)
    #expect(report.refused == [:] && report.isSourceRemoved)
    try expect(values, in: store)
  }

  @Test(arguments: [KeyValueFormat.xml, .binary])
  func storeReadsTextAsFoundationDoes(_ format: KeyValueFormat) throws {
    let values = try writeTexts(format == .xml ? .xml : .binary)
    let store = KeyValueStore(propertyList: file, format: format)
    try expect(values, in: store)
    // Writing another key changes none of them.
    try store.set(true, for: "other")
    try expect(values, in: KeyValueStore(propertyList: file, format: format))
  }

  /// Foundation writes `<real>5</real>`, of which it reads a `Double`.
  @Test(arguments: [ListFormat.xml, .binary])
  func importTakesNumbersAsFoundationDoes(_ format: ListFormat) throws {
    var values: [String: any Sendable] = [
      "true": true, "one": 1, "smallest": Int.min, "largest": UInt64.max, "float": Float(1.1),
      "date": Date(timeIntervalSinceReferenceDate: -63_113_990_400),
    ]
    var random = Campaign.generator()
    var doubles: [Double] = [
      0, 5, -250, 1e15, 9_007_199_254_740_992, 1e16, 1e20, 0.1, .leastNonzeroMagnitude, .infinity,
      .nan,
    ]
    doubles += (0..<100).map { _ in Double(bitPattern: random.next()) }
    for (number, double) in doubles.enumerated() { values["\(number)"] = double }
    for target in KeyValueFormat.allCases {
      try write(values, format, to: file)
      let url = directory.url.appending(path: "\(target)")
      let store =
        target == .json
        ? KeyValueStore(json: url) : KeyValueStore(propertyList: url, format: target)
      let report = try DefaultsMigration(into: store).run(propertyList: file, removingSource: true)
      #expect(report.isSourceRemoved)
      for (number, double) in doubles.enumerated() {
        let read = try #require(try store.value(of: "\(number)", as: Double.self))
        #expect(double.isNaN ? read.isNaN : read.bitPattern == double.bitPattern, "\(double)")
      }
    }
  }

  @Test func nilOfFoundationIsNilWhereItIsNotText() throws {
    try encoded(["numbers": [1, nil, 3]], .xml).write(to: file)
    let store = KeyValueStore(propertyList: file)
    #expect(try store.value(of: "numbers") == [1, nil, 3] as [Int?])
    #expect(throws: KeyValueStoreError.self) { try store.value(of: "numbers", as: [Int].self) }
  }

  @Test func unreadableValueIsRefusedAlone() throws {
    // Foundation writes such dates, but does not read the file.
    let text = """
      <plist version="1.0"><dict><key>a</key><string>b</string><key>date</key>
      <date>2030437302-06-07T24:60:-2147483648Z</date></dict></plist>
      """
    try Data(text.utf8).write(to: file)
    for isDryRun in [true, false] {
      let report = try DefaultsMigration(into: store).run(
        propertyList: file, isDryRun: isDryRun, removingSource: true)
      #expect(report.imported == ["a"] && !report.isSourceRemoved)
      let reason = try #require(report.refused["date"])
      #expect(report.refused.count == 1 && reason.hasPrefix("It cannot be read: invalid"))
    }
    #expect(try store.keys() == ["a"])
    let list = KeyValueStore(propertyList: file)
    #expect(try list.value(of: "a") == "b")
    #expect(throws: KeyValueStoreError.self) { try list.value(of: "date", as: Date.self) }
  }

  @Test(arguments: [0, 2]) func versionOfTheStoreIsNotImported(_ version: Int) throws {
    try write(["$version": 7, "a": 1], to: file)
    let store = KeyValueStore(
      json: directory.url.appending(path: "versioned.json"), version: version)
    let report = try DefaultsMigration(into: store).run(propertyList: file)
    #expect(report.imported == ["a"] && Array(report.refused.keys) == ["$version"])
    #expect(try store.value(of: "a") == 1)
  }

  @Test func fileIsKeptIfFoundationCannotReadIt() throws {
    // Foundation refuses comments in text.
    let text = """
      <plist version="1.0"><dict><key>a</key><string>x<!-- y -->z</string></dict></plist>
      """
    try Data(text.utf8).write(to: file)
    let report = try DefaultsMigration(into: store).run(propertyList: file, removingSource: true)
    #expect(report.imported == ["a"] && !report.isSourceRemoved)
  }
}
