import Concurrency
import FoundationEssentials
import StorageInternals
import Testing

@testable import SecretStorage

// Keys of each kind, slots, and locked vaults.

/// The kinds of keys that an app can pass.
enum KeyKind: CaseIterable, Sendable {
  case passphrase, keyFile, credential, recoveryCode

  /// Returns a key of this kind, derived from the number.
  func key(_ number: UInt8, in vault: TestVault) throws -> UnlockKey {
    switch self {
    case .passphrase: return .passphrase("passphrase \(number)")
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

  /// Writes a credential as systemd does.
  func giveCredential(_ name: String, _ number: UInt8, count: Int = 64) throws {
    try FileSystem().replaceFile(
      at: "\(credentials())/\(name)", with: [UInt8](repeating: number, count: count))
  }

  func keyFile(_ number: UInt8, count: Int = 64) throws -> URL {
    let path = try path("key file \(number)")
    try FileSystem().replaceFile(at: path, with: [UInt8](repeating: number, count: count))
    return URL(filePath: path)
  }

  /// Returns an object in the environment of a service with credentials.
  func openAsService() throws -> SecretVault { open(credentials: try credentials()) }

  /// Returns an object on a machine that has only the vault's file.
  func openElsewhere() throws -> SecretVault {
    open(state: try path("elsewhere"), credentials: try credentials())
  }

  /// Changes the slots in the file, with authentic key tables.
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
    try changeSlots { slot in
      let isOfKind =
        switch (kind, slot.kind) {
        case (.passphrase, .passphrase), (.keyFile, .keyFile), (.credential, .credential),
          (.recoveryCode, .recoveryCode):
          true
        default: false
        }
      if !isOfKind { return [slot] }
      var damaged = slot
      damaged.sealed[damaged.sealed.startIndex + 3] ^= 1
      return [damaged]
    }
  }
}

/// Returns the error of a closure that must throw.
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

/// Expects the error of a locked store, whichever keys it names.
func expectLocked<Result>(
  _ comment: Comment? = nil, sourceLocation: SourceLocation = #_sourceLocation,
  _ body: () throws -> Result
) {
  let error = #expect(throws: SecretStoreError.self, comment, sourceLocation: sourceLocation) {
    _ = try body()
  }
  if let error { #expect(error.isLocked, comment, sourceLocation: sourceLocation) }
}

extension SecretStoreError {
  var isLocked: Bool { if case .locked = self { true } else { false } }

  /// The violated limit; nil for other errors.
  var invalid: String? {
    if case .invalid(let what) = self { what } else { nil }
  }

  var corrupted: String? {
    if case .corrupted(let what) = self { what } else { nil }
  }
}
