import SecretStorage

/// Authorises accesses by old names that know no other way than to wait for a person.
struct WaitingAuthorization {
  private let store: any SecretStore
  private let context: AuthenticationContext

  init(for store: any SecretStore, reason: String) {
    self.store = store
    // For the items of one call, the person is asked once.
    context = AuthenticationContext(reason: reason, reuse: .seconds(600))
  }

  /// Asks a person for what an item needs, and waits for the answer.
  ///
  /// - Throws: `SecretStoreError.unavailable` in a task, or what
  ///   `AuthenticationContext.authorize` throws.
  func authorization(for item: SecretItem) throws(SecretStoreError) -> Authorization {
    let accessControl = item.attributes.accessControl
    if accessControl.flags.isEmpty { return .none }
    guard BlockingWait.isPossible else {
      throw .unavailable(
        """
        A task, or a forked child, cannot wait for the person who has to authorise this. Call it on \
        a thread of your own, or use GenericPassword's load(authorizedBy:), which is asynchronous
        """)
    }
    return try BlockingWait.value { [store, context] () async throws(SecretStoreError) in
      try await context.authorize(accessControl, with: store.authenticator)
    }
  }
}
