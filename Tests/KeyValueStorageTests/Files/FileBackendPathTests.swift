import CLibrary
import Concurrency
import FoundationEssentials
import StorageInternals
import TestSupport
import Testing

@testable import KeyValueStorage

final class FileBackendPathTests: BackendTests {
  @Test(arguments: [false, true])
  func writeKeepsALinkAndReplacesItsTarget(_ isAbsolute: Bool) throws {
    let target = (isAbsolute ? "\(file.directory)/" : "") + "real/target"
    try FileSystem().makeDirectories(file("real"))
    try file.link(file.path, to: target)
    let backend = file.open()
    // The link is still dangling.
    try backend.set("a", "1")
    try backend.set("b", "2")
    #expect(try FileSystem().linkTarget(of: file.path) == target)
    #expect(try file.text(of: file("real/target")) == "a=1\nb=2\n")
    // All paths to the file share its lock.
    #expect(try FileSystem().entries(of: file("real")).sorted() == [".target.lock", "target"])
    #expect(try file.names == ["real", "settings"])
  }

  @Test func linkChangedDuringTheWaitForTheLockIsFollowed() throws {
    try file.linkDirectories()
    let fileSystem = FileSystem.before(.flock) { [file] path in
      if path.contains("/one/") { try file.link(file("link"), to: "two") }
    }
    try file.open(file("link/settings"), fileSystem: fileSystem).set("a", "1")
    #expect(try file.text(of: file("one/settings")) == "name=one\n")
    #expect(try file.text(of: file("two/settings")) == "name=two\na=1\n")
  }

  @Test func formerTargetDirectoryIsNotCreatedAgain() throws {
    try file.link(file("link"), to: "one")
    let backend = file.open(file("link/settings"))
    try backend.set("a", "1")
    try FileManager.default.removeItem(atPath: file("one"))
    try file.link(file("link"), to: "two")
    try backend.set("a", "2")
    #expect(try file.names == ["link", "two"])
    #expect(try file.text(of: file("two/settings")) == "a=2\n")
  }

  @Test(arguments: [215, 216, 233, 234, 249, 255])
  func nameMayBeAsLongAsTheKernelPermits(count: Int) throws {
    // The last bytes of the two names differ.
    let beginning = "x" + String(repeating: "ä", count: 100)
    let names = ["a", "b"].map { beginning + String(repeating: $0, count: count - 201) }
    for name in names {
      let file = try BackendFile(name)
      try file.replace("no sign")
      try file.leaveTemporaryFile()
      #expect(try file.open().moveAside()?.contains(".unreadable-") == true)
      for value in ["1", "2"] { try file.open().set("a", value) }
      #expect(try file.text() == "a=2\n")
      // The file, its lock, and the file that was moved aside.
      #expect(try file.names.count == 3)
    }
    #expect(Set(names.map { $0.companion(".lock", prefix: ".") }).count == 2)
  }

  @Test func directoryRemovedDuringAWriteIsAnError() throws {
    let path = file("a/settings")
    let isArmed = Lock(false)
    let fileSystem = FileSystem.before(.open) { [file] path in
      guard path.hasSuffix(".tmp"), isArmed.exchange(false) else { return }
      try FileManager.default.removeItem(atPath: file("a"))
    }
    let backend = file.open(path, fileSystem: fileSystem)
    try backend.set("a", "1")
    isArmed.withLock { $0 = true }
    let error = #expect(throws: KeyValueStoreError.self) { try backend.set("a", "2") }
    try backend.set("a", "3")
    #expect(try file.text(of: path) == "a=3\n")
    if case .system("open", _, ENOENT) = error { return }
    Issue.record("The error is \(String(describing: error))")
  }
}
