import FoundationEssentials
import StorageInternals
import Testing

@testable import SecretStorage

// Exports, imports, and the items that they move.
/// The contents of an item, independent of its store.
struct MovedItem: Hashable {
  let identity: ItemIdentity
  let attributes: ItemAttributes
  let created, modified: Int64
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
    by passphrase: Secret? = TestVault.passphrase, state: String? = nil,
    fileSystem: FileSystem = FileSystem()
  ) throws -> SecretVault {
    let object = open(state: state, fileSystem: fileSystem)
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
        under: draft.composer.keys.secretKey(for: other ?? accessibility),
        by: draft.composer.keys.sealer)
      try draft.append(
        [.put(VaultItem(item: item, secret: sealed, unknown: unknown[...]))], as: accessibility)
      return try append(draft.composer.records, draft.position)
    }
  }
}

extension SecretVault {
  /// Exports under the tests' passphrase, at the lowest cost, beside the vault or to another file.
  @discardableResult
  func export(
    of vault: TestVault, to file: URL? = nil, overwriting: Bool = false,
    reporting report: (MaintenanceProgress) -> MaintenanceProgress.Decision = { _ in .proceed }
  ) throws -> ExportReport {
    try export(
      to: file ?? vault.export, passphrase: TestVault.passphrase, cost: .cheap,
      overwriting: overwriting, reporting: report)
  }

  /// Imports a vault's own file, which has the tests' passphrase.
  @discardableResult
  func importFile(of vault: TestVault, isDryRun: Bool = false) throws -> ImportReport {
    try importItems(from: vault.file, passphrase: TestVault.passphrase, isDryRun: isDryRun)
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
    _ texts: [String: String], _ comment: Comment? = nil,
    sourceLocation: SourceLocation = #_sourceLocation
  ) throws {
    #expect(try self.texts() == texts, comment, sourceLocation: sourceLocation)
    let found = try verify()
    let isSound = found.isSound && found.itemCount == texts.count
    #expect(isSound, comment, sourceLocation: sourceLocation)
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
      "naïve 🗝",
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

/// Expects an error of a kind, whose text contains some words.
func expectError<Result>(
  _ kind: String, saying words: String..., sourceLocation: SourceLocation = #_sourceLocation,
  from body: () throws -> Result
) {
  expectError(sourceLocation, from: body) { error in
    error.kind == kind && words.allSatisfy { error.text.contains($0) }
  }
}

func expectError<Result>(
  _ expected: SecretStoreError, sourceLocation: SourceLocation = #_sourceLocation,
  from body: () throws -> Result
) {
  expectError(sourceLocation, from: body) { $0 == expected }
}

/// Expects an error for a violated limit, with these words.
func expectInvalid<Result>(
  _ words: String, sourceLocation: SourceLocation = #_sourceLocation,
  from body: () throws -> Result
) {
  expectError("invalid", saying: words, sourceLocation: sourceLocation, from: body)
}

private func expectError<Result>(
  _ sourceLocation: SourceLocation, from body: () throws -> Result,
  _ isExpected: (SecretStoreError) -> Bool
) {
  let error = #expect(
    throws: SecretStoreError.self, sourceLocation: sourceLocation, performing: { _ = try body() })
  if let error { #expect(isExpected(error), "\(error)", sourceLocation: sourceLocation) }
}

extension SecretStoreError {
  var isLocked: Bool { if case .locked = self { true } else { false } }

  /// The violated limit; nil for other errors.
  var invalid: String? { if case .invalid(let what) = self { what } else { nil } }

  var corrupted: String? { if case .corrupted(let what) = self { what } else { nil } }

  /// The name of the case, with the code of a failed system call.
  var kind: String {
    switch self {
    case .wrongPassphrase: "wrongPassphrase"
    case .wrongApplicationPassword: "wrongApplicationPassword"
    case .cancelled: "cancelled"
    case .conflict: "conflict"
    case .system(_, _, let code): "system \(code)"
    default: Mirror(reflecting: self).children.first?.label ?? "\(self)"
    }
  }

  /// The text of the cases that have one, or the message.
  var text: String {
    switch self {
    case .insecure(let path, let reason): "\(path) \(reason)"
    case .system(let call, let path, _): "\(call) \(path)"
    default: Mirror(reflecting: self).children.first?.value as? String ?? "\(self)"
    }
  }
}
