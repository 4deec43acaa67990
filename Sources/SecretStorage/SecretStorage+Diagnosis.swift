extension SecretStorage {
  /// Looks at the default store and at what it needs of the machine.
  ///
  /// ```swift
  /// print(SecretStorage.diagnose())
  /// ```
  ///
  /// Nothing is created or changed, nobody is asked, and a default store that was not needed yet
  /// stays undecided, so that ``bootstrap(_:)`` may still follow.
  ///
  /// - Complexity: Linear in the size of the store where it was not read yet.
  public static func diagnose() -> Diagnosis {
    var diagnosis = Diagnosis()
    let subject = "Default store"
    let store: any SecretStore
    if let override = DefaultStoreOverride.current {
      store = override.store
      diagnosis.note(subject, "\(type(of: store)), as long as withDefaultStore(_:operation:) runs")
    } else if let decided = DefaultStore.decided {
      store = decided.store
      let origin = decided.isBootstrapped ? "named by bootstrap(_:)" : "this machine's, in use"
      diagnosis.note(subject, "\(type(of: store)), \(origin)")
    } else {
      store = SecretVault()
      diagnosis.note(subject, "\(type(of: store)), this machine's, not used by this process yet")
    }
    if let vault = store as? SecretVault {
      vault.diagnose(into: &diagnosis)
    } else {
      diagnosis.examine(store)
    }
    diagnosis.noteMachine()
    return diagnosis
  }
}

extension Diagnosis {
  /// Asks a store of whatever kind how it is.
  fileprivate mutating func examine(_ store: any SecretStore) {
    do {
      note("Items", "\(try store.items(matching: .all).count)")
    } catch {
      switch error {
      case .locked: note("Locked", "yes: \(error)")
      default: problem("Items", error)
      }
    }
    note(store.authenticator)
    note(store.guarantees)
  }

  mutating func note(_ guarantees: StoreGuarantees) {
    note("Guarantees", guarantees.isEmpty ? "none: what is stored ends with it" : "\(guarantees)")
  }
}
