import SecretStorage
import Testing

struct PasswordConcurrencyTests {
  @Test(arguments: RefreshPolicy.all) func setIsVisibleToLaterGets(_ policy: RefreshPolicy) async {
    let item = PasswordItem<Int>(policy, in: InMemorySecretStore())
    item.value = 0
    await withTaskGroup { group in
      // The writer counts up; no reader may see a decrease.
      group.addTask {
        for number in 1...500 {
          item.value = number
          #expect(item.value == number)
        }
      }
      for _ in 0..<3 {
        group.addTask {
          var last = 0
          while last < 500 {
            let value = item.value ?? -1
            guard value >= last else {
              Issue.record("After \(last) came \(value).")
              return
            }
            last = value
            await Task.yield()
          }
        }
      }
    }
  }

  @Test func manyItemsOfOneIdentityAddOneItem() async throws {
    let store = InMemorySecretStore()
    await withTaskGroup { group in
      for number in 0..<8 {
        group.addTask {
          let item = PasswordItem<Int>(in: store)
          for round in 0..<50 {
            item.value = number * 1000 + round
            #expect(item.error == nil)
          }
        }
      }
    }
    #expect(store.items(matching: .all).count == 1)
  }

  @Test func concurrentSetsAndRemovalsAreSaved() async throws {
    let item = PasswordItem<String>(in: InMemorySecretStore())
    await withTaskGroup { group in
      for number in 0..<4 {
        group.addTask {
          for _ in 0..<50 {
            item.value = number.isMultiple(of: 2) ? "value" : nil
            item.attributes.label = "label"
            _ = (item.value, item.status, item.error, item.attributes, item.creationDate)
          }
        }
      }
    }
    try await item.save()
    item.value = "last"
    #expect(item.value == "last")
    #expect(item.error == nil)
  }

  @Test func valueSetDuringASaveIsUnsaved() throws {
    let store = InMemorySecretStore()
    let item = PasswordItem<Int>(.manual, in: store)
    let other = PasswordItem<Int>(in: store)
    item.value = 1
    do {
      // A prompt handler runs within the call, unlike an app's.
      let observation = store.observeChangesSynchronously { item.value = 2 }
      try item.save()
      withExtendedLifetime(observation) {}
    }
    #expect(other.value == 1)
    #expect(item.value == 2)
    #expect(item.hasUnsavedChanges)
    try item.save()
    #expect(other.value == 2)
    #expect(!item.hasUnsavedChanges)
  }

  @Test func concurrentSavesKeepTheLastSet() async throws {
    let store = InMemorySecretStore()
    let item = PasswordItem<Int>(.manual, in: store)
    await withTaskGroup { group in
      group.addTask { for number in 1...500 { item.value = number } }
      group.addTask {
        for _ in 1...500 { do { try await item.save() } catch { Issue.record(error) } }
      }
    }
    #expect(item.value == 500)
    try await item.save()
    #expect(PasswordItem<Int>(in: store).value == 500)
  }
}
