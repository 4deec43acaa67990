import Concurrency
import Dispatch
import StorageInternals
import TestSupport
import Testing

@testable import SecretStorage

struct SecretStorageFailureTests {
  @Test func failureLogHasEachDistinctFailureOnce() {
    let lines = Lock([String]())
    let log = FailureLog<SecretStorageFailure> { line in lines.withLock { $0.append(line) } }
    for operation in [SecretStorageFailure.Operation.read, .read, .write, .read] {
      log.report(SecretStorageFailure(operation, .locked()))
    }
    #expect(
      lines.withLock { $0 } == [
        "A password could not be read. \(SecretStoreError.locked())",
        "A password could not be saved and is kept in memory. \(SecretStoreError.locked())",
      ])
    log.forget(SecretStorageFailure(.read, .locked()))
    log.report(SecretStorageFailure(.write, .locked()))
    log.report(SecretStorageFailure(.read, .locked()))
    #expect(lines.withLock { $0.count } == 3)
  }

  /// Failures may differ each time, as by a path.
  @Test func oldestOfManyFailuresIsForgotten() {
    let count = Lock(0)
    let log = FailureLog<SecretStorageFailure> { _ in count.withLock { $0 += 1 } }
    func report(_ number: Int) -> Int {
      log.report(SecretStorageFailure(.read, .unavailable("\(number)")))
      return count.withLock { $0 }
    }
    for number in 0...100 { #expect(report(number) == number + 1) }
    #expect(report(1) == 101)
    #expect(report(0) == 102)
    // The one that was reported last remains.
    #expect(report(1) == 102)
    let vault = TestVault().open()
    for number in 0..<200 {
      vault.reportingFailure(of: "task") { () throws(SecretStoreError) in
        throw .unavailable("\(number)")
      }
    }
    #expect(vault.failedTasks.withLock { $0["task"]?.count } == 100)
  }

  // In separate processes, because the handler is global.

  @Test func standardErrorHasOneLinePerFailure() async throws {
    let result = await #expect(processExitsWith: .success, observing: [\.standardErrorContent]) {
      let store = ScriptedStore()
      store.fail(with: .unavailable("The disk is away. Plug it in."))
      for _ in 0..<3 {
        let item = PasswordItem<String>(.generic(service: "canary"), in: store)
        item.value = "canary"
        _ = item.attributes
        _ = item.attributes
      }
    }
    let text = String(decoding: try #require(result).standardErrorContent, as: UTF8.self)
    #expect(text.split(separator: "The disk is away. Plug it in.\n").count == 2)
    #expect(!text.contains("canary"))
  }

  /// A failure in a vault, which calls the app's handler on a queue.
  @Test func endOfTheProcessLosesNoPrintedFailure() async {
    let result = await #expect(processExitsWith: .success, observing: [\.standardErrorContent]) {
      let queue = SerialQueue()
      let gate = DispatchSemaphore(value: 0)
      queue.run { gate.wait() }
      SecretStores.report(SecretStorageFailure(.maintenance, .locked()), on: queue)
    }
    #expect(message(of: result).contains("\(SecretStorageFailure(.maintenance, .locked()))\n"))
  }

  /// A read, a write and a change in place that fail, and fail again after each has succeeded.
  @Test func failureAfterASuccessIsPrintedAgain() async throws {
    let result = await #expect(processExitsWith: .success, observing: [\.standardErrorContent]) {
      let store = ScriptedStore()
      let item = PasswordItem<String>(in: store)
      for _ in 0..<2 {
        store.fail(with: .unavailable("The disk is away."))
        _ = (item.value, item.value, item.attributes)
        item.value = "value"
        store.fail(with: nil)
        do { try item.save() } catch { fatalError("\(error)") }
        _ = item.value
      }
    }
    let text = String(decoding: try #require(result).standardErrorContent, as: UTF8.self)
    #expect(text.split(separator: "could not be read. The disk is away.").count == 3)
    #expect(text.split(separator: "kept in memory. The disk is away.").count == 3)
  }

  @Test func repeatedFailureIsReportedOnceUntilASuccess() async {
    await #expect(processExitsWith: .success) {
      let heard = hearFailures()
      let store = ScriptedStore()
      let item = PasswordItem<String>(in: store)
      store.fail(with: .locked())
      _ = (item.value, item.value, item.status, item.attributes)
      #expect(heard.all == [SecretStorageFailure(.read, .locked())])
      item.value = "value"
      item.value = "other"
      #expect(heard.all.last == SecretStorageFailure(.write, .locked()) && heard.all.count == 2)
      do { try item.save() } catch {}
      #expect(heard.all.count == 2)
      store.fail(with: nil)
      do { try item.save() } catch { Issue.record(error) }
      store.fail(with: .locked())
      _ = item.value
      #expect(heard.all.count == 3)
      store.fail(with: nil)
      _ = item.value
      store.fail(with: .locked())
      _ = item.value
      #expect(heard.all.count == 4)
    }
  }

  @Test func handlerMayUseThePassword() async {
    await #expect(processExitsWith: .success) {
      let store = ScriptedStore()
      let item = PasswordItem<String>(in: store)
      let heard = Lock(false)
      ExpectedFailures.begin()
      SecretStores.onFailure = { _ in
        #expect(item.value == nil)
        #expect(item.error == .locked())
        heard.withLock { $0 = true }
      }
      store.fail(with: .locked())
      _ = item.value
      #expect(heard.withLock { $0 })
    }
  }
}
