import SecretStorage
import Testing

/// The code of the article "The shapes that compile" of `SecretStorage`.
struct ShapesSnippets {
  enum Structures {
    struct Account: Sendable {
      @GenericPassword(service: "com.example.app", account: "peter") var token: String?
    }

    final class Session: Sendable {
      let account = Account()
      func signOut() { account.token = nil }
    }

    enum Shared {
      static let account = Account()
    }
  }

  enum Constants {
    final class Session: Sendable {
      let token = PasswordItem<String>(.generic(service: "com.example.app", account: "peter"))
      func signOut() { token.value = nil }
    }

    enum Shared {
      static let token = PasswordItem<String>(.generic(service: "com.example.app"))
    }

    actor Synchronizer {
      let token = PasswordItem<String>(.generic(service: "com.example.app"))
      nonisolated var isSignedIn: Bool { token.status == .value }
    }

    final class Mailbox: Sendable {
      let password: PasswordItem<String>

      init(server: String, account: String, store: any SecretStore) {
        password = PasswordItem(
          .internet(server: server, account: account, protocol: .imaps), in: store)
      }
    }
  }

  actor Downloader {
    @GenericPassword(service: "com.example.app", account: "downloads") var token: String?
    func signOut() { token = nil }
  }

  @Test func structuresMeanTheSameItem() {
    SecretStores.withDefaultStore(InMemorySecretStore()) {
      Structures.Shared.account.token = "The Valley Wind"
      let session = Structures.Session()
      #expect(session.account.token == "The Valley Wind")
      session.signOut()
      #expect(Structures.Shared.account.token == nil)
    }
  }

  @Test func constantsMeanTheSameItem() {
    let store = InMemorySecretStore()
    SecretStores.withDefaultStore(store) {
      #expect(!Constants.Synchronizer().isSignedIn)
      Constants.Shared.token.value = "The Valley Wind"
      #expect(Constants.Synchronizer().isSignedIn)
      let session = Constants.Session()
      session.token.value = "The Sixth Station"
      session.signOut()
      #expect(Constants.Shared.token.value == "The Valley Wind")
    }
    let mailbox = Constants.Mailbox(server: "my.server", account: "me", store: store)
    mailbox.password.value = "The Sixth Station"
    #expect(store.items(matching: .all).count == 2)
  }

  @Test func actorsHaveWrappedProperties() async {
    let store = InMemorySecretStore()
    await SecretStores.withDefaultStore(store) {
      let downloader = Downloader()
      downloader.projected.value = "The Valley Wind"
      #expect(store.items(matching: .all).count == 1)
      await downloader.signOut()
      #expect(store.items(matching: .all).isEmpty)
    }
  }
}

extension ShapesSnippets.Downloader {
  nonisolated var projected: PasswordItem<String> {
    PasswordItem(.generic(service: "com.example.app", account: "downloads"))
  }
}
