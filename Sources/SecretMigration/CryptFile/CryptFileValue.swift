import FoundationEssentials
import SecretStorage

/// What a keyring file has for a password: base64 of JSON, whose members are base64 again.
struct CryptFileValue: Decodable {
  /// The costs that the keyring has in its source; a file does not say them.
  private static let cost = Argon2.Cost(passes: 15, memory: 1 << 16, lanes: 2)

  private let salt: [UInt8]
  private let data: [UInt8]
  private let mac: [UInt8]
  private let nonce: [UInt8]

  private enum CodingKeys: String, CodingKey {
    case salt, data, mac, nonce
  }

  /// Reads a value; nil when it is none.
  init?(_ text: String) {
    guard let json = Data(base64Encoded: text) else { return nil }
    do {
      self = try JSONDecoder().decode(CryptFileValue.self, from: json)
    } catch {
      return nil
    }
    // An Argon2 that is asked for less salt refuses, and the others are what AES-GCM has.
    guard (8...64).contains(salt.count), (8...64).contains(nonce.count), mac.count == 16 else {
      return nil
    }
  }

  init(from decoder: any Decoder) throws {
    let container = try decoder.container(keyedBy: CodingKeys.self)
    func bytes(_ key: CodingKeys) throws -> [UInt8] {
      // Python breaks the lines.
      let text = try container.decode(String.self, forKey: key).filter { $0 != "\n" }
      guard let data = Data(base64Encoded: text) else {
        throw DecodingError.dataCorruptedError(
          forKey: key, in: container, debugDescription: "not base64")
      }
      return [UInt8](data)
    }
    salt = try bytes(.salt)
    data = try bytes(.data)
    mac = try bytes(.mac)
    nonce = try bytes(.nonce)
  }

  /// Decrypts the password, and finds which spelling of its user name it was sealed with; nil when it is
  /// not authentic with any.
  func opened(
    with passphrase: Secret, _ argon2: Argon2, _ cipher: ForeignCipher, service: EscapedName,
    account: EscapedName, spellings: @autoclosure () -> [EscapedName] = []
  ) throws(MigrationError) -> (secret: Secret, account: EscapedName)? {
    let key = try argon2.key(of: passphrase, salt: salt, cost: Self.cost)
    func open(_ context: [UInt8]) throws(MigrationError) -> Secret? {
      try cipher.open(
        data[...], tag: mac[...], nonce: nonce[...], key: key, authenticating: context)
    }
    func open(as account: EscapedName) throws(MigrationError) -> Secret? {
      for joiner in Self.joiners {
        if let secret = try open(service.escaped + joiner + account.escaped) { return secret }
      }
      return nil
    }
    if let secret = try open(as: account) { return (secret, account) }
    // The first version authenticated nothing beside the password.
    if let secret = try open([]) { return (secret, account) }
    for spelling in spellings() {
      if let secret = try open(as: spelling) { return (secret, spelling) }
    }
    return nil
  }

  /// What stands between service and user name: from version 1.3.9 on, in 1.3.6 to 1.3.8, and before.
  private static let joiners: [[UInt8]] = [[0], Array(#"\0"#.utf8), []]
}
