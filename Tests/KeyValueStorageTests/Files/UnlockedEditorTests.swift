import CLibrary
import Concurrency
import StorageInternals
import TestSupport
import Testing

@testable import KeyValueStorage

/// A program that edits a file without the lock during a write of a store.
struct UnlockedEditorTests {
  enum Way: CaseIterable {
    case inPlace, rename, unlinkAndCreate

    func edit(_ file: BackendFile) throws {
      let content = try #require(try file.text()).replacing("edit=1", with: "edit=2")
      switch self {
      case .inPlace: try file.overwrite(content)
      case .rename: try file.replace(content)
      case .unlinkAndCreate:
        try FileSystem().unlink(file.path)
        try file.overwrite(content)
      }
    }
  }

  /// The edit precedes each system call of the write, one at a time.
  @Test(arguments: Way.allCases)
  func editDuringAWriteIsMerged(_ way: Way) throws {
    var index = 0
    while true {
      let file = try BackendFile()
      try file.replace("a=1\nedit=1\n")
      let calls = Lock(Int.min)
      let fileSystem = FileSystem { [index] _, _ in
        calls.withLock { $0 += 1 }
        guard calls.withLock({ $0 }) == index + 1 else { return nil }
        do { try way.edit(file) } catch { Issue.record(error) }
        return nil
      }
      let backend = file.open(fileSystem: fileSystem)
      _ = try backend.load()
      calls.withLock { $0 = 0 }
      try backend.set("a", "2")
      let hasEdited = calls.withLock { $0 } > index
      #expect(try file.text() == "a=2\nedit=\(hasEdited ? 2 : 1)\n", "before call \(index)")
      if !hasEdited { break }
      index += 1
    }
    #expect(index > 15)
  }

  /// Before the writer restores the edited file, the path has a value from before the edit.
  @Test(arguments: [false, true])
  func restoredFileDoesNotNotifyObserversAgain(isReplaced: Bool) throws {
    let file = try TestFile(values: ["edit": 1, "number": 1])
    let checks = CallCount(of: .stat, on: file.path)
    let endless = Duration.seconds(100_000)
    let backend = FileBackend(
      path: file.path, format: .json, fileSystem: checks.fileSystem, gracePeriod: endless)
    let store = KeyValueStore(backend, .durable, SettingsVersion(0, []), gracePeriod: endless)
    let heard = HeardValues(of: StoredValue(wrappedValue: 0, "edit", in: store))
    let heardNumber = HeardValues(of: file.number(in: store))

    let exchanges = Lock(0)
    let edited = Array(#"{"edit": 2, "number": 1}"#.utf8)
    let fileSystem = FileSystem { call, _ in
      do {
        switch (call, exchanges.withLock { $0 }) {
        case (.renameat2, 0):
          if isReplaced {
            try FileSystem().replaceFile(at: file.path, with: edited)
          } else {
            try FileSystem().open(file.path, O_WRONLY | O_TRUNC).write(edited, at: 0)
          }
          heard.wait(for: 2)
          exchanges.withLock { $0 = 1 }
        case (.open, 1):
          // After the exchange, the observing store checks the file until it is final.
          exchanges.withLock { $0 = 2 }
          let before = checks.value
          try wait { checks.value > before + 20 || heard.all.last == 1 }
        default: break
        }
      } catch {
        Issue.record(error)
      }
      return nil
    }
    let writer = FileBackend(path: file.path, format: .json, fileSystem: fileSystem)
    try writer.set("number", "2")
    heardNumber.wait(for: 2)
    store.finishHandlers()
    #expect(heard.all == [2])
    #expect(try file.values() == ["edit": 2, "number": 2])
    #expect(exchanges.withLock { $0 } == 2)
  }
}
