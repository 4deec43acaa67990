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

  @Test func setByAnotherThreadIsInvisibleInTransactions() throws {
    let store = KeyValueStore(MemoryBackend(), writes: .coalesced(within: .seconds(100_000)))
    let number = StoredValue(wrappedValue: 0, "number", in: store)
    try number.save(1)
    try store.transaction {
      onThreads(1) { _ in number.wrappedValue = 2 }
      #expect(number.wrappedValue == 1)
    }
    #expect(number.wrappedValue == 2)
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
    #expect(fresh.balance == 90 && fresh.payments == [10])
    #expect(throws: Refusal()) {
      try store.transaction {
        account.balance -= 10
        account.payments = []
        throw Refusal()
      }
    }
    #expect(account.balance == 90 && account.payments == [10])
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
      let balance = account.$balance
      onThreads(1) { _ in #expect(balance.wrappedValue == 100) }
    }
    #expect(account.balance == 1)
  }

  @Test func failedInnerTransactionKeepsOuterChanges() throws {
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
    #expect(account.balance == 1 && account.payments == [1])
  }

  @Test func inPlaceChangesOfOtherKeysMayBeNested() {
    let account = Account(KeyValueStore())
    func change(_ payments: inout [Int]) {
      account.balance += 5
      payments.append(5)
    }
    change(&account.payments)
    #expect(account.balance == 105 && account.payments == [5])
  }

  @Test func transactionInAnInPlaceChangeIsRefused() async {
    let result = await #expect(processExitsWith: .failure, observing: [\.standardErrorContent]) {
      let store = KeyValueStore()
      let counter = StoredValue(wrappedValue: 0, "counter", in: store)
      func change(_ value: inout Int) throws { try store.transaction { value += 1 } }
      try change(&counter.wrappedValue)
    }
    #expect(message(of: result).contains("during an in-place change"))
  }
}
