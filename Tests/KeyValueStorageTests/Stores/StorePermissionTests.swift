import CLibrary
import StorageInternals
import TestSupport
import Testing

@testable import KeyValueStorage

/// A store whose file the process is not permitted to write or to read.
@Suite(.enabled(if: geteuid() == 0, "Only root can become another user."))
struct StorePermissionTests {
  enum Obstacle: CaseIterable {
    case directory, file, unreadableFile

    var message: String {
      switch self {
      case .directory, .unreadableFile: "Permission denied (errno \(EACCES))"
      case .file: "Another user owns"
      }
    }
  }

  private static let nobody: uid_t = 65534

  @Test(arguments: Obstacle.allCases)
  func forbiddenChangeIsKeptUntilItIsAllowed(_ obstacle: Obstacle) throws {
    let file = try TestFile()
    try file.overwrite("{\"number\": 1, \"theirs\": 2}\n")
    // The other user owns everything except the obstacle.
    try change(file.directory, to: obstacle == .directory ? 0 : Self.nobody, mode: 0o755)
    try change(
      file.path, to: obstacle == .directory ? Self.nobody : 0,
      mode: obstacle == .unreadableFile ? 0o600 : 0o644)
    let before = try file.bytes
    let child = try SettingsChild("refuse", ["\(Self.nobody)"], on: file)
    try child.wait(for: "ready")
    let refused = try child.lines
    try #require(refused.count == 3)
    #expect(refused[0].contains(obstacle.message), "\(refused)")
    #expect(refused[1].hasPrefix("property\t7\t"))
    #expect(refused[1].contains(obstacle.message), "\(refused)")
    #expect(try file.bytes == before)
    try change(file.directory, to: Self.nobody, mode: 0o755)
    try change(file.path, to: Self.nobody, mode: 0o644)
    child.process.signal(SIGUSR1)
    try child.process.wait()
    #expect(try child.lines.suffix(2) == ["synchronize\t-", "property\t7\t-"])
    #expect(try file.values() == ["number": 7, "theirs": 2])
    #expect(try FileSystem().status(of: file.path)?.owner == Self.nobody)
  }

  private func change(_ path: String, to user: uid_t, mode: mode_t) throws {
    guard unsafe chown(path, user, user) == 0, unsafe chmod(path, mode) == 0 else {
      throw SystemError(call: .fchown, path: path, code: errno)
    }
  }
}
