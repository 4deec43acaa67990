import FoundationEssentials
import StorageInternals
import TestSupport
import Testing

@testable import KeyValueStorage
@testable import ValueFormats

/// Damaged files in all operations: properties with defaults, writes, moves, migrations, imports.
///
/// A rejected file remains unchanged; in an accepted one, no other key changes.
struct DamagedSettingsTests {
  /// An undamaged file with a value of each kind.
  private static func sound(_ format: KeyValueFormat) throws -> [UInt8] {
    let file = try TestFile(format)
    let store = file.open(version: 1, [])
    try store.transaction {
      try store.set(0.25, for: "volume")
      try store.set(["Nausicaä", "", "風"], for: "names")
      try store.set(Window(width: 100, title: "a <b> & \"c\""), for: "window")
      try store.set(Data([1, 2, 3]), for: "data")
      try store.set(Date(timeIntervalSinceReferenceDate: 0), for: "date")
      try store.set([[true]: [Int128.max], [false]: []], for: "numbers")
    }
    return try file.bytes
  }

  /// The value of each key as a string; nil for a rejected file.
  private func texts(of bytes: [UInt8], _ format: KeyValueFormat) -> [StoredKey: [UInt8]]? {
    do throws(FormatError) {
      let file = try format.coding.parse(bytes)
      return Dictionary(uniqueKeysWithValues: file.entries.map { ($0.key, Array($0.value)) })
    } catch {
      return nil
    }
  }

  @Test(arguments: KeyValueFormat.allCases)
  func damagedFilesAreRefusedOrKept(_ format: KeyValueFormat) throws {
    let sound = try Self.sound(format)
    let seed = Campaign.seed
    var damage = Damage(seed: seed, pieces: [sound])
    var (refused, read) = (0, 0)
    for number in 0..<Campaign.size(sample: 60, full: 50_000) {
      let bytes = number == 0 ? sound : damage.damaged(sound)
      let comment: Comment = "file \(number) of seed \(seed)"
      if let texts = texts(of: bytes, format) {
        read += 1
        try expectKept(texts, bytes, format, comment)
      } else if !bytes.isEmpty {
        refused += 1
        try expectRefused(bytes, format, comment)
      }
      try expectImported(bytes, comment)
    }
    #expect(read > 0 && refused > 0)
  }

  private func expectRefused(
    _ bytes: [UInt8], _ format: KeyValueFormat, _ comment: Comment
  ) throws {
    // A file of its own: a store that is being released would migrate the file's replacement.
    let file = try TestFile(format, inMemory: true)
    try FileSystem().replaceFile(at: file.path, with: bytes)
    let store = file.open(version: 2, [KeyValueMigration(to: 2) { $0.remove("volume") }])
    let volume = StoredValue(wrappedValue: 0.8, "volume", in: store)
    #expect(volume.wrappedValue == 0.8 && volume.error != nil, comment)
    #expect(throws: KeyValueStoreError.self, comment) { try volume.save(0.1) }
    #expect(throws: KeyValueStoreError.self, comment) { try store.keys() }
    #expect(try file.bytes == bytes, comment)
    let aside = try #require(try store.moveAsideUnreadableFile(), comment)
    #expect(try content(of: aside) == bytes, comment)
    try FileSystem().unlink(aside)
    try volume.save(0.1)
    #expect(try file.open().value(of: "volume") == 0.1, comment)
  }

  private func expectKept(
    _ texts: [StoredKey: [UInt8]], _ bytes: [UInt8], _ format: KeyValueFormat, _ comment: Comment
  ) throws {
    let file = try TestFile(format, inMemory: true)
    try FileSystem().replaceFile(at: file.path, with: bytes)
    let store = file.open()
    expectHonest("volume", 0.8, store, texts, comment)
    expectHonest("names", ["none"], store, texts, comment)
    expectHonest("window", Window(), store, texts, comment)
    expectHonest("data", Data(), store, texts, comment)
    expectHonest("date", Date.distantPast, store, texts, comment)
    expectHonest("numbers", [[Bool]: [Int128]](), store, texts, comment)
    try store.set(1, for: "added")
    var expected = texts
    var now = try #require(self.texts(of: file.bytes, file.format), comment)
    #expect(now.removeValue(forKey: StoredKey("added")) != nil, comment)
    expected[StoredKey("added")] = nil
    #expect(now == expected, comment)
    // A migration changes its own key, or nothing.
    let before = try file.bytes
    let migrated = file.open(
      version: 2, [KeyValueMigration(to: 2) { $0.rename("added", to: "new") }])
    do {
      #expect(try migrated.keys().contains("new"), comment)
      try migrated.synchronize()
      now = try #require(self.texts(of: file.bytes, file.format), comment)
      for key in ["new", "added", "$version"].map(StoredKey.init) {
        now[key] = nil
        expected[key] = nil
      }
      #expect(now == expected, comment)
    } catch let error as KeyValueStoreError {
      // The damage may be in the version itself.
      #expect(texts[StoredKey("$version")] != nil, "\(comment): \(error)")
      #expect(try file.bytes == before, comment)
    }
  }

  /// A property has its default without an error only if the file has no value for its key.
  private func expectHonest<Value: Codable & Equatable & Sendable>(
    _ key: String, _ value: Value, _ store: KeyValueStore, _ texts: [StoredKey: [UInt8]],
    _ comment: Comment
  ) {
    let property = StoredValue(wrappedValue: value, key, in: store)
    _ = property.wrappedValue
    if texts[StoredKey(key)] == nil {
      #expect(property.error == nil && !property.isSet, comment)
      return
    }
    #expect(property.isSet, comment)
    switch property.error {
    case nil, .undecodable: break
    case let error?: Issue.record("\(comment): \(error)")
    }
  }

  /// An import is complete, or imports nothing.
  private func expectImported(_ bytes: [UInt8], _ comment: Comment) throws {
    let file = try TestFile(.xml, inMemory: true)
    try FileSystem().replaceFile(at: file.path, with: bytes)
    let store = KeyValueStore()
    var imported: [String] = []
    do throws(KeyValueStoreError) {
      imported = try store.import(UserDefaultsFile(file.path)).imported
    } catch {
      #expect(!error.description.isEmpty)
    }
    #expect(try Set(store.keys()) == Set(imported), comment)
    #expect(try file.bytes == bytes, comment)
  }
}
