import Concurrency
import Dispatch
import TestSupport
import Testing

@testable import SecretStorage

/// App handlers that use the store or property that changed.
struct PasswordObserverTests {
  @Test(arguments: TestStore.all, RefreshPolicy.all)
  func observerMayUseTheChangedProperty(_ kind: TestStore, _ policy: RefreshPolicy) throws {
    let store = try kind.make()
    let item = PasswordItem<String>(policy, in: store)
    // Another object writes, because loading discards an unsaved value.
    let writer = PasswordItem<String>(policy, in: store)
    let heard = Heard<String?>()
    let observation = store.observeChanges {
      do { heard.hear(try item.load()) } catch { heard.hear("\(error)") }
      _ = (item.value, item.status, item.attributes, item.creationDate)
    }
    for value in ["first", "second"] {
      writer.value = value
      try writer.save()
      heard.wait(for: value)
    }
    try item.remove()
    heard.wait(for: nil)
    withExtendedLifetime(observation) {}
  }

  @Test(arguments: TestStore.all) func observerMayWriteAndRemove(_ kind: TestStore) throws {
    let store = try kind.make()
    let first = PasswordItem<Int>(.generic(service: "first"), in: store)
    let second = PasswordItem<Int>(.generic(service: "second"), in: store)
    let observation = store.observeChanges {
      guard let value = first.value else { return }
      second.value = value
      first.value = nil
    }
    first.value = 7
    try wait { first.value == nil }
    #expect(second.value == 7)
    withExtendedLifetime(observation) {}
  }

  @Test func observerMayLockAndUnlockTheVault() throws {
    let object = try TestVault().open().adding("text", account: "account")
    let isUnlocked = DispatchSemaphore(value: 0)
    let observation = object.observeChanges {
      recordingErrors {
        guard try object.isLocked else { return }
        try object.unlock()
        isUnlocked.signal()
      }
    }
    object.lock()
    isUnlocked.wait()
    #expect(try object.text("account") == "text")
    withExtendedLifetime(observation) {}
  }

  /// The last call of a handler sees the newest change, however many changes were coalesced.
  @Test(arguments: TestStore.all) func slowObserverGetsTheNewestChange(_ kind: TestStore) throws {
    let store = try kind.make()
    let item = PasswordItem<Int>(in: store)
    let heard = Heard<Int?>()
    let hasStarted = DispatchSemaphore(value: 0), mayGoOn = DispatchSemaphore(value: 0)
    let observation = store.observeChanges {
      hasStarted.signal()
      mayGoOn.wait()
      heard.hear(item.value)
    }
    item.value = 1
    hasStarted.wait()
    for number in 2...50 { item.value = number }
    for _ in 0..<1000 { mayGoOn.signal() }
    // The second call is for all changes during the first one.
    hasStarted.wait()
    // The calls are made in order, so this observer's is the last one for the next change.
    let wasCalled = DispatchSemaphore(value: 0)
    let witness = store.observeChanges { wasCalled.signal() }
    item.value = 51
    heard.wait(for: 51)
    wasCalled.wait()
    #expect(heard.all.first == 50)
    // The watch of the vault's file may add a call.
    if store is InMemorySecretStore { #expect(heard.all.count == 3) }
    withExtendedLifetime((observation, witness)) {}
  }

  /// A cached value is invalidated by a write before the app's handlers run.
  @Test(arguments: TestStore.all)
  func cachedValueIsStaleBeforeHandlersRun(_ kind: TestStore) throws {
    let store = try kind.make()
    let kept = PasswordItem<Int>(.onChange, in: store)
    let other = PasswordItem<Int>(in: store)
    let mayGoOn = DispatchSemaphore(value: 0)
    let observation = store.observeChanges { mayGoOn.wait() }
    for number in 1...100 {
      other.value = number
      #expect(kept.value == number)
    }
    observation.cancel()
    mayGoOn.signal()
  }

  @Test(arguments: [true, false])
  func endedObserverIsNotCalledForPendingChanges(isCancelled: Bool) throws {
    let store = InMemorySecretStore()
    let item = PasswordItem<Int>(in: store)
    let mayGoOn = DispatchSemaphore(value: 0)
    let heard = Heard<Int?>()
    let first = store.observeChanges {
      mayGoOn.wait()
      heard.hear(item.value)
    }
    let released = Lock(0)
    var second: ChangeObservation? = store.observeChanges { released.withLock { $0 += 1 } }
    item.value = 1
    withExtendedLifetime(second) {}
    if isCancelled { second?.cancel() } else { second = nil }
    mayGoOn.signal()
    heard.wait(for: 1)
    item.value = 2
    mayGoOn.signal()
    heard.wait(for: 2)
    #expect(released.withLock { $0 } == 0)
    withExtendedLifetime((first, second)) {}
  }
}
