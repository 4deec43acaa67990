import CLibrary
import Concurrency
import FoundationEssentials
import StorageInternals

/// A report on the location, the state and the problems of a store, as for a bug report.
///
/// It contains the paths of files, but no secrets, services, servers or accounts.
public struct Diagnosis: Hashable, Sendable {
  /// The result of one check.
  public struct Finding: Hashable, Sendable {
    /// The subject of the check, such as "Vault file".
    public let subject: String
    /// The result; for a problem, also the remedy.
    public let text: String
    /// Whether the user must act before the store works correctly.
    public let isProblem: Bool
  }

  /// The findings, in the order of the report.
  public private(set) var findings: [Finding] = []

  init() {}

  /// The findings that are problems.
  public var problems: [Finding] { findings.filter(\.isProblem) }

  /// Whether there are no problems.
  public var isHealthy: Bool { problems.isEmpty }

  mutating func record(_ subject: String, _ text: String, isProblem: Bool = false) {
    findings.append(Finding(subject: subject, text: text.sanitized(), isProblem: isProblem))
  }

  mutating func problem(_ subject: String, _ text: some CustomStringConvertible) {
    record(subject, text.description, isProblem: true)
  }
}

extension Diagnosis: CustomStringConvertible {
  /// A line for each finding, with a mark if it is a problem, and the number of problems.
  public var description: String {
    let width = findings.map(\.subject.count).max() ?? 0
    var lines = findings.map { finding in
      let padding = String(repeating: " ", count: width - finding.subject.count)
      return "\(finding.isProblem ? "!" : " ") \(finding.subject)\(padding)  \(finding.text)"
    }
    switch problems.count {
    case 0: lines.append("No problem was found.")
    case 1: lines.append("One problem was found; it is marked with an exclamation mark.")
    case let count: lines.append("\(count) problems were found, marked with exclamation marks.")
    }
    return lines.joined(separator: "\n")
  }
}

extension SecretStores {
  /// Examines the default store, and the settings of the machine that affect it.
  ///
  /// ```swift
  /// print(SecretStores.diagnose())
  /// ```
  ///
  /// The method neither changes anything nor prompts the user, and does not count as a use of the
  /// default store, so that ``bootstrap(_:)`` may still be called.
  ///
  /// - Complexity: Linear in the size of the store if it has not been read yet.
  public static func diagnose() -> Diagnosis {
    let (store, origin): (any SecretStore, String) =
      if let scope = DefaultStore.scopes.current {
        (scope.store, "set by withDefaultStore(_:operation:)")
      } else if let choice = DefaultStore.current {
        (choice.store, choice.isBootstrapped ? "set by bootstrap(_:)" : "this machine's, in use")
      } else {
        (SecretVault(), "this machine's, not used by this process yet")
      }
    var diagnosis = Diagnosis()
    diagnosis.record(
      "Default store",
      store is UnavailableStore
        ? "none, because isolated storage is required" : "\(type(of: store)), \(origin)")
    diagnosis.examine(store)
    return diagnosis
  }
}

extension Diagnosis {
  mutating func examine(_ store: any SecretStore) {
    if Fork.isChild { return problem("Process", SecretStoreError.forked) }
    if let vault = store as? SecretVault {
      examineVault(vault)
    } else {
      do {
        record("Items", "\(try store.items(matching: .all).count)")
      } catch {
        recordLock(error, otherwise: "Items")
      }
    }
    recordAuthenticator(store.authenticator)
    let guarantees = store.guarantees
    let note = guarantees.contains(.survivesReboot) ? "" : "; items may end with the store"
    record(
      "Guarantees", guarantees.isEmpty ? "none: items end with the store" : "\(guarantees)\(note)")
    recordMachine()
  }

  /// Records the keys that unlock a locked store, or any other error as a problem of a subject.
  mutating func recordLock(_ error: SecretStoreError, otherwise subject: String = "Locked") {
    if case .locked(let keys) = error {
      record("Locked", "yes: unlock it with \(keys)")
    } else {
      problem(subject, error)
    }
  }

  private mutating func recordAuthenticator(_ authenticator: (any Authenticator)?) {
    let subject = "Authenticator"
    guard let authenticator else {
      return record(subject, "none: for items that need a proof, the context must have one")
    }
    if let error = (authenticator as? PAMAuthenticator)?.service.availabilityError {
      return problem(subject, "\(type(of: authenticator)): \(error)")
    }
    let capabilities = authenticator.capabilities
    let proves = capabilities.isEmpty ? "nothing at present" : "\(capabilities)"
    record(subject, "\(type(of: authenticator)), which can prove \(proves)")
  }

  private mutating func recordMachine() {
    let environment = ProcessInfo.processInfo.environment
    let variables = ["XDG_DATA_HOME", "XDG_STATE_HOME", "HOME", "STATE_DIRECTORY"].map { name in
      guard let value = environment[name] else { return "\(name) is not set" }
      return value.hasPrefix("/")
        ? "\(name) is \(value)" : "\(name) is ignored, because it is not an absolute path"
    }
    record("Environment", variables.joined(separator: ", "))
    record("Locked memory", Self.lockedMemory)
    do {
      _ = try LibPAM.shared.get()
      record("PAM", "libpam.so.0")
    } catch {
      record("PAM", "not available, and needed by PAMAuthenticator: \(error)")
    }
  }

  private static var lockedMemory: String {
    var limit = rlimit()
    #if canImport(Glibc)
      let result = unsafe getrlimit(__rlimit_resource_t(__RLIMIT_MEMLOCK.rawValue), &limit)
    #else
      let result = unsafe getrlimit(RLIMIT_MEMLOCK, &limit)
    #endif
    guard result == 0 else { return "the limit is unknown: \(errorMessage(errno))" }
    if limit.rlim_cur == .max {
      return "unlimited (RLIMIT_MEMLOCK), so secrets in memory are never swapped out"
    }
    return """
      up to \(limit.rlim_cur / 1024) KiB (RLIMIT_MEMLOCK); secrets in memory beyond that may be \
      swapped out
      """
  }

  /// Joins the distinct strings, up to a limit, with commas and a separator before the last one.
  static func list(
    _ strings: [String], last separator: String = ", ", limit: Int = .max
  ) -> String {
    var distinct: [String] = []
    for string in strings where distinct.count < limit && !distinct.contains(string) {
      distinct.append(string)
    }
    let last = distinct.popLast() ?? ""
    return distinct.isEmpty ? last : distinct.joined(separator: ", ") + separator + last
  }
}
