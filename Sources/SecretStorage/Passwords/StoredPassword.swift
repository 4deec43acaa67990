import StorageInternals
import Synchronization

/// What a password item was declared as.
struct PasswordDeclaration<Value: Codable & Sendable>: Sendable {
  let identity: ItemIdentity
  let match: ItemMatch
  let refreshPolicy: RefreshPolicy
  let defaultValue: Value?
  let accessControl: AccessControl

  var query: ItemQuery {
    match == .any ? .matching(identity) : .exactly(identity)
  }
}

/// A declared password in one store: what is known of it, and what is still to be written.
///
/// Two locks: `resolver` gives the accesses to the store their turn, `state` is held for moments
/// only and never while the store, a coder or a handler is called. What the store calls back only
/// counts, so a store may call it whatever it holds.
final class StoredPassword<Value: Codable & Sendable>: Sendable {
  struct State: Sendable {
    /// What was last read or set; nil also when it is not known.
    var value: Value?
    /// Whether the value was set and not written since.
    var isUnsaved = false
    /// Counts what the app set, so that a write tells whether it wrote the latest.
    var settings = 0
    var edits = AttributeEdits()
    /// The item as last seen.
    var item: SecretItem?
    /// How many changes the store had told of before the value was read.
    var readAt: Int?
    /// How the last access went; nil before any.
    var status: PasswordStatus?
    var error: SecretStoreError?
    /// The last failure told, until a success.
    var told: PasswordFailure?
  }

  let declaration: PasswordDeclaration<Value>
  let state = Lock(State())
  let resolver: Lock<ItemResolver>
  let changes = ChangeCount()
  private let observation: ChangeObservation?

  init(_ declaration: PasswordDeclaration<Value>, in store: any SecretStore) {
    self.declaration = declaration
    resolver = Lock(ItemResolver(store: store, query: declaration.query))
    // It holds the count alone, so that password and store do not keep each other alive.
    observation =
      declaration.refreshPolicy == .onChange
      ? store.observeChanges { [changes] in changes.increment() } : nil
  }

  /// Does what an explicit call asks for, in turn, and notes how it went.
  func access<Result: Sendable>(
    _ body: (inout ItemResolver) throws(SecretStoreError) -> Result
  ) throws(SecretStoreError) -> Result {
    try resolver.withLock { resolver throws(SecretStoreError) in
      do throws(SecretStoreError) {
        let result = try body(&resolver)
        state.withLock {
          $0.error = nil
          $0.told = nil
        }
        return result
      } catch {
        state.withLock {
          $0.status = PasswordStatus(error)
          $0.error = error
        }
        throw error
      }
    }
  }

  /// Does what using a property asks for; a failure goes to ``SecretStorage/onFailure``.
  func implicitAccess(
    _ operation: PasswordFailure.Operation,
    _ body: (inout ItemResolver) throws(SecretStoreError) -> Void
  ) {
    do throws(SecretStoreError) {
      try access(body)
    } catch {
      let failure = PasswordFailure(operation, error)
      let isNew = state.withLock { state in
        defer { state.told = failure }
        return state.told != failure
      }
      if isNew { SecretStorage.onFailure(failure) }
    }
  }
}

/// Counts the changes that a store told of.
final class ChangeCount: Sendable {
  private let count = Atomic(0)

  var value: Int { count.load(ordering: .acquiring) }

  func increment() {
    count.wrappingAdd(1, ordering: .releasing)
  }
}
