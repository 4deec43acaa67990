public import FoundationEssentials
import StorageInternals

#if canImport(Glibc)
  import Glibc
#else
  import Musl
#endif

/// What opens a vault: something for one of its key slots.
public enum UnlockKey: Sendable {
  /// The device key of this machine.
  case device
  /// A passphrase. Its bytes count, so give it in one Unicode normalisation form.
  case passphrase(Secret)
  /// A file of 32 bytes to 1 MiB that nobody can guess; `head -c 32 /dev/urandom` makes one.
  case keyFile(URL)
  /// A file of 32 bytes to 1 MiB that systemd puts into `$CREDENTIALS_DIRECTORY` under this name.
  case credential(named: String)
}

extension UnlockKey {
  /// What the key is, in words.
  var kind: String {
    switch self {
    case .device: "slot for a device"
    case .passphrase: "passphrase"
    case .keyFile: "key file"
    case .credential(let name): "credential named \(name)"
    }
  }

  /// Whether a slot is of the kind that the key opens.
  func fits(_ slot: KeySlot) -> Bool {
    switch (self, slot.content) {
    case (.device, .device), (.passphrase, .passphrase), (.keyFile, .keyFile): true
    case (.credential(let name), .credential(let slotName, _)): name == slotName
    default: false
    }
  }

  /// Fetches the key from where it is.
  func slotKey(_ device: DeviceState) throws(SecretStoreError) -> SlotKey {
    switch self {
    case .device:
      guard let secret = try device.secret() else { throw .otherDevice("The vault") }
      return .device(secret)
    case .passphrase(let passphrase):
      return .passphrase(passphrase)
    case .keyFile(let url):
      return .keyFile(try device.keyMaterial(at: url.path))
    case .credential(let name):
      guard let credential = try device.credential(named: name) else {
        throw .unavailable(
          """
          systemd gave this process no credential \(name). Start the service with LoadCredential= or \
          LoadCredentialEncrypted= in its unit.
          """)
      }
      return .credential(name: name, credential)
    }
  }
}

extension DeviceState {
  private static let keyMaterialCounts = 32...(1 << 20)

  /// The content of a file that is used as a key.
  func keyMaterial(at path: String) throws(SecretStoreError) -> Secret {
    let content = try system { () throws(SystemError) in
      Secret(
        try fileSystem.open(path, O_RDONLY | O_CLOEXEC)
          .read(from: 0, count: Self.keyMaterialCounts.upperBound + 1))
    }
    guard Self.keyMaterialCounts.contains(content.count) else {
      throw .invalid(
        """
        The key file at \(path) must have 32 bytes to 1 MiB that nobody can guess, and has \
        \(content.count)
        """)
    }
    return content
  }

  /// What systemd gave to this service under a name; nil when that is nothing.
  func credential(named name: String) throws(SecretStoreError) -> Secret? {
    guard let directory = credentialsDirectory else { return nil }
    let path = "\(directory)/\(name)"
    let status = try system { () throws(SystemError) in try fileSystem.status(of: path) }
    return status == nil ? nil : try keyMaterial(at: path)
  }
}
