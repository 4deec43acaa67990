import Synchronization

#if canImport(Glibc)
  import Glibc
#else
  import Musl
#endif

/// Handlers that give the terminal back when the process crashes.
///
/// A handler of such a signal may do next to nothing: it restores the prepared settings, and lets
/// the signal have the effect of before. Where it runs on another thread than the form, it has the
/// form's thread do the first part: nothing can be shown once the terminal was given back.
enum CrashRescue {
  private static let numbers = [SIGSEGV, SIGBUS, SIGILL, SIGFPE, SIGABRT, SIGTRAP, SIGSYS]

  /// Gives the terminal back at a crash from now on; called by the thread that uses the terminal.
  static func arm(_ settings: termios, showing text: String) {
    // The memory is never freed, and no handler reads it before the end of this function.
    unsafe plan.pointee.settings = settings
    let text = unsafe Array(text.utf8.prefix(Plan.textLimit))
    unsafe plan.pointee.text.update(from: text, count: text.count)
    unsafe plan.pointee.textCount = text.count
    unsafe plan.pointee.thread = pthread_self()
    var mask = sigset_t()
    // Here and below, the kernel copies the structures.
    unsafe sigemptyset(&mask)
    unsafe sigaddset(&mask, callOfTheForm)
    unsafe pthread_sigmask(SIG_UNBLOCK, &mask, nil)
    _ = installation
    unsafe plan.pointee.isArmed.store(true, ordering: .sequentiallyConsistent)
    standStillInACrash()
  }

  /// Ends this, on the same thread and after it has given the terminal back.
  static func disarm() {
    unsafe plan.pointee.isArmed.store(false, ordering: .sequentiallyConsistent)
    standStillInACrash()
  }

  /// The handlers, which stay: one of another thread may be on its way when the form has ended.
  private static let installation: Void = {
    for number in numbers {
      // The handler may run before the call that installs it returns.
      unsafe sigaction(number, nil, plan.pointee.previous + Int(number))
      var action = sigaction(calling: giveBack)
      // No signal interrupts it, above all not SIGTTOU, which stops a process in the background
      // that changes settings.
      unsafe sigfillset(&action.sa_mask)
      action.sa_flags = Int32(SA_ONSTACK)
      unsafe sigaction(number, &action, nil)
    }
  }()

  /// A handler of another thread may have seen the state of before.
  private static func standStillInACrash() {
    if unsafe plan.pointee.isCrashing.load(ordering: .sequentiallyConsistent) { waitForTheEnd() }
  }
}

/// The signal by which a handler calls the form's thread: Dispatch's threads do not block it.
private let callOfTheForm = SIGILL

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
  /// The form's thread.
  var thread = pthread_self()
  /// Whether the terminal is to be given back.
  let isArmed = Atomic(false)
  let isCrashing = Atomic(false)
  let isGivenBack = Atomic(false)
}

/// `nonisolated(unsafe)`: made before the first handler is installed, and changed only where no
/// handler reads it.
private nonisolated(unsafe) let plan: UnsafeMutablePointer<Plan> = {
  let plan = UnsafeMutablePointer<Plan>.allocate(capacity: 1)
  unsafe plan.initialize(to: Plan())
  return unsafe plan
}()

/// The handler, which calls only what POSIX.1-2024 (2.4.3) lets a handler call.
private let giveBack: @convention(c) (Int32) -> Void = { number in
  // The memory of the pointers was made before the handler was installed.
  let isFirst = unsafe !plan.pointee.isCrashing.exchange(true, ordering: .sequentiallyConsistent)
  if unsafe pthread_equal(pthread_self(), plan.pointee.thread) != 0 {
    if unsafe plan.pointee.isArmed.exchange(false, ordering: .sequentiallyConsistent) {
      restoreTerminal()
    }
    unsafe plan.pointee.isGivenBack.store(true, ordering: .sequentiallyConsistent)
  } else if isFirst, unsafe plan.pointee.isArmed.load(ordering: .sequentiallyConsistent) {
    unsafe pthread_kill(plan.pointee.thread, callOfTheForm)
    while unsafe !plan.pointee.isGivenBack.load(ordering: .sequentiallyConsistent) {
      poll(nil, 0, 10)
    }
  }
  if !isFirst { waitForTheEnd() }
  unsafe sigaction(number, plan.pointee.previous + Int(number), nil)
  // The signal comes when this returns.
  raise(number)
}

private func restoreTerminal() {
  let group = tcgetpgrp(STDIN_FILENO)
  if group != -1 && group != getpgrp() { return }
  // As above.
  _ = unsafe write(STDOUT_FILENO, plan.pointee.text, plan.pointee.textCount)
  tcflush(STDIN_FILENO, TCIFLUSH)
  unsafe tcsetattr(STDIN_FILENO, TCSANOW, &plan.pointee.settings)
}

/// Stands still until the first thread that crashed ends the process.
private func waitForTheEnd() -> Never {
  var mask = sigset_t()
  // Without blocked signals: the runtime's backtracer stops the threads by one. The kernel copies
  // the set.
  unsafe sigemptyset(&mask)
  while true { unsafe sigsuspend(&mask) }
}
