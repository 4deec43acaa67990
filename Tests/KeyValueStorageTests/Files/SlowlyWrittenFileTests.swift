import CLibrary
import Concurrency
import FoundationEssentials
import StorageInternals
import TestSupport
import Testing

@testable import KeyValueStorage

/// A file that another program writes in steps, between which the store writes.
struct SlowlyWrittenFileTests {
  private static let short = WritePolicy.coalesced(within: .milliseconds(1))

  private let file: TestFile
  private let store: KeyValueStore
  private let number: StoredValue<Int>
  private let mine: StoredValue<Int>
  private let heard: HeardValues
  /// The new content of the file.
  private let content: Data
  /// The number of times that the store acquired the lock.
  private let locks = Lock(0)
  /// The content of the file each time that the store opened it.
  private let opened = Lock([Data]())

  /// Creates a store with a number in its file and no unsaved changes.
  private init(_ writes: WritePolicy, _ format: KeyValueFormat = .json) throws {
    file = try TestFile(format, values: ["number": 1, "other": 5])
    content = try file.encoded(["number": 2, "other": 6])
    let fileSystem = FileSystem { [locks, opened, file] call, path in
      if call == .flock { locks.withLock { $0 += 1 } }
      if call == .open, path == file.path {
        if let new = FileManager.default.contents(atPath: path) { opened.withLock { $0 += [new] } }
      }
      return nil
    }
    store = file.openPatiently(writes, fileSystem)
    number = file.number(in: store)
    mine = StoredValue(wrappedValue: 0, "mine", in: store)
    heard = HeardValues(of: number)
  }

  /// Overwrites the file as `>` does, and calls a closure several times before it is complete.
  private func writeSlowly(_ between: () throws -> Void) throws {
    let target = try FileSystem().open(file.path, O_WRONLY | O_TRUNC)
    try between()
    var position = 0
    // Text is complete without its last byte or two.
    let end = content.count - 4
    while position < end {
      let part = content[position..<min(position + content.count / 4, end)]
      try target.write(Array(part), at: position)
      position += part.count
      try between()
    }
    try target.write(Array(content[position...]), at: position)
  }

  /// Sets the property `mine` several times, and expects that the last value is written.
  private func setDuringASlowWrite(_ check: () throws -> Void) throws {
    var value = 0
    try writeSlowly {
      value += 1
      mine.wrappedValue = value
      try check()
      #expect(mine.wrappedValue == value)
      #expect(number.wrappedValue == 1)
    }
    #expect(value > 3)
    heard.wait(for: 2)
    // Unsaved values are written once the file is readable again, without another call.
    try wait { mine.error == nil }
    try expectFile(mine: value)
  }

  private func expectFile(mine: Int) throws {
    #expect(heard.all == [2])
    #expect(try file.values() == ["mine": mine, "number": 2, "other": 6])
    // A write in the background removes the replaced file last.
    try wait { try file.temporaryFiles == [] }
  }

  @Test(arguments: KeyValueFormat.allCases)
  static func coalescedWriteWaitsForACompleteFile(_ format: KeyValueFormat) throws {
    let test = try SlowlyWrittenFileTests(short, format)
    try test.setDuringASlowWrite {
      // The timer has fired, and the file was not valid.
      try wait { test.mine.error != nil }
      #expect(throws: KeyValueStoreError.self) { try test.store.synchronize() }
    }
  }

  @Test static func durableWriteOfAPartialFileIsKept() throws {
    let test = try SlowlyWrittenFileTests(.durable)
    try test.setDuringASlowWrite {
      #expect(test.mine.error != nil)
      #expect(throws: KeyValueStoreError.self) { try test.store.set(9, for: "never") }
    }
  }

  /// The program removes the file before it creates the new one.
  @Test(arguments: ["mv file away", "rm file"])
  static func coalescedWriteWaitsForARemovedFile(_ command: String) throws {
    let test = try SlowlyWrittenFileTests(short)
    let file = test.file
    try Shell.run(command.replacing("file", with: "'\(file.path)'"), in: file.directory)
    let before = test.locks.withLock { $0 }
    test.mine.wrappedValue = 1
    // The timer has fired.
    try wait { test.locks.withLock { $0 } > before }
    test.store.writeLock.withLock {}
    // Like git, which does not overwrite an existing file.
    let new = try FileSystem().open(file.path, O_WRONLY | O_CREAT | O_EXCL, mode: 0o644)
    try new.write(Array(test.content), at: 0)
    try FileSystem().unlink("\(file.directory)/away")
    _ = consume new
    test.heard.wait(for: 2)
    try wait { try file.open().value(of: "mine") == 1 }
    try test.expectFile(mine: 1)
  }

  private func openCount(of content: Data) -> Int { opened.withLock { $0.count { $0 == content } } }

  @Test static func briefEmptyOrPartialFileIsNoError() throws {
    let test = try SlowlyWrittenFileTests(.durable)
    for part in [test.content.prefix(0), test.content.prefix(test.content.count / 2)] {
      // The second read of this part begins after the first one has ended.
      for _ in 0..<2 {
        let before = test.openCount(of: part)
        try part.write(to: URL(filePath: test.file.path))
        try wait { test.openCount(of: part) > before }
      }
      #expect(test.number.error == nil)
      #expect(test.number.wrappedValue == 1)
    }
    try test.content.write(to: URL(filePath: test.file.path))
    test.heard.wait(for: 2)
    #expect(test.heard.all == [2])
  }
}
