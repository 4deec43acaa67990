import Concurrency
import TestSupport
import Testing

@testable import SecretStorage

/// App handlers that use the store or property that changed.
@Suite(.timeLimit(.minutes(30)))
struct PasswordObserverTests {
  enum Kind: CaseIterable { case vault, inMemory }

  private let vault = TestVault()

  private func store(_ kind: Kind) -> any SecretStore {
    switch kind {
    case .vault: vault.open()
    case .inMemory: InMemorySecretStore()
    }
  }

  @Test(arguments: Kind.allCases, [RefreshPolicy.onAccess, .onChange, .manual])
  func observerMayUseThePropertyThatChanges(_ kind: Kind, _ policy: RefreshPolicy) throws {
    let store = store(kind)
    let item = PasswordItem<String>(
      .generic(service: "service"), refreshPolicy: policy, in: store)
    // Another object writes, because loading discards an unsaved value.
    let writer = PasswordItem<String>(
      .generic(service: "service"), refreshPolicy: policy, in: store)
    let heard = Heard<String?>()
    let observation = store.observeChanges {
      do {
        heard.hear(try item.load())
      } catch {
        heard.hear("\(error)")
      }
      _ = (item.value, item.status, item.attributes, item.creationDate)
    }
    writer.value = "first"
    try writer.save()
    #expect(heard.wait(for: "first"))
    writer.value = "second"
    try writer.save()
    #expect(heard.wait(for: "second"))
    try item.remove()
    #expect(heard.wait(for: nil))
    withExtendedLifetime(observation) {}
  }

  @Test(arguments: Kind.allCases)
  func observerMayWriteAndRemove(_ kind: Kind) throws {
    let store = store(kind)
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
    let object = vault.open()
    try object.add("text", account: "account")
    let calls = Lock(0)
    let heard = Heard<Bool>()
    let observation = object.observeChanges {
      let call = calls.withLock { calls in
        calls += 1
        return calls
      }
      if call == 1 {
        do { try object.unlock() } catch { Issue.record(error) }
        heard.hear(true)
      }
    }
    object.lock()
    #expect(heard.wait(for: true))
    #expect(try object.text("account") == "text")
    withExtendedLifetime(observation) {}
  }

  /// The last call of a handler sees the newest change, however many changes were coalesced.
  @Test(arguments: Kind.allCases)
  func slowObserverHearsOfTheNewestChange(_ kind: Kind) throws {
    let store = store(kind)
    let item = PasswordItem<Int>(.generic(service: "service"), in: store)
    let heard = Heard<Int?>()
    let isBlocked = Lock(true)
    let observation = store.observeChanges {
      do { try wait { isBlocked.withLock { !$0 } } } catch { Issue.record(error) }
      heard.hear(item.value)
    }
    for number in 1...50 { item.value = number }
    isBlocked.withLock { $0 = false }
    #expect(heard.wait(for: 50))
    // One call for the changes before the handler was busy, one for those during it; the kernel may
    // report those of a file once more.
    #expect(heard.all.count <= 4)
    withExtendedLifetime(observation) {}
  }

  /// A cached value is invalidated by a write before the app's handlers run.
  @Test(arguments: Kind.allCases)
  func keptValueIsReadAgainBeforeTheAppsHandlersRun(_ kind: Kind) throws {
    let store = store(kind)
    let kept = PasswordItem<Int>(
      .generic(service: "service"), refreshPolicy: .onChange, in: store)
    let other = PasswordItem<Int>(.generic(service: "service"), in: store)
    let isBlocked = Lock(true)
    let observation = store.observeChanges {
      do { try wait { isBlocked.withLock { !$0 } } } catch { Issue.record(error) }
    }
    for number in 1...100 {
      other.value = number
      #expect(kept.value == number)
    }
    isBlocked.withLock { $0 = false }
    withExtendedLifetime(observation) {}
  }

  @Test(arguments: [true, false])
  func endedObserverIsNotCalledForChangesThatWaited(isCancelled: Bool) throws {
    let store = InMemorySecretStore()
    let item = PasswordItem<Int>(.generic(service: "service"), in: store)
    let isBlocked = Lock(true)
    let heard = Heard<Int?>()
    let first = store.observeChanges {
      do { try wait { isBlocked.withLock { !$0 } } } catch { Issue.record(error) }
      heard.hear(item.value)
    }
    let released = Lock(0)
    var second: ChangeObservation? = store.observeChanges { released.withLock { $0 += 1 } }
    item.value = 1
    withExtendedLifetime(second) {}
    if isCancelled { second?.cancel() } else { second = nil }
    isBlocked.withLock { $0 = false }
    #expect(heard.wait(for: 1))
    item.value = 2
    #expect(heard.wait(for: 2))
    #expect(released.withLock { $0 } == 0)
    withExtendedLifetime((first, second)) {}
  }
}
