import Dispatch
import FoundationEssentials
import Glibc
import SecretStorage

/// A vault with `count` items, in a directory that is removed when the process ends.
final class BenchmarkVault: Sendable {
  /// The value of all items: 32 bytes.
  static let value = "0123456789abcdef0123456789abcdef"

  let directory: URL
  let count: Int
  let vault: SecretVault

  var file: URL { directory.appending(path: "secrets.vault") }

  init(items count: Int, isCompacted: Bool = false) {
    directory = FileManager.default.temporaryDirectory.appending(path: "locket-\(UUID())")
    self.count = count
    vault = SecretVault(
      fileURL: directory.appending(path: "secrets.vault"), stateDirectory: directory)
    removeAtExit(directory)
    // Threads that wait for the disk together fill the vault faster.
    DispatchQueue.concurrentPerform(iterations: 16) { lane in
      for index in stride(from: lane, to: count, by: 16) { add(index) }
    }
    if isCompacted { attempt { try vault.compact() } }
  }

  func account(_ index: Int) -> String { "account-\(index)" }

  func password(
    _ index: Int, refreshPolicy: RefreshPolicy = .onAccess
  ) -> PasswordItem<String> {
    PasswordItem(
      .generic(service: "benchmark", account: account(index)), refreshPolicy: refreshPolicy,
      in: vault)
  }

  func add(_ index: Int) {
    attempt {
      _ = try vault.add(
        Secret(Self.value.utf8),
        identity: .generic(service: "benchmark", account: account(index)),
        attributes: ItemAttributes())
    }
  }

  /// The size of the file without the zeros that it reserves for later records.
  var fileSize: Int {
    let bytes = attempt { try Data(contentsOf: file) }
    guard let last = bytes.lastIndex(where: { $0 != 0 }) else {
      fatalError("There is no vault to measure.")
    }
    return last + 1
  }
}

/// Calls a closure that must not fail in a benchmark.
@discardableResult
func attempt<Result>(_ body: () throws -> Result) -> Result {
  do {
    return try body()
  } catch {
    fatalError("The benchmark could not be prepared: \(error)")
  }
}
