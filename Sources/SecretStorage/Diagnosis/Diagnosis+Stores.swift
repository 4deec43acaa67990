extension SecretStores {
  /// Examines the default store, and the settings of the machine that affect it.
  ///
  /// ```swift
  /// print(SecretStores.diagnose())
  /// ```
  ///
  /// This method does not change anything or prompt the user. It does not count as a use of the
  /// default store, so ``bootstrap(_:)`` may still be called afterwards.
  ///
  /// - Complexity: Linear in the size of the store if it has not been read yet.
  public static func diagnose() -> Diagnosis {
    var diagnosis = Diagnosis()
    let subject = "Default store"
    let store: any SecretStore
    if let override = DefaultStoreOverride.current {
      store = override.store
      diagnosis.record(subject, "\(type(of: store)), set by withDefaultStore(_:operation:)")
    } else if let decided = DefaultStore.decided {
      store = decided.store
      let origin = decided.isBootstrapped ? "set by bootstrap(_:)" : "this machine's, in use"
      diagnosis.record(subject, "\(type(of: store)), \(origin)")
    } else {
      store = SecretVault()
      diagnosis.record(subject, "\(type(of: store)), this machine's, not used by this process yet")
    }
    if let vault = store as? SecretVault {
      vault.diagnose(into: &diagnosis)
    } else {
      diagnosis.examine(store)
    }
    diagnosis.recordMachine()
    return diagnosis
  }
}

extension Diagnosis {
  /// Records the items, the authenticator and the guarantees of any store.
  fileprivate mutating func examine(_ store: any SecretStore) {
    do {
      record("Items", "\(try store.items(matching: .all).count)")
    } catch {
      switch error {
      case .locked: record("Locked", "yes: \(error)")
      default: problem("Items", error)
      }
    }
    record(store.authenticator)
    record(store.guarantees)
  }

  mutating func record(_ guarantees: StoreGuarantees) {
    record("Guarantees", guarantees.isEmpty ? "none: items end with the store" : "\(guarantees)")
  }

  /// Records the authenticator of a store, and the proofs that it can obtain.
  mutating func record(_ authenticator: (any Authenticator)?) {
    let subject = "Authenticator"
    guard let authenticator else {
      return record(subject, "none: for items that need a proof, the context must have one")
    }
    if let obstacle = (authenticator as? PAMAuthenticator)?.obstacle {
      return problem(subject, "\(type(of: authenticator)): \(obstacle)")
    }
    let capabilities = authenticator.capabilities
    let proves = capabilities.isEmpty ? "nothing at present" : "\(capabilities)"
    record(subject, "\(type(of: authenticator)), which can prove \(proves)")
  }
}
