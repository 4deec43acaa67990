import Testing

@testable import SecretStorage

/// A forger's passphrase in a key table appended while the vault is locked.
struct ForgedPassphraseTests {
  private let vault = TestVault()
  private let cipher = MeasuredCipher()

  @Test(
    arguments: TableForgery.allCases, [Accessibility.always, .afterFirstUnlock]
  )
  func readsNoItem(_ forgery: TableForgery, _ accessibility: Accessibility) async throws {
    let person = ScriptedConversation(answers: ["the forger's passphrase"])
    let object = vault.open(
      cipher: cipher,
      authenticator: PassphraseAuthenticator(attempts: 1, conversation: person))
    try await object.setPassphrase(Corpus.passphrase, cost: .minimum)
    let access = AccessControl(accessibility, flags: .devicePasscode)
    let item = try object.add(
      Secret("The Valley Wind".utf8), identity: .generic(service: "s"),
      attributes: ItemAttributes(accessControl: access))
    object.lock()

    var file = ForgedFile(try vault.bytes)
    let table = try #require(file.records.last { $0[number: "kind"] == 1 })
    for _ in 0..<2 { try file.append(forgery, from: table) }
    let appended = Array(file.encoded.dropFirst(try vault.bytes.count))
    try TestVault.append(appended, to: vault.path)

    let context = AuthenticationContext(reason: "Because", reuse: .seconds(60))
    func read() async throws {
      let proof = try await context.authorize(access, with: object.authenticator)
      let reading = try object.secret(of: item.id, authorizedBy: proof)
      Issue.record("The forger reads \(reading == nil ? "nothing" : "the secret").")
    }
    await #expect(throws: SecretStoreError.self) { try await read() }
    #expect(try object.verify().isSound == false)
  }
}
