import CipherSupport
import Concurrency
import FoundationEssentials
import StorageInternals
import Testing

@testable import SecretStorage

/// The operations that a vault's states allow for the accessibilities, as in the documentation.
struct VaultAccessibilityTableTests {
  enum State: String, CaseIterable {
    case unlocked = "Unlocked"
    case locked = "Locked"
    case neverUnlocked = "Not unlocked yet"
    case unlockedElsewhere = "Copied elsewhere, unlocked"
    case lockedElsewhere = "Copied elsewhere, locked"
    case deviceSlotElsewhere = "Copied elsewhere, with a device slot"
    case withoutPassphrase = "Without a passphrase"
  }

  /// The replacement for this machine's device key on the other machine.
  enum Elsewhere: CaseIterable { case noKey, ownKey, copiedKey }

  private static let operations = ["find", "list", "read", "add", "describe", "change", "remove"]

  private let vault = TestVault()

  @Test func tablesAreComplete() throws {
    let table = try AccessibilityTable.page.get()
    #expect(Set(table.outcomes.keys.map(\.state)) == Set(State.allCases.map(\.rawValue)))
    #expect(Set(table.outcomes.keys.map(\.operation)) == Set(Self.operations))
    #expect(
      table.outcomes.count
        == State.allCases.count * Accessibility.allCases.count * Self.operations.count)
  }

  @Test(
    arguments: [State.unlocked, .locked, .neverUnlocked, .withoutPassphrase]
      .map { ($0, Elsewhere.noKey) }
      + [State.unlockedElsewhere, .lockedElsewhere, .deviceSlotElsewhere].flatMap { state in
        Elsewhere.allCases.map { (state, $0) }
      })
  func outcomeIsThatOfTheTable(_ state: State, _ elsewhere: Elsewhere) throws {
    let (object, items) = try bring(into: state, elsewhere)
    try expect(state, of: object, items)
  }

  /// A vault that never had a passphrase, and one locked with its device slot.
  @Test func deviceSlotHasTheOutcomesOfTheTable() throws {
    let maker = vault.open()
    try expect(.withoutPassphrase, of: vault.open(), try maker.addEach("text"))
    let items = try maker.addEach("text")
    maker.lock()
    try expect(.locked, but: .whenPasscodeSetThisDeviceOnly, of: maker, items)
  }

  /// Makes the vault and its items, and returns an object in the state.
  private func bring(
    into state: State, _ elsewhere: Elsewhere = .noKey
  ) throws -> (SecretVault, [Accessibility: SecretItem]) {
    let maker = vault.open()
    if state != .deviceSlotElsewhere {
      try maker.setPassphrase(TestVault.passphrase, cost: .minimum)
    }
    let items = try maker.addEach("text")
    let object =
      switch state {
      case .unlocked, .locked: maker
      case .neverUnlocked, .withoutPassphrase: vault.open()
      case .unlockedElsewhere, .lockedElsewhere, .deviceSlotElsewhere: try open(elsewhere)
      }
    if state == .withoutPassphrase { try maker.removePassphrase() } else { maker.lock() }
    if [.unlocked, .unlockedElsewhere].contains(state) { try object.unlock(with: .tests) }
    return (object, items)
  }

  private func open(_ elsewhere: Elsewhere) throws -> SecretVault {
    let state = try vault.path("elsewhere")
    switch elsewhere {
    case .noKey: return vault.open(state: state)
    case .ownKey:
      let device = DeviceState(
        directory: state, machineIdentity: "/etc/machine-id", fileSystem: FileSystem(),
        cipher: TestCipher())
      _ = try device.makeSecret()
      return vault.open(state: state)
    case .copiedKey:
      let identity = try vault.path("machine-id")
      try FileSystem().replaceFile(at: identity, with: Array("\(UUID())\n".utf8))
      return vault.open(machine: identity)
    }
  }

  /// Tries every operation on each item, ordered so that none affects the next.
  private func expect(
    _ state: State, but excluded: Accessibility? = nil, of object: SecretVault,
    _ items: [Accessibility: SecretItem]
  ) throws {
    let table = try AccessibilityTable.page.get()
    for accessibility in Accessibility.allCases where accessibility != excluded {
      try expect(state, accessibility, of: object, items[accessibility], table)
    }
  }

  private func expect(
    _ state: State, _ accessibility: Accessibility, of object: SecretVault,
    _ given: SecretItem?, _ table: AccessibilityTable
  ) throws {
    // If the search fails, the item's name may still be known from elsewhere.
    var item = given
    let id = try item?.id ?? .random()
    let identity = ItemIdentity.generic(service: "campaign", account: "\(accessibility)")
    let attributes = ItemAttributes(label: "label", accessControl: AccessControl(accessibility))
    func expect(_ operation: String, _ body: () throws -> Bool) {
      let cell = AccessibilityTable.Cell(
        state: state.rawValue, accessibility: accessibility, operation: operation)
      let before = object.contents.withLock { $0.position }
      let outcome = outcome(body)
      #expect(outcome == table.outcomes[cell], "\(state.rawValue), \(accessibility): \(operation)")
      let after = object.contents.withLock { $0.position }
      #expect(outcome == "yes" || before == after || operation == "find")
    }
    func update(_ secret: Secret?) throws -> Bool {
      item = try object.update(
        id, expecting: item?.revision ?? 1, attributes: attributes, secret: secret)
      return item?.attributes.label == "label"
    }
    expect("find") { try object.items(matching: .exactly(identity)).count == 1 }
    expect("list") {
      let found = try object.items(matching: .exactly(identity))
      return try object.items(matching: .all).filter { $0.identity == identity } == found
    }
    expect("read") { try object.secret(of: id)?.secret.text == "text" }
    expect("add") {
      try object.text(of: object.add("new", account: "\(UUID())", accessibility)) == "new"
    }
    expect("describe") { try update(nil) }
    expect("change") {
      try update(Secret("changed".utf8)) && object.secret(of: id)?.secret.text == "changed"
    }
    expect("remove") {
      try object.remove(id, expecting: item?.revision ?? 1)
      // The vault cannot check this where a record is sealed.
      return try state == .neverUnlocked || object.secret(of: id) == nil
    }
  }

  /// The table's word for the result of a closure, which returns whether it had its effect.
  private func outcome(_ body: () throws -> Bool) -> String {
    do {
      return try body() ? "yes" : "absent"
    } catch {
      let kind = (error as? SecretStoreError)?.kind ?? ""
      return ["locked", "otherDevice", "unsupported", "conflict"].contains(kind) ? kind : "\(error)"
    }
  }
}

