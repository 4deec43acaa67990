import CLibrary
import Concurrency
import Dispatch
import FoundationEssentials
import SecretStorage
import StorageInternals
import TestSupport
import Testing

/// Failures beside a successful write.
struct VaultMaintenanceFailureTests {
  @Test func failureHandlerMayWriteToTheVault() async {
    // In a separate process, because the handler is global.
    await #expect(processExitsWith: .success) {
      let fault = FileSystem { call, path in
        call == .write && path.hasSuffix(".state") ? EIO : nil
      }
      let vault = TestVault()
      let object = vault.open(fileSystem: fault)
      let told = DispatchSemaphore(value: 0)
      ExpectedFailures.begin()
      SecretStores.onFailure = { failure in
        guard failure.operation == .maintenance, case .system("write", _, EIO) = failure.error
        else {
          return
        }
        do {
          _ = try object.items(matching: .all)
          _ = try object.add("by the handler", account: "handler")
        } catch {
          // In the handler's second call, the item already exists.
        }
        told.signal()
      }
      _ = try object.add("by the test", account: "test")
      told.wait()
      #expect(try vault.open().text("test") == "by the test")
      #expect(try vault.open().text("handler") == "by the handler")
    }
  }

  @Test func uncertainDurabilityIsReportedNotThrown() async {
    await #expect(processExitsWith: .success) {
      let vault = TestVault()
      let directory = vault.directory.path
      let isArmed = Lock(false)
      let object = vault.open(
        fileSystem: FileSystem { call, path in
          call == .fsync && path == directory && isArmed.withLock({ $0 }) ? EIO : nil
        })
      try object.add("value", account: "a")
      let told = DispatchSemaphore(value: 0)
      ExpectedFailures.begin()
      SecretStores.onFailure = { failure in
        let error = SecretStoreError.system(call: "fsync", path: directory, code: EIO)
        if failure == SecretStorageFailure(.durability, error) { told.signal() }
      }
      isArmed.withLock { $0 = true }
      let passphrases = ["first", "second"].map { Secret($0.utf8) }
      try object.setPassphrase(passphrases[0], cost: .cheap)
      told.wait()
      let other = vault.open()
      try other.unlock(with: .passphrase(passphrases[0]))
      try object.changePassphrase(from: passphrases[0], to: passphrases[1], cost: .cheap)
      told.wait()
      try other.unlock(with: .passphrase(passphrases[1]))
      let slot = try object.addSlot(.device, named: "this device")
      told.wait()
      try object.renameSlot(slot.id, to: "another name")
      told.wait()
      try object.removeSlot(slot.id)
      told.wait()
      try object.compact()
      told.wait()
      #expect(try vault.open().slots.count == 1)
      try object.removePassphrase()
      told.wait()
      #expect(try vault.open().texts() == ["a": "value"])
    }
  }

  @Test func failureHandlerMayReadThePassword() async {
    await #expect(processExitsWith: .success) {
      let vault = TestVault()
      let object = vault.open(fileSystem: FileSystem { call, _ in call == .mkdir ? EACCES : nil })
      let password = PasswordItem<String>(
        .generic(service: "service"), refreshPolicy: .onChange, in: object)
      let told = DispatchSemaphore(value: 0)
      ExpectedFailures.begin()
      SecretStores.onFailure = { failure in
        _ = password.value
        if failure.operation == .maintenance { told.signal() }
      }
      #expect(password.value == nil)
      told.wait()
      #expect(password.status == .absent)
    }
  }
}
