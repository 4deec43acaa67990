import FoundationEssentials
import LibCrypto
import SecretStorage

/// The value of a password in a keyring file: Base64-encoded JSON with Base64-encoded members.
struct CryptFileValue: Decodable {
  /// The cost, which `keyrings.cryptfile` defines and does not store in the file.
  private static let cost = Argon2.Cost(passes: 15, memory: 1 << 16, lanes: 2)
  /// The maximum number of JSON values, which limits the decoder's memory; a valid value has four.
  private static let memberLimit = 64
  /// The maximum number of bytes to process while trying user names.
  private static let workLimit = 1 << 30
  /// The separators of service and user name: since 1.3.9, from 1.3.6 to 1.3.8, and before 1.3.6.
  private static let separators: [[UInt8]] = [[0], Array(#"\0"#.utf8), []]

  private let salt: [UInt8]
  private let data: [UInt8]
  private let mac: [UInt8]
  private let nonce: [UInt8]

  private enum CodingKeys: String, CodingKey {
    case salt, data, mac, nonce
  }

  /// Parses a value; returns nil if it is invalid.
  init?(_ base64: String) {
    let structuralCharacters = Array(",[{".utf8)
    guard let json = Data(base64Encoded: base64),
      json.count(where: structuralCharacters.contains) <= Self.memberLimit
    else { return nil }
    do {
      self = try JSONDecoder().decode(CryptFileValue.self, from: json)
    } catch {
      return nil
    }
    // Argon2 requires a salt of at least 8 bytes. The other limits are those of AES-GCM.
    guard (8...64).contains(salt.count), (8...64).contains(nonce.count), mac.count == 16 else {
      return nil
    }
  }

  init(from decoder: any Decoder) throws {
    let container = try decoder.container(keyedBy: CodingKeys.self)
    func bytes(_ key: CodingKeys) throws -> [UInt8] {
      // Python adds line breaks to Base64.
      let base64 = try container.decode(String.self, forKey: key).utf8
        .filter { $0 != UInt8(ascii: "\n") }
      guard let data = Data(base64Encoded: Data(base64)) else {
        throw DecodingError.dataCorruptedError(
          forKey: key, in: container, debugDescription: "not Base64")
      }
      return [UInt8](data)
    }
    salt = try bytes(.salt)
    data = try bytes(.data)
    mac = try bytes(.mac)
    nonce = try bytes(.nonce)
  }

  /// Decrypts the password, and determines the case of the letters in its user name.
  ///
  /// Tries `account`, then `variants`; returns nil if authentication fails with each name.
  func decrypted(
    with passphrase: Secret, _ derivation: Argon2.Derivation, _ cipher: ForeignCipher,
    service: EscapedName, account: EscapedName, variants: some Sequence<EscapedName> = []
  ) throws(MigrationError) -> (secret: Secret, account: EscapedName)? {
    let key = try derivation(passphrase, salt, Self.cost)
    func decrypt(authenticating additionalData: [UInt8]) throws(MigrationError) -> Secret? {
      try cipher.decryptGCM(
        data[...], tag: mac[...], nonce: nonce[...], key: key, authenticating: additionalData)
    }
    let service = service.escaped
    func decrypt(as account: EscapedName) throws(MigrationError) -> Secret? {
      let account = account.escaped
      for separator in Self.separators {
        let names = service + separator + account
        if let secret = try decrypt(authenticating: names) { return secret }
      }
      return nil
    }
    if let secret = try decrypt(as: account) { return (secret, account) }
    // The first version did not authenticate the names.
    if let secret = try decrypt(authenticating: []) { return (secret, account) }
    // In addition to the password, each attempt processes the names and has a fixed cost.
    let work = data.count + service.count + 64
    let limit = Self.workLimit / (Self.separators.count * work)
    for variant in variants.prefix(limit) {
      if let secret = try decrypt(as: variant) { return (secret, variant) }
    }
    return nil
  }
}
