import FoundationEssentials
import StorageInternals
import Testing

@testable import SecretStorage

/// A sound vault, its true contents, and the files from which a forger can take parts.
struct Corpus {
  enum Form: String, CaseIterable, Sendable {
    /// A vault with a device slot.
    case device
    /// A vault with a passphrase that replaced an earlier one.
    case passphrase
    /// An export of the passphrase vault.
    case export
    /// An export written by the forger, with keys that the forger knows.
    case own
  }

  static let passphrase = TestVault.passphrase
  static let revoked = Secret("The Sixth Station".utf8)

  let form: Form
  /// The vault that forged files replace.
  let vault: TestVault
  let cipher = MeasuredCipher()
  private(set) var bytes: [UInt8] = []
  private(set) var file = ForgedFile(header: [], records: [])
  /// The state files in which the machine remembers the vault.
  private(set) var state: [String: [UInt8]] = [:]
  /// The vault before its last replacement, a branch of it, and another vault of the device.
  private(set) var older: [UInt8] = [], branch: [UInt8] = [], other: [UInt8] = []

  private(set) var truth: [String: String] = [:]
  /// Every value that an account ever had, in any copy of the vault.
  private(set) var held: [String: Set<String>] = [:]
  /// Every account of these vaults and of others.
  let accounts = ["a", "b", "c", "d", "e", "f", "g", "other"]
  let readableWhileLocked: Set = ["b", "c", "e"]
  /// The contents of every prefix of the file and of its other copies.
  private(set) var states: Set<[String: String]> = []

  init(_ form: Form) throws {
    self.form = form
    vault = TestVault()
    try FileSystem().makeDirectories(vault.statePath)
    if form != .own { try makeVault() }
    switch form {
    case .device, .passphrase: break
    case .export:
      let object = open()
      try unlock(object)
      try object.export(of: vault)
      bytes = try TestVault.bytes(of: vault.export.path)
      (older, branch, state) = (bytes, bytes, [:])
      truth["e"] = nil
    case .own:
      bytes = try OwnVault().file().encoded
      (older, branch, other) = (bytes, bytes, bytes)
    }
    if form != .own { try findStates() }
    file = ForgedFile(bytes)
  }

  func open(_ vault: TestVault? = nil) -> SecretVault { (vault ?? self.vault).open(cipher: cipher) }

  /// Unlocks a vault with its owner's key; no effect in the device form.
  func unlock(_ object: SecretVault, isRevoked: Bool = false) throws {
    switch form {
    case .device: try object.unlock()
    case .passphrase, .export:
      try object.unlock(with: .passphrase(isRevoked ? Self.revoked : Self.passphrase))
    case .own: try object.unlock(with: .passphrase(ForgerKeys.passphrase))
    }
  }

  func put(_ bytes: [UInt8], state: [String: [UInt8]]) throws {
    for name in try vault.names() where name.contains(".damaged-") {
      try FileSystem().unlink(vault.path(name))
    }
    try vault.restore(bytes, state)
  }

  var newestTable: [Field] { file.records.last { $0[number: "kind"] == 1 } ?? [] }

  private mutating func makeVault() throws {
    let object = open()
    if form != .device { try object.setPassphrase(Self.revoked, cost: .minimum) }
    try object.add("a at first", account: "a")
    try object.add("b at first", account: "b", .always)
    try object.add("c", account: "c", .afterFirstUnlock)
    try object.add("d", account: "d")
    try object.change("a", to: "a twice")
    try object.remove("d")
    older = try vault.bytes
    if form == .device {
      try object.compact()
    } else {
      try object.changePassphrase(from: Self.revoked, to: Self.passphrase, cost: .minimum)
    }
    try object.add("e", account: "e", .alwaysThisDeviceOnly)
    try object.change("b", to: "b twice")
    try makeBranch()
    try makeOther()
    try object.change("a", to: "a at last")
    try object.add("g", account: "g")
    truth = try object.texts()
    (bytes, state) = try vault.snapshot
  }

  private mutating func makeBranch() throws {
    let copy = try vault.sibling()
    try copy.replace(by: vault.bytes)
    let object = open(copy)
    try unlock(object)
    try object.change("a", to: "a of the branch")
    try object.add("f of the branch", account: "f")
    try object.change("b", to: "b of the branch")
    branch = try copy.bytes
  }

  private mutating func makeOther() throws {
    let other = try vault.sibling()
    let object = open(other)
    try object.add("of another vault", account: "a")
    try object.add("of another vault", account: "other", .always)
    if form != .device { try object.setPassphrase(Self.passphrase, cost: .minimum) }
    try object.add("of another vault", account: "b")
    self.other = try other.bytes
  }

  /// Collects the contents of the vault after each of its records.
  private mutating func findStates() throws {
    let reader = try vault.sibling()
    for file in [bytes, branch, older] {
      let frames = TestVault.frames(of: file)
      for count in 1...frames.count {
        try reader.forget()
        try reader.replace(by: TestVault.file(of: Array(frames[..<count])))
        let object = open(reader)
        try unlock(object, isRevoked: file == older && form == .passphrase)
        // An export is sound only as a whole.
        if try object.verify().isSound, form != .export || count == frames.count {
          let texts = try object.texts()
          states.insert(texts)
          for (account, value) in texts { held[account, default: []].insert(value) }
        }
      }
    }
    try #require(states.contains(truth))
  }
}
