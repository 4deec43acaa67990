import FoundationEssentials
import SecretStorage
import StorageInternals

@testable import SecretMigration

/// Argon2id keys of the fixtures by argon2-cffi (PyPI), so that tests need not derive them:
/// `hash_secret_raw(b"correct horse", salt, 15, 1 << 16, 2, 16, Type.ID)`.
enum KnownKeys {
  /// By salt.
  static let all: [[UInt8]: [UInt8]] = Dictionary(
    uniqueKeysWithValues: [
      ("bt9afVLN0G7yCkvuyuzpdQ==", "I2nqAdhOvO2OjbZcjLe86Q=="),
      ("RaDA9KFoviex/m1Q6TmWXg==", "WOr57ZuYu18fQDYFTUE1ag=="),
      ("9xbxf/Bh5AT3Ro9Di0k6MQ==", "kseHNe8YO+P+8KlGJIT2aw=="),
      ("Q8tE4n8KIQVeIF+t/Wf/iA==", "ZLICE2nVV9FYnQWJQvUB4Q=="),
      ("4Mbhm2hGxILVXdR4H3F4KQ==", "9MENV9+kQA/7HVB6muc68g=="),
      ("eVVN5+lsj8HDeclk2OAvBw==", "C5K8NuS+sADSDfAxg+Nz+A=="),
      ("GiSbUAKZTwgW4YfuE7+bMA==", "+dlvJiyJKe2G8D5gnWJ6wg=="),
      ("fzqjZy8/whAJhw9bnUCx7w==", "0yLUyChHYf7QcOJFu3ICFA=="),
      ("2sUgLRTAOZ8u/7j+/XG5mw==", "itX+Avao1Oa3i/yW/py4Vw=="),
      ("MbwEF47Za5BQHIcttfkFNA==", "YeiQriBu6FA3iA9f+rwkvw=="),
      ("aBhKadT/r334SEHVWKvngQ==", "FeEVu4RCtBRMr/KYYqh0tA=="),
      ("9xOAsNi6s8zxZQlzzcLErQ==", "1N1JzLa3bZR1VASr2YHZpQ=="),
      ("v+WTYR1dg4L6l2u+iBydqA==", "QdSTzjJgVQWdpJig58tcSA=="),
      ("j0DkaKKBBMq2enc5z/Oliw==", "4+3uI2op0GYGcGb7Urvl2Q=="),
    ].map { (bytes($0), bytes($1)) })

  static func bytes(_ base64: String) -> [UInt8] { Array(Data(base64Encoded: base64) ?? Data()) }

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
