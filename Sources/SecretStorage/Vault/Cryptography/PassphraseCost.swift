/// The function that derives a key from a passphrase, and its cost.
public enum PassphraseCost: Hashable, Sendable {
  /// scrypt, which every machine with OpenSSL computes.
  case scrypt(ScryptCost)
  /// Argon2id, for which every machine that opens the vault needs OpenSSL 3.2 or libargon2.
  case argon2id(Argon2idCost)

  /// The minimum cost of scrypt: ``ScryptCost/minimum``.
  public static let minimum = scrypt(.minimum)
  /// The standard cost of scrypt: ``ScryptCost/standard``.
  public static let standard = scrypt(.standard)
}

extension PassphraseCost {
  /// The code of the function in the file, which is also that of slots for a passphrase.
  var code: UInt8 {
    switch self {
    case .scrypt: 2
    case .argon2id: 7
    }
  }

  /// Whether the cost is valid and not excessive.
  var isAffordable: Bool {
    switch self {
    case .scrypt(let cost): cost.isAffordable
    case .argon2id(let cost): cost.isAffordable
    }
  }

  /// Whether an affordable cost requires enough work for each guess.
  var isSufficient: Bool {
    switch self {
    case .scrypt(let cost): cost.isSufficient
    case .argon2id(let cost): cost.isSufficient
    }
  }

  /// Whether this machine should be able to compute the function.
  var isAvailable: Bool {
    if case .argon2id = self { Argon2idCost.isAvailable } else { true }
  }

  /// The memory in bytes, times the number of passes; 0 for a cost that is not affordable.
  var work: UInt64 {
    guard isAffordable else { return 0 }
    return switch self {
    case .scrypt(let cost): (cost.memory ?? 0) * UInt64(cost.parallelization)
    case .argon2id(let cost): cost.work
    }
  }

  /// Throws ``SecretStoreError/invalid(_:)`` for a cost that is not allowed for a new passphrase.
  func check() throws(SecretStoreError) {
    switch self {
    case .scrypt(let cost): try cost.check()
    case .argon2id(let cost):
      if !cost.isAffordable {
        throw .invalid(
          """
          The Argon2id cost is invalid, or exceeds 1 GiB of memory, 16 passes over it or 16 lanes
          """)
      }
      if !cost.isSufficient {
        throw .invalid(
          """
          The Argon2id cost is too low to protect a passphrase: it needs at least 19 MiB of memory \
          and 2 passes over that much
          """)
      }
    }
  }

  /// Throws ``SecretStoreError/corrupted(_:)`` if a cost read from a file is not allowed.
  func checkStored(by owner: String) throws(SecretStoreError) {
    guard isAffordable else { throw .corrupted("\(owner) requires an excessive amount of work") }
    guard isSufficient else { throw .corrupted("\(owner) requires too little work to be secure") }
  }

  func encode(into bytes: inout [UInt8]) {
    switch self {
    case .scrypt(let cost): bytes.append(cost)
    case .argon2id(let cost):
      bytes.append(littleEndian: cost.passes)
      bytes.append(littleEndian: cost.memory)
      bytes.append(littleEndian: cost.lanes)
    }
  }

  /// Decodes the cost of the function with a code; nil if the function is of a newer version.
  init?(code: UInt8, _ reader: inout RecordReader) throws(MalformedRecord) {
    switch code {
    case 2: self = .scrypt(try reader.cost())
    case 7:
      self = .argon2id(
        Argon2idCost(
          passes: try reader.integer(), memory: try reader.integer(), lanes: try reader.integer()))
    default: return nil
    }
  }
}
