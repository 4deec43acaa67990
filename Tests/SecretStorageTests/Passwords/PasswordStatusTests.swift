import FoundationEssentials
import SecretStorage
import TestSupport
import Testing

@Suite(.expectsFailures) struct PasswordStatusTests {
  private let store = ScriptedStore()
  private let item: PasswordItem<String>

  init() { item = PasswordItem(defaultValue: "default", in: store) }

  static let failures: [(SecretStoreError, PasswordStatus)] = [
    (.locked(), .locked), (.denied("it is late"), .denied), (.corrupted("The item"), .corrupted),
    (.unavailable("The disk is away"), .unavailable("The disk is away")),
  ]

  @Test(arguments: failures)
  func failedGetReturnsTheLastValueOrDefault(_ failure: SecretStoreError, _ status: PasswordStatus)
  {
    store.fail(with: failure)
    #expect(item.value == "default")
    #expect(item.status == status)
    #expect(item.error == failure)
    store.fail(with: nil)
    item.value = "known"
    store.fail(with: failure)
    let isKeptBack = status == .locked || status == .denied
    #expect(item.value == (isKeptBack ? "default" : "known"))
    #expect(item.status == status && !item.hasUnsavedChanges)
    store.fail(with: nil)
    #expect(item.value == "known")
    #expect(item.status == .value)
    #expect(item.error == nil)
  }

  @Test(arguments: failures)
  func failedSetKeepsTheValueUntilASave(_ failure: SecretStoreError, _ status: PasswordStatus)
    throws
  {
    item.value = "old"
    store.fail(with: failure)
    item.value = "new"
    #expect(item.value == "new")
    #expect(item.status == status)
    #expect(item.error == failure)
    #expect(item.hasUnsavedChanges)
    #expect(throws: failure) { try item.save() }
    #expect(item.hasUnsavedChanges)
    store.fail(with: nil)
    #expect(item.value == "new")
    #expect(try stored() == "old")
    try item.save()
    #expect(try stored() == "new")
    #expect(!item.hasUnsavedChanges && item.status == .value)
  }

  @Test func failedRemovalIsUnsaved() throws {
    item.value = "old"
    store.fail(with: .locked())
    item.value = nil
    #expect(item.hasUnsavedChanges)
    #expect(item.value == "default")
    store.fail(with: nil)
    try item.save()
    #expect(try stored() == nil)
    #expect(try item.load() == nil && item.value == "default" && item.status == .absent)
  }

  @Test func statusIsReadBeforeAnyAccess() {
    #expect(item.status == .absent)
    store.fail(with: .locked())
    #expect(PasswordItem<String>(in: store).status == .locked)
  }

  @Test func lockedIsNeverAbsent() {
    #expect(item.value == "default")
    store.fail(with: .locked())
    _ = item.value
    #expect(item.status == .locked)
    #expect(throws: SecretStoreError.locked()) { try item.load() }
    #expect(throws: SecretStoreError.locked()) { try item.remove() }
    #expect(throws: SecretStoreError.locked()) { try item.matchCount }
  }

  @Test(arguments: [nil, "new"]) func statusIsReadAgainAfterASuccess(_ unsaved: String?) throws {
    item.value = "old"
    store.fail(with: .locked())
    if let unsaved { item.value = unsaved } else { _ = item.value }
    #expect(item.status == .locked)
    store.fail(with: nil)
    #expect(try item.matchCount == 1)
    #expect(item.error == nil && item.status == .value)
    #expect(item.hasUnsavedChanges == (unsaved != nil))
    #expect(item.value == unsaved ?? "old")
  }

  @Test func removalDoesNotHideOtherMatches() throws {
    _ = try store.content.add(
      "first", identity: .generic(service: "service"), attributes: ItemAttributes(label: "label"))
    let item = PasswordItem<String>(.manual, in: store)
    try item.load()
    PasswordItem(.generic(service: "service", account: "account"), in: store.content).value = "2"
    try item.remove()
    #expect(item.attributes.label == nil)
    #expect(item.creationDate == nil)
    #expect(item.status == .value)
    try item.remove()
    #expect(item.status == .absent)
  }

  @Test(arguments: [RefreshPolicy.onAccess, .manual])
  func valueOfAnotherTypeIsCorrupted(_ policy: RefreshPolicy) throws {
    item.value = "canary"
    item.attributes.label = "label"
    try item.save()
    let number = PasswordItem<Int>(policy, in: store)
    #expect(number.value == nil)
    #expect(throws: SecretStoreError.undecodable("Int")) { try number.load() }
    #expect(number.status == .corrupted && number.attributes.label == "label")
    number.value = 7
    try number.save()
    #expect(number.status == .value && number.value == 7)
  }

  @Test func valueWithoutStoredFormIsKeptUnsaved() throws {
    struct Unstorable: Codable, Sendable {
      init() {}
      init(from decoder: any Decoder) throws {}
      func encode(to encoder: any Encoder) throws { throw CancellationError() }
    }
    let item = PasswordItem<Unstorable>(in: store)
    item.value = Unstorable()
    #expect(item.hasUnsavedChanges)
    #expect(item.value != nil)
    let reason = try #require(item.error?.invalid)
    #expect(reason.contains("Unstorable") && !reason.hasSuffix("."))
  }

  @Test func unenforceableFlagsAreUnsupported() throws {
    let item = PasswordItem<String>(accessFlags: [.biometryAny, .or, .devicePasscode], in: store)
    item.value = "secret"
    #expect(item.hasUnsavedChanges)
    let error = try #require(item.error)
    #expect(error.kind == "unsupported" && item.status == .unavailable(error.description))
    #expect(store.content.items(matching: .all).isEmpty)
  }

  @Test(arguments: [SecretStoreError.conflict, .duplicate])
  func lostRacesAreRetried(_ race: SecretStoreError) throws {
    store.failWrites(with: [race, race, race])
    item.value = "set"
    #expect(try stored() == "set")
    store.failWrites(with: [race])
    try item.remove()
    #expect(try stored() == nil)
  }

  @Test func endlessRacesAreAConflict() throws {
    store.failWrites(with: Array(repeating: .conflict, count: 1000))
    item.value = "set"
    #expect(item.error == .conflict && item.hasUnsavedChanges)
    #expect(throws: SecretStoreError.conflict) { try item.save() }
  }

  private func stored() throws -> String? { try PasswordItem<String>(in: store.content).load() }
}
