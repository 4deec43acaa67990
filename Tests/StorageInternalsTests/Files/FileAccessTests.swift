import CLibrary
import Concurrency
import TestSupport
import Testing

@testable import StorageInternals

@Suite struct FileAccessTests {
  /// In memory, where every kernel supports unnamed files.
  let directory: TemporaryDirectory
  init() throws { directory = try TemporaryDirectory(inMemory: true) }

  private var path: String { directory("file") }

  /// Replaces the file as a store of settings does.
  private func replace(
    _ old: FileStatus?, at path: String? = nil, in fileSystem: FileSystem = FileSystem()
  ) throws { #expect(try fileSystem.replaces(path ?? self.path, with: [1], expecting: old)) }

  private func status(_ name: String) throws -> FileStatus {
    try #require(try FileSystem().status(of: directory(name)))
  }

  @Test func rightModeIsNotChanged() throws {
    let fileSystem = FileSystem { call, _ in call == .fchmod ? EIO : nil }
    try replace(nil, in: fileSystem)
    try replace(try status("file"), in: fileSystem)
    try fileSystem.replaceFile(at: path, with: [2])
    try fileSystem.makeDirectories(directory("a/b"))
  }

  /// The errors of file systems and sandboxes that refuse each mode; nil for one that ignores it.
  static let refusals: [Int32?] = [EPERM, EACCES, ENOSYS, EOPNOTSUPP, nil]

  @Test(arguments: refusals, [0o777, 0o700, 0o555] as [mode_t])
  func settingsHaveTheModeOfTheFileSystem(refusal: Int32?, mode: mode_t) throws {
    let fileSystem = FileSystem.giving(mode, refusingWith: refusal)
    try replace(nil, in: fileSystem)
    #expect(try status("file").permissions == mode)
    unsafe #expect(chmod(path, 0o644) == 0)
    try replace(try status("file"), in: fileSystem)
    #expect(try status("file").permissions == mode)
    #expect(try FileSystem().entries(of: directory.path) == ["file"])
  }

  @Test(arguments: refusals)
  func secretFileIsRefusedWhereOthersCouldReadIt(refusal: Int32?) throws {
    for mode in [0o777, 0o640, 0o601] as [mode_t] {
      let fileSystem = FileSystem.giving(mode, refusingWith: refusal)
      let error = #expect(throws: SystemError.self) {
        try fileSystem.replaceFile(at: path, with: [1])
      }
      #expect(error?.call == .fchmod && error?.code == refusal ?? EOPNOTSUPP)
      #expect(try FileSystem().entries(of: directory.path) == [])
    }
    try FileSystem.giving(0o700, refusingWith: refusal).replaceFile(at: path, with: [1])
    #expect(try status("file").permissions == 0o700)
  }

  @Test func otherErrorOfAModeIsThrown() throws {
    let fileSystem = FileSystem.giving(0o777, refusingWith: EIO)
    for body in [{ try replace(nil, in: fileSystem) }, { try fileSystem.makeSecret(at: path) }] {
      let error = #expect(throws: SystemError.self, performing: body)
      #expect(error?.call == .fchmod && error?.code == EIO)
    }
  }

