import Dispatch
import SerializedAccess
import Testing

private struct Order: Sendable {}
private struct Connection: Sendable {}

/// The code of the pages of `SerializedAccess`, and of the README.
struct SerializedSnippets {
  struct Structures {
    struct Counters: Sendable {
      @Serialized var requests = 0
    }

    final class Server: Sendable {
      let counters = Counters()
      func handle() { counters.requests += 1 }
    }

    enum Shared {
      static let counters = Counters()
    }

    @Test func structures() {
      let server = Server()
      server.handle()
      #expect(server.counters.requests == 1 && Shared.counters.requests == 0)
    }
  }

  struct Overview {
    struct Counters: Sendable {
      @Serialized var requests = 0
      @Serialized var failures: [String: Int] = [:]
    }

    @Test func overview() async {
      let counters = Counters()
      DispatchQueue.concurrentPerform(iterations: 1000) { _ in
        counters.requests += 1
      }
      print(counters.requests)  // 1000
      #expect(counters.requests == 1000)

      let watching = Task {
        for await count in counters.$requests.values {
          print("requests so far: \(count)")
        }
      }
      watching.cancel()
      await watching.value
    }
  }

  @Test func constants() async {
    final class Server: Sendable {
      let requests = Serialized(0)
      func handle() { requests.value += 1 }
    }

    enum Shared {
      static let requests = Serialized(0)
    }

    let requests = Serialized(0)

    actor Indexer {
      let progress = Serialized(0.0)
      nonisolated var fraction: Double { progress.value }
    }

    let server = Server()
    server.handle()
    #expect(server.requests.value == 1 && Shared.requests.value + requests.value == 0)
    #expect(Indexer().fraction == 0)

    let found = Serialized([String]())
    DispatchQueue.concurrentPerform(iterations: 8) { index in
      found.value.append("match \(index)")
    }
    #expect(found.value.count == 8)
  }

  @Test func asynchronousFunctionHasBothAccesses() async throws {
    func number(of words: [String]) async throws -> Int {
      let total = Serialized(0)
      total.value += words.count
      try await total.access { total in total += 1 }

      func doubled() -> Int { total.access { total in 2 * total } }
      return doubled()
    }
    #expect(try await number(of: ["a", "b"]) == 6)
  }

  @Test func uncheckedSendableClassIsSerialized() {
    final class Legacy: @unchecked Sendable {
      @Serialized var count = 0
    }
    let legacy = Legacy()
    legacy.count += 1
    #expect(legacy.count == 1)
  }

  @Test func queues() {
    @Serialized(customQueue: "com.example.orders") var orders: [Order] = []
    orders.append(Order())
    #expect(orders.count == 1)

    let database = DispatchQueue(label: "com.example.database")
    let connections = Serialized([Connection](), customQueue: database)
    connections.value.append(Connection())
    #expect(connections.value.count == 1)
  }
}
