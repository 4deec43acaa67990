import CLibrary
import Concurrency
import FoundationEssentials
import StorageInternals

extension Diagnosis {
  /// Records the settings of the machine and the environment that affect every store.
  mutating func recordMachine() {
    let environment = ProcessInfo.processInfo.environment
    let variables = ["XDG_DATA_HOME", "XDG_STATE_HOME", "HOME", "STATE_DIRECTORY"].map { name in
      guard let value = environment[name] else { return "\(name) is not set" }
      return value.hasPrefix("/")
        ? "\(name) is \(value)" : "\(name) is ignored, because it is not an absolute path"
    }
    record("Environment", variables.joined(separator: ", "))
    record("Locked memory", Self.lockedMemory)
    recordPAM()
  }

  /// A description of the limit on memory that this process may lock, to keep it out of swap.
  private static var lockedMemory: String {
    var limit = rlimit()
    #if canImport(Glibc)
      let result = unsafe getrlimit(__rlimit_resource_t(__RLIMIT_MEMLOCK.rawValue), &limit)
    #else
      let result = unsafe getrlimit(RLIMIT_MEMLOCK, &limit)
    #endif
    guard result == 0 else { return "the limit is unknown: \(SystemError.message(for: errno))" }
    if limit.rlim_cur == .max {
      return "unlimited (RLIMIT_MEMLOCK), so secrets in memory are never swapped out"
    }
    return """
      up to \(limit.rlim_cur / 1024) KiB (RLIMIT_MEMLOCK); secrets in memory beyond that may be \
      swapped out
      """
  }

  /// Records whether libpam is available.
  mutating func recordPAM() {
    do {
      _ = try LibPAM.shared.get()
      record("PAM", "libpam.so.0")
    } catch {
      record("PAM", "not available, and needed by PAMAuthenticator: \(error)")
    }
  }
}
