import FoundationEssentials
import SecretStorage

/// What a keyring file has for a password: base64 of JSON, whose members are base64 again.
struct CryptFileValue: Decodable {
  /// The costs that the keyring has in its source; a file does not say them.
  private static let cost = Argon2.Cost(passes: 15, memory: 1 << 16, lanes: 2)
  /// Far more than the four members that a value has; what a decoder notes about each is long.
  private static let memberLimit = 64

  private let salt: [UInt8]
  private let data: [UInt8]
  private let mac: [UInt8]
  private let nonce: [UInt8]

  private enum CodingKeys: String, CodingKey {
    case salt, data, mac, nonce
  }

  /// Reads a value; nil when it is none.
  init?(_ text: String) {
    let marks: [UInt8] = [UInt8(ascii: ","), UInt8(ascii: "["), UInt8(ascii: "{")]
    guard let json = Data(base64Encoded: text),
      json.count(where: marks.contains) <= Self.memberLimit
    else { return nil }
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
      let text = try container.decode(String.self, forKey: key).utf8
        .filter { $0 != UInt8(ascii: "\n") }
      guard let data = Data(base64Encoded: Data(text)) else {
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
    with passphrase: Secret, _ derivation: Argon2.Derivation, _ cipher: ForeignCipher,
    service: EscapedName, account: EscapedName, spellings: some Sequence<EscapedName> = []
  ) throws(MigrationError) -> (secret: Secret, account: EscapedName)? {
    let key = try derivation(passphrase, salt, Self.cost)
    func open(_ context: [UInt8]) throws(MigrationError) -> Secret? {
      try cipher.open(
        data[...], tag: mac[...], nonce: nonce[...], key: key, authenticating: context)
    }
    let service = service.escaped
    func open(as account: EscapedName) throws(MigrationError) -> Secret? {
      let account = account.escaped
      for joiner in Self.joiners {
        if let secret = try open(service + joiner + account) { return secret }
      }
      return nil
    }
    if let secret = try open(as: account) { return (secret, account) }
    // The first version authenticated nothing beside the password.
    if let secret = try open([]) { return (secret, account) }
    // The names count, too, and so does what each attempt needs by itself.
    let work = data.count + service.count + 64
    let limit = Self.workLimit / (Self.joiners.count * work)
    for spelling in spellings.prefix(limit) {
      if let secret = try open(as: spelling) { return (secret, spelling) }
    }
    return nil
  }

  /// How many bytes are gone through in search of a spelling, so that a very long password takes no longer.
  private static let workLimit = 1 << 30

  /// What stands between service and user name: from version 1.3.9 on, in 1.3.6 to 1.3.8, and before.
  private static let joiners: [[UInt8]] = [[0], Array(#"\0"#.utf8), []]
}
