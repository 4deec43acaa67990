import Concurrency
import StorageInternals
import TestSupport
import Testing

@testable import SecretStorage

struct SecretStorageFailureTests {
  @Test func failureLogWritesEachDistinctFailureOnce() {
    let lines = Lock([String]())
    let log = FailureLog<SecretStorageFailure> { line in lines.withLock { $0.append(line) } }
    log.report(SecretStorageFailure(.read, .locked))
    log.report(SecretStorageFailure(.read, .locked))
    log.report(SecretStorageFailure(.write, .locked))
    log.report(SecretStorageFailure(.read, .locked))
    #expect(
      lines.withLock { $0 } == [
        "A password could not be read. \(SecretStoreError.locked)",
        "A password could not be saved and is kept in memory. \(SecretStoreError.locked)",
      ])
  }

  // In separate processes, because the handler is global.

  @Test func standardErrorGetsOneLinePerDistinctFailure() async throws {
    let result = await #expect(
      processExitsWith: .success, observing: [\.standardErrorContent]
    ) {
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

  @Test func theLineNamesTheVaultButNotTheItem() async throws {
    let result = await #expect(
      processExitsWith: .success, observing: [\.standardErrorContent]
    ) {
      let vault = TestVault()
      // Test directories silence the default handler.
      SecretStores.onFailure = FailureLog<SecretStorageFailure>().report
      let object = vault.open()
      try await object.setPassphrase(Secret("open sesame".utf8), cost: .minimum)
      let item = PasswordItem<String>(.generic(service: "canary", account: "canary"), in: object)
      item.value = "canary"
      object.lock()
      _ = item.value
      item.value = "canary"
      check(!object.diagnose().description.contains("canary"))
    }
    let text = String(decoding: try #require(result).standardErrorContent, as: UTF8.self)
    let lines = text.split(separator: "\n")
    #expect(lines.count == 2, "\(text)")
    for line in lines {
      #expect(line.hasPrefix("A password in /") && line.contains("/secrets.vault could not be "))
    }
    #expect(!text.contains("canary"))
  }

  @Test func anyStoreIsNamedAndTheItemWhereTheAppAllowsIt() async throws {
    let result = await #expect(
      processExitsWith: .success, observing: [\.standardErrorContent]
    ) {
      let store = ScriptedStore()
      store.fail(with: .locked)
      let item = PasswordItem<String>(.generic(service: "mail", account: "Peter\n"), in: store)
      _ = item.value
      SecretStores.failuresNameItems = true
      item.value = "canary"
    }
    let text = String(decoding: try #require(result).standardErrorContent, as: UTF8.self)
    #expect(
      text == """
        A password in ScriptedStore could not be read. \(SecretStoreError.locked)
        The password of service mail, account Peter\u{FFFD} in ScriptedStore could not be saved and is \
        kept in memory. \(SecretStoreError.locked)

        """)
  }

  @Test func handlerHearsARepeatedFailureOnceUntilASuccess() async {
    await #expect(processExitsWith: .success) {
      let heard = Lock([SecretStorageFailure]())
      ExpectedFailures.begin()
      SecretStores.onFailure = { failure in heard.withLock { $0.append(failure) } }
      let store = ScriptedStore()
      let item = PasswordItem<String>(.generic(service: "service"), in: store)
      store.fail(with: .locked)
      _ = (item.value, item.value, item.status, item.attributes)
      let failure = SecretStorageFailure(.read, .locked, storeName: "ScriptedStore")
      check(heard.withLock { $0 } == [failure])
      item.value = "value"
      item.value = "other"
      check(heard.withLock { $0.last?.operation } == .write)
      check(heard.withLock { $0.count } == 2)
      do { try item.save() } catch {}
      check(heard.withLock { $0.count } == 2)
      store.fail(with: nil)
      do { try item.save() } catch { check(false) }
      store.fail(with: .locked)
      _ = item.value
      check(heard.withLock { $0.count } == 3)
      store.fail(with: nil)
      _ = item.value
      store.fail(with: .locked)
      _ = item.value
      check(heard.withLock { $0.count } == 4)
    }
  }

  @Test func handlerMayUseThePassword() async {
    await #expect(processExitsWith: .success) {
      let store = ScriptedStore()
      let item = PasswordItem<String>(.generic(service: "service"), in: store)
      let heard = Lock(false)
      ExpectedFailures.begin()
      SecretStores.onFailure = { _ in
        check(item.value == nil)
        check(item.error == .locked)
        heard.withLock { $0 = true }
      }
      store.fail(with: .locked)
      _ = item.value
      check(heard.withLock { $0 })
    }
  }
}

/// Exits an exit test with a failure.
private func check(_ holds: Bool, line: Int = #line) {
  if !holds { fatalError("The check in line \(line) failed.") }
}
