import FoundationEssentials
import Glibc
import SecretStorage
import Synchronization

/// A vault of many items: its memory, and the waits of others during a compaction.
///
/// The vault is made in one process and measured in a new one, whose memory holds nothing else.
enum LargeVault {
  /// Makes a vault, and replaces the process by one that measures it.
  static func make(items count: Int) -> Never {
    let made = BenchmarkVault(items: count, isCompacted: true)
    let arguments = ["Benchmarks", "--large-vault-at", made.directory.path, "\(count)"]
    var pointers: [UnsafeMutablePointer<CChar>?] = arguments.map { strdup($0) }
    pointers.append(nil)
    execv("/proc/self/exe", pointers)
    fatalError("The benchmark cannot start itself (error \(errno)).")
  }

  /// Measures the vault in a directory, which is removed at the end.
  static func measure(in directory: URL, items count: Int) {
    removeAtExit(directory)
    let vault = SecretVault(
      fileURL: directory.appending(path: "secrets.vault"), stateDirectory: directory)
    let before = residentBytes
    let opening = ContinuousClock().measure { _ = password(0, in: vault).value }
    // The first searches of an object look at all items; the third one has an index.
    for index in 0..<3 { _ = password(index, in: vault).value }
    let opened = residentBytes
    let isOver = Atomic(false)
    let waits = Mutex((get: Duration.zero, set: Duration.zero, gets: 0, sets: 0))
    let clock = ContinuousClock()
    let lane = Atomic(0)
    let compaction = timeOnThreads(3) {
      switch lane.add(1, ordering: .relaxed).oldValue {
      case 0:
        attempt { try vault.compact() }
        isOver.store(true, ordering: .relaxed)
      case 1:
        var worst = Duration.zero
        var done = 0
        while !isOver.load(ordering: .relaxed) {
          let index = Int.random(in: 0..<count)
          let item = password(index, in: vault)
          worst = max(worst, clock.measure { _ = item.value })
          usleep(100)
          done += 1
        }
        waits.withLock { ($0.get, $0.gets) = (worst, done) }
      default:
        var worst = Duration.zero
        var done = 0
        while !isOver.load(ordering: .relaxed) {
          let item = password(Int.random(in: 0..<count), in: vault)
          worst = max(worst, clock.measure { item.value = BenchmarkVault.value })
          usleep(100)
          done += 1
        }
        waits.withLock { ($0.set, $0.sets) = (worst, done) }
      }
    }
    let compacted = residentBytes
    let (get, set, gets, sets) = waits.withLock { $0 }
    print(
      """
      A vault of \(count) items of 32 bytes: opened in \(milliseconds(opening)) ms; \
      \((opened - before) / count) bytes of memory an item when open (target <= 400), \
      \((compacted - before) / count) after a compaction of \(milliseconds(compaction)) ms. \
      Meanwhile the slowest of \(gets) gets took \(milliseconds(get)) ms (target <= 5), the \
      slowest of \(sets) sets \(milliseconds(set)) ms.
      """)
  }

  private static func password(_ index: Int, in vault: SecretVault) -> PasswordItem<String> {
    PasswordItem(
      .generic(service: "benchmark", account: "account-\(index)"), refreshPolicy: .onAccess,
      in: vault)
  }

  private static func milliseconds(_ time: Duration) -> String {
    decimal(time / .milliseconds(1))
  }

  /// The memory of the process that is in RAM.
  static var residentBytes: Int {
    let status = attempt { try String(contentsOfFile: "/proc/self/status", encoding: .utf8) }
    let line = status.split(separator: "\n").first { $0.hasPrefix("VmRSS:") }
    return (line?.split(separator: " ").dropFirst().first.flatMap { Int($0) } ?? 0) * 1024
  }
}
