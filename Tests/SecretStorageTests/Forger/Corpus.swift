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

  static let passphrase = Secret("The Valley Wind".utf8)
  static let revoked = Secret("The Sixth Station".utf8)

  let form: Form
  /// The vault that forged files replace.
  let vault: TestVault
  let cipher = MeasuredCipher()
  private(set) var bytes: [UInt8] = []
  /// The parsed form of `bytes`.
  private(set) var file = ForgedFile(header: [], records: [])
  /// The state files in which the machine remembers the vault.
  private(set) var state: [String: [UInt8]] = [:]
  /// The same vault before its last replacement; a continuation of another copy of it; another
  /// vault of the same device.
  private(set) var older: [UInt8] = []
  private(set) var branch: [UInt8] = []
  private(set) var other: [UInt8] = []

  /// The current value of each account.
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
    if form == .export {
      let object = open()
      try object.unlock(with: .passphrase(Self.passphrase))
      _ = try object.export(to: vault.export, passphrase: Self.passphrase, cost: .minimum)
      bytes = try TestVault.bytes(of: vault.export.path)
      state = [:]
      truth = truth.filter { $0.key != "e" }
      older = bytes
      branch = bytes
    }
    if form == .own {
      bytes = try OwnVault().file().encoded
      (older, branch, other) = (bytes, bytes, bytes)
    } else {
      try findStates()
    }
    file = ForgedFile(bytes)
  }

  func open(_ vault: TestVault? = nil) -> SecretVault {
    (vault ?? self.vault).open(cipher: cipher)
  }

  /// Unlocks a vault with its owner's key; no effect in the device form.
  func unlock(_ object: SecretVault) throws {
    switch form {
    case .device: try object.unlock()
    case .passphrase, .export: try object.unlock(with: .passphrase(Self.passphrase))
    case .own: try object.unlock(with: .passphrase(ForgerKeys.passphrase))
    }
  }

  /// Replaces the vault's file and the machine's state.
  func put(_ bytes: [UInt8], state: [String: [UInt8]]) throws {
    for name in try vault.names() where name.contains(".damaged-") {
      try FileSystem().unlink(vault.path(name))
    }
    try vault.replace(by: bytes)
    try vault.restoreState(state)
  }

  var newestTable: [Field] {
    file.records.last { $0[number: "kind"] == 1 } ?? []
  }

  private mutating func makeVault() throws {
    let object = open()
    if form != .device { try object.setPassphrase(Self.revoked, cost: .minimum) }
    try add("a at first", "a", to: object)
    try add("b at first", "b", .always, to: object)
    try add("c", "c", .afterFirstUnlock, to: object)
    try add("d", "d", to: object)
    try change("a", to: "a twice", in: object)
    try object.remove("d")
    older = try vault.bytes
    if form == .device {
      try object.compact()
    } else {
      try object.changePassphrase(from: Self.revoked, to: Self.passphrase, cost: .minimum)
    }
    try add("e", "e", .alwaysThisDeviceOnly, to: object)
    try change("b", to: "b twice", in: object)
    try makeBranch()
    try makeOther()
    try change("a", to: "a at last", in: object)
    try add("g", "g", to: object)
    truth = try object.texts()
    bytes = try vault.bytes
    state = try vault.rememberedState()
  }

  private mutating func makeBranch() throws {
    let copy = try sibling()
    try copy.replace(by: vault.bytes)
    let object = open(copy)
    try unlock(object)
    try change("a", to: "a of the branch", in: object)
    try add("f of the branch", "f", to: object)
    try change("b", to: "b of the branch", in: object)
    branch = try copy.bytes
  }

  private mutating func makeOther() throws {
    let other = try sibling()
    let object = open(other)
    for (account, accessibility) in [("a", Accessibility.whenUnlocked), ("other", .always)] {
      try object.add("of another vault", account: account, accessibility)
    }
    if form != .device { try object.setPassphrase(Self.passphrase, cost: .minimum) }
    try object.add("of another vault", account: "b")
    self.other = try other.bytes
  }

  /// Makes a directory for another vault of the same device, without remembered vaults.
  private func sibling() throws -> TestVault {
    let other = TestVault()
    try FileSystem().makeDirectories(other.statePath)
    let key = try TestVault.bytes(of: vault.statePath + "/device.key")
    try FileSystem().replaceFile(at: other.statePath + "/device.key", with: key)
    return other
  }

  private mutating func add(
    _ value: String, _ account: String, _ accessibility: Accessibility = .whenUnlocked,
    to object: SecretVault
  ) throws {
    try object.add(value, account: account, accessibility)
    held[account, default: []].insert(value)
  }

  private mutating func change(
    _ account: String, to value: String, in object: SecretVault
  ) throws {
    try object.change(account, to: value)
    held[account, default: []].insert(value)
  }

  /// Collects the contents of the vault after each of its records.
  private mutating func findStates() throws {
    let reader = try sibling()
    for file in [bytes, branch, older] {
      let frames = TestVault.frames(of: file)
      for count in 1...frames.count {
        try reader.forget()
        try reader.replace(by: TestVault.file(of: Array(frames[..<count])))
        let object = open(reader)
        if file == older, form == .passphrase {
          try object.unlock(with: .passphrase(Self.revoked))
        } else {
          try unlock(object)
        }
        // An export is sound only as a whole.
        if try object.verify().isSound, form != .export || count == frames.count {
          states.insert(try object.texts())
        }
      }
    }
    try #require(states.contains(truth))
  }
}
