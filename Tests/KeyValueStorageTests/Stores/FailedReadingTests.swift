import CLibrary
import Concurrency
import FoundationEssentials
import StorageInternals
import TestSupport
import Testing

@testable import KeyValueStorage

/// Reads that fail temporarily, and their effect on values that were not found.
struct FailedReadingTests {
  private static let codes = [EMFILE, ENFILE, EIO, ENOMEM, ESTALE]

  private func file(_ format: KeyValueFormat, _ number: Int) throws -> TestFile {
    try TestFile(format, inMemory: true, values: ["number": number])
  }

  private func write(_ number: Int, to file: TestFile) throws {
    try FileSystem().replaceFile(at: file.path, with: file.encoded(["number": number]))
  }

  /// Calls a closure with a property of a store for which one system call fails, for each call.
  ///
  /// Each call fails with another code and format, or in a campaign with each of them.
  private func atEachCall(
    _ check: (TestFile, StoredValue<Int>, FaultAtCall, Comment) throws -> Void
  ) throws {
    let formats = KeyValueFormat.allCases
    let kinds =
      Campaign.isFull
      ? formats.flatMap { format in Self.codes.map { ([format], [$0]) } } : [(formats, Self.codes)]
    for (formats, codes) in kinds {
      var index = 0
      try FaultAtCall.oneAfterAnother(codes) { fault in
        let file = try file(formats[index % formats.count], 41)
        let number = file.number(in: file.open(.durable, fault.fileSystem))
        try check(file, number, fault, "\(file.format) with error \(fault.code) at call \(index)")
        index += 1
      }
      #expect(index > 6)
    }
  }

  /// The error of the failed call.
  private func failure(of fault: FaultAtCall) throws -> KeyValueStoreError {
    let words = try #require(fault.failed).split(separator: " ", maxSplits: 1)
    return .system(call: "\(words[0])", path: "\(words[1])", code: fault.code)
  }

