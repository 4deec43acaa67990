import CLibrary
import Concurrency
import FoundationEssentials
import StorageInternals
import TestSupport
import Testing

@testable import KeyValueStorage

/// Reads that fail temporarily, and their effect on values that were not found.
struct FailedReadingTests {
  private static let kinds = KeyValueFormat.allCases.flatMap { format in
    (Campaign.isFull ? [EMFILE, ENFILE, EIO, ENOMEM, ESTALE] : [EMFILE, EIO]).map { (format, $0) }
  }

  private func file(_ format: KeyValueFormat, _ number: Int) throws -> TestFile {
    let file = try TestFile(format, inMemory: true)
    try write(number, to: file)
    return file
  }

  private func write(_ number: Int, to file: TestFile) throws {
    try FileSystem().replaceFile(at: file.path, with: file.encoded(["number": number]))
  }

  private func open(_ file: TestFile, _ fileSystem: FileSystem) -> KeyValueStore {
    KeyValueStore(FileBackend(path: file.path, format: file.format, fileSystem: fileSystem))
  }

  @Test(arguments: kinds)
  func oneFailedCallOfTheFirstReadingPinsNothing(
    _ format: KeyValueFormat, _ code: Int32
  ) throws {
    for index in 0..<100 {
      let file = try file(format, 41)
      let fault = FaultAtCall(index, code: code)
      let number = StoredValue(wrappedValue: 0, "number", in: open(file, fault.fileSystem))
      let first = number.wrappedValue
      let comment = Comment("\(fault.failed ?? "no call") with error \(code)")
      if !fault.happened {
        #expect(first == 41)
        #expect(index > 5)
        return
      }
      #expect(number.wrappedValue == 41, comment)
      #expect(number.error == nil, comment)
      number.wrappedValue += 1
      #expect(try file.open().value(of: "number") == 42, comment)
    }
    Issue.record("There are ever more calls.")
  }

  @Test(arguments: kinds)
  func changeInPlaceIsTheFirstAccessThatReads(_ format: KeyValueFormat, _ code: Int32) throws {
    for index in 0..<100 {
      let file = try file(format, 41)
      let fault = FaultAtCall(index, code: code)
      let number = StoredValue(wrappedValue: 0, "number", in: open(file, fault.fileSystem))
      number.wrappedValue += 1
      fault.disarm()
      // Changed, changed but not yet written, or rejected.
      let comment = Comment("\(fault.failed ?? "no call") with error \(code)")
      #expect([41, 42].contains(number.wrappedValue), comment)
      if number.wrappedValue == 41 { #expect(number.error != nil, comment) }
      try number.store.synchronize()
      #expect(try file.open().value(of: "number") == number.wrappedValue, comment)
      if !fault.happened {
        #expect(number.wrappedValue == 42)
        return
      }
    }
    Issue.record("There are ever more calls.")
  }

  @Test(arguments: kinds, [false, true])
  func changeInPlaceOfAValueThatCannotBeReadIsRefusedAndTold(
    _ kind: (format: KeyValueFormat, code: Int32), _ isKnownFromBefore: Bool
  ) throws {
    let file = try file(kind.format, 41)
    let isFailing = Lock(!isKnownFromBefore)
    let store = open(
      file,
      FileSystem { [path = file.path] call, opened in
        call == .open && opened == path && isFailing.withLock { $0 } ? kind.code : nil
      })
    let number = StoredValue(wrappedValue: 0, "number", in: store)
    let error = KeyValueStoreError.system(call: "open", path: file.path, code: kind.code)
    if isKnownFromBefore {
      #expect(number.wrappedValue == 41)
      isFailing.withLock { $0 = true }
      try write(50, to: file)
      #expect(throws: error) { try store.load() }
    }
    #expect(number.wrappedValue == (isKnownFromBefore ? 41 : 0))
    let told = ReportedFailures.count(of: error)
    for _ in 0..<3 { number.wrappedValue += 1 }
    #expect(number.error == error)
    #expect(ReportedFailures.count(of: error) >= told + 3)

    isFailing.withLock { $0 = false }
    let stored = isKnownFromBefore ? 50 : 41
    try store.synchronize()
    #expect(number.wrappedValue == stored)
    #expect(try file.open().value(of: "number") == stored)
    number.wrappedValue += 1
    #expect(number.error == nil)
    #expect(try file.open().value(of: "number") == stored + 1)
  }

  @Test func ownValueThatIsNotWrittenYetCanBeChangedInPlace() throws {
    let file = try TestFile()
    try file.overwrite("{")
    let number = StoredValue(wrappedValue: 0, "number", in: file.open())
    number.wrappedValue = 5
    number.wrappedValue += 1
    #expect(number.wrappedValue == 6)
    try file.overwrite("{\"number\": 41}")
    try number.store.synchronize()
    #expect(try file.open().value(of: "number") == 6)
  }

  @Test func changeInPlaceOfAValueOfAnotherTypeIsRefusedAndTold() throws {
    let file = try TestFile()
    try file.overwrite("{\"list\": \"text\"}")
    let list = StoredValue(wrappedValue: [Int](), "list", in: file.open())
    list.wrappedValue.append(1)
    #expect(list.wrappedValue == [])
    guard case .undecodable(let value) = list.error, value.key == "list" else {
      Issue.record("\(String(describing: list.error))")
      return
    }
    #expect(try file.text == "{\"list\": \"text\"}")
    list.wrappedValue = [1]
    list.wrappedValue.append(2)
    #expect(list.error == nil)
    #expect(try file.open().value(of: "list") == [1, 2])
  }

  @Test func fileThatIsItselfAtFaultIsReadOnceAndToldOnce() throws {
    let file = try TestFile()
    try file.overwrite("{\"number\": ")
    let reads = CallCount(of: .read, on: file.path)
    let number = StoredValue(wrappedValue: 7, "number", in: open(file, reads.fileSystem))
    // The file is read again while it is not older than one tick of the clock.
    var count = -1
    while reads.value != count {
      count = reads.value
      #expect(number.wrappedValue == 7)
      usleep(20_000)
    }
    let error = try #require(number.error)
    let told = ReportedFailures.count(of: error)
    for _ in 0..<100 { #expect(number.wrappedValue == 7) }
    #expect(reads.value == count)
    #expect(told == 1)
    #expect(ReportedFailures.count(of: error) == 1)
    try file.overwrite("{\"number\": 41}")
    #expect(number.wrappedValue == 41)
  }

  /// If the kernel has no watches left, each access checks the file itself.
  @Test(arguments: KeyValueFormat.allCases)
  func storeThatHearsNothingLooksItself(_ format: KeyValueFormat) throws {
    let file = try file(format, 1)
    let store = open(file, FileSystem { call, _ in call == .inotify ? EMFILE : nil })
    let number = StoredValue(wrappedValue: 0, "number", in: store)
    for value in 1...20 {
      try write(value, to: file)
      #expect(number.wrappedValue == value)
    }
    // A file that is briefly missing or half written is not reported as a change.
    try FileSystem().unlink(file.path)
    #expect(number.wrappedValue == 20)
    try file.overwrite("<")
    #expect(number.wrappedValue == 20)
    try write(21, to: file)
    #expect(number.wrappedValue == 21)
    try FileSystem().unlink(file.path)
    try wait { number.wrappedValue == 0 }
    #expect(number.error == nil)
  }
}
