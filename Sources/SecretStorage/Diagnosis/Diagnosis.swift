import CLibrary
import FoundationEssentials
import StorageInternals

/// A report on the location, the state and the problems of a store.
///
/// It is meant for a person, to read or to paste into a bug report. It has the paths of files, but
/// no secret, service, server or account.
public struct Diagnosis: Hashable, Sendable {
  /// The result of one check.
  public struct Finding: Hashable, Sendable {
    /// The subject of the check, such as "Vault file".
    public let subject: String
    /// The result; for a problem, also the remedy.
    public let text: String
    /// Whether an action is necessary before the store works correctly.
    public let isProblem: Bool
  }

  /// All findings, in the order of a report.
  public private(set) var findings: [Finding] = []

  init() {}

  /// The findings that need an action; empty when there are none.
  public var problems: [Finding] { findings.filter(\.isProblem) }

  /// Whether there is no problem.
  public var isHealthy: Bool { problems.isEmpty }

  mutating func note(_ subject: String, _ text: String) {
    findings.append(Finding(subject: subject, text: text.harmless(), isProblem: false))
  }

  mutating func problem(_ subject: String, _ text: String) {
    findings.append(Finding(subject: subject, text: text.harmless(), isProblem: true))
  }

  mutating func problem(_ subject: String, _ error: SecretStoreError) {
    problem(subject, error.description)
  }
}

extension Diagnosis: CustomStringConvertible {
  /// A line for each finding, with problems marked, and a last line that counts the problems.
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
  /// Examines the default store and its requirements on the machine.
  ///
  /// ```swift
  /// print(SecretStores.diagnose())
  /// ```
  ///
  /// It creates and changes nothing and asks no question. A default store that is not in use yet
  /// stays undecided, so that ``bootstrap(_:)`` may still follow.
  ///
  /// - Complexity: Linear in the size of the store if it was not read yet.
  public static func diagnose() -> Diagnosis {
    var diagnosis = Diagnosis()
    let subject = "Default store"
    let store: any SecretStore
    if let override = DefaultStoreOverride.current {
      store = override.store
      diagnosis.note(subject, "\(type(of: store)), as long as withDefaultStore(_:operation:) runs")
    } else if let decided = DefaultStore.decided {
      store = decided.store
      let origin = decided.isBootstrapped ? "named by bootstrap(_:)" : "this machine's, in use"
      diagnosis.note(subject, "\(type(of: store)), \(origin)")
    } else {
      store = SecretVault()
      diagnosis.note(subject, "\(type(of: store)), this machine's, not used by this process yet")
    }
    if let vault = store as? SecretVault {
      vault.diagnose(into: &diagnosis)
    } else {
      diagnosis.examine(store)
    }
    diagnosis.noteMachine()
    return diagnosis
  }
}

extension Diagnosis {
  /// Reports the items, the authenticator and the guarantees of any kind of store.
  fileprivate mutating func examine(_ store: any SecretStore) {
    do {
      note("Items", "\(try store.items(matching: .all).count)")
    } catch {
      switch error {
      case .locked: note("Locked", "yes: \(error)")
      default: problem("Items", error)
      }
    }
    note(store.authenticator)
    note(store.guarantees)
  }

  mutating func note(_ guarantees: StoreGuarantees) {
    note("Guarantees", guarantees.isEmpty ? "none: items end with the store" : "\(guarantees)")
  }
}

extension Diagnosis {
  /// Reports the settings of the machine and the environment that affect every store.
  mutating func noteMachine() {
    let environment = ProcessInfo.processInfo.environment
    let variables = ["XDG_DATA_HOME", "XDG_STATE_HOME", "HOME", "STATE_DIRECTORY"].map { name in
      guard let value = environment[name] else { return "\(name) is not set" }
      return value.hasPrefix("/")
        ? "\(name) is \(value)" : "\(name) is ignored, because it is not an absolute path"
    }
    note("Environment", variables.joined(separator: ", "))
    note("Locked memory", Self.lockedMemory)
    notePAM()
  }

  /// A description of the amount of memory that this process may keep out of swap.
  private static var lockedMemory: String {
    var limit = rlimit()
    // The kernel writes only into the struct.
    #if canImport(Glibc)
      let result = unsafe getrlimit(__rlimit_resource_t(__RLIMIT_MEMLOCK.rawValue), &limit)
    #else
      let result = unsafe getrlimit(RLIMIT_MEMLOCK, &limit)
    #endif
    guard result == 0 else { return "the limit is not known: \(SystemError.message(for: errno))" }
    if limit.rlim_cur == .max {
      return "without a limit (RLIMIT_MEMLOCK), so secrets in memory stay out of swap"
    }
    return """
      up to \(limit.rlim_cur / 1024) KiB (RLIMIT_MEMLOCK); secrets in memory beyond that can get \
      into swap
      """
  }
}
