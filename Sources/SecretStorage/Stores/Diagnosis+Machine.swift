import FoundationEssentials
import StorageInternals

#if canImport(Glibc)
  import Glibc
#else
  import Musl
#endif

extension Diagnosis {
  /// Notes what the machine and the environment give to every store.
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

  /// How much memory of this process may be kept out of swap.
  private static var lockedMemory: String {
    var limit = rlimit()
    // The kernel writes into the struct and nowhere else.
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
