import CLibrary
import Concurrency
import StorageInternals
import TestSupport
import Testing

@testable import KeyValueStorage

/// A program that edits a file without the lock during a write of a store.
struct UnlockedEditorTests {
  /// The edit precedes each system call of the write, one at a time.
  @Test(arguments: EditingWay.allCases)
  func editDuringAWriteIsMerged(_ way: EditingWay) throws {
    for index in 0... {
      let file = try BackendFile()
      try file.replace("a=1\nedit=1\n")
      let calls = Lock(Int.min)
      let fileSystem = FileSystem.recording { [index] _, _ in
        calls.withLock { $0 += 1 }
        guard calls.withLock({ $0 }) == index + 1 else { return nil }
        let content = try #require(try file.text()).replacing("edit=1", with: "edit=2")
        try way.write(content.utf8, to: file.path)
        return nil
      }
      let backend = file.open(fileSystem: fileSystem)
      _ = try backend.load()
      calls.withLock { $0 = 0 }
      try backend.set("a", "2")
      let hasEdited = calls.withLock { $0 } > index
      #expect(try file.text() == "a=2\nedit=\(hasEdited ? 2 : 1)\n", "before call \(index)")
      if !hasEdited { return #expect(index > 15) }
    }
  }

  /// Before the writer restores the edited file, the path has a value from before the edit.
  @Test(arguments: [false, true])
  func restoredFileDoesNotNotifyObserversAgain(isReplaced: Bool) throws {
    let file = try TestFile(values: ["edit": 1, "number": 1])
    let checks = CallCount(of: .stat, on: file.path)
    let store = file.openPatiently(
      .durable, checks.fileSystem, patienceOfBackend: .seconds(100_000))
    let heard = HeardValues(of: StoredValue(wrappedValue: 0, "edit", in: store))
    let heardNumber = HeardValues(of: file.number(in: store))
    let exchanges = Lock(0)
    let edited = Array(#"{"edit": 2, "number": 1}"#.utf8)
    let fileSystem = FileSystem.recording { call, _ in
      switch (call, exchanges.withLock { $0 }) {
      case (.renameat2, 0):
        try (isReplaced ? EditingWay.rename : .inPlace).write(edited, to: file.path)
        heard.wait(for: 2)
        exchanges.withLock { $0 = 1 }
      case (.open, 1):
        // After the exchange, the observing store checks the file until it is final.
        exchanges.withLock { $0 = 2 }
        let before = checks.value
        try wait { checks.value > before + 20 || heard.all.last == 1 }
      default: break
      }
      return nil
    }
    try FileBackend(path: file.path, format: .json, fileSystem: fileSystem).set("number", "2")
    heardNumber.wait(for: 2)
    store.finishHandlers()
    #expect(heard.all == [2])
    #expect(try file.values() == ["edit": 2, "number": 2])
    #expect(exchanges.withLock { $0 } == 2)
  }
}
