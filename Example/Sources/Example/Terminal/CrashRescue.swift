import Synchronization

#if canImport(Glibc)
  import Glibc
#else
  import Musl
#endif

/// Handlers that give the terminal back when the process crashes.
///
/// A handler of such a signal may do next to nothing: it restores the prepared settings, and lets
/// the signal have the effect of before. It may run on any thread, so the form changes the terminal
/// inside of `changing`: nothing is shown once the terminal was given back.
enum CrashRescue {
  private static let numbers = [SIGSEGV, SIGBUS, SIGILL, SIGFPE, SIGABRT, SIGTRAP, SIGSYS]

  static func arm(_ settings: termios, showing text: String) {
    // The memory is never freed, and nothing else changes it while no handler is installed.
    unsafe plan.pointee.settings = settings
    let text = unsafe Array(text.utf8.prefix(Plan.textLimit))
    unsafe plan.pointee.text.update(from: text, count: text.count)
    unsafe plan.pointee.textCount = text.count
    unsafe plan.pointee.thread = pthread_self()
    for number in numbers {
      var action = sigaction(calling: giveBack)
      // No signal interrupts it, above all not SIGTTOU, which stops a process in the background
      // that changes settings. The kernel copies the structures.
      unsafe sigfillset(&action.sa_mask)
      action.sa_flags = Int32(SA_ONSTACK)
      unsafe sigaction(number, &action, plan.pointee.previous + Int(number))
    }
  }

  /// Runs a closure that changes the terminal, on the thread that called `arm`.
  static func changing<E>(_ body: () throws(E) -> Void) throws(E) {
    unsafe plan.pointee.isChanging.store(true, ordering: .sequentiallyConsistent)
    defer { unsafe plan.pointee.isChanging.store(false, ordering: .sequentiallyConsistent) }
    if unsafe plan.pointee.isCrashing.load(ordering: .sequentiallyConsistent) {
      unsafe plan.pointee.isChanging.store(false, ordering: .sequentiallyConsistent)
      waitForTheEnd()
    }
    try body()
  }

  static func disarm() {
    for number in numbers {
      // As above.
      unsafe sigaction(number, plan.pointee.previous + Int(number), nil)
    }
  }
}

/// The data of the handler.
///
/// `@unsafe`: the pointers are made once, and never freed.
@unsafe private struct Plan: ~Copyable {
  static let textLimit = 128

  var settings = termios()
  let text = UnsafeMutablePointer<UInt8>.allocate(capacity: textLimit)
  var textCount = 0
  /// The actions by the numbers of their signals.
  let previous = UnsafeMutablePointer<sigaction>.allocate(capacity: 65)
  /// The thread that changes the terminal.
  var thread = pthread_self()
  let isChanging = Atomic(false)
  let isCrashing = Atomic(false)
}

/// `nonisolated(unsafe)`: made before the first handler is installed, and not changed while one is.
private nonisolated(unsafe) let plan: UnsafeMutablePointer<Plan> = {
  let plan = UnsafeMutablePointer<Plan>.allocate(capacity: 1)
  unsafe plan.initialize(to: Plan())
  return unsafe plan
}()

/// The handler, which calls only what POSIX.1-2024 (2.4.3) lets a handler call.
private let giveBack: @convention(c) (Int32) -> Void = { number in
  // The memory of the pointers was made before the handler was installed.
  if unsafe plan.pointee.isCrashing.exchange(true, ordering: .sequentiallyConsistent) {
    waitForTheEnd()
  }
  if unsafe pthread_equal(pthread_self(), plan.pointee.thread) == 0 {
    // At most a second: a terminal that was stopped (Ctrl-S) takes nothing.
    for _ in 0..<100 where unsafe plan.pointee.isChanging.load(ordering: .sequentiallyConsistent) {
      poll(nil, 0, 10)
    }
  }
  unsafe sigaction(number, plan.pointee.previous + Int(number), nil)
  let group = tcgetpgrp(STDIN_FILENO)
  if group == -1 || group == getpgrp() {
    _ = unsafe write(STDOUT_FILENO, plan.pointee.text, plan.pointee.textCount)
    tcflush(STDIN_FILENO, TCIFLUSH)
    unsafe tcsetattr(STDIN_FILENO, TCSANOW, &plan.pointee.settings)
  }
  // The signal comes when this returns.
  raise(number)
}

/// Stands still until another thread's signal ends the process.
private func waitForTheEnd() -> Never {
  while true { pause() }
}
