import SecretStorage

extension ConformanceRun {
  func concurrentAddsSucceedOnce() async throws {
    let operation = "concurrent adds of one identity"
    for round in 0..<5 {
      let identity = ItemIdentity.generic(service: "round \(round)")
      let added = try await withThrowingTaskGroup(of: String?.self) { group in
        for index in 0..<8 {
          group.addTask {
            let secret = "\(index)"
            do throws(SecretStoreError) {
              try (index.isMultiple(of: 2) ? self : other).add(identity, Secret(secret))
              return secret
            } catch {
              if error == .duplicate { return nil }
              throw error
            }
          }
        }
        return try await group.compactMap(\.self).reduce(into: [String]()) { $0.append($1) }
      }
      let found = try store.items(matching: .exactly(identity))
      expect(added.count == 1, operation, "one success")
      expect(found.count == 1, operation, "one item")
      if let item = found.first, let secret = added.first {
        try expectSecret(secret, of: item, operation, "the secret of the add that succeeded")
      }
    }
  }

  func concurrentUpdatesAreNotLost() async throws {
    let tasks = 4, increments = 10
    let item = try add(Self.fullIdentity, Secret([0]))
    try await withThrowingTaskGroup { group in
      for index in 0..<tasks {
        let run = index.isMultiple(of: 2) ? self : other
        group.addTask {
          for _ in 0..<increments { try run.increment(item.id) }
        }
      }
      try await group.waitForAll()
    }
    expect(
      try secret(of: item) == Secret([UInt8(tasks * increments)]),
      "concurrent updates of a counter", "the sum of all successful updates")
  }

  /// Adds 1 to the counter that is stored as the secret of an item.
  private func increment(_ item: SecretItem.ID) throws(SecretStoreError) {
    try store.retrying { () throws(SecretStoreError) in
      guard let reading = try store.secret(of: item) else {
        return expect(false, "secret(of:)", "the counter, not nil")
      }
      let count = unsafe reading.secret.withUnsafeBytes { unsafe $0.first ?? 0 }
      // The addition wraps around, because a faulty store may return any byte.
      _ = try store.update(
        item, expecting: reading.itemRevision, attributes: nil, secret: Secret([count &+ 1]))
    }
  }
}
