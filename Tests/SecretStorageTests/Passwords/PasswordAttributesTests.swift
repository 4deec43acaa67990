import SecretStorage
import Testing

struct PasswordAttributesTests {
  private let store = InMemorySecretStore()
  private let identity = ItemIdentity.generic(service: "service")

  private func item(
    _ policy: RefreshPolicy = .onAccess, accessOption: Accessibility = .whenUnlocked
  ) -> PasswordItem<String> {
    PasswordItem(policy, accessOption: accessOption, in: store)
  }

  private var stored: ItemAttributes? {
    store.items(matching: .exactly(identity)).first?.attributes
  }

  @Test func attributesAreStoredByASave() throws {
    let item = item()
    item.value = "value"
    item.attributes.label = "label"
    #expect(stored?.label == nil)
    #expect(item.attributes.label == "label")
    #expect(item.hasUnsavedChanges)
    try item.save()
    #expect(stored?.label == "label")
    #expect(!item.hasUnsavedChanges)
    #expect(item.value == "value")
  }

  @Test func attributesOfAnAbsentItemNeedAValue() throws {
    let item = item(.manual)
    item.attributes.label = "label"
    try item.save()
    #expect(stored == nil)
    #expect(item.hasUnsavedChanges)
    item.value = "value"
    try item.save()
    #expect(stored?.label == "label")
  }

  @Test(arguments: RefreshPolicy.all) func nilClearsOneAttribute(_ policy: RefreshPolicy) throws {
    _ = try store.add(
      "value", identity: identity,
      attributes: ItemAttributes(label: "label", comment: "comment", creator: 1, isInvisible: true))
    let item = item(policy)
    if policy == .manual {
      #expect(item.attributes.label == nil && item.creationDate == nil)
      try item.load()
    }
    #expect(item.attributes.label == "label")
    item.attributes.label = nil
    item.attributes.type = 7
    try item.save()
    #expect(stored == ItemAttributes(comment: "comment", creator: 1, type: 7, isInvisible: true))
    #expect(item.value == "value")
  }

  @Test func wholeAttributesClearTheOthers() throws {
    let attributes = ItemAttributes(label: "label", comment: "comment")
    _ = try store.add(Secret([]), identity: identity, attributes: attributes)
    let item = item()
    item.attributes = ItemAttributes(comment: "new")
    try item.save()
    #expect(stored == ItemAttributes(comment: "new"))
  }

  @Test func attributesChangedByOthersAreKept() throws {
    let item = item(.manual), other = self.item()
    other.value = "value"
    try item.load()
    item.attributes.label = "mine"
    other.attributes.comment = "theirs"
    try other.save()
    try item.save()
    #expect(stored?.label == "mine" && stored?.comment == "theirs")
  }

  @Test func accessOptionAppliesToAddedItemsOnly() throws {
    item(accessOption: .afterFirstUnlock).value = "first"
    #expect(stored?.accessControl == AccessControl(.afterFirstUnlock))
    let item = item(accessOption: .always)
    item.value = "second"
    #expect(stored?.accessControl == AccessControl(.afterFirstUnlock))
    #expect(item.attributes.accessControl == AccessControl(.afterFirstUnlock))
    item.attributes.accessControl.accessibility = .always
    try item.save()
    #expect(stored?.accessControl == AccessControl(.always))
  }

  @Test func attributesOfAnAbsentItemAreTheDeclared() {
    let item = item(accessOption: .always)
    #expect(item.attributes == ItemAttributes(accessControl: AccessControl(.always)))
    item.attributes.accessControl.accessibility = .afterFirstUnlock
    item.value = "value"
    #expect(stored?.accessControl.accessibility == .afterFirstUnlock)
    #expect(!item.hasUnsavedChanges)
  }

  @Test func rejectedAttributesStayUnsaved() throws {
    let item = item()
    item.value = "value"
    item.attributes.label = String(repeating: "x", count: 100_000)
    #expect(throws: SecretStoreError.self) { try item.save() }
    #expect(item.hasUnsavedChanges)
    item.attributes.label = "short"
    try item.save()
    #expect(stored?.label == "short")
  }

  @Test func removalDiscardsUnsavedAttributes() throws {
    let item = item()
    item.value = "value"
    item.attributes.label = "label"
    try item.remove()
    #expect(!item.hasUnsavedChanges)
    item.value = "value"
    #expect(stored?.label == nil)
  }

  @Test func datesAreThoseOfTheStore() throws {
    let item = item()
    #expect(item.creationDate == nil)
    #expect(item.modificationDate == nil)
    item.value = "first"
    let creation = try #require(item.creationDate)
    #expect(item.modificationDate == creation)
    item.value = "second"
    #expect(item.creationDate == creation)
    #expect(try #require(item.modificationDate) > creation)
  }
}
