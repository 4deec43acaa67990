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
  func librariesComputeTheSameKey(index: Int) throws {
    let cost = Argon2.Cost(passes: 2, memory: 256, lanes: 2)
    let key = try Self.libraries[index].key(
      of: Secret("password"), salt: Array("somesalt".utf8), cost: cost)
    #expect(key == Secret(KnownKeys.bytes("PKFfIHl4qyvYO0H22OU4CA==")))
  }

  /// At the costs of a keyring; other tests use these keys unverified.
  @Test(arguments: libraries.indices)
  func librariesComputeTheKeysOfKeyrings(index: Int) throws {
    for (salt, expected) in KnownKeys.all.prefix(Campaign.size(sample: 1, full: .max)) {
      let key = try Self.libraries[index].key(
        of: Secret(Fixture.passphrase), salt: salt, cost: KnownKeys.fullCost)
      #expect(key == Secret(expected))
    }
  }

  @Test func libraryIsInstalled() {
    #expect(!Self.libraries.isEmpty)
  }

  @Test func missingLibraryIsNamedWithItsPackages() throws {
    let missing = Unavailable("The C library libargon2.so.1 cannot be loaded.")
    let error = try #require(throws: MigrationError.self) {
      try Argon2(LazyValue { () throws(Unavailable) in throw missing })
    }
    #expect(
      error
        == .missingLibrary(
          """
          The C library libargon2.so.1 cannot be loaded. Alternatively, install OpenSSL 3.2 or later.
          """))
  }

  @Test func refusedCostIsAnError() throws {
    let cost = Argon2.Cost(passes: 0, memory: 256, lanes: 2)
    for library in Self.libraries {
      #expect {
        try library.key(of: Secret("password"), salt: [1], cost: cost)
      } throws: {
        if case MigrationError.unavailable = $0 { true } else { false }
      }
    }
  }
}
