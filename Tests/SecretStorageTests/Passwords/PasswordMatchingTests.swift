import SecretStorage
import Testing

struct PasswordMatchingTests {
  /// The same server and account, at three levels of detail.
  private struct Declarations {
    @InternetPassword<String> var a: String?
    @InternetPassword<String> var b: String?
    @InternetPassword<String> var c: String?

    init(in store: any SecretStore) {
      _a = InternetPassword(
        server: "my.server", account: "my.account", securityDomain: "my.domain", protocol: .ssh,
        authenticationType: .htmlForm, port: 8080, path: "/a/b/c", in: store)
      _b = InternetPassword(server: "my.server", account: "my.account", in: store)
      _c = InternetPassword(
        server: "my.server", account: "my.account", securityDomain: "my.domain", protocol: .ftp,
        authenticationType: .htmlForm, port: 8080, path: "/a/b/c", in: store)
    }
  }

  @Test(arguments: TestStore.all) func omittedPartsMatchAnyValue(_ store: TestStore) throws {
    let password = Declarations(in: try store.make())
    password.a = "The Valley Wind"
    #expect(password.b == "The Valley Wind" && password.c == nil)
    password.a = nil
    password.b = "The Sixth Station"
    #expect(password.a == nil && password.b == "The Sixth Station")
  }

  @Test(arguments: TestStore.all) func oldestMatchIsUsed(_ store: TestStore) throws {
    let password = Declarations(in: try store.make())
    password.c = "The Sixth Station"
    password.a = "The Valley Wind"
    #expect(password.b == "The Sixth Station")
    #expect(try password.$b.matchCount == 2)
    try password.$c.remove()
    #expect(password.b == "The Valley Wind")
    #expect(try password.$b.matchCount == 1)
  }

  @Test(arguments: TestStore.all) func readItemIsUpdatedAndRemoved(_ store: TestStore) throws {
    let store = try store.make()
    let password = Declarations(in: store)
    password.c = "The Sixth Station"
    password.a = "The Valley Wind"
    password.b = "A Town with an Ocean View"
    #expect(password.c == "A Town with an Ocean View")
    #expect(password.a == "The Valley Wind")
    password.b = nil
    #expect(password.c == nil)
    #expect(password.b == "The Valley Wind")
    #expect(try store.items(matching: .all).count == 1)
  }

  @Test(arguments: TestStore.all) func exactMatchNeedsAbsentParts(_ store: TestStore) throws {
    let store = try store.make()
    let one = GenericPassword<String>(service: "service", account: "account", in: store)
    let any = GenericPassword<String>(service: "service", in: store)
    let exact = GenericPassword<String>(service: "service", match: .exact, in: store)
    one.wrappedValue = "of the account"
    #expect(any.wrappedValue == "of the account")
    #expect(exact.wrappedValue == nil)
    exact.wrappedValue = "of no account"
    #expect(exact.wrappedValue == "of no account")
    #expect(one.wrappedValue == "of the account")
    #expect(try exact.projectedValue.matchCount == 1)
    #expect(try any.projectedValue.matchCount == 2)
  }

  @Test func itemAddedByOthersIsFound() throws {
    let store = InMemorySecretStore()
    let first = GenericPassword<String>(service: "service", in: store)
    let second = GenericPassword<String>(service: "service", account: "account", in: store)
    #expect(first.wrappedValue == nil)
    second.wrappedValue = "new"
    #expect(first.wrappedValue == "new")
    try second.projectedValue.remove()
    #expect(first.wrappedValue == nil)
    #expect(first.projectedValue.status == .absent)
  }
}
