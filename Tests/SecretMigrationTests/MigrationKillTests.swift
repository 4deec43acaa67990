import CLibrary
import FoundationEssentials
import SecretMigration
import SecretStorage
import StorageInternals
import TestSupport
import Testing

/// Processes killed at random moments of a migration.
struct MigrationKillTests {
  private static let count = 300

  private func source(_ count: Int, in directory: TemporaryDirectory) -> (
    file: URL, expected: [String: String]
  ) {
    let names = (0..<count).map { "NAME\($0)" }
    let lines = names.map { "\($0)='value of \($0)'" }
    let file = write(Array(lines.joined(separator: "\n").utf8), to: directory(".env"))
    return (file, Dictionary(uniqueKeysWithValues: names.map { ($0, "value of \($0)") }))
  }

  /// Starts a migration, and kills it some time after it has printed a text.
  private func kill(
    migrating source: URL, to file: URL, in directory: TemporaryDirectory, after text: String,
    microseconds: UInt32, permission: String? = nil
  ) throws {
    let journal = directory("journal")
    let child = try ChildProcess(
      executable: "VaultProcess",
      ["migrate", file.path, directory.path, source.path] + (permission.map { [$0] } ?? []),
      output: journal)
    try wait {
      try FileSystem().status(of: journal) != nil
        && String(decoding: content(of: journal), as: UTF8.self).contains(text)
    }
    if let permission { _ = write([], to: permission) }
    usleep(microseconds)
    child.stop()
    let status = child.end()
    // Killed during the work, or finished just before.
    #expect(status == SIGKILL || status == 0)
  }

  /// The process is killed around the removal of the source, which follows the last write.
  @Test func aSecretIsInTheVaultBeforeItsSourceIsRemoved() throws {
    var (removed, kept) = (0, 0)
    for _ in 0..<Campaign.size(sample: 3, full: 300) {
      let directory = try TemporaryDirectory()
      let (source, expected) = source(5, in: directory)
      let before = try content(of: source.path)
      let file = URL(filePath: directory("secrets.vault"))
      try kill(
        migrating: source, to: file, in: directory, after: "\n.\tmigrate",
        microseconds: UInt32.random(in: 0..<3000), permission: directory("permission"))
      func open() -> SecretVault { SecretVault(fileURL: file, stateDirectory: directory.url) }
      #expect(try open().texts() == expected)
      #expect(try open().verify().isSound)
      guard try FileSystem().status(of: source.path) != nil else {
        removed += 1
        continue
      }
      kept += 1
      #expect(try content(of: source.path) == before)
      let report = try ForeignSecrets.environmentFile(at: source, service: "app")
        .migrate(to: open(), removingSource: true)
      #expect(report.identities(.identical).count == 5 && report.isSourceRemoved)
      #expect(try open().items(matching: .all).count == 5)
    }
    print("Killed around the removal: \(removed) sources were removed, \(kept) were not.")
    if Campaign.isFull { #expect(removed > 0 && kept > 0) }
  }

  @Test func migrationOfAKilledProcessGoesOn() throws {
    var partial = 0
    for _ in 0..<Campaign.size(sample: 3, full: 100) {
      let directory = try TemporaryDirectory()
      let (source, expected) = source(Self.count, in: directory)
      let file = URL(filePath: directory("secrets.vault"))
      try kill(
        migrating: source, to: file, in: directory, after: "+\tmigrate",
        microseconds: UInt32.random(in: 0..<1_000_000))

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
    print("Killed at work: \(partial) migrations were half done.")
    // A campaign without an interrupted migration would prove nothing.
    if Campaign.isFull { #expect(partial > 0) }
  }
}
