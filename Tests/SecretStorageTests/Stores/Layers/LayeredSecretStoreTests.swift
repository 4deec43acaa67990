import Concurrency
import FoundationEssentials
import StorageTesting
import TestSupport
import Testing

@testable import SecretStorage

@Suite(.expectsFailures)
struct LayeredSecretStoreTests {
  private let upper = ScriptedStore()
  private let middle = ScriptedStore()
  private let lower = ScriptedStore()

  private func layers(optional: Set<String> = []) -> LayeredSecretStore {
    LayeredSecretStore(
      layers: [("upper", upper), ("middle", middle), ("lower", lower)].map { name, store in
        let layer = SecretLayer(store, named: name)
        return optional.contains(name) ? layer.optional : layer
      }, writingTo: "middle")
  }

  private func add(_ text: String, _ account: String, to store: ScriptedStore) throws {
    _ = try store.content.add(
      Secret(text.utf8), identity: Self.identity(account), attributes: ItemAttributes(label: text))
  }

  private static func identity(_ account: String) -> ItemIdentity {
    .generic(service: "service", account: account)
  }

  private static var readOnlyLayer: SecretLayer {
    SecretLayer(EnvironmentSecretStore(prefix: "", naming: .service, []), named: "empty")
  }

  /// Each check with the layer of writes at the top, in the middle and at the bottom.
  @Test(arguments: SecretStoreConformance.Check.allCases, 0..<3)
  func storeConforms(_ check: SecretStoreConformance.Check, _ index: Int) async {
    @Sendable func open(_ store: any SecretStore) -> LayeredSecretStore {
      var layers = [
        Self.readOnlyLayer,
        SecretLayer(
          DirectorySecretStore(
            credentials: .service, keepsTrailingNewline: false, environment: [:]),
          named: "credentials"),
      ]
      layers.insert(SecretLayer(store, named: "items"), at: index)
      return LayeredSecretStore(layers: layers)
    }
    await SecretStoreConformance(
      "LayeredSecretStore", timeout: .seconds(20), makeStore: { open(InMemorySecretStore()) },
      reopen: { ($0 as? LayeredSecretStore).map { open($0.layers[index].store) } ?? $0 }
    ).run(check)
  }

  /// The vault enforces access control, and so do the layers.
  @Test(arguments: SecretStoreConformance.Check.allCases)
  func layersOverAVaultConform(_ check: SecretStoreConformance.Check) async {
    let vault = TestVault()
    @Sendable func open() -> LayeredSecretStore {
      LayeredSecretStore(layers: [Self.readOnlyLayer, SecretLayer(vault.open(), named: "vault")])
    }
    await SecretStoreConformance(
      "LayeredSecretStore", timeout: .seconds(20), makeStore: open, reopen: { _ in open() }
    ).run(check)
  }

  @Test(arguments: ReadOnlyStoreConformance.Check.allCases, [false, true])
  func readOnlyLayersConform(_ check: ReadOnlyStoreConformance.Check, _ isLower: Bool) async {
    let current = Lock<SecretFilesDirectory?>(nil)
    let conformance = ReadOnlyStoreConformance(
      "LayeredSecretStore", timeout: .seconds(20),
      makeStore: { items in
        let directory = try SecretFilesDirectory()
        try directory.replace(items)
        current.withLock { $0 = directory }
        let layer = SecretLayer.directory(directory.url)
        return .layers(isLower ? [Self.readOnlyLayer, layer] : [layer, Self.readOnlyLayer])
      },
      supply: { _, items in try current.withLock { $0 }?.replace(items) })
    await conformance.run(check)
  }

