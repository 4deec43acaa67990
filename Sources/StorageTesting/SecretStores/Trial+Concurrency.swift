import SecretStorage

extension Trial {
  func concurrentAddsHaveOneWinner() async throws {
    for round in 0..<5 {
      let identity = ItemIdentity.generic(service: "round \(round)")
      let winners = try await withThrowingTaskGroup(of: String?.self) { group in
        for number in 0..<8 {
          group.addTask {
            let text = "\(number)"
            let store = number.isMultiple(of: 2) ? store : another
            do throws(SecretStoreError) {
              _ = try store.add(
                Secret(text.utf8), identity: identity, attributes: ItemAttributes())
              return text
            } catch {
              if error == .duplicate { return nil }
              throw error
            }
          }
        }
        return try await group.reduce(into: [String]()) { $0 += $1.map { [$0] } ?? [] }
      }
      let found = try found(.exactly(identity))
      expect(winners.count == 1, "concurrent adds of one identity", "one success")
      expect(found.count == 1, "concurrent adds of one identity", "one item")
      if let item = found.first, let winner = winners.first {
        expect(
          try secret(of: item) == Secret(winner.utf8), "concurrent adds of one identity",
          "the secret of the add that succeeded")
      }
    }
  }

  func concurrentUpdatesLoseNothing() async throws {
    let tasks = 4, increments = 10
    let item = try store.add(
      Secret([0]), identity: Self.full, attributes: ItemAttributes())
    try await withThrowingTaskGroup { group in
      for number in 0..<tasks {
        let store = number.isMultiple(of: 2) ? store : another
        group.addTask {
          for _ in 0..<increments { try increment(item.id, in: store) }
        }
      }
      try await group.waitForAll()
    }
    expect(
      try secret(of: item) == Secret([UInt8(tasks * increments)]),
      "concurrent updates of a counter", "that each update which succeeded counts")
  }

  private func increment(
    _ item: SecretItem.ID, in store: any SecretStore
  ) throws(SecretStoreError) {
    while true {
      guard let reading = try store.secret(of: item) else {
        return expect(false, "secret(of:)", "the counter to be there")
      }
      let count = unsafe reading.secret.withUnsafeBytes { unsafe $0.first ?? 0 }
      do throws(SecretStoreError) {
        _ = try store.update(
          item, expecting: reading.itemRevision, attributes: nil, secret: Secret([count + 1]))
        return
      } catch {
        if error != .conflict { throw error }
      }
    }
  }
}
