import CipherSupport
import FoundationEssentials
import StorageInternals
import TestSupport
import Testing

@testable import SecretStorage

/// A factory of fresh stores, for tests that run on every kind of store.
struct TestStore: Sendable, CustomTestStringConvertible {
  let testDescription: String
  let make: @Sendable () throws -> any SecretStore

  static let all = [
    TestStore(testDescription: "InMemorySecretStore") { InMemorySecretStore() },
    TestStore(testDescription: "SecretVault") { TestVault().open() },
  ]
}

/// A vault in its own directory, which is removed after the last object for the vault.
final class TestVault: Sendable {
  let directory: URL
  /// The number of items in a record, fewer than an app's for work in several steps.
  let batchSize: Int

  init(batchSize: Int = 256, in parent: URL = URL(filePath: TemporaryDirectory.memory)) {
    ExpectedFailures.begin()
    self.batchSize = batchSize
    directory = parent.appending(path: "locket-tests-\(UUID())", directoryHint: .isDirectory)
  }

  deinit {
    do {
      try FileManager.default.removeItem(at: directory)
    } catch {
      // A vault without a write has no directory.
    }
  }

  var file: URL { directory.appending(path: "secrets.vault") }
  var state: URL { directory.appending(path: "state", directoryHint: .isDirectory) }
  var path: String { file.path }
  var statePath: String { directory.path + "/state" }

  /// Returns another object for the same vault, as another process has one.
  ///
  /// It may have another path of the file, state directory or machine identity, failing system
  /// calls, or systemd credentials.
  func open(
    at other: String? = nil, state: String? = nil, machine: String = "/etc/machine-id",
    credentials: String? = nil,
    cipher: (any SecretCipher)? = nil, authenticator: (any Authenticator)? = nil,
    fileSystem: FileSystem = FileSystem()
  ) -> SecretVault {
    let cipher = cipher ?? KeepingCipher(directory: self)
    let state = state ?? statePath
    let vault = SecretVault(cipher: cipher, authenticator: authenticator, batchSize: batchSize) {
      [path] timeout in
      VaultLocation(
        path: other ?? path, stateDirectory: state, cipher: cipher, lockTimeout: timeout,
        machineIdentity: machine, credentialsDirectory: credentials, fileSystem: fileSystem)
    }
    // A busy machine would reach any limit of the wait for other writers.
    vault.lockTimeout = .unlimited
    return vault
  }
}

extension Duration {
  /// A limit that no wait reaches.
  static let unlimited = Duration.seconds(100_000)
}

/// A cipher that calls a closure before it stretches a passphrase.
struct HookedCipher: ForwardingCipher {
  let cipher = TestCipher()
  let willStretch: @Sendable () -> Void

  func stretch(
    _ passphrase: Secret, salt: ArraySlice<UInt8>, cost: ScryptCost
  ) throws(SecretStoreError) -> Secret {
    willStretch()
    return try cipher.stretch(passphrase, salt: salt, cost: cost)
  }
}

/// A cipher that keeps the directory of the vault alive.
private struct KeepingCipher: ForwardingCipher {
  let directory: TestVault
  let cipher = TestCipher()
}
