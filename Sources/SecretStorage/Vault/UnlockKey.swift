public import FoundationEssentials
import StorageInternals

/// What opens a vault: something for one of its key slots.
public enum UnlockKey: Sendable {
  /// The device key of this machine.
  case device
  /// A passphrase of 1 byte to 64 KiB. Its bytes count, so give it in one Unicode normalisation form.
  case passphrase(Secret)
  /// A file of 32 bytes to 1 MiB that nobody can guess; `head -c 32 /dev/urandom` makes one.
  case keyFile(URL)
  /// A file of 32 bytes to 1 MiB that systemd puts into `$CREDENTIALS_DIRECTORY` under this name.
  case credential(named: String)
  /// A code that ``SecretVault/addRecoveryCode(named:)`` made and a person wrote down.
  case recoveryCode(RecoveryCode)
}

extension UnlockKey {
  /// What the key is, in words.
  var kind: String {
    switch self {
    case .device: "slot for a device"
    case .passphrase: "passphrase"
    case .keyFile: "key file"
    case .credential(let name): "credential named \(name)"
    case .recoveryCode: "recovery code"
    }
  }

  /// What is said when the key opens none of the slots of its kind.
  var refusal: SecretStoreError {
    switch self {
    case .device: .otherDevice("The vault")
    case .passphrase: .wrongPassphrase
    case .keyFile(let url): .wrongKey("The key file at \(url.path)")
    case .credential(let name): .wrongKey("The credential named \(name)")
    case .recoveryCode: .wrongKey("The recovery code")
    }
  }

  /// Whether a slot is of the kind that the key opens.
  func fits(_ slot: KeySlot) -> Bool {
    switch (self, slot.content) {
    case (.device, .device), (.passphrase, .passphrase), (.keyFile, .keyFile),
      (.recoveryCode, .recoveryCode):
      true
    case (.credential(let name), .credential(let slotName, _)): name == slotName
    default: false
    }
  }

  /// Fetches the key from where it is, that of the device as it opens a table.
  func slotKey(
    _ device: DeviceState, for table: KeyTable? = nil
  ) throws(SecretStoreError) -> SlotKey {
    switch self {
    case .device:
      let secret =
        if let table { try device.secret(for: table)?.secret } else { try device.secret() }
      guard let secret else { throw .otherDevice("The vault") }
      return .device(secret)
    case .passphrase(let passphrase):
      return .passphrase(try passphrase.checkedAsPassphrase())
    case .keyFile(let url):
      return .keyFile(try device.keyMaterial("key file", at: url.path))
    case .credential(let name):
      guard DeviceState.isCredentialName(name) else {
        throw .invalid(
          """
          \(String(reflecting: name)) cannot be the name of a credential: that has 1 to 255 printable \
          ASCII characters without slash and colon
          """)
      }
      guard let credential = try device.credential(named: name) else {
        throw .unavailable(
          """
          systemd gave this process no credential \(name). Start the service with LoadCredential= or \
          LoadCredentialEncrypted= in its unit.
          """)
      }
      return .credential(name: name, credential)
    case .recoveryCode(let code):
      return .recoveryCode(code.characters)
    }
  }
}

extension Secret {
  /// - Throws: ``SecretStoreError/invalid(_:)`` for what is no passphrase.
  fileprivate func checkedAsPassphrase() throws(SecretStoreError) -> Secret {
    if count == 0 { throw .invalid("A passphrase must not be empty") }
    if count > 1 << 16 {
      throw .invalid(
        "A passphrase has at most 64 KiB, and this one has \(count) bytes: use a key file for that")
    }
    return self
  }
}
