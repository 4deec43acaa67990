import CLibrary
import Concurrency
import Dispatch
import FoundationEssentials
import TestSupport
import Testing

@testable import KeyValueStorage

struct TransactionTests {
  private struct Refusal: Error, Equatable {}

  private struct Account: Sendable {
    @StoredValue var balance: Int
    @StoredValue var payments: [Int]

    init(_ store: KeyValueStore) {
      _balance = StoredValue(wrappedValue: 100, "balance", in: store)
      _payments = StoredValue(wrappedValue: [], "payments", in: store)
    }
  }

  @Test(arguments: StoredValueTests.stores)
  func transactionChangesAllKeysOrNone(_ format: KeyValueFormat?) throws {
    let file = try format.map { try TestFile($0) }
    let store = file?.open() ?? KeyValueStore()
    let account = Account(store)
    let paid = try store.transaction { () throws -> Int in
      account.balance -= 10
      account.payments.append(10)
      #expect(account.balance == 90)
      // The change is not yet visible to other stores.
      let written = try file?.open().keys() ?? []
      #expect(written == [])
      return account.payments.count
    }
    #expect(paid == 1)
    let fresh = Account(file?.open() ?? store)
    #expect(fresh.balance == 90)
    #expect(fresh.payments == [10])

    #expect(throws: Refusal()) {
      try store.transaction {
        account.balance -= 10
        account.payments = []
        throw Refusal()
      }
    }
    #expect(account.balance == 90)
    #expect(account.payments == [10])
    #expect(try file?.open().value(of: "balance") ?? 90 == 90)
  }

  @Test(arguments: StoredValueTests.stores)
  func otherThreadsSeeATransactionAtItsEnd(_ format: KeyValueFormat?) throws {
    let file = try format.map { try TestFile($0) }
    // The file has not yet been read.
    let store = file?.open() ?? KeyValueStore()
    let account = Account(store)
    try store.transaction {
      account.balance = 1
      let seen = DispatchQueue(label: "other").sync { [balance = account.$balance] in
        // `sync` may run on the calling thread; a new thread is another one.
        onOwnThread { balance.wrappedValue }
      }
      #expect(seen == 100)
    }
    #expect(account.balance == 1)
  }

  @Test func innerTransactionThatThrowsLeavesTheOuterOnesChanges() throws {
    let account = Account(KeyValueStore())
    try account.$balance.store.transaction {
      account.balance = 1
      do {
        try account.$balance.store.transaction {
          account.balance = 2
          account.payments = [2]
          throw Refusal()
        }
      } catch is Refusal {}
      #expect(account.balance == 1)
      account.payments = [1]
    }
    #expect(account.balance == 1)
    #expect(account.payments == [1])
  }

  @Test func countersOfManyStoresAndThreadsAddUp() throws {
    let file = try TestFile()
    let stores = (0..<4).map { _ in file.open() }
    DispatchQueue.concurrentPerform(iterations: 8) { number in
      let store = stores[number % 4]
      let counter = StoredValue(wrappedValue: 0, "counter", in: store)
      for _ in 0..<25 {
        do {
          try store.transaction { counter.wrappedValue += 1 }
        } catch {
          Issue.record(error)
        }
      }
    }
    #expect(try file.open().value(of: "counter") == 200)
  }

  @Test func changesOfOtherKeysInPlaceAreMadeOneInTheOther() {
    let account = Account(KeyValueStore())
    func change(_ payments: inout [Int]) {
      account.balance += 5
      payments.append(5)
    }
    change(&account.payments)
    #expect(account.balance == 105)
    #expect(account.payments == [5])
  }

  @Test func transactionInsideAChangeInPlaceIsRefused() async {
    let result = await #expect(
      processExitsWith: .failure, observing: [\.standardErrorContent]
    ) {
      let store = KeyValueStore()
      let counter = StoredValue(wrappedValue: 0, "counter", in: store)
      func change(_ value: inout Int) throws {
        try store.transaction { value += 1 }
      }
      try change(&counter.wrappedValue)
    }
    let text = String(decoding: result?.standardErrorContent ?? [], as: UTF8.self)
    #expect(text.contains("during an in-place change"))
  }

  /// Otherwise, the lock of the change would belong to its first thread for ever.
  @Test func aChangeInPlaceThatEndsOnAnotherThreadIsRefused() async {
    let result = await #expect(
      processExitsWith: .failure, observing: [\.standardErrorContent]
    ) {
      let counter = StoredValue(wrappedValue: 0, "counter", in: KeyValueStore())
      func change(_ value: inout Int) async {
        _ = await runBlocking { usleep(1000) }
        value += 1
      }
      // The task continues on any thread of the pool.
      for _ in 0..<10_000 { await change(&counter.wrappedValue) }
    }
    let text = String(decoding: result?.standardErrorContent ?? [], as: UTF8.self)
    #expect(text.contains("An in-place change of a setting contains an await."))
  }
}

/// Calls a closure on a new thread.
func onOwnThread<Result: Sendable>(_ body: @escaping @Sendable () -> Result) -> Result {
  let result = Heard<Box<Result>>()
  let queue = DispatchQueue(label: "own")
  queue.async { result.hear(Box(value: body())) }
  while result.all.isEmpty { queue.sync {} }
  return result.all[0].value
}

struct Box<Value: Sendable>: Sendable, Equatable {
  let value: Value
  static func == (first: Box, second: Box) -> Bool { false }
}
