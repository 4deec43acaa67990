import CLibrary
import Concurrency
import FoundationEssentials
import StorageInternals
import Testing

@testable import KeyValueStorage
@testable import ValueFormats

@Suite(.timeLimit(.minutes(30))) struct FileBackendWritingTests {
  let file: BackendFile
  init() throws { file = try BackendFile() }

  @Test func newFileAndDirectoriesAreForTheirOwnerAlone() throws {
    let path = file("a/b/settings")
    let backend = file.open(path)
    #expect(try backend.set("k", "v").texts == ["k": "v"])
    #expect(try file.text(of: path) == "k=v\n")
    #expect(try FileSystem().status(of: path)?.permissions == 0o600)
    for directory in ["a", "a/b"] {
      #expect(try FileSystem().status(of: file(directory))?.permissions == 0o700)
    }
    #expect(try FileSystem().entries(of: file("a/b")).sorted() == [".settings.lock", "settings"])
  }

  @Test func otherKeysTheirSpellingAndTheHeaderStay() throws {
    try file.replace("# by hand\nz=1.0\nb=1e3\n")
    let backend = file.open()
    try backend.set("m", "new")
    #expect(try file.text() == "# by hand\nb=1e3\nm=new\nz=1.0\n")
    try backend.set("b", nil)
    #expect(try file.text() == "# by hand\nm=new\nz=1.0\n")
    #expect(try backend.texts() == ["m": "new", "z": "1.0"])
  }

  @Test func closureHasTheNewestContents() throws {
    let (first, second) = (file.open(), file.open())
    _ = try first.load()
    try second.set("a", "1")
    _ = try first.update { contents in
      #expect(contents.texts == ["a": "1"])
      return KeyValueChanges()
    }
    try file.overwrite("a=2\n")
    try first.set("b", "3")
    #expect(try second.texts() == ["a": "2", "b": "3"])
  }

  @Test func nothingIsWrittenWithoutAChange() throws {
    try file.replace("b=1\na=1\n")
    let status = try file.status
    let contents = try file.open().update { _ in KeyValueChanges() }
    #expect(contents.texts == ["a": "1", "b": "1"])
    #expect(try file.status == status)
  }

  @Test func ownWriteIsNotReadAgain() throws {
    let reads = CallCount(of: .read)
    let backend = file.open(fileSystem: reads.fileSystem)
    for number in 0..<10 {
      let contents = try backend.set("a", "\(number)")
      #expect(try !backend.hasChanged(since: contents.revision))
      #expect(try backend.load().revision == contents.revision)
      #expect(try backend.texts() == ["a": "\(number)"])
    }
    #expect(reads.value == 0)
  }

  @Test func unreadableFileIsNotWritten() throws {
    for text in ["a=1\nb", "a=1\na=2\n"] {
      try file.replace(text)
      let backend = file.open()
      #expect(throws: KeyValueStoreError.self) {
        try backend.update { _ in
          Issue.record("The closure is called.")
          return KeyValueChanges()
        }
      }
      #expect(try file.text() == text)
    }
  }

  @Test func emptyFileIsWrittenUnlessItHadContent() throws {
    try file.overwrite("")
    let backend = file.open()
    #expect(throws: KeyValueStoreError.empty(path: file.path)) { try backend.load() }
    try backend.set("a", "1")
    #expect(try file.text() == "a=1\n")
    // The state between truncating and writing in an editor.
    try file.overwrite("")
    #expect(throws: KeyValueStoreError.empty(path: file.path)) { try backend.set("a", "2") }
    #expect(try file.text() == "")
    try file.overwrite("b=1\n")
    try backend.set("a", "2")
    #expect(try file.text() == "a=2\nb=1\n")
  }

  @Test func tooMuchContentIsRefused() throws {
    try file.replace("a=1\n")
    let backend = file.open()
    let half = String(repeating: "x", count: FormatLimits.fileSize / 2)
    #expect(throws: KeyValueStoreError.tooLarge(path: file.path, limit: FormatLimits.fileSize)) {
      try backend.update { _ in
        var changes = KeyValueChanges()
        for key in ["b", "c"] { changes.set(key, to: ArraySlice(half.utf8)) }
        return changes
      }
    }
    #expect(try file.text() == "a=1\n")
    #expect(try backend.texts() == ["a": "1"])
    try backend.set("a", "2")
    #expect(try file.text() == "a=2\n")
  }

  @Test func writeOfUncertainDurabilityIsMadeCertainBeforeItIsCalledDone() throws {
    let directory = file.directory
    let faults = Lock(0)
    let synchronized = Lock(0)
    let fileSystem = FileSystem { call, path in
      guard call == .fsync, path == directory else { return nil }
      synchronized.withLock { $0 += 1 }
      return faults.withLock { faults in
        faults -= 1
        return faults >= 0 ? EIO : nil
      }
    }
    let backend = file.open(fileSystem: fileSystem)
    try backend.set("a", "1")
    faults.withLock { $0 = 2 }
    let error = KeyValueStoreError.system(call: "fsync", path: directory, code: EIO)
    #expect(throws: error) { try backend.set("a", "2") }
    // The new content is in place.
    #expect(try backend.texts() == ["a": "2"])
    // Nothing remains to be written, but the earlier change is not yet durable.
    #expect(throws: error) { try backend.update { _ in KeyValueChanges() } }
    let count = synchronized.withLock { $0 }
    for _ in 0..<3 { _ = try backend.update { _ in KeyValueChanges() } }
    #expect(synchronized.withLock { $0 } == count + 1)
  }

  @Test func writerThatCannotOpenItsOwnFileReadsItLater() throws {
    let isArmed = Lock(false)
    let path = file.path
    let fileSystem = FileSystem { call, opened in
      call == .open && opened == path && isArmed.withLock { $0 } ? EMFILE : nil
    }
    let backend = file.open(fileSystem: fileSystem)
    isArmed.withLock { $0 = true }
    let contents = try backend.set("a", "1")
    #expect(contents.texts == ["a": "1"])
    isArmed.withLock { $0 = false }
    #expect(try backend.hasChanged(since: contents.revision))
    #expect(try backend.texts() == ["a": "1"])
  }

  @Test func fileThatIsWrittenOverAtOnceIsReadAgain() throws {
    let file = file
    let fileSystem = FileSystem { call, path in
      if call == .open, path == file.path {
        do { try file.overwrite("a=other\n") } catch { Issue.record(error) }
      }
      return nil
    }
    let backend = file.open(fileSystem: fileSystem)
    #expect(try backend.set("a", "1").texts == ["a": "1"])
    #expect(try backend.texts() == ["a": "other"])
  }
}