  @Test func failedCallOfTheFirstReadIsTemporary() throws {
    try atEachCall { file, number, fault, comment in
      let first = number.wrappedValue
      fault.disarm()
      if !fault.happened { #expect(first == 41, comment) }
      #expect(number.wrappedValue == 41, comment)
      #expect(number.error == nil, comment)
      number.wrappedValue += 1
      let values = try file.values()
      #expect(values == ["number": 42], comment)
    }
  }

  @Test func failedCallOfAnInPlaceChangeLosesNothing() throws {
    try atEachCall { file, number, fault, comment in
      number.wrappedValue += 1
      fault.disarm()
      // Changed, changed but not yet written, or rejected.
      #expect([41, 42].contains(number.wrappedValue), comment)
      if number.wrappedValue == 41 {
        // The value could be read again since.
        #expect(number.error == nil, comment)
        #expect(ReportedFailures.count(of: try failure(of: fault)) > 0, comment)
      }
      if !fault.happened { #expect(number.wrappedValue == 42, comment) }
      try number.store.synchronize()
      #expect(try file.values() == ["number": number.wrappedValue], comment)
    }
  }

  @Test(arguments: [false, true])
  func inPlaceChangeOfAnUnreadValueIsRefused(_ isKnownFromBefore: Bool) throws {
    let file = try file(.json, 41)
    let outage = Outage(of: .open, on: file.path, isOn: !isKnownFromBefore)
    let store = file.openUnobserved(.durable, outage.fileSystem)
    let number = file.number(in: store)
    let error = KeyValueStoreError.system(call: "open", path: file.path, code: EIO)
    if isKnownFromBefore {
      #expect(number.wrappedValue == 41)
      outage.begin()
      try write(50, to: file)
      #expect(throws: error) { try store.load() }
    }
    #expect(number.wrappedValue == (isKnownFromBefore ? 41 : 0))
    let before = ReportedFailures.count(of: error)
    for _ in 0..<3 { number.wrappedValue += 1 }
    #expect(number.error == error)
    #expect(ReportedFailures.count(of: error) >= before + 3)
    outage.end()
    let stored = isKnownFromBefore ? 50 : 41
    try store.synchronize()
    #expect(number.wrappedValue == stored)
    #expect(try file.values() == ["number": stored])
    #expect(number.error == nil)
    number.wrappedValue += 1
    #expect(number.error == nil)
    #expect(try file.values() == ["number": stored + 1])
  }

  /// Another thread may read the newest value while an older one is decoded for the change.
  @Test func inPlaceChangeOfAnOlderValueIsRefused() throws {
    let file = try file(.json, 41)
    let outage = Outage(of: .open, on: file.path, isOn: false)
    let store = file.openUnobserved(.durable, outage.fileSystem)
    try store.load()
    outage.begin()
    try write(50, to: file)
    #expect(throws: KeyValueStoreError.self) { try store.load() }
    // Made before the hook is set, because making a number calls it.
    let setting = StoredValue(wrappedValue: HookedNumber(rawValue: 0), "number", in: store)
    HookedNumber.onNextInit.withLock { hook in
      hook = {
        outage.end()
        do { try store.load() } catch { Issue.record(error) }
      }
    }
    setting.wrappedValue.rawValue += 1
    let error = KeyValueStoreError.system(call: "open", path: file.path, code: EIO)
    #expect(ReportedFailures.count(of: error) > 0)
    // The newest value could be read since.
    #expect(setting.error == nil && setting.wrappedValue.rawValue == 50)
    #expect(try file.values() == ["number": 50])
    setting.wrappedValue.rawValue += 1
    #expect(setting.error == nil)
    #expect(try file.values() == ["number": 51])
  }

  @Test func unsavedValueCanBeChangedInPlace() throws {
    let file = try TestFile()
    try file.overwrite("{")
    let number = file.number()
    number.wrappedValue = 5
    number.wrappedValue += 1
    #expect(number.wrappedValue == 6)
    try file.overwrite("{\"number\": 41, \"other\": 1}")
    try number.store.synchronize()
    #expect(try file.values() == ["number": 6, "other": 1])
  }

  @Test func inPlaceChangeOfAnotherTypeIsRefused() throws {
    let file = try TestFile()
    try file.overwrite("{\"list\": \"text\"}")
    let list = StoredValue(wrappedValue: [Int](), "list", in: file.open())
    list.wrappedValue.append(1)
    #expect(list.wrappedValue == [])
    let error = UndecodableValue(
      key: "list", type: "Array<Int>", reason: "expected an array", found: "\"text\"",
      place: file.place(1, 10))
    #expect(list.error == .undecodable(error))
    #expect(try file.text == "{\"list\": \"text\"}")
    list.wrappedValue = [1]
    list.wrappedValue.append(2)
    #expect(list.error == nil)
    #expect(try file.open().value(of: "list") == [1, 2])
  }

  @Test func setWithinARefusedInPlaceChangeIsWritten() throws {
    let file = try TestFile()
    try file.overwrite("{\"number\": \"text\"}")
    let number = file.number()
    let other = StoredValue(wrappedValue: 0, "other", in: number.store)
    func change(_ value: inout Int) {
      other.wrappedValue = 1
      value += 1
    }
    change(&number.wrappedValue)
    #expect(number.error != nil)
    #expect(try file.text == "{\n  \"number\": \"text\",\n  \"other\": 1\n}\n")
  }

  @Test func unreadableFileIsReadAndReportedOnce() throws {
    let file = try TestFile()
    try file.overwrite("{\"number\": ")
    let reads = CallCount(of: .read, on: file.path)
    let number = file.number(in: file.openUnobserved(.durable, reads.fileSystem))
    // The file is read again while it is not older than one tick of the clock.
    var count = -1
    while reads.value != count {
      count = reads.value
      #expect(number.wrappedValue == 0)
    }
    let error = try #require(number.error)
    for _ in 0..<100 { #expect(number.wrappedValue == 0) }
    #expect(throws: error) { try number.save(1) }
    #expect(reads.value == count)
    #expect(ReportedFailures.count(of: error) == 1)
    try file.overwrite("{\"number\": 41}")
    #expect(number.wrappedValue == 41)
  }

  /// If the kernel has no watches left, each access checks the file itself.
  @Test func unwatchedFileIsCheckedAtEachAccess() throws {
    let file = try file(.json, 1)
    let number = file.number(
      in: file.openPatiently(.durable, Outage(of: .inotify, code: EMFILE).fileSystem))
    for value in 1...5 {
      try write(value, to: file)
      #expect(number.wrappedValue == value)
    }
    // A file that is briefly missing or half written is not reported as a change.
    try FileSystem().unlink(file.path)
    #expect(number.wrappedValue == 5)
    try file.overwrite("<")
    #expect(number.wrappedValue == 5)
    #expect(number.error == nil)
    try write(6, to: file)
    #expect(number.wrappedValue == 6)
  }

  @Test func unwatchedFileThatStaysAbsentMeansTheDefault() throws {
    let file = try file(.json, 1)
    let number = file.number(in: file.open(.durable, Outage(of: .inotify, code: EMFILE).fileSystem))
    #expect(number.wrappedValue == 1)
    try FileSystem().unlink(file.path)
    try wait { number.wrappedValue == 0 }
    #expect(number.error == nil)
  }
}

/// A number that calls a closure once, when the next one is made, as by decoding.
private struct HookedNumber: RawRepresentable, Codable, Sendable {
  static let onNextInit = Lock<(@Sendable () -> Void)?>(nil)

  var rawValue: Int

  init(rawValue: Int) {
    self.rawValue = rawValue
    let hook = Self.onNextInit.withLock { $0.take() }
    hook?()
  }
}
