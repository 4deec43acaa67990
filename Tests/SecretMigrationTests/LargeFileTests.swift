import FoundationEssentials
import SecretStorage
import StorageInternals
import TestSupport
import Testing

@testable import SecretMigration

/// Large files, which only work that grows with their size alone reads in time.
final class LargeFileTests: DirectoryTests {
  /// The size of the repeated part, in bytes.
  private static let size = Campaign.size(sample: 1 << 13, full: 1 << 23)

  private func repeated(_ text: String) -> [UInt8] {
    let bytes = Array(text.utf8)
    return Array((0..<(Self.size / bytes.count)).lazy.map { _ in bytes }.joined())
  }

  private func file(_ bytes: [UInt8]) -> URL { write(bytes, to: directory("file")) }

  /// Expects that reading a file of a start and a repeated part fails.
  private func expectRefusal(
    _ start: String, _ middle: String, _ read: (URL) throws -> ForeignSecrets
  ) throws {
    try expectError(.malformed, .unsupported) {
      try read(file(Array(start.utf8) + repeated(middle)))
    }
  }

  // swift-format-ignore
  @Test(arguments: [
    ("A=", "b", ""), ("A=", " ", ""), ("A=", "b ", ""), ("A=", "$b", ""), ("A='", "b\n", "'"),
    ("A=\"", "\\n", "\""), ("A=\"", "b", "\""), ("", "# b\n", "A=b"), ("", "\n", "A=b"), ("", " ", "A=b"),
    ("", "A", "=b"), ("A='b'", " ", "#"), ("", "\r", "A=b"), ("", "A=1\n", ""),
  ])
  func longEnvironmentFilesAreRead(start: String, middle: String, end: String) throws {
    let url = file(Array(start.utf8) + repeated(middle) + Array(end.utf8))
    #expect(try ForeignSecrets.environmentFile(at: url, service: "app").secrets.count == 1)
  }

  @Test(arguments: [
    ("A='", "b\n"), ("A=\"", "b"), ("", "A"), ("A=\"", "\\\\"), ("A='b'", " c"), ("", "export "),
    ("", "='"), ("", "\\"), ("", "A='b\n' "), ("A=\"", "$A"), ("A='", "="),
  ])
  func longEnvironmentFilesAreRefused(start: String, middle: String) throws {
    try expectRefusal(start, middle) { try .environmentFile(at: $0, service: "app") }
  }

  /// The line or quoted value from `start` to `end` has as many bytes as allowed, or one more.
  @Test(arguments: [
    ("", "A=", "", "\n"), ("", "A='", "'", ""), ("", "#", "", "\nA=b"), ("", "", "=b", ""),
    ("", "A=b #", "", ""), ("B=1\n", "A=", "", ""), ("A='", "\n", "\n", "'"),
    ("A=\"", "\n", "", "\"\n"), ("", " # ", "", ""),
  ])
  func sizeOfALineIsLimited(_ before: String, _ start: String, _ end: String, _ after: String) {
    let limit = 40
    func parse(_ count: Int) throws(MigrationError) {
      let filling = String(repeating: "a", count: count - start.utf8.count - end.utf8.count)
      let text = before + start + filling + end + after
      var parser = try EnvironmentParser(Array(text.utf8), of: "file", sizeLimit: limit)
      _ = try parser.variables()
    }
    #expect(throws: Never.self) { try parse(limit) }
    let line = before.hasPrefix("B") ? 2 : 1
    let reason = "line \(line): a line or a quoted value has more than 40 bytes, which is the limit"
    #expect(throws: MigrationError.unsupported(path: "file", reason: reason)) {
      try parse(limit + 1)
    }
  }

  @Test func numberOfSecretsIsLimited() throws {
    try ForeignSecrets.checkCount(ForeignSecrets.countLimit, of: "file")
    #expect(
      throws: MigrationError.unsupported(path: "file", reason: "it has more than 100000 secrets")
    ) {
      try ForeignSecrets.checkCount(ForeignSecrets.countLimit + 1, of: "file")
    }
  }

  @Test func longLibsecretKeyringsAreRefused() throws {
    let start = Array(Fixture.cheapLibsecret.prefix(58)) + Array(repeating: 0, count: 12)
    for filling in [0, 1, 0xff] as [UInt8] {
      let url = file(start + Array(repeating: filling, count: Self.size))
      try expectError(.malformed, .unsupported) {
        try ForeignSecrets.libsecretKeyring(at: url, passphrase: Secret(""))
      }
    }
  }

  @Test(arguments: [
    (#"{"format": ""#, "a"), (#"{"version": "#, "1"), (#"{"version": 0."#, "0"), ("", "{"),
    (#"{"salt": ""#, "A"), (#"{"salt": ""#, "\\u0041"), ("<plist><dict><key>salt</key><data>", "A"),
    ("<plist><dict><key>version</key><integer>", "1"), ("<plist><dict><key>", "&amp;"),
    ("<!--", "-"), ("<", "<"), ("<plist>", "<!-- -->"), ("<plist><string>", "<![CDATA[a]]>"),
    ("<?xml ", "encoding="), ("bplist00", "a"), ("", " "),
  ])
  func longExportsAreRefused(start: String, middle: String) throws {
    try expectRefusal(start, middle) { try .keychainExport(at: $0, passphrase: Secret("")) }
  }

  @Test func sizeOfAFileIsLimited() throws {
    let url = file([])
    try FileSystem().open(url.path, 2).truncate(to: SourceFile.sizeLimit + 1)
    #expect(
      throws: MigrationError.unsupported(path: url.path, reason: "it is larger than 64 MiB")
    ) { try ForeignSecrets.environmentFile(at: url, service: "app") }
  }
}
