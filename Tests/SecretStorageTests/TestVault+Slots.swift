import FoundationEssentials
import StorageInternals
import Testing

@testable import SecretStorage

/// The kinds of keys that an app has in hand.
enum KeyKind: CaseIterable, Sendable {
  case passphrase, keyFile, credential, recoveryCode

  /// A key of this kind, whose content is the number's alone.
  func key(_ number: UInt8, in vault: TestVault) throws -> UnlockKey {
    switch self {
    case .passphrase: return .passphrase(Secret("passphrase \(number)".utf8))
    case .keyFile: return .keyFile(try vault.keyFile(number))
    case .credential:
      try vault.giveCredential("vault-key", number)
      return .credential(named: "vault-key")
    case .recoveryCode: return .recoveryCode(try .example(number))
    }
  }

  var refusal: (SecretStoreError) -> Bool {
    { error in
      switch (self, error) {
      case (.passphrase, .wrongPassphrase): true
      case (.keyFile, .wrongKey(let what)): what.hasPrefix("The key file at /")
      case (.credential, .wrongKey(let what)): what == "The credential named vault-key"
      case (.recoveryCode, .wrongKey(let what)): what == "The recovery code"
      default: false
      }
    }
  }
}

extension RecoveryCode {
  private static let examples = Lock<[RecoveryCode]>([])

  static func example(_ number: UInt8) throws(SecretStoreError) -> RecoveryCode {
    try examples.withLock { examples throws(SecretStoreError) in
      while examples.count <= number { examples.append(try random()) }
      return examples[Int(number)]
    }
  }

  var text: String { withText { $0 } }
}

extension TestVault {
  func credentials() throws -> String {
    let directory = try path("credentials")
    try FileSystem().makeDirectories(directory)
    return directory
  }

  /// Puts a credential where systemd would.
  func giveCredential(_ name: String, _ number: UInt8, count: Int = 64) throws {
    try FileSystem().replaceFile(
      at: "\(credentials())/\(name)", with: [UInt8](repeating: number, count: count))
  }

  func keyFile(_ number: UInt8, count: Int = 64) throws -> URL {
    let path = try path("key file \(number)")
    try FileSystem().replaceFile(at: path, with: [UInt8](repeating: number, count: count))
    return URL(filePath: path)
  }

  /// An object as a service has it that gets credentials.
  func openAsService() throws -> SecretVault { open(credentials: try credentials()) }

  /// An object on a machine that has nothing of this vault but its file.
  func openElsewhere() throws -> SecretVault {
    open(state: try path("elsewhere"), credentials: try credentials())
  }

  /// Changes the slots in the file, with tables of keys that are authentic.
  func changeSlots(_ change: (KeySlot) -> [KeySlot]) throws {
    try changeSlotsUnlocked(of: openAsService(), change)
  }

  func changeSlotsUnlocked(
    of object: SecretVault, _ change: (KeySlot) -> [KeySlot]
  ) throws {
    try object.changeKeys { keys throws(SecretStoreError) in
      keys.table.slots = keys.table.slots.flatMap(change)
    }
  }

  /// Flips a bit in the sealed user key of each slot of a kind.
  func damageSlots(of kind: KeyKind) throws {
    func damaged(_ key: SealedUserKey) -> SealedUserKey {
      var sealed = Array(key.sealed)
      sealed[3] ^= 1
      return SealedUserKey(salt: key.salt, check: key.check, sealed: sealed[...])
    }
    try changeSlots { slot in
      let content: KeySlot.Content? =
        switch (kind, slot.content) {
        case (.passphrase, .passphrase(let cost, let key)):
          .passphrase(cost: cost, damaged(key))
        case (.keyFile, .keyFile(let key)): .keyFile(damaged(key))
        case (.credential, .credential(let name, let key)):
          .credential(name: name, damaged(key))
        case (.recoveryCode, .recoveryCode(let key)): .recoveryCode(damaged(key))
        default: nil
        }
      return [content.map { KeySlot(id: slot.id, name: slot.name, content: $0) } ?? slot]
    }
  }
}

/// Calls a closure that must throw, and gives its error.
func failure(
  sourceLocation: SourceLocation = #_sourceLocation, _ body: () throws -> Void
) throws -> SecretStoreError {
  do {
    try body()
  } catch {
    return try #require(error as? SecretStoreError, sourceLocation: sourceLocation)
  }
  throw NothingThrown()
}

struct NothingThrown: Error {}

extension SecretStoreError {
  /// What is said to be outside of the limits, if this is about that.
  var invalid: String? {
    if case .invalid(let what) = self { what } else { nil }
  }

  var corrupted: String? {
    if case .corrupted(let what) = self { what } else { nil }
  }
}
