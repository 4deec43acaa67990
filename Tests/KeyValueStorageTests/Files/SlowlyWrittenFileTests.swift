import CLibrary
import Concurrency
import FoundationEssentials
import StorageInternals
import TestSupport
import Testing

@testable import KeyValueStorage

/// A file that another program writes in steps, between which the store writes.
struct SlowlyWrittenFileTests {
  private let file: TestFile
  private let store: KeyValueStore
  private let number: StoredValue<Int>
  private let mine: StoredValue<Int>
  private let heard = Heard<Int>()
  /// The number of times that the store acquired the lock.
  private let turns = Lock(0)
  /// The number of times that the store opened the file.
  private let looks = Lock(0)

  /// Creates a store with a number in its file and no unsaved changes.
  private init(_ format: KeyValueFormat, _ writes: WritePolicy) throws {
    file = try TestFile(format)
    try file.encoded(["number": 1, "other": 5]).write(to: URL(filePath: file.path))
    let fileSystem = FileSystem { [turns, looks, path = file.path] call, opened in
      if call == .flock { turns.withLock { $0 += 1 } }
      if call == .open, opened == path { looks.withLock { $0 += 1 } }
      return nil
    }
    store = file.openPatiently(writes, fileSystem)
    number = StoredValue(wrappedValue: 0, "number", in: store)
    mine = StoredValue(wrappedValue: 0, "mine", in: store)
  }

  /// Overwrites the file as `>` does, and calls a closure several times before it is complete.
  private static func writeSlowly(
    _ content: Data, to path: String, _ between: () throws -> Void
  ) throws {
    let fileSystem = FileSystem()
    let file = try fileSystem.open(path, O_WRONLY | O_CREAT | O_TRUNC, mode: 0o644)
    try between()
    var position = 0
    // Text is complete without its last byte or two.
    let end = content.count - 4
    while position < end {
      let part = content[position..<min(position + content.count / 4, end)]
      try file.write(part, at: position)
      position += part.count
      try between()
    }
    try file.write(content[position...], at: position)
  }

  @Test(arguments: KeyValueFormat.allCases)
  static func coalescedWritesWaitForTheRest(_ format: KeyValueFormat) throws {
    try SlowlyWrittenFileTests(format, .coalesced(within: .milliseconds(1))).writesWait()
  }

  private func writesWait() throws {
    let observation = number.observe { heard.hear($1) }
    let content = try file.encoded(["number": 2, "other": 6])
    var value = 0
    try Self.writeSlowly(content, to: file.path) {
      value += 1
      mine.wrappedValue = value
      // The timer has fired, and the file was not valid.
      try wait { mine.error != nil }
      #expect(mine.wrappedValue == value)
      #expect(throws: KeyValueStoreError.self) { try store.synchronize() }
      #expect(number.wrappedValue == 1)
    }
    #expect(value > 3)
    heard.wait(for: 2)
    try wait { mine.error == nil }
    try store.synchronize()
    #expect(heard.all == [2])
    try expectFile(["mine": value, "number": 2, "other": 6])
    observation.cancel()
  }

  /// The program removes the file before it creates the new one.
  @Test(arguments: KeyValueFormat.allCases, ["mv file away", "rm file"])
  static func coalescedWritesWaitForAFileThatWasTakenAway(
    _ format: KeyValueFormat, _ command: String
  ) throws {
    try SlowlyWrittenFileTests(format, .coalesced(within: .milliseconds(1)))
      .writesWaitForTheFile(command)
  }

  private func writesWaitForTheFile(_ command: String) throws {
    let observation = number.observe { heard.hear($1) }
    let script = command.replacing("file", with: "'\(file.path)'")
    try Shell.run(script, in: file.directory)
    let before = turns.withLock { $0 }
    mine.wrappedValue = 1
    // The timer has fired.
    try wait { turns.withLock { $0 } > before }
    store.writeLock.withLock {}
    let content = try file.encoded(["number": 2, "other": 6])
    // Like git, which does not overwrite an existing file.
    let new = try FileSystem().open(file.path, O_WRONLY | O_CREAT | O_EXCL, mode: 0o644)
    try new.write(content, at: 0)
    try FileSystem().unlink("\(file.directory)/away")
    _ = consume new
    heard.wait(for: 2)
    try wait { try file.open().value(of: "mine") == 1 }
    #expect(heard.all == [2])
    try expectFile(["mine": 1, "number": 2, "other": 6])
    observation.cancel()
  }

  @Test(arguments: KeyValueFormat.allCases)
  static func fileThatIsEmptyOrHalfWrittenForAMomentIsNoError(_ format: KeyValueFormat) throws {
    try SlowlyWrittenFileTests(format, .durable).momentIsNoError()
  }

  private func momentIsNoError() throws {
    let observation = number.observe { heard.hear($1) }
    let content = try file.encoded(["number": 2, "other": 6])
    for part in [content.prefix(0), content.prefix(content.count / 2)] {
      // The second read begins after the first one has ended.
      for _ in 0..<2 {
        let before = looks.withLock { $0 }
        try part.write(to: URL(filePath: file.path))
        try wait { looks.withLock { $0 } > before }
      }
      #expect(number.error == nil)
      #expect(number.wrappedValue == 1)
    }
    try content.write(to: URL(filePath: file.path))
    heard.wait(for: 2)
    #expect(heard.all == [2])
    observation.cancel()
  }

  @Test(arguments: KeyValueFormat.allCases)
  static func durableWritesOfAHalfWrittenFileAreKept(_ format: KeyValueFormat) throws {
    try SlowlyWrittenFileTests(format, .durable).durableWritesAreKept()
  }

  private func durableWritesAreKept() throws {
    let observation = number.observe { heard.hear($1) }
    let content = try file.encoded(["number": 2, "other": 6])
    var value = 0
    try Self.writeSlowly(content, to: file.path) {
      value += 1
      mine.wrappedValue = value
      #expect(mine.error != nil)
      #expect(throws: KeyValueStoreError.self) { try store.set(9, for: "never") }
    }
    heard.wait(for: 2)
    // Unsaved values are written once the file is readable again, without another call.
    try wait { mine.error == nil }
    #expect(heard.all == [2])
    try expectFile(["mine": value, "number": 2, "other": 6])
    observation.cancel()
  }

  private func expectFile(_ expected: [String: Int]) throws {
    let store = file.open()
    var found: [String: Int] = [:]
    for key in try store.keys() { found[key] = try store.value(of: key) }
    #expect(found == expected)
    // A write in the background removes the replaced file last.
    try wait { try file.temporaryFiles == [] }
  }
}
