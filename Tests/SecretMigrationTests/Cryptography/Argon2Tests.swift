import Concurrency
import LibCrypto
import SecretStorage
import StorageInternals
import TestSupport
import Testing

@testable import SecretMigration

struct Argon2Tests {
  private static let libraries: [Argon2] = {
    var found: [Argon2] = []
    do { found.append(.libcrypto(try Argon2id())) } catch {
      // OpenSSL before 3.2 has no Argon2.
    }
    do { found.append(.libargon2(try LibArgon2())) } catch {
      // The other library, or none, remains.
    }
    return found
  }()

  /// Expected key of argon2-cffi (PyPI): `hash_secret_raw(b"password", b"somesalt", 2, 256, 2, 16,
  /// Type.ID)`.
  @Test(arguments: libraries.indices)
  func everyLibraryComputesTheSame(index: Int) throws {
    let cost = Argon2.Cost(passes: 2, memory: 256, lanes: 2)
    let key = try Self.libraries[index].key(
      of: Secret("password"), salt: Array("somesalt".utf8), cost: cost)
    let expected: [UInt8] = [
      0x3c, 0xa1, 0x5f, 0x20, 0x79, 0x78, 0xab, 0x2b, 0xd8, 0x3b, 0x41, 0xf6, 0xd8, 0xe5, 0x38,
      0x08,
    ]
    #expect(key == Secret(expected))
  }

  /// At the costs of a keyring; other tests use these keys unverified.
  @Test(arguments: libraries.indices)
  func everyLibraryComputesTheKeysOfKeyrings(index: Int) throws {
    for (salt, expected) in KnownKeys.all.prefix(Campaign.size(sample: 1, full: .max)) {
      let key = try Self.libraries[index].key(
        of: Secret(Fixture.passphrase), salt: salt, cost: KnownKeys.fullCost)
      #expect(key == Secret(expected))
    }
  }

  @Test func oneLibraryIsThere() {
    #expect(!Self.libraries.isEmpty)
  }

  @Test func aMissingLibraryIsNamedWithItsPackages() throws {
    let missing = DynamicLibraryError.notLoaded(
      names: ["libargon2.so.1"], reasons: ["no such file"], packages: ["Fedora": "libargon2"])
    let error = try #require(throws: MigrationError.self) {
      try Argon2(LazyValue { () throws(DynamicLibraryError) in throw missing })
    }
    #expect(
      error
        == .missingLibrary(
          """
          The C library libargon2.so.1 cannot be loaded: no such file. Install the package that \
          contains it: libargon2 (Fedora). Alternatively, install OpenSSL 3.2 or later.
          """))
  }

  @Test func whatTheLibraryRefusesIsAnError() throws {
    let cost = Argon2.Cost(passes: 0, memory: 256, lanes: 2)
    for library in Self.libraries {
      let error = try #require(throws: MigrationError.self) {
        try library.key(of: Secret("password"), salt: [1], cost: cost)
      }
      guard case .libraryFailed = error else {
        Issue.record(error)
        return
      }
    }
  }
}
