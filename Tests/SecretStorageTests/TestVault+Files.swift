import FoundationEssentials
import StorageInternals
import Testing

@testable import SecretStorage

#if canImport(Glibc)
  import Glibc
#else
  import Musl
#endif

extension TestVault {
  /// Another path in the vault's directory, which is made.
  func path(_ name: String) throws -> String {
    try FileSystem().makeDirectories(directory.path)
    return "\(directory.path)/\(name)"
  }

  var bytes: [UInt8] {
    get throws { try Self.bytes(of: path) }
  }

  static func bytes(of path: String) throws -> [UInt8] {
    try FileSystem().open(path, O_RDONLY).read(from: 0, count: .max)
  }

  static func append(_ bytes: [UInt8], to path: String) throws {
    let file = try FileSystem().open(path, O_WRONLY | O_CREAT, mode: 0o600)
    try file.write(bytes, at: try file.status().size)
  }

  /// Puts other bytes in the place of the vault, as another file, so that no object overlooks it.
  func replace(by bytes: some Collection<UInt8>) throws {
    try FileSystem().makeDirectories(directory.path)
    try FileSystem().replaceFile(at: path, with: bytes)
  }

  /// The names of the files beside the vault.
  func names() throws -> [String] {
    try FileSystem().entries(of: directory.path).sorted()
  }

  /// The files in which this machine remembers the vaults, which are then forgotten.
  func forget() throws {
    try forgetPlaces()
    for name in try FileSystem().entries(of: statePath) where name.hasSuffix(".state") {
      try FileSystem().unlink("\(statePath)/\(name)")
    }
  }

  /// Has the machine not know which vault belongs where.
  func forgetPlaces() throws {
    for name in try FileSystem().entries(of: statePath) where name.hasSuffix(".place") {
      try FileSystem().unlink("\(statePath)/\(name)")
    }
  }

  /// The state directory's files, to be put back later.
  func rememberedState() throws -> [String: [UInt8]] {
    var files: [String: [UInt8]] = [:]
    for name in try FileSystem().entries(of: statePath) where name.hasSuffix(".state") {
      files[name] = try Self.bytes(of: "\(statePath)/\(name)")
    }
    return files
  }

  func restoreState(_ files: [String: [UInt8]]) throws {
    try forget()
    for (name, bytes) in files {
      try FileSystem().replaceFile(at: "\(statePath)/\(name)", with: bytes)
    }
  }

  /// The records in a vault's bytes, with their frames.
  static func frames(of bytes: [UInt8]) -> [ArraySlice<UInt8>] {
    var frames: [ArraySlice<UInt8>] = []
    var rest = bytes.dropFirst(FileHeader.count)
    while let count = Frame.payloadCount(in: rest) {
      frames.append(rest.prefix(Frame.overhead + count))
      rest = rest.dropFirst(Frame.overhead + count)
    }
    return frames
  }

  /// A file of frames, each a whole one.
  static func file(of frames: [some Collection<UInt8>]) throws -> [UInt8] {
    try FileHeader.encode(OpenSSLCipher()) + frames.flatMap { $0 }
  }

  /// A frame for a payload, with the right digest.
  static func frame(of payload: some Collection<UInt8>) throws -> ArraySlice<UInt8> {
    let payload = Array(payload)
    var bytes: [UInt8] = []
    Frame.encode(
      LogRecord(
        payload: payload[...], digest: try OpenSSLCipher().digest(payload[...])[...]),
      into: &bytes)
    return bytes[...]
  }
}

extension SecretVault {
  /// Adds an item of the service `campaign`.
  @discardableResult
  func add(
    _ value: String, account: String, _ accessibility: Accessibility = .whenUnlocked,
    label: String? = nil
  ) throws(SecretStoreError) -> SecretItem {
    try add(
      Secret(value.utf8), identity: .generic(service: "campaign", account: account),
      attributes: ItemAttributes(label: label, accessControl: AccessControl(accessibility)))
  }

  func item(_ account: String) throws(SecretStoreError) -> SecretItem? {
    try items(matching: .exactly(.generic(service: "campaign", account: account))).first
  }

  /// Changes the secret of an item that is there.
  @discardableResult
  func change(_ account: String, to value: String) throws -> SecretItem {
    let item = try #require(try item(account))
    return try update(
      item.id, expecting: item.revision, attributes: nil, secret: Secret(value.utf8))
  }

  func remove(_ account: String) throws {
    let item = try #require(try item(account))
    try remove(item.id, expecting: item.revision)
  }

  /// The secret of an account, or nil when the vault has no such item.
  func text(_ account: String) throws(SecretStoreError) -> String? {
    guard let item = try item(account) else { return nil }
    return try text(of: item)
  }

  func text(of item: SecretItem) throws(SecretStoreError) -> String? {
    try secret(of: item.id)?.secret.text
  }

  /// Every item's secret by its account.
  func texts() throws -> [String: String] {
    var texts: [String: String] = [:]
    for item in try items(matching: .all) {
      texts[try #require(item.identity.account)] = try text(of: item)
    }
    return texts
  }
}

extension Secret {
  var text: String { unsafe withUnsafeBytes { unsafe String(decoding: $0, as: UTF8.self) } }
}

extension ScryptCost {
  /// The lowest cost that a slot may have.
  static let cheap = minimum
}
