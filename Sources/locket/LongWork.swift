import CLibrary
import SecretStorage
import Synchronization

/// The signal that ends the work under way; 0 while there is none.
private let interruption = Atomic<Int32>(0)

/// Work that reports its progress: a bar on the terminal shows it, and Ctrl-C ends it at a safe
/// place.
final class LongWork {
  private static let width = 40
  private static let signals = [SIGINT, SIGTERM, SIGHUP, SIGQUIT]

  private let title: String
  private let isShown = isatty(STDERR_FILENO) == 1
  private var shownPercent = -1
  private var restorations: [() -> Void] = []

  private init(_ title: String) {
    self.title = title
    interruption.store(0, ordering: .relaxed)
    for number in Self.signals {
      let previous = signal(number) { interruption.store($0, ordering: .relaxed) }
      restorations.append { signal(number, previous) }
      // Signals that the caller ignores, as under `nohup`, stay ignored. Functions cannot be
      // compared, but this one is an impossible address, which is never called.
      let addresses = [previous, SIG_IGN].map { unsafe unsafeBitCast($0, to: Int.self) }
      if addresses[0] == addresses[1] { signal(number, SIG_IGN) }
    }
  }

  private func end() {
    // Back to the line's beginning, and the line erased (ECMA-48, EL).
    if isShown, shownPercent >= 0 { draw("\r\u{1B}[K") }
    for restore in restorations { restore() }
  }

  /// Does work, which throws the given error when it is cancelled; a signal that cancelled it has
  /// its effect afterwards.
  static func perform<Result, WorkFailure: Error & Equatable>(
    _ title: String, cancelledAs cancellation: WorkFailure = SecretStoreError.cancelled,
    _ work: ((MaintenanceProgress) -> MaintenanceProgress.Decision) throws -> Result
  ) throws -> Result {
    let running = LongWork(title)
    do {
      let result = try work(running.report)
      running.end()
      return result
    } catch {
      running.end()
      let signal = interruption.load(ordering: .relaxed)
      guard error as? WorkFailure == cancellation, signal != 0 else { throw error }
      takeEffect(signal)
      throw Failure("\(title) was interrupted. Finished work stays; start it again to continue.")
    }
  }

  /// Lets a signal have its effect, which ends the process unless the caller handles the signal.
  private static func takeEffect(_ number: Int32) {
    var mask = sigset_t()
    // The threads of Swift's tasks block signals. The set is a variable of this call.
    unsafe sigemptyset(&mask)
    unsafe sigaddset(&mask, number)
    unsafe pthread_sigmask(SIG_UNBLOCK, &mask, nil)
    raise(number)
  }

  private func report(_ progress: MaintenanceProgress) -> MaintenanceProgress.Decision {
    show(progress)
    return interruption.load(ordering: .relaxed) == 0 ? .proceed : .cancel
  }

  private func show(_ progress: MaintenanceProgress) {
    let percent = progress.total == 0 ? 100 : progress.completed * 100 / progress.total
    guard isShown, percent != shownPercent else { return }
    shownPercent = percent
    let done = percent * Self.width / 100
    let bar =
      String(repeating: "#", count: done) + String(repeating: ".", count: Self.width - done)
    draw("\r\(title) [\(bar)] \(percent) % (\(progress.completed) of \(progress.total))")
  }

  private func draw(_ text: String) {
    do {
      try Output.write(Array(text.utf8), to: .standardError)
    } catch {
      // The work goes on although its progress cannot be shown.
    }
  }
}
