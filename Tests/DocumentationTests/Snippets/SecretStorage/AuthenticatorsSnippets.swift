import SecretStorage
import TestSupport
import Testing

/// The code of the article "Authenticators".
final class AuthenticatorsSnippets: DirectoryTests {
  @Test func contextsAndLogins() {
    let context = AuthenticationContext(
      reason: "Show the recovery key", authenticator: PAMAuthenticator(), reuse: .seconds(30))
    #expect(context.reason == "Show the recovery key")

    let reader = PAMAuthenticator(service: "example-fingerprint", hasFingerprintReader: true)
    // No such PAM service exists, so it proves nothing.
    #expect(reader.capabilities == [])
  }

  @Test func passphraseOfAVault() throws {
    let vault = directory.vault()
    let asking = PassphraseAuthenticator(for: vault, attempts: 5)
    #expect(asking.capabilities == [])
  }

  @Test func conversationOfAnApp() async throws {
    let dialog = Dialog()
    let login = PAMAuthenticator(conversation: DialogConversation(dialog: dialog))
    #expect(login.enrolledSet == nil)
    let conversation = DialogConversation(dialog: dialog)
    try await conversation.show(.reason("Why"))
    #expect(try await conversation.ask(.hidden("Password: ")) == Secret("Password: ".utf8))
  }

  @Test func closures() async throws {
    let dialog = Dialog()
    let service = FingerprintService()
    let button = CustomAuthenticator(capabilities: .presence) { request throws(SecretStoreError) in
      guard await dialog.confirm(request.reason) else { throw .denied("it was not confirmed") }
      return .presence
    }
    let request = AuthenticationRequest(reason: "Why", accepting: .any)
    #expect(try await button.authenticate(request) == .presence)
    let fingerprints = CustomAuthenticator(
      capabilities: .biometry, enrolledSet: { service.enrolledFingers().map { Array($0.utf8) } }
    ) { request throws(SecretStoreError) in
      guard await service.verify() else { throw .denied("the finger was not recognized") }
      return .biometry
    }
    #expect(fingerprints.enrolledSet == Array("left-thumb".utf8))
    #expect(try await fingerprints.authenticate(request) == .biometry)
  }
}

struct DialogConversation: AuthenticationConversation {
  let dialog: Dialog

  func show(_ message: AuthenticationMessage) async throws(SecretStoreError) {
    switch message {
    case .reason(let text): await dialog.setTitle(text)
    case .information(let text): await dialog.add(text)
    case .error(let text): await dialog.add("⚠ \(text)")
    }
  }

  func ask(_ question: AuthenticationQuestion) async throws(SecretStoreError) -> Secret {
    guard let typed = await dialog.field(question.text, isHidden: question.isHidden) else {
      throw .cancelled
    }
    return typed
  }
}

/// The dialog of an app with windows.
struct Dialog {
  func setTitle(_ text: String) async {}
  func add(_ text: String) async {}
  func confirm(_ text: String) async -> Bool { true }
  func field(_ prompt: String, isHidden: Bool) async -> Secret? { Secret(prompt.utf8) }
}

/// The service of an app with a fingerprint reader.
struct FingerprintService {
  func enrolledFingers() -> String? { "left-thumb" }
  func verify() async -> Bool { true }
}