  @Test func placeBeatsDate() throws {
    try add("lower", "a", to: lower)
    try add("lower", "b", to: lower)
    try add("upper", "b", to: upper)
    try add("upper", "c", to: upper)
    try add("middle", "a", to: middle)
    let store = layers()
    let found = try store.items(matching: .all)
    #expect(found.map(\.identity.account) == ["b", "c", "a"])
    #expect(found.map(\.attributes.label) == ["upper", "upper", "middle"])
    #expect(
      try found.map { try store.secret(of: $0.id)?.secret }
        == ["upper", "upper", "middle"].map { Secret($0.utf8) })
    let property = PasswordItem<String>(.generic(service: "service"), in: store)
    #expect(property.value == "upper")
    #expect(property.creationDate == found.first?.creationDate)
    for (account, text) in [("a", "middle"), ("b", "upper"), ("c", "upper")] {
      #expect(try store.items(matching: .exactly(Self.identity(account))).count == 1)
      let property = PasswordItem<String>(Self.identity(account), in: store)
      #expect(property.value == text)
      #expect(try property.matchCount == 1)
    }
  }

  private static let failures: [(SecretStoreError, isPassing: Bool)] = [
    (.locked, true), (.unavailable("The store is away."), true),
    (.missingLibrary("The library is missing."), true), (.busy(path: "lock", holder: 1), true),
    (.system(call: "open", path: "file", code: 13), true), (.corrupted("The store"), false),
    (.insecure(path: "file", reason: "is open to others"), false), (.invalid("It"), false),
    (.rolledBack("The store"), false), (.replaced("The store"), false),
    (.newerFormat("The store"), false), (.otherDevice("The store"), false),
  ]

  @Test(arguments: failures)
  func layerIsPassedOverOnlyIfItIsOptional(_ failure: SecretStoreError, _ isPassing: Bool) throws {
    try add("lower", "a", to: lower)
    upper.fail(with: failure)
    let id = try #require(lower.content.items(matching: .all).first).id
    for isOptional in [false, true] {
      let store = layers(optional: isOptional ? ["upper"] : [])
      let property = PasswordItem<String>(Self.identity("a"), in: store)
      if isOptional && isPassing {
        #expect(try property.load() == "lower")
        #expect(try store.secret(of: id)?.secret == Secret("lower".utf8))
        #expect(property.status == .value)
      } else {
        #expect(throws: failure) { try property.load() }
        #expect(throws: failure) { try store.items(matching: .all) }
        #expect(throws: failure) { try store.secret(of: id) }
        #expect(throws: failure) {
          try store.add(
            Secret([]), identity: Self.identity("b"), attributes: ItemAttributes())
        }
        #expect(property.value == nil)
        #expect(property.status == PasswordStatus(failure))
        #expect(middle.content.items(matching: .all).isEmpty)
      }
    }
  }

  /// An item of a higher layer is known without the lower ones; that there is none is not.
  @Test func lowerLayersAreAskedOnlyIfNeeded() throws {
    try add("upper", "a", to: upper)
    middle.fail(with: .locked)
    let store = layers()
    for identity in [Self.identity("a"), .generic(service: "service")] {
      let property = PasswordItem<String>(identity, in: store)
      #expect(property.value == "upper")
      #expect(property.status == .value)
    }
    let missing = PasswordItem<String>(Self.identity("b"), in: store)
    #expect(missing.value == nil)
    #expect(missing.status == .locked)
    middle.fail(with: nil)
    #expect(missing.value == nil)
    #expect(missing.status == .absent)
  }

  @Test func changeOfAvailabilityIsARevision() throws {
    let store = layers()
    var seen: Set = [store.revision()]
    #expect(!seen.insert(store.revision()).inserted)
    middle.fail(with: .locked)
    #expect(seen.insert(store.revision()).inserted)
    #expect(!seen.insert(store.revision()).inserted)
    middle.fail(with: nil)
    #expect(seen.insert(store.revision()).inserted)
  }

  private func expectReadOnly(
    _ words: String, sourceLocation: SourceLocation = #_sourceLocation, _ body: () throws -> Void
  ) {
    let error = #expect(throws: SecretStoreError.self, sourceLocation: sourceLocation) {
      try body()
    }
    guard case .readOnly(let text) = error else {
      Issue.record("The error is \(String(describing: error)).", sourceLocation: sourceLocation)
      return
    }
    #expect(text.contains(words), sourceLocation: sourceLocation)
  }

  @Test func savingAShadowedItemIsAnError() throws {
    try add("upper", "a", to: upper)
    let store = layers()
    let property = PasswordItem<String>(Self.identity("a"), in: store)
    property.value = "new"
    #expect(property.hasUnsavedChanges)
    guard case .readOnly = property.error else {
      Issue.record("The error is \(String(describing: property.error)).")
      return
    }
    expectReadOnly("layer upper") {
      _ = try store.add(Secret([]), identity: Self.identity("a"), attributes: ItemAttributes())
    }
    expectReadOnly("layer upper") { try property.remove() }
    // An item that was found before it was shadowed.
    try add("middle", "b", to: middle)
    let item = try #require(try store.item(Self.identity("b")))
    try add("upper", "b", to: upper)
    expectReadOnly("layer upper") {
      _ = try store.update(
        item.id, expecting: item.revision, attributes: nil, secret: Secret("lost".utf8))
    }
    #expect(
      middle.content.secret(of: item.id, authorizedBy: .none)?.secret == Secret("middle".utf8))
    #expect(upper.counts.writes == 0)
  }

  @Test func updateOfALowerItemCopiesIt() throws {
    try add("lower", "a", to: lower)
    try add("lower", "b", to: lower)
    let store = layers()
    let property = PasswordItem<String>(Self.identity("a"), in: store)
    property.value = "new"
    #expect(!property.hasUnsavedChanges)
    #expect(property.value == "new")
    #expect(lower.counts.writes == 0)
    let copy = try #require(middle.content.items(matching: .all).first)
    #expect(copy.attributes.label == "lower")
    let other = PasswordItem<String>(Self.identity("b"), in: store)
    _ = try other.load()
    other.attributes.label = "new label"
    try other.save()
    #expect(try other.load() == "lower")
    #expect(middle.content.items(matching: .all).count == 2)
    // Removal uncovers the item of the lower layer, which cannot be removed.
    try property.remove()
    #expect(property.value == "lower")
    expectReadOnly("layer lower") { try property.remove() }
    // A copy that expects an old revision would undo a change.
    let item = try #require(lower.content.items(matching: .exactly(Self.identity("a"))).first)
    #expect(throws: SecretStoreError.conflict) {
      try store.update(
        item.id, expecting: item.revision &+ 9, attributes: nil, secret: Secret([]))
    }
    #expect(throws: SecretStoreError.duplicate) {
      try store.add(Secret([]), identity: Self.identity("a"), attributes: ItemAttributes())
    }
  }

  @Test func guaranteesAreThoseOfAllLayers() throws {
    let vault = TestVault().open()
    let credentials = SecretLayer.credentials
    let over = LayeredSecretStore(layers: [credentials, SecretLayer(vault, named: "vault")])
    #expect(over.guarantees.contains([.survivesReboot, .enforcesAccessControl]))
    #expect(over.guarantees.isDisjoint(with: [.encryptedAtRest, .readOnly, .detectsRollback]))
    let alone = LayeredSecretStore(layers: [SecretLayer(vault, named: "vault")])
    #expect(alone.guarantees == vault.guarantees)
    let readOnly = LayeredSecretStore(layers: [credentials, Self.readOnlyLayer])
    #expect(readOnly.guarantees == .readOnly)
    #expect("\(readOnly.guarantees)" == "can only be read")
    #expect(throws: SecretStoreError.unsupported("a store that is encrypted at rest")) {
      try over.requiring([.survivesReboot, .encryptedAtRest])
    }
  }

  @Test func propertyHearsOfEachLayer() throws {
    let store = layers()
    let property = PasswordItem<String>(
      .generic(service: "service"), refreshPolicy: .onChange, in: store)
    #expect(property.value == nil)
    for (text, layer) in [("lower", lower), ("middle", middle), ("upper", upper)] {
      try add(text, text, to: layer)
      // Known when the write returns, as with the layer alone.
      #expect(property.value == text)
    }
    let heard = Heard<Int>()
    let observation = store.observeChanges { heard.hear(1) }
    try add("another", "another", to: lower)
    #expect(heard.wait(for: 1))
    observation.cancel()
  }

  @Test func ambiguousLayersAreMisuse() async throws {
    let results = [
      try await #require(processExitsWith: .failure, observing: [\.standardErrorContent]) {
        _ = LayeredSecretStore(layers: [
          SecretLayer(.inMemory, named: "a"), SecretLayer(InMemorySecretStore(), named: "b"),
        ])
      },
      try await #require(processExitsWith: .failure, observing: [\.standardErrorContent]) {
        _ = LayeredSecretStore(
          layers: [SecretLayer(.inMemory, named: "a"), .environment(prefix: "X_")],
          writingTo: "environment")
      },
      try await #require(processExitsWith: .failure, observing: [\.standardErrorContent]) {
        _ = LayeredSecretStore(layers: [.environment(prefix: "X_"), .environment(prefix: "Y_")])
      },
    ]
    let texts = results.map { String(decoding: $0.standardErrorContent, as: UTF8.self) }
    for (text, words) in zip(
      texts, ["2 layers can be written", "No layer that can be written", "Two layers are named"])
    {
      #expect(text.contains(words))
    }
  }
}
