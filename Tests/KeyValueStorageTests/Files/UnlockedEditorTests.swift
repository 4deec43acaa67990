import CLibrary
import Concurrency
import StorageInternals
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
}
