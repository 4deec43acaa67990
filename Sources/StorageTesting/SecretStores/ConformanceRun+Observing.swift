import SecretStorage

extension ConformanceRun {
  func observersAreNotifiedOfWrites() async throws {
    let first = CountingObserver(store.observeChanges)
    let second = CountingObserver(store.observeChanges)
    var item = try add(Self.fullIdentity)
    try await expectNotification(of: first, "observeChanges, add")
    item = try update(item, Self.attributes)
    try await expectNotification(of: first, "observeChanges, update of attributes")
    item = try update(item, secret: Secret([1]))
    try await expectNotification(of: first, "observeChanges, update of the secret")
    try remove(item)
    try await expectNotification(of: first, "observeChanges, remove")
    try await expectNotification(of: second, "observeChanges, the same writes, second observer")
  }

  func observersAreNotifiedOfOtherInstance() async throws {
    let observer = CountingObserver(store.observeChanges)
    let item = try otherInstance.add(
      Secret([1]), identity: Self.fullIdentity, attributes: ItemAttributes())
    try await expectNotification(of: observer, "observeChanges, add through another instance")
    try otherInstance.remove(item.id, expecting: item.revision)
    try await expectNotification(of: observer, "observeChanges, remove through another instance")
  }

  func releasedObserversAreNotNotified() async throws {
    let observer = CountingObserver(store.observeChanges)
    let item = try add(Self.fullIdentity)
    try await expectNotification(of: observer, "observeChanges, add")
    observer.stop()
    let remaining = CountingObserver(store.observeChanges)
    // A handler that was running when the observation ended may still have been counted.
    let count = observer.count
    try remove(item)
    try await expectNotification(of: remaining, "observeChanges, remove")
    expect(observer.count == count, "observeChanges", "no call after the observation was released")
  }

  func handlersRunOutsideWrites() throws {
    let detector = ReentranceDetector()
    let observation = store.observeChanges(detector.handle)
    func write<Result>(_ operation: String, _ body: () throws -> Result) rethrows -> Result {
      let (result, hasRun) = try detector.perform(body)
      expect(!hasRun, "observeChanges, \(operation)", "the handler to run outside the operation")
      return result
    }
    var item = try write("add") { try add(Self.fullIdentity) }
    item = try write("update") { try update(item, secret: Secret([1])) }
    try write("remove") { try remove(item) }
    withExtendedLifetime(observation) {}
  }
}