/// The tables of the documentation's page "Accessibility".
private struct AccessibilityTable {
  struct Cell: Hashable {
    let state: String
    let accessibility: Accessibility
    let operation: String
  }

  private(set) var outcomes: [Cell: String] = [:]

  static let page = Result { try AccessibilityTable() }

  private init() throws {
    let tests = #filePath.parentDirectory.parentDirectory.parentDirectory
    let root = tests.parentDirectory.parentDirectory
    let path = root + "/Sources/SecretStorage/SecretStorage.docc/WhenAnItemCanBeRead.md"
    var state = ""
    var operations: [String] = []
    var others: Set<Accessibility> = []
    let text = String(decoding: try TestVault.bytes(of: path), as: UTF8.self)
    for line in text.split(separator: "\n") {
      if line.hasPrefix("### ") {
        state = String(line.dropFirst(4))
        others = Set(Accessibility.allCases)
      }
      guard line.hasPrefix("| ") else { continue }
      let cells = line.dropFirst(2).dropLast(2).split(separator: " | ").map(String.init)
      if cells[0] == "class" {
        operations = Array(cells.dropFirst())
        continue
      }
      let classes = try Self.classes(cells[0], others)
      others.subtract(classes)
      #expect(cells.count == operations.count + 1, "\(line)")
      for accessibility in classes {
        for (operation, outcome) in zip(operations, cells.dropFirst()) {
          let cell = Cell(state: state, accessibility: accessibility, operation: operation)
          #expect(outcomes.updateValue(outcome, forKey: cell) == nil)
        }
      }
    }
  }

  /// The accessibilities named by a row's first column.
  private static func classes(
    _ words: String, _ others: Set<Accessibility>
  ) throws -> [Accessibility] {
    if words == "every class" || words == "every other class" { return Array(others) }
    return try words.split(separator: ", ").map { word in
      try #require(Accessibility.allCases.first { "`\($0)`" == word }, "\(word)")
    }
  }
}
