import Synchronization

/// The default store of the process, undecided until it is set or first used.
enum DefaultStore {
  private final class Choice: Sendable {
    let store: any SecretStore
    let isBootstrapped: Bool

    init(_ store: any SecretStore, isBootstrapped: Bool) {
      self.store = store
      self.isBootstrapped = isBootstrapped
    }
  }

  /// Not behind a lock: a forked child has the same default store, in any state of its parent.
  private static let choice = AtomicLazyReference<Choice>()

  /// The store that the app set, or this machine's; the first use makes it permanent.
  static var resolved: any SecretStore {
    if let choice = choice.load() { return choice.store }
    return choice.storeIfNil(Choice(SecretVault.vault, isBootstrapped: false)).store
  }

  /// The store that the app set or that is already in use; does not decide it.
  static var decided: (store: any SecretStore, isBootstrapped: Bool)? {
    choice.load().map { ($0.store, $0.isBootstrapped) }
  }

  static func bootstrap(_ store: any SecretStore) {
    let wanted = Choice(store, isBootstrapped: true)
    let choice = choice.storeIfNil(wanted)
    if choice === wanted { return }
    fatalError(
      choice.isBootstrapped
        ? "SecretStores.bootstrap(_:) was called twice. Call it once, where the app starts."
        : """
        SecretStores.bootstrap(_:) was called after the default store had been used. Call it where \
        the app starts, before the first access to a password.
        """)
  }
}
