import SecretStorage
import TestSupport
import Testing

/// The loading of libcrypto, in a separate process because a process loads a library once.
struct LibraryLoadingTests {
  @Test func missingLibraryIsLoadedAtALaterUse() throws {
    let vault = TestVault()
    let output = try vault.path("output")
    try ChildProcess("descriptors", on: vault, [], journal: output).wait()
    let lines = String(decoding: try TestVault.bytes(of: output), as: UTF8.self)
      .split(separator: "\n")
    try #require(lines.count == 4)
    #expect(lines[0].contains("The C library libcrypto") && lines[0].contains("cannot open"))
    #expect(lines[1].contains("not available"))
    #expect(lines[2] == "libcrypto: 32 bytes")
    #expect(lines[3] == "libpam: \(try #require(vault.open().diagnose()["PAM"]))")
  }
}
