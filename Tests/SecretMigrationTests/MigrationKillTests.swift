import FoundationEssentials
import SecretMigration
import SecretStorage
import StorageInternals
import TestSupport
import Testing

#if canImport(Glibc)
  import Glibc
#else
  import Musl
#endif

/// Processes that are killed at random moments of a migration.
struct MigrationKillTests {
  private static let count = 300

  @Test func migrationOfAKilledProcessGoesOn() throws {
    var partial = 0
    for _ in 0..<Campaign.size(sample: 5, full: 100) {
      let directory = try TemporaryDirectory()
      let lines = (0..<Self.count).map { "NAME\($0)='value \($0)'" }
      let source = write(Array(lines.joined(separator: "\n").utf8), to: directory(".env"))
      let expected = Dictionary(
        uniqueKeysWithValues: (0..<Self.count).map { ("NAME\($0)", "value \($0)") })
      let file = URL(filePath: directory("secrets.vault"))

      let journal = directory("journal")
      let child = try ChildProcess(
        executable: "VaultProcess", ["migrate", file.path, directory.path, source.path],
        output: journal)
      try wait { try FileSystem().status(of: journal) != nil && !content(of: journal).isEmpty }
      usleep(UInt32.random(in: 0..<1_000_000))
      child.stop()
      let status = child.end()
      // Killed at work, or done just before.
      #expect(status == SIGKILL || status == 0)

      func open() -> SecretVault { SecretVault(fileURL: file, stateDirectory: directory.url) }
      let before = try open().texts()
      #expect(before.allSatisfy { expected[$0.key] == $0.value })
      guard try FileSystem().status(of: source.path) != nil else {
        #expect(before == expected)
        continue
      }
      if !before.isEmpty, before.count < Self.count { partial += 1 }
      let foreign = try ForeignSecrets.environmentFile(at: source, service: "app")
      let report = try foreign.migrate(to: open(), removingSource: true)
      #expect(report.identities(.identical).count == before.count)
      #expect(report.identities(.added).count == Self.count - before.count)
      #expect(report.isSourceRemoved)
      #expect(try open().items(matching: .all).count == Self.count)
      #expect(try open().texts() == expected)
      #expect(try open().verify().isSound)
    }
    // A campaign that never met a migration half done would show nothing.
    if Campaign.isFull { #expect(partial > 0) }
  }
}
