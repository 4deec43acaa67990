import CLibrary
import Dispatch
import FoundationEssentials
import StorageInternals
import TestSupport
import Testing

@testable import KeyValueStorage

/// A lock that is held by another process, which is stopped.
struct HeldLockTests {
  private let file: TestFile
  private let holder: SettingsChild

  init() throws {
    file = try TestFile()
    try file.overwrite("{\"number\": 41}")
    holder = try SettingsChild("hold", on: file, output: "\(file.directory)/holder")
    try holder.wait(for: "ready")
    holder.process.signal(SIGSTOP)
  }

  private var busy: KeyValueStoreError {
    .busy(path: "\(file.directory)/.settings.json.lock", holder: holder.process.identifier)
  }

  @Test func writesFailAtOnceAfterATimeoutUntilTheLockIsFree() throws {
    #expect(KeyValueStore().lockTimeout == .seconds(30))
    let store = file.open()
    let number = file.number(in: store)
    store.lockTimeout = .milliseconds(20)
    #expect(throws: busy) { try number.save(42) }
    // With this timeout, a call that waits does not end.
    store.lockTimeout = .seconds(100_000)
    #expect(throws: busy) { try store.set(1, for: "other") }
    #expect(throws: busy) { try store.remove("number") }
    #expect(throws: busy) { try store.transaction { number.wrappedValue = 1 } }
    number.wrappedValue = 43
    #expect(number.wrappedValue == 43)
    #expect(number.error == busy)
    number.wrappedValue += 1
    #expect(number.wrappedValue == 44)
    #expect(throws: busy) { try store.synchronize() }
    #expect("\(busy)".contains("\(file.directory)/.settings.json.lock"))
    #expect("\(busy)".contains("process \(holder.process.identifier)"))
    #expect(try file.text == "{\"number\": 41}")
    holder.kill()
    // The unsaved value is written as soon as the lock is free, without another call.
    try wait { number.error == nil }
    #expect(number.wrappedValue == 44)
    #expect(try file.values() == ["number": 44])
    try number.save(45)
  }

  @Test(arguments: [WritePolicy.durable, .coalesced(within: .milliseconds(1))])
  func readersDoNotWaitForAWaitingWriter(_ writes: WritePolicy) throws {
    let store = file.open(writes)
    let number = file.number(in: store)
    let other = StoredValue(wrappedValue: 0, "other", in: store)
    let hasWritten = DispatchSemaphore(value: 0)
    DispatchQueue(label: "writer").async {
      number.wrappedValue = 42
      do { try store.synchronize() } catch { Issue.record(error) }
      hasWritten.signal()
    }
    try wait { number.wrappedValue == 42 }
    for value in 1...5 {
      #expect(number.wrappedValue == 42)
      #expect(try number.load() == 42)
      #expect(other.wrappedValue == value - 1)
      #expect(other.isSet == (value > 1))
      #expect(try store.keys().contains("number"))
      #expect(try store.value(of: "number") == 42)
      // A store that reads for the first time.
      #expect(try file.open().value(of: "number") == 41)
      // Meanwhile, writes by other programs are visible.
      try FileSystem().replaceFile(
        at: file.path, with: Data("{\"number\": 41, \"other\": \(value)}".utf8))
      try wait { other.wrappedValue == value }
    }
    holder.kill()
    hasWritten.wait()
    #expect(number.error == nil)
    #expect(try file.values() == ["number": 42, "other": 5])
  }

  @Test func settingsAreReadBeforeTheirMigration() throws {
    let toOne = KeyValueMigration(to: 1) { settings in settings.rename("number", to: "count") }
    let store = file.open(version: 1, [toOne])
    let count = StoredValue(wrappedValue: 0, "count", in: store)
    #expect(count.wrappedValue == 41)
    #expect(try store.keys() == ["count"])
    #expect(try file.text == "{\"number\": 41}")
    holder.kill()
    count.wrappedValue += 1
    #expect(try file.text == "{\"count\": 42, \"$version\": 1}")
  }

  @Test func releasedStoreReportsAFailedWrite() throws {
    let before = ReportedFailures.count(of: busy)
    do {
      let store = file.open(.coalesced(within: .seconds(100_000)))
      store.lockTimeout = .zero
      file.number(in: store).wrappedValue = 1
    }
    // Another thread may hold the last reference for a moment.
    try wait { ReportedFailures.count(of: busy) > before }
    #expect(ReportedFailures.count(of: busy) == before + 1)
  }

  @Test func endOfAProcessReportsUnwrittenKeys() throws {
    let child = try SettingsChild("endBusy", on: file)
    try child.process.wait()
    let lines = try child.lines
    try #require(lines.count == 4, "\(lines)")
    for (number, line) in lines.dropFirst().enumerated() {
      #expect(line.contains("\"key \(number)\"") && line.contains(file.path), "\(line)")
      #expect(line.contains("process \(holder.process.identifier)"))
    }
    #expect(try file.text == "{\"number\": 41}")
  }
}
