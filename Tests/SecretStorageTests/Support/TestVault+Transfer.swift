import FoundationEssentials
import StorageInternals
import Testing

@testable import SecretStorage

// Exports, imports, and the items that they move.

/// The contents of an item, independent of its store.
struct MovedItem: Hashable {
  let identity: ItemIdentity
  let attributes: ItemAttributes
  let created: Int64
  let modified: Int64
  let secret: [UInt8]
}

extension TestVault {
  static let passphrase = Secret("The Valley Wind".utf8)

  /// Returns an object for the vault, which gets a passphrase.
  func protected(
    by passphrase: Secret = TestVault.passphrase, fileSystem: FileSystem = FileSystem()
  ) throws -> SecretVault {
    let object = open(fileSystem: fileSystem)
    try object.setPassphrase(passphrase, cost: .cheap)
    return object
  }

  /// Returns another object for the vault, unlocked by its passphrase, if it has one.
  func unlocked(
    by passphrase: Secret? = TestVault.passphrase, fileSystem: FileSystem = FileSystem()
  ) throws -> SecretVault {
    let object = open(fileSystem: fileSystem)
    if let passphrase { try object.unlock(with: .passphrase(passphrase)) }
    return object
  }

  /// The path of the tests' exports, beside the vault.
  var export: URL { directory.appending(path: "moved.vault") }

  /// Fills and exports the vault, and returns an empty one on another machine beside the export.
  func exported(_ fill: (SecretVault) throws -> Void) throws -> TestVault {
    let object = open()
    try fill(object)
    try object.export(of: self)
    return try otherMachine()
  }

  /// Returns an empty vault on another machine, with this one's export beside it.
  func otherMachine() throws -> TestVault {
    let other = TestVault(batchSize: batchSize)
    let path = try other.path("moved.vault")
    try FileSystem().replaceFile(at: path, with: TestVault.bytes(of: export.path))
    return other
  }

  /// Writes an item without the vault's checks, possibly under the key of another accessibility.
  func plant(
    _ identity: ItemIdentity, _ payload: Secret, _ attributes: ItemAttributes = ItemAttributes(),
    under other: Accessibility? = nil, created: Int64? = nil, unknown: [UInt8] = [],
    named name: SecretItem.ID? = nil, in object: SecretVault
  ) throws {
    let location = try object.location
    _ = try location.log.withWriterLock { append throws(SecretStoreError) in
      var draft = try VaultDraft(object.withContents { contents in contents }, location.device)
      let now = draft.nextDate()
      let itemID = if let name { name } else { try SecretItem.ID.random() }
      let item = SecretItem(
        id: itemID, identity: identity, attributes: attributes,
        creationDate: created.map(Date.init(microseconds:)) ?? now, modificationDate: now,
        revision: draft.nextRevision)
      let accessibility = attributes.accessControl.accessibility
      let sealed = try SealedSecret.seal(
        payload, of: item.id, revision: item.revision, attributes.accessControl,
        under: draft.keys.secretKey(for: other ?? accessibility),
        by: draft.keys.sealer)
      try draft.append(
        [.put(VaultItem(item: item, secret: sealed, unknown: unknown[...]))], as: accessibility)
      return try append(draft.records, draft.position)
    }
  }
}

extension SecretVault {
  /// Exports under the tests' passphrase, at the lowest cost.
  @discardableResult
  func export(
    of vault: TestVault, overwriting: Bool = false,
    reporting report: (MaintenanceProgress) -> MaintenanceProgress.Decision = { _ in .proceed }
  ) throws -> ExportReport {
    try export(
      to: vault.export, passphrase: TestVault.passphrase, cost: .cheap, overwriting: overwriting,
      reporting: report)
  }

