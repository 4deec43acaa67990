import Concurrency
import StorageInternals

extension StoredPassword {
  /// What a change in place begins with.
  struct Base {
    let value: (any KeptValue)?
    /// Why the value is not the stored one.
    private let failure: SecretStoreError?
    private let process = Fork.generation

    init(_ value: (any KeptValue)?, _ failure: SecretStoreError? = nil) {
      self.value = value
      self.failure = failure
    }

    /// Why a change of it must not be saved.
    var obstacle: SecretStoreError? {
      process == Fork.generation ? failure : .forkedInside("a change in place")
    }
  }

  /// Begins a change in place, with the unsaved value or what is stored.
  func beginChange() -> Base {
    do throws(SecretStoreError) {
      if !state.withLock({ isBaseKnown($0) }) {
        try access { resolver throws(SecretStoreError) in try readBase(&resolver) }
      }
      return Base(knownValue)
    } catch {
      return Base(knownValue, error)
    }
  }

  /// Takes what a change in place made of its base, unless that was not what is stored: to save
  /// that later would overwrite what the change did not see.
  func end(_ base: Base, with value: (any KeptValue)?) {
    if let failure = base.obstacle {
      didFail(failure)
      // Each time, unlike other failures: the change is lost.
      return SecretStorage.onFailure(PasswordFailure(.change, failure))
    }
    // An optional chain that ended at nil changed nothing, and setting nil is a removal.
    if base.value != nil || value != nil { set(value) }
  }

  private func readBase(_ resolver: inout ItemResolver) throws(SecretStoreError) {
    // Another thread may have read or set it while this one waited.
    if state.withLock({ isBaseKnown($0) }) { return }
    try read(&resolver)
  }

  private func isBaseKnown(_ state: borrowing State) -> Bool {
    state.isUnsaved || (isCurrent(state) && state.readAt != nil)
  }
}
