import Synchronization

/// The default store of the process, which is permanent once it has been set or used.
enum DefaultStore {
  private final class Choice: Sendable {
    let store: any SecretStore
    let isBootstrapped: Bool

    init(_ store: any SecretStore, isBootstrapped: Bool) {
      self.store = store
      self.isBootstrapped = isBootstrapped
    }
  }

  /// Not protected by a lock, so that a forked child always has the default store of its parent.
  private static let choice = AtomicLazyReference<Choice>()

  /// The store that was set; if there is none, this sets it to this machine's vault.
  static var resolved: any SecretStore {
    if let choice = choice.load() { return choice.store }
    return choice.storeIfNil(Choice(SecretVault.vault, isBootstrapped: false)).store
  }

  /// The store that was set or used, if any.
  static var decided: (store: any SecretStore, isBootstrapped: Bool)? {
    choice.load().map { ($0.store, $0.isBootstrapped) }
  }

  static func bootstrap(_ store: any SecretStore) {
    let wanted = Choice(store, isBootstrapped: true)
    let choice = choice.storeIfNil(wanted)
    if choice === wanted { return }
    fatalError(
      choice.isBootstrapped
        ? "SecretStores.bootstrap(_:) was called twice. Call it once, when the app starts."
        : """
        SecretStores.bootstrap(_:) was called after the default store had been used. Call it when the \
        app starts, before the first access to a password.
        """)
  }
}