  /// Imports the export beside a vault.
  @discardableResult
  func importItems(
    of vault: TestVault, replacing: Bool = false, isDryRun: Bool = false,
    reporting report: (MaintenanceProgress) -> MaintenanceProgress.Decision = { _ in .proceed }
  ) throws -> ImportReport {
    try importItems(
      from: vault.export, passphrase: TestVault.passphrase, replacing: replacing,
      isDryRun: isDryRun, reporting: report)
  }

  /// Expects the vault to have these items alone, and no damage.
  func expectSound(
    _ texts: [String: String], sourceLocation: SourceLocation = #_sourceLocation
  ) throws {
    #expect(try self.texts() == texts, sourceLocation: sourceLocation)
    #expect(try verify().isSound, sourceLocation: sourceLocation)
  }

  /// Returns every item that may leave the device, with its sealed contents.
  func movableItems() throws -> Set<MovedItem> {
    let contents = try withContents { contents throws(SecretStoreError) in contents }
    var items = Set<MovedItem>()
    for item in contents.index.items where item.isPortable {
      let payload = try contents.payload(of: item)
      items.insert(
        MovedItem(
          identity: item.identity, attributes: item.decoded.attributes, created: item.created,
          modified: item.modified, secret: payload.bytes))
    }
    return items
  }

  /// Adds items of every class, field and accessibility, changed and unchanged.
  func fill(includingPasscode: Bool = false) throws {
    _ = try add(
      Secret(Array("naïve 🗝".utf8)),
      identity: .internet(
        server: "my.server", account: "", securityDomain: "domain", protocol: .ssh,
        authenticationType: .htmlForm, port: 8080, path: "/a/b/c"),
      attributes: ItemAttributes(
        label: "Label", comment: "Zeile\nzwei", itemDescription: "login", creator: 0x6C6F_636B,
        type: 7, isInvisible: true))
    _ = try add(Secret([]), identity: .internet(), attributes: ItemAttributes(isInvisible: false))
    _ = try add(Secret([]), identity: .generic(), attributes: ItemAttributes(label: ""))
    for accessibility in Accessibility.allCases
    where includingPasscode || accessibility != .whenPasscodeSetThisDeviceOnly {
      for number in 0..<3 {
        let account = "\(accessibility) \(number)"
        try add("value of \(account)", account: account, accessibility)
        if number == 1 { try change(account, to: "changed \(account)") }
      }
    }
    // Both forms of the text are one identity; the written form is kept.
    try add("decomposed", account: "e\u{301}")
  }
}

/// Expects an error of a kind, with any text.
func expectError(
  _ kind: String, sourceLocation: SourceLocation = #_sourceLocation,
  from body: () throws -> Void
) {
  expectError({ $0.kind == kind }, sourceLocation: sourceLocation, from: body)
}

/// Expects an error for a violated limit, with these words.
func expectInvalid(
  _ words: String, sourceLocation: SourceLocation = #_sourceLocation,
  from body: () throws -> Void
) {
  expectError({ $0.invalid?.contains(words) == true }, sourceLocation: sourceLocation, from: body)
}

private func expectError(
  _ isExpected: (SecretStoreError) -> Bool, sourceLocation: SourceLocation,
  from body: () throws -> Void
) {
  do {
    try body()
    Issue.record("There is no error.", sourceLocation: sourceLocation)
  } catch {
    let isExpected = (error as? SecretStoreError).map(isExpected) == true
    #expect(isExpected, "\(error)", sourceLocation: sourceLocation)
  }
}

extension Secret {
  var bytes: [UInt8] { unsafe withUnsafeBytes { unsafe Array($0) } }
}

extension SecretStoreError {
  fileprivate var kind: String {
    switch self {
    case .locked: "locked"
    case .wrongPassphrase: "wrongPassphrase"
    case .cancelled: "cancelled"
    case .invalid: "invalid"
    case .corrupted: "corrupted"
    case .rolledBack: "rolledBack"
    case .replaced: "replaced"
    case .newerFormat: "newerFormat"
    case .insecure: "insecure"
    case .system(_, _, let code): "system \(code)"
    default: "another"
    }
  }
}
