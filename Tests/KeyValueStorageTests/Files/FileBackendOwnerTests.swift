import CLibrary
import FoundationEssentials
import StorageInternals
import Testing

@testable import KeyValueStorage

@Suite(.timeLimit(.minutes(30))) struct FileBackendOwnerTests {
  let file: BackendFile
  init() throws { file = try BackendFile() }

  @Test func permissionsAreKept() throws {
    for mode in [0o644, 0o400, 0o660] as [mode_t] {
      try file.replace("a=1\n")
      try #require(unsafe chmod(file.path, mode) == 0)
      try file.open().set("a", "2")
      #expect(try file.status?.permissions == mode)
      #expect(try file.text() == "a=2\n")
    }
  }

  @Test(.enabled(if: geteuid() == 0, "Only root can give files away."))
  func ownerIsKeptAndCanGoOnWriting() throws {
    try file.replace("a=1\n")
    try #require(unsafe chown(file.path, 1234, 5678) == 0)
    try file.open().set("a", "2")
    let status = try #require(try file.status)
    #expect(status.owner == 1234 && status.group == 5678 && status.permissions == 0o600)
    #expect(try FileSystem().status(of: file(".settings.lock"))?.owner == 1234)
  }

  @Test(arguments: [EPERM, EINVAL])
  func ownerThatCannotBeKeptIsAnError(_ code: Int32) throws {
    guard geteuid() == 0 else { return }
    try file.replace("a=1\n")
    try #require(unsafe chown(file.path, 1234, 5678) == 0)
    let fileSystem = FileSystem { call, path in
      // The change of the lock's owner is attempted as well.
      call == .fchown && path.hasSuffix(".tmp") ? code : nil
    }
    #expect(throws: KeyValueStoreError.ownedByAnother(path: file.path)) {
      try file.open(fileSystem: fileSystem).set("a", "2")
    }
    #expect(try file.text() == "a=1\n")
    #expect(try file.names == [".settings.lock", "settings"])
  }

  @Test(.enabled(if: geteuid() == 0, "Only root can become another user."))
  func fileOfAnotherUserIsNotWritten() async throws {
    try file.replace("a=1\n")
    try #require(unsafe chmod(file.path, 0o666) == 0)
    try #require(unsafe chown(file.directory, 1234, 1234) == 0)
    let path = file.path
    await #expect(processExitsWith: .success) { [path = path as String] in
      try #require(setgroups(0, nil) == 0)
      try #require(setgid(1234) == 0)
      try #require(setuid(1234) == 0)
      let backend = FileBackend(path: path, format: .json, storedFormat: LineFormat())
      #expect(try backend.texts() == ["a": "1"])
      #expect(throws: KeyValueStoreError.ownedByAnother(path: path)) { try backend.set("a", "2") }
      #expect(try backend.texts() == ["a": "1"])
    }
    #expect(try file.text() == "a=1\n")
    #expect(try file.names == [".settings.lock", "settings"])
    #expect(try file.status?.owner == 0)
  }
}
