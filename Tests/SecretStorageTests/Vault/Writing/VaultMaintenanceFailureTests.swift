import CLibrary
import Concurrency
import Dispatch
import FoundationEssentials
import StorageInternals
import TestSupport
import Testing

@testable import SecretStorage

/// Failures beside a successful write, in a process of each test's own: the handler is global.
struct VaultMaintenanceFailureTests {
  @Test func failureHandlerMayWriteToTheVault() async {
    await #expect(processExitsWith: .success) {
      recordingErrors {
        let vault = TestVault()
        let object = vault.open(fileSystem: .failing(.write, on: ".state"))
        let told = DispatchSemaphore(value: 0)
        SecretStores.onFailure = { failure in
          guard failure.operation == .maintenance, case .system("write", _, EIO) = failure.error
          else { return }
          do {
            _ = try object.items(matching: .all)
            // In the handler's second call, the item already exists.
            try object.add("by the handler", account: "handler")
          } catch {}
          told.signal()
        }
        try object.add("by the test", account: "test")
        told.wait()
        #expect(try vault.open().text("test") == "by the test")
        #expect(try vault.open().text("handler") == "by the handler")
      }
    }
  }

  @Test func uncertainDurabilityIsReportedNotThrown() async {
    await #expect(processExitsWith: .success) {
      recordingErrors {
        let vault = TestVault()
        let directory = vault.directory.path
        // Only the flush after the replacement fails: each write repeats it first.
        let isRenamed = Lock(false)
        let object = vault.open(
          fileSystem: FileSystem { call, path in
            isRenamed.withLock { isRenamed in
              if call == .rename, path.contains("/.secrets.vault.") { isRenamed = true }
              guard call == .fsync, path == directory, isRenamed else { return nil }
              isRenamed = false
              return EIO
            }
          })
        try vault.open().add("value", account: "a")
        let heard = hearFailures()
        let failure = SecretStorageFailure(.durability, .uncertain(path: directory, code: EIO))
        let other = vault.open()
        var slot: SecretVault.Slot?
        let changes: [() throws -> Void] = [
          { try object.setPassphrase("first", cost: .cheap) },
          { try other.unlock(with: .passphrase("first")) },
          { try object.changePassphrase(from: "first", to: "second", cost: .cheap) },
          { try other.unlock(with: .passphrase("second")) },
          { slot = try object.addSlot(.device, named: "this device") },
          { try object.renameSlot(try #require(slot).id, to: "another name") },
          { try object.removeSlot(try #require(slot).id) },
          {
            try object.compact()
            #expect(try vault.open().slots.count == 1)
          },
          { try object.removePassphrase() },
        ]
        for (number, change) in changes.enumerated() {
          let count = heard.all.count { $0 == failure }
          try change()
          object.finishBackgroundWork()
          let isReported = heard.all.count { $0 == failure } > count
          // Unlocking writes nothing.
          #expect(isReported != [1, 3].contains(number), "change \(number)")
        }
        #expect(try vault.open().texts() == ["a": "value"])
      }
    }
  }

  @Test func failureAfterASuccessIsPrintedAgain() async throws {
    let result = await #expect(processExitsWith: .success, observing: [\.standardErrorContent]) {
      recordingErrors {
        let defaultHandler = SecretStores.onFailure
        let failingCall = Lock<FileSystem.Call?>(nil)
        let vault = TestVault()
        SecretStores.onFailure = defaultHandler
        let directory = vault.directory.path
        let object = vault.open(
          fileSystem: FileSystem { call, path in
            let isFailing = call == failingCall.withLock { $0 }
            return isFailing && (path.contains(".state") || path == directory) ? EIO : nil
          })
        var count = 0
        func add() throws {
          count += 1
          try object.add("value", account: "\(count)")
        }
        try add()
        // The record of the vault's state, then the directory after a replacement.
        for call in [FileSystem.Call.write, .fsync, .write, .fsync] {
          for isFailing in [true, true, false] {
            failingCall.withLock { $0 = isFailing ? call : nil }
            if call == .write { try add() } else { try? object.compact() }
            object.finishBackgroundWork()
          }
        }
      }
    }
    let text = String(decoding: try #require(result).standardErrorContent, as: UTF8.self)
    for message in ["A store needs attention", "may not survive a power failure"] {
      #expect(text.split(separator: "\n").count { $0.contains(message) } == 2, "\(text)")
    }
  }

  @Test func failureHandlerMayReadThePassword() async {
    await #expect(processExitsWith: .success) {
      recordingErrors {
        let object = TestVault().open(fileSystem: .failing(.mkdir, with: EACCES))
        let password = PasswordItem<String>(.onChange, in: object)
        let told = DispatchSemaphore(value: 0)
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
}
