import FoundationEssentials
import LibCrypto
import SecretStorage
import StorageInternals

@testable import SecretMigration

/// Argon2id keys of the fixtures by argon2-cffi (PyPI), so that tests need not derive them:
/// `hash_secret_raw(b"correct horse", salt, 15, 1 << 16, 2, 16, Type.ID)`.
enum KnownKeys {
  /// By salt.
  static let all: [[UInt8]: [UInt8]] = [
    // cryptFile
    Fixture.bytes("bt9afVLN0G7yCkvuyuzpdQ=="): Fixture.bytes("I2nqAdhOvO2OjbZcjLe86Q=="),
    Fixture.bytes("RaDA9KFoviex/m1Q6TmWXg=="): Fixture.bytes("WOr57ZuYu18fQDYFTUE1ag=="),
    Fixture.bytes("9xbxf/Bh5AT3Ro9Di0k6MQ=="): Fixture.bytes("kseHNe8YO+P+8KlGJIT2aw=="),
    Fixture.bytes("Q8tE4n8KIQVeIF+t/Wf/iA=="): Fixture.bytes("ZLICE2nVV9FYnQWJQvUB4Q=="),
    // cryptFileOfVersion138
    Fixture.bytes("4Mbhm2hGxILVXdR4H3F4KQ=="): Fixture.bytes("9MENV9+kQA/7HVB6muc68g=="),
    Fixture.bytes("eVVN5+lsj8HDeclk2OAvBw=="): Fixture.bytes("C5K8NuS+sADSDfAxg+Nz+A=="),
    // cryptFileOfVersion134
    Fixture.bytes("GiSbUAKZTwgW4YfuE7+bMA=="): Fixture.bytes("+dlvJiyJKe2G8D5gnWJ6wg=="),
    Fixture.bytes("fzqjZy8/whAJhw9bnUCx7w=="): Fixture.bytes("0yLUyChHYf7QcOJFu3ICFA=="),
    // odd
    Fixture.bytes("2sUgLRTAOZ8u/7j+/XG5mw=="): Fixture.bytes("itX+Avao1Oa3i/yW/py4Vw=="),
    Fixture.bytes("MbwEF47Za5BQHIcttfkFNA=="): Fixture.bytes("YeiQriBu6FA3iA9f+rwkvw=="),
    Fixture.bytes("aBhKadT/r334SEHVWKvngQ=="): Fixture.bytes("FeEVu4RCtBRMr/KYYqh0tA=="),
    Fixture.bytes("9xOAsNi6s8zxZQlzzcLErQ=="): Fixture.bytes("1N1JzLa3bZR1VASr2YHZpQ=="),
    Fixture.bytes("v+WTYR1dg4L6l2u+iBydqA=="): Fixture.bytes("QdSTzjJgVQWdpJig58tcSA=="),
    Fixture.bytes("j0DkaKKBBMq2enc5z/Oliw=="): Fixture.bytes("4+3uI2op0GYGcGb7Urvl2Q=="),
  ]

  /// Returns the fixtures' keys, and for other input cheap keys that open nothing.
  static func derive(
    _ passphrase: Secret, _ salt: [UInt8], _ cost: Argon2.Cost
  ) throws(MigrationError) -> Secret {
    if passphrase == Secret(Fixture.passphrase), let key = all[salt], cost == fullCost {
      return Secret(key)
    }
    return try Argon2().key(
      of: passphrase, salt: salt, cost: Argon2.Cost(passes: 1, memory: 64, lanes: 1))
  }

  static let fullCost = Argon2.Cost(passes: 15, memory: 1 << 16, lanes: 2)
}
