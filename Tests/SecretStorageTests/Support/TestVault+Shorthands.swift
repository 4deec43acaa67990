import Concurrency

@testable import SecretStorage

// Short forms of what many tests do with a vault.

extension UnlockKey {
  static var tests: UnlockKey { .passphrase(TestVault.passphrase) }
}

extension ScryptCost {
  static let cheap = minimum

  init(_ logarithmicCost: UInt8, _ blockSize: UInt32, _ parallelization: UInt32) {
    self.init(
      logarithmicCost: logarithmicCost, blockSize: blockSize, parallelization: parallelization)
  }
}

extension TestVault {
  /// Returns an object for the vault, with the item `a`.
  func openWithItem(asService isService: Bool = false) throws -> SecretVault {
    try (isService ? openAsService() : open()).adding("value", account: "a")
  }

  /// Returns an object for the vault, with the items of ``SecretVault/many(_:)``.
  func openWithMany(_ count: Int, isPortable: Bool = false) throws -> SecretVault {
    let object = open()
    try object.addMany(count, isPortable: isPortable)
    return object
  }

  /// The file, and the state of this machine.
  var snapshot: (bytes: [UInt8], state: [String: [UInt8]]) {
    get throws { (try bytes, try rememberedState()) }
  }

  func restore(_ bytes: some Collection<UInt8>, _ state: [String: [UInt8]]) throws {
    try replace(by: bytes)
    try restoreState(state)
  }

  /// The records in the file, with their frames.
  var frames: [ArraySlice<UInt8>] { get throws { Self.frames(of: try bytes) } }

  /// Replaces the file by one with changed bytes.
  func replaceChanging(_ change: (inout [UInt8]) throws -> Void) throws {
    var bytes = try bytes
    try change(&bytes)
    try replace(by: bytes)
  }
}

extension SecretVault {
  /// A property for the item of an account.
  func property(_ account: String, _ policy: RefreshPolicy = .onAccess) -> PasswordItem<String> {
    PasswordItem(.generic(service: "campaign", account: account), refreshPolicy: policy, in: self)
  }

  var isLockedByApp: Bool { contents.withLock { $0.keys.isLockedByApp } }
  var userKey: Secret? { contents.withLock { $0.keys.ring.user } }

  /// Adds an item of each accessibility that the vault supports, whose account is its name.
  @discardableResult
  func addEach(_ value: String) throws -> [Accessibility: SecretItem] {
    var items: [Accessibility: SecretItem] = [:]
    let hasPassphrase = try hasPassphrase
    for accessibility in Accessibility.allCases
    where hasPassphrase || accessibility != .whenPasscodeSetThisDeviceOnly {
      items[accessibility] = try add(value, account: "\(accessibility)", accessibility)
    }
    return items
  }

  /// Adds a slot for each passphrase, with the passphrase as its name.
  func addPassphrases(_ names: String...) throws {
    for name in names { try addSlot(.passphrase(Secret(name.utf8)), named: name, cost: .cheap) }
  }

  func adding(
    _ value: String, account: String, _ accessibility: Accessibility = .whenUnlocked
  ) throws(SecretStoreError) -> SecretVault {
    try add(value, account: account, accessibility)
    return self
  }

  @discardableResult
  func change(
    _ item: SecretItem, to secret: Secret? = nil, _ attributes: ItemAttributes? = nil,
    by authorization: Authorization = .none
  ) throws(SecretStoreError) -> SecretItem {
    try update(
      item.id, expecting: item.revision, attributes: attributes, secret: secret,
      authorizedBy: authorization)
  }
}

extension Diagnosis {
  /// The text of the first finding about a subject.
  subscript(subject: String) -> String? { findings.first { $0.subject == subject }?.text }
}

/// Returns the reports of work on a vault, which goes on after each.
func reports(
  of work: ((MaintenanceProgress) -> MaintenanceProgress.Decision) throws -> Void
) rethrows -> [MaintenanceProgress] {
  var reports: [MaintenanceProgress] = []
  try work { progress in
    reports.append(progress)
    return .proceed
  }
  return reports
}
