import CipherSupport
import CLibrary
import FoundationEssentials
import StorageInternals
import Testing

@testable import SecretStorage

// The files of the vault and of its state.
extension TestVault {
  /// Returns another path in the vault's directory, which it creates.
  func path(_ name: String) throws -> String {
    try FileSystem().makeDirectories(directory.path)
    return "\(directory.path)/\(name)"
  }

  /// The vault's file without its reserve of zeros.
  var bytes: [UInt8] { get throws { try Self.withoutReserve(Self.bytes(of: path)) } }

  static func bytes(of path: String) throws -> [UInt8] {
    try FileSystem().open(path, O_RDONLY).read(from: 0, count: .max)
  }

  /// Removes the zeros that a vault reserves after its last record.
  static func withoutReserve(_ bytes: [UInt8]) throws -> [UInt8] {
    guard bytes.last == 0, bytes.starts(with: FileHeader.magic) else { return bytes }
    var search = FrameSearch(bytes[...], TestCipher())
    var position = FileHeader.size
    while position < bytes.count {
      if let record = try search.record(at: position) {
        position = record.payload.endIndex
      } else if let next = try search.nextRecord(from: position + 1) {
        position = next
      } else {
        return Array(bytes[..<position] + Frame.remains(in: bytes[position...]))
      }
    }
    return bytes
  }

  /// Appends bytes to a file, to a vault in place of its reserve.
  static func append(_ bytes: [UInt8], to path: String) throws {
    let file = try FileSystem().open(path, O_RDWR | O_CREAT, mode: 0o600)
    let size = try file.status().size
    let end = try withoutReserve(file.read(from: 0, count: size)).count
    if end < size { try file.truncate(to: end) }
    try file.write(bytes, at: end)
  }

  /// Replaces the vault's file by a new inode, so that every object notices.
  func replace(by bytes: some Collection<UInt8>) throws {
    try FileSystem().makeDirectories(directory.path)
    try FileSystem().replaceFile(at: path, with: bytes)
  }

  /// Compacts the vault on another machine that has its passphrase.
  func compactElsewhere() throws { try unlocked(state: path("elsewhere")).compact() }

  func names() throws -> [String] { try FileSystem().entries(of: directory.path).sorted() }

  /// Returns the temporary files beside the vault, and in the state directory.
  func temporaryNames() throws -> [String] {
    try (names() + FileSystem().entries(of: statePath)).filter { $0.hasSuffix(".tmp") }
  }

  /// Removes the state files of all vaults.
  func forget() throws {
    try forgetPlaces()
    for name in try rememberedState().keys { try FileSystem().unlink("\(statePath)/\(name)") }
  }

  /// Removes the records of which vault belongs at which path.
  func forgetPlaces() throws {
    for name in try FileSystem().entries(of: statePath) where name.hasSuffix(".place") {
      try FileSystem().unlink("\(statePath)/\(name)")
    }
  }

  /// Returns the contents of the state files, to be restored later.
  func rememberedState() throws -> [String: [UInt8]] {
    var files: [String: [UInt8]] = [:]
    for name in try FileSystem().entries(of: statePath) where name.hasSuffix(".state") {
      files[name] = try Self.bytes(of: "\(statePath)/\(name)")
    }
    return files
  }

  func restoreState(_ files: [String: [UInt8]]) throws {
    try forget()
    for (name, bytes) in files { try putState(name, bytes) }
  }

  func putState(_ name: String, _ bytes: [UInt8]) throws {
    try FileSystem().replaceFile(at: "\(statePath)/\(name)", with: bytes)
  }

  /// Returns the path of a machine's file with a suffix.
  func stateFile(_ suffix: String) throws -> String {
    let name = try FileSystem().entries(of: statePath).first { $0.hasSuffix(suffix) }
    return "\(statePath)/\(try #require(name))"
  }

  /// Gives the item `a` two values, possibly by two objects, and returns the file after each.
  func writeTwice(
    by first: SecretVault? = nil, and second: SecretVault? = nil
  ) throws -> (old: [UInt8], new: [UInt8]) {
    let first = first ?? open()
    try first.add("old", account: "a")
    let old = try bytes
    try (second ?? first).change("a", to: "new")
    return (old, try bytes)
  }

  /// Makes another vault of the same device, of which its machine remembers nothing.
  func sibling() throws -> TestVault {
    let other = TestVault()
    try FileSystem().makeDirectories(other.statePath)
    try other.putState("device.key", Self.bytes(of: "\(statePath)/device.key"))
    return other
  }

  /// Damages the byte at an offset, or the last one.
  func damage(at offset: Int? = nil) throws {
    let bytes = try bytes
    let place = offset ?? bytes.count - 1
    try Self.change(path, at: place, to: ~bytes[place])
  }

  static func change(_ path: String, at offset: Int, to byte: UInt8) throws {
    try FileSystem().open(path, O_WRONLY).write([byte], at: offset)
  }

  /// Returns the records in a vault's bytes, with their frames.
  static func frames(of bytes: [UInt8]) -> [ArraySlice<UInt8>] {
    var frames: [ArraySlice<UInt8>] = []
    var rest = bytes.dropFirst(FileHeader.size)
    while let count = Frame.payloadCount(in: rest) {
      frames.append(rest.prefix(Frame.overhead + count))
      rest = rest.dropFirst(Frame.overhead + count)
    }
    return frames
  }

  static func file(of frames: [some Collection<UInt8>]) throws -> [UInt8] {
    try FileHeader.encode(TestCipher()) + frames.flatMap { $0 }
  }

  /// Returns a frame for a payload, with the right digest.
  static func frame(of payload: some Collection<UInt8>) throws -> ArraySlice<UInt8> {
    let payload = Array(payload)
    return ForgedFile.frame(of: payload, digest: try TestCipher().digest(payload[...]))[...]
  }
}

extension SecretVault {
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

  @discardableResult
  func change(_ account: String, to value: String) throws -> SecretItem {
    try change(#require(try item(account)), to: Secret(value.utf8))
  }

  /// Changes an item's accessibility; two records if the attributes' key changes with it.
  func move(
    _ account: String, to accessibility: Accessibility, changingTo value: Secret? = nil
  ) throws {
    let attributes = ItemAttributes(accessControl: AccessControl(accessibility))
    try change(#require(try item(account)), to: value, attributes)
  }

  func remove(_ account: String) throws {
    let item = try #require(try item(account))
    try remove(item.id, expecting: item.revision)
  }

  func text(_ account: String) throws(SecretStoreError) -> String? {
    if let item = try item(account) { try text(of: item) } else { nil }
  }

  func text(of item: SecretItem) throws(SecretStoreError) -> String? {
    try secret(of: item.id)?.secret.text
  }

  func texts() throws -> [String: String] {
    var texts: [String: String] = [:]
    for item in try items(matching: .all) {
      texts[try #require(item.identity.account)] = try text(of: item)
    }
    return texts
  }
}

extension Secret {
  var bytes: [UInt8] { unsafe withUnsafeBytes { unsafe Array($0) } }
  var text: String { unsafe withUnsafeBytes { unsafe String(decoding: $0, as: UTF8.self) } }
}
