import CLibrary
import SecretStorage
import Synchronization

/// The signal that cancels the current operation; 0 if there is none.
private let interruption = Atomic<Int32>(0)

typealias SignalHandler = @convention(c) (Int32) -> Void

/// Sets the handler of a signal, and returns the previous one.
///
/// Signals that are ignored, as under `nohup`, stay ignored.
@discardableResult
func setHandler(_ handler: SignalHandler?, of number: Int32) -> SignalHandler? {
  let previous = signal(number, handler)
  // Functions cannot be compared, but `SIG_IGN` is an invalid address, which is never called.
  let addresses = [previous, SIG_IGN].map { unsafe unsafeBitCast($0, to: Int.self) }
  if addresses[0] == addresses[1] { signal(number, SIG_IGN) }
  return previous
}

/// An operation with a progress bar on the terminal, which Ctrl-C cancels at a safe point.
final class LongOperation {
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
      let previous = setHandler({ interruption.store($0, ordering: .relaxed) }, of: number)
      restorations.append { signal(number, previous) }
    }
  }

  private func end() {
    // Carriage return, then EL (ECMA-48), which erases the line.
    if isShown, shownPercent >= 0 { draw("\r\u{1B}[K") }
    for restore in restorations { restore() }
  }

  /// Runs an operation that throws `cancellation` if it is cancelled, and then raises the signal
  /// that cancelled it.
  static func perform<Result, OperationFailure: Error & Equatable>(
    _ title: String, cancelledAs cancellation: OperationFailure = SecretStoreError.cancelled,
    _ operation: ((MaintenanceProgress) -> MaintenanceProgress.Decision) throws -> Result
  ) throws -> Result {
    let running = LongOperation(title)
    do {
      let result = try operation(running.report)
      running.end()
      return result
    } catch {
      running.end()
      let signal = interruption.load(ordering: .relaxed)
      guard error as? OperationFailure == cancellation, signal != 0 else { throw error }
      raiseUnblocked(signal)
      throw Failure("\(title) was interrupted. Run the command again to continue.")
    }
  }

  /// Raises a signal, which ends the process unless the signal is handled.
  private static func raiseUnblocked(_ number: Int32) {
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
      // The operation continues without a progress bar.
    }
  }
}
