import SecretStorage

#if canImport(Glibc)
  import Glibc
#else
  import Musl
#endif

/// Work that reports its progress: a bar on the terminal shows it, and Ctrl-C ends it at a safe place.
final class LongWork {
  private static let width = 40

  private let title: String
  private let signals: HeldSignals
  private let isShown = isatty(STDERR_FILENO) == 1
  private var shownPercent = -1
  private var interruption: Int32?

  private init(_ title: String) throws(Failure) {
    self.title = title
    signals = try HeldSignals()
  }

  /// Does the work; if a signal came meanwhile, it takes its effect afterwards.
  static func perform<Result>(
    _ title: String,
    _ work: ((UpkeepProgress) -> UpkeepProgress.Decision) throws(SecretStoreError) -> Result
  ) throws -> Result {
    try perform(title, cancelledAs: .cancelled, work)
  }

  /// Does work that throws an error of its own when it is cancelled.
  static func perform<Result, WorkFailure: Error & Equatable>(
    _ title: String, cancelledAs cancellation: WorkFailure,
    _ work: ((UpkeepProgress) -> UpkeepProgress.Decision) throws(WorkFailure) -> Result
  ) throws -> Result {
    let interruption: Int32
    do {
      let running = try LongWork(title)
      defer { running.clear() }
      do throws(WorkFailure) {
        return try work(running.report)
      } catch {
        guard error == cancellation, let signal = running.interruption else { throw error }
        interruption = signal
      }
    }
    // The signals are let go by now.
    HeldSignals.takeEffect(interruption)
    throw Failure("\(title) was interrupted. What was done stays; start it again to go on.")
  }

  private func report(_ progress: UpkeepProgress) -> UpkeepProgress.Decision {
    show(progress)
    interruption = interruption ?? signals.next()
    return interruption == nil ? .proceed : .cancel
  }

  private func show(_ progress: UpkeepProgress) {
    let percent = progress.total == 0 ? 100 : progress.completed * 100 / progress.total
    guard isShown, percent != shownPercent else { return }
    shownPercent = percent
    let done = percent * Self.width / 100
    let bar =
      String(repeating: "#", count: done) + String(repeating: ".", count: Self.width - done)
    draw("\r\(title) [\(bar)] \(percent) % (\(progress.completed) of \(progress.total))")
  }

  private func clear() {
    // Back to the line's beginning, and the line erased (ECMA-48, EL).
    if isShown, shownPercent >= 0 { draw("\r\u{1B}[K") }
  }

  private func draw(_ text: String) {
    do {
      try Output.write(Array(text.utf8), to: .standardError)
    } catch {
      // The work does not end because nobody can see how far it is.
    }
  }
}