  /// In a process of its own, to which the umask belongs.
  @Test func umaskAffectsNoMode() async {
    await #expect(processExitsWith: .success) {
      recordingErrors {
        let test = try Self()
        for mask in [0, 0o022, 0o077, 0o177, 0o277, 0o777] as [mode_t] {
          umask(mask)
          try FileSystem().makeDirectories(test.directory("\(mask)/a"))
          try test.replace(nil, at: test.directory("\(mask)/a/settings"))
          try FileSystem().makeSecret(at: test.directory("\(mask)/a/key"))
          for name in ["\(mask)", "\(mask)/a", "\(mask)/a/settings", "\(mask)/a/key"] {
            let status = try test.status(name)
            #expect(status.permissions == (status.isDirectory ? 0o700 : 0o600), "\(mask) \(name)")
          }
        }
      }
    }
  }

  /// In a process of its own, to which the umask belongs.
  @Test func unusableDirectoryDoesNotRemain() async {
    await #expect(processExitsWith: .success) {
      recordingErrors {
        let test = try Self()
        umask(0o177)
        let fileSystem = FileSystem { call, _ in call == .fchmod ? EPERM : nil }
        let path = test.directory("a")
        #expect(throws: SystemError(call: .mkdir, path: path, code: EPERM)) {
          try fileSystem.makeDirectories(path)
        }
        #expect(try FileSystem().status(of: path) == nil)
      }
    }
  }

  /// Makes a home directory of another user.
  private func makeHome() throws {
    try FileSystem().makeDirectories(directory("home"))
    try FileSystem().giveAway(directory("home"))
  }

  @Test(.changesOwners, arguments: [nil, EPERM])
  func whatRootCreatesBelongsToTheOwnerOfTheHome(refusal: Int32?) throws {
    try makeHome()
    let fileSystem = FileSystem { call, _ in call == .fchown ? refusal : nil }
    try fileSystem.makeDirectories(directory("home/.config/app"))
    try replace(nil, at: directory("home/.config/app/settings"), in: fileSystem)
    for name in ["home/.config", "home/.config/app", "home/.config/app/settings"] {
      let status = try status(name)
      #expect(status.owner == (refusal == nil ? 1234 : 0))
      #expect(status.group == (refusal == nil ? 5678 : getegid()))
      #expect(status.permissions == (status.isDirectory ? 0o700 : 0o600))
    }
  }

  /// The user puts a link to a directory of root in the place of the one that root has just made.
  @Test(.changesOwners) func linkGivesNoDirectoryOfRootAway() throws {
    try makeHome()
    let (parent, child) = (directory("home/.config"), directory("home/.config/app"))
    try FileSystem().makeDirectories(parent)
    try FileSystem().makeDirectories(directory("of root/app"))
    let target = directory("of root")
    let fileSystem = FileSystem.before(.open, on: child) { _ in
      // The calls copy the paths.
      unsafe #expect(rename(parent, parent + ".moved") == 0 && symlink(target, parent) == 0)
    }
    try fileSystem.makeDirectories(child)
    #expect(try status("of root/app").owner == 0)
    #expect(try status("home/.config.moved/app").owner == 1234)
  }

  /// The user puts a directory of root in the place of the one that root has just made.
  @Test(.changesOwners) func exchangedDirectoryOfRootIsNotGivenAway() throws {
    try makeHome()
    let (child, other) = (directory("home/app"), directory("home/of root"))
    try #require(unsafe mkdir(other, 0o700) == 0)
    try FileSystem().makeSecret(at: "\(other)/key")
    let fileSystem = FileSystem.before(.open, on: child) { _ in
      // The calls copy the paths.
      unsafe #expect(rename(child, child + ".moved") == 0 && rename(other, child) == 0)
    }
    try fileSystem.makeDirectories(child)
    #expect(try status("home/app").owner == 0)
    #expect(try FileSystem().entries(of: child) == ["key"])
  }

  /// The user puts a link to a directory of root in the place of the one that is written to.
  @Test(.changesOwners, arguments: [FileSystem.Call.open, .fchown, .write, .link, .renameat2])
  func linkGivesNoFileOfRootAway(_ moment: FileSystem.Call) throws {
    try makeHome()
    let (home, target) = (directory("home"), directory("of root"))
    try FileSystem().makeDirectories(target)
    let isDone = Lock(false)
    let fileSystem = FileSystem.before(moment) { path in
      guard path.hasSuffix(".tmp"), !isDone.exchange(true) else { return }
      // The calls copy the paths.
      unsafe #expect(rename(home, home + ".moved") == 0 && symlink(target, home) == 0)
    }
    try replace(nil, at: "\(home)/file", in: fileSystem)
    #expect(isDone.withLock { $0 })
    #expect(try FileSystem().entries(of: target) == [])
    #expect(try status("home.moved/file").owner == 1234)
  }

  @Test func directoryThatCannotBeListedIsWritten() throws {
    let fileSystem = FileSystem.unlistable([directory.path, directory("a")])
    try fileSystem.makeDirectories(directory("a/b"))
    try replace(nil, in: fileSystem)
    try replace(try status("file"), in: fileSystem)
    try fileSystem.makeSecret(at: path)
    #expect(try !fileSystem.synchronizeDirectory(directory.path))
    let lock = try FileLock(at: directory("lock"), in: fileSystem)
    try fileSystem.removeTemporaryFiles(of: path, holding: lock)
    #expect(try FileSystem().entries(of: directory.path).sorted() == ["a", "file", "lock"])
  }
}

extension FileSystem {
  /// Replaces a file as a vault does.
  fileprivate func makeSecret(at path: String) throws(SystemError) {
    try replaceFile(at: path, with: [1])
  }
}
