import SecretStorage
import TestSupport
import Testing

@Suite(.expectsFailures) struct RedactionTests {
  /// Every textual form of a value that a person or a log could see.
  private func renderings(of subject: Any) -> [String] {
    var dumped = ""
    dump(subject, to: &dumped)
    return [
      dumped, "\(subject)", String(describing: subject), String(reflecting: subject),
      "\(Mirror(reflecting: subject).children.map { "\($0)" })", "\([subject])",
    ]
  }

  private struct App {
    @GenericPassword<String> var token: String?
    @InternetPassword<String> var password: String?
  }

  @Test(arguments: RefreshPolicy.all)
  func descriptionsShowNoNamesOrValues(_ policy: RefreshPolicy) throws {
    let store = InMemorySecretStore()
    let app = App(
      token: GenericPassword(
        service: "canary.service", account: "canary.account", refreshPolicy: policy,
        defaultValue: "canary default", in: store),
      password: InternetPassword(
        server: "canary.server", account: "canary.account", refreshPolicy: policy, in: store))
    app.token = "canary value"
    app.password = "canary value"
    app.$token.attributes.label = "canary label"
    try app.$token.save()
    try app.$password.save()
    let secret: Secret = "canary value"
    let reading = try #require(try store.secret(of: store.items(matching: .all)[0].id))
    #expect(reading.secret.count == 12)
    let subjects: [Any] = [
      app, app.$token, app.$password, store, secret, reading, [secret], ["key": app.$token],
      app.$token.status, SecretStorageFailure(.read, .locked()),
    ]
    let ofItems: [[Any]] = store.items(matching: .all).map { item in
      [item, item.identity, item.attributes, ItemQuery.exactly(item.identity)]
    }
    for rendering in (subjects + ofItems.joined()).flatMap({ renderings(of: $0) }) {
      #expect(!rendering.isEmpty && !rendering.contains("canary"))
    }
    #expect("\(ItemIdentity.generic(service: "canary"))" == "generic(service)")
    #expect("\(app.$token)" == "PasswordItem<String>")
    #expect("\(secret)" == "<redacted>")
  }

  @Test func errorsShowNoContent() throws {
    struct Detail: Codable, Sendable { var canary: [String: Int] }
    let store = InMemorySecretStore()
    PasswordItem<[String: String]>(.generic(service: "canary.service"), in: store).value = [
      "canary": "canary value"
    ]
    PasswordItem<String>(.generic(service: "canary.text"), in: store).value = "canary value"
    var errors: [SecretStoreError?] = []
    func readAsOther<Value: Codable & Sendable>(_ type: Value.Type, _ service: String) {
      let item = PasswordItem<Value>(.generic(service: service), in: store)
      #expect(item.value == nil)
      errors.append(item.error)
    }
    readAsOther([String: Int].self, "canary.service")
    readAsOther(Int.self, "canary.text")
    readAsOther(Detail.self, "canary.text")
    let large = PasswordItem<String>(
      .generic(service: "canary" + String(repeating: "x", count: 70_000)), in: store)
    large.value = "canary value"
    errors.append(large.error)
    #expect(errors.allSatisfy { $0 != nil })
    for error in errors {
      for rendering in renderings(of: error as Any) { #expect(!rendering.contains("canary")) }
    }
  }
}
