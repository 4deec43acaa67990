import FoundationEssentials
import SecretMigration
import SecretStorage
import StorageInternals
import TestSupport
import Testing

/// An environment file that another process migrates until it is killed.
struct MigratedSource {
  let url: URL
  let expected: [String: String]
  private let directory: TemporaryDirectory

  /// Makes a file of this many variables.
  init(count: Int) throws {
    directory = try TemporaryDirectory()
    let names = (0..<count).map { "NAME\($0)" }
    let lines = names.map { "\($0)='value of \($0)'" }
    url = write(Array(lines.joined(separator: "\n").utf8), to: directory(".env"))
    expected = Dictionary(uniqueKeysWithValues: names.map { ($0, "value of \($0)") })
  }

  /// The vault, as a new process opens it.
  var vault: SecretVault {
    SecretVault(fileURL: URL(filePath: directory("secrets.vault")), stateDirectory: directory.url)
  }

  var exists: Bool { get throws { try FileSystem().status(of: url.path) != nil } }

  /// Starts a process that migrates the file, stops after some secrets or before the file is
  /// removed, and waits until its journal has a text.
  func migrate(stoppingAfter count: Int? = nil, until text: String) throws -> ChildProcess {
    let journal = directory("journal")
    let child = try ChildProcess(
      executable: "VaultProcess",
      ["migrate", directory("secrets.vault"), directory.path, url.path, directory("permission")]
        + (count.map { ["\($0)"] } ?? []), output: journal)
    try wait(for: child) {
      try FileSystem().status(of: journal) != nil
        && String(decoding: content(of: journal), as: UTF8.self).contains(text)
    }
    return child
  }

  /// Lets the process continue.
  func allow() { _ = write([], to: directory("permission")) }

  /// Expects the vault to have some secrets and a migration to add the others; returns their count.
  func expectContinuation() throws -> Int {
    let before = try vault.texts()
    #expect(before.allSatisfy { expected[$0.key] == $0.value })
    guard try exists else {
      #expect(before == expected)
      return before.count
    }
    let report = try ForeignSecrets.environmentFile(at: url, service: "app")
      .migrate(to: vault, removingSource: true)
    #expect(report.identities(.identical).count == before.count)
    #expect(report.identities(.added).count == expected.count - before.count)
    #expect(report.isSourceRemoved)
    #expect(try vault.texts() == expected)
    #expect(try vault.items(matching: .all).count == expected.count)
    #expect(try vault.verify().isSound)
    return before.count
  }
}
