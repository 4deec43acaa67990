import SecretStorage
import TestSupport
import Testing

@Suite(.expectsFailures)
struct PasswordRefreshTests {
  private let store = ScriptedStore()
  private let other: PasswordItem<String>

  init() { other = PasswordItem(.generic(service: "service"), in: store.content) }

  private func item(
    _ policy: RefreshPolicy, defaultValue: String? = nil
  ) -> PasswordItem<String> {
    PasswordItem(
      .generic(service: "service"), refreshPolicy: policy, defaultValue: defaultValue, in: store)
  }

  @Test(arguments: [RefreshPolicy.onAccess, .manual, .onChange])
  func declarationDoesNotUseTheStore(_ policy: RefreshPolicy) {
    _ = item(policy)
    #expect(store.counts.calls == 0)
  }

  @Test func onAccessGetIsOneCallWithoutAChange() {
    let item = item(.onAccess)
    for value in [nil, "value"] {
      item.value = value
      _ = item.value
      #expect(store.calls { _ = item.value } == 1)
    }
    #expect(store.counts.readings == 1)
  }

  @Test func manualUsesTheStoreOnlyOnRequest() throws {
    other.value = "stored"
    let item = item(.manual, defaultValue: "default")
    #expect(item.value == "default")
    item.value = "set"
    #expect(item.value == "set")
    #expect(item.hasUnsavedChanges)
    #expect(store.counts.calls == 0)

    try item.save()
    #expect(other.value == "set")
    #expect(!item.hasUnsavedChanges)
    other.value = "newer"
    #expect(item.value == "set")
    #expect(try item.load() == "newer")
    #expect(item.value == "newer")
    try item.remove()
    #expect(other.value == nil)
    #expect(item.value == "default")
  }

  @Test func manualNilIsRemovedByASave() throws {
    other.value = "stored"
    let item = item(.manual)
    try item.load()
    try item.save()
    #expect(store.counts.writes == 0)
    item.value = nil
    #expect(other.value == "stored")
    try item.save()
    #expect(other.value == nil)
  }

  @Test func failedLoadKeepsUnsavedChanges() throws {
    other.value = "stored"
    let item = item(.manual)
    item.value = "unsaved"
    item.attributes.label = "unsaved"
    store.fail(with: .locked())
    #expect(throws: SecretStoreError.locked()) { try item.load() }
    #expect(item.value == "unsaved")
    #expect(item.hasUnsavedChanges)
    store.fail(with: nil)
    #expect(try item.load() == "stored")
    #expect(item.value == "stored")
    #expect(item.attributes.label == nil)
    #expect(!item.hasUnsavedChanges)
  }

  @Test func manualStatusDoesNotLoadTheValue() {
    other.value = "stored"
    let item = item(.manual, defaultValue: "default")
    #expect(item.status == .value)
    #expect(item.value == "default")
  }

  @Test func onChangeReadsOnlyAfterAChange() {
    other.value = "first"
    let item = item(.onChange)
    #expect(item.value == "first")
    #expect(store.calls { for _ in 0..<10 { _ = item.value } } == 0)
    other.value = "second"
    #expect(item.value == "second")
    #expect(store.calls { _ = item.value } == 0)
  }

  @Test func onChangeWritesEachSet() {
    let item = item(.onChange)
    for value in ["set", nil] {
      item.value = value
      #expect(other.value == value && item.value == value)
    }
  }

  @Test func onChangeReadsAgainAfterAFailure() {
    other.value = "stored"
    let item = item(.onChange, defaultValue: "default")
    store.fail(with: .locked())
    #expect(item.value == "default")
    store.fail(with: nil)
    #expect(item.value == "stored")
  }

  @Test func onChangeStatusIsReadAfterAFailedSet() throws {
    other.value = "stored"
    let item = item(.onChange)
    #expect(item.value == "stored")
    store.fail(with: .locked())
    item.value = "new"
    store.fail(with: nil)
    #expect(try item.matchCount == 1)
    #expect(item.status == .value)
    #expect(item.value == "new" && item.hasUnsavedChanges)
  }

  @Test func onChangeItemIsNotRetainedByItsStore() {
    weak var released: PasswordItem<String>?
    do {
      let item = item(.onChange)
      _ = item.value
      released = item
    }
    #expect(released == nil)
  }

  @Test func asynchronousCallsAreEquivalent() async throws {
    let item = item(.manual)
    item.value = "set"
    try await item.save()
    #expect(other.value == "set")
    other.value = "newer"
    #expect(try await item.load() == "newer")
    try await item.remove()
    #expect(other.value == nil)
    store.fail(with: .locked())
    await #expect(throws: SecretStoreError.locked()) { try await item.load() }
  }
}
