import Dispatch
import SerializedAccess
import Testing

// Every shape of the article "The shapes that compile".

private struct Counters: Sendable {
  @Serialized var requests = 0
  @Serialized(customQueue: "com.example.failures") var failures: [String: Int] = [:]
}

private final class ServerWithStructure: Sendable {
  let counters = Counters()
  func handle() { counters.requests += 1 }
}

private final class ServerWithConstant: Sendable {
  let requests = Serialized(0)
  func handle() { requests.wrappedValue += 1 }
}

private enum Shared {
  static let counters = Counters()
  static let requests = Serialized(0)
}

private let globalCounters = Counters()
private let globalRequests = Serialized(0)

private actor Indexer {
  let progress = Serialized(0.0)
  @Serialized var isolated = 0
  nonisolated var fraction: Double { progress.wrappedValue }
  func step() -> Int {
    isolated += 1
    return isolated
  }
}

private final class Legacy: @unchecked Sendable {
  @Serialized var count = 0
}

private final class Unshared {
  @Serialized var count = 0
  static func make() -> Unshared { Unshared() }
}

struct ShapesThatCompileTests {
  @Test func structureInAConstantOfASendableClass() {
    let server = ServerWithStructure()
    DispatchQueue.concurrentPerform(iterations: 100) { _ in
      server.handle()
      server.counters.failures["x", default: 0] += 1
    }
    #expect(server.counters.requests == 100)
    #expect(server.counters.failures == ["x": 100])
  }

  @Test func constantOfASendableClass() {
    let server = ServerWithConstant()
    DispatchQueue.concurrentPerform(iterations: 100) { _ in server.handle() }
    #expect(server.requests.wrappedValue == 100)
  }

  @Test func staticConstants() {
    DispatchQueue.concurrentPerform(iterations: 100) { _ in
      Shared.counters.requests += 1
      Shared.requests.wrappedValue += 1
    }
    #expect(Shared.counters.requests == 100)
    #expect(Shared.requests.wrappedValue == 100)
  }

  @Test func globalConstants() {
    DispatchQueue.concurrentPerform(iterations: 100) { _ in
      globalCounters.requests += 1
      globalRequests.wrappedValue += 1
    }
    #expect(globalCounters.requests == 100)
    #expect(globalRequests.wrappedValue == 100)
  }

  @Test func constantOfAnActor() async {
    let indexer = Indexer()
    indexer.progress.wrappedValue = 0.5
    #expect(indexer.fraction == 0.5)
    #expect(await indexer.step() == 1)
  }

  @Test func localConstantInConcurrentClosures() async {
    let found = Serialized([String]())
    DispatchQueue.concurrentPerform(iterations: 8) { index in
      found.wrappedValue.append("match \(index)")
    }
    await Task.detached { found.wrappedValue.append("task") }.value
    #expect(found.wrappedValue.count == 9)
  }

  @Test func propertyOfAClassThatIsNotChecked() {
    let legacy = Legacy()
    DispatchQueue.concurrentPerform(iterations: 100) { _ in legacy.count += 1 }
    #expect(legacy.count == 100)
    let unshared = Unshared.make()
    unshared.count += 1
    #expect(unshared.count == 1)
  }

  @Test func localProperty() {
    @Serialized var count = 0
    count += 1
    #expect(count == 1)
  }
}
