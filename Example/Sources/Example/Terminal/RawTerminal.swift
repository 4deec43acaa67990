#if canImport(Glibc)
  import Glibc
#else
  import Musl
#endif

/// The terminal of standard input and output while a form has it: each key arrives at once, none
/// shows by itself, and the screen of before comes back in the end.
///
/// The settings of before come back when this is destroyed, which a thrown error causes as well,
/// and when the process crashes.
struct RawTerminal: ~Copyable {
  /// How a turn at the terminal ended.
  enum Ending<Result> {
    case done(Result)
    /// A signal that is to have its effect, before which the terminal is given back.
    case signal(Int32)
  }

  /// The input, signal or time-out that ended a wait.
  struct Events {
    var bytes: [UInt8] = []
    var signal: Int32?
    /// Whether the time is over and nothing else happened.
    var isTimeOut = false
  }

  // The alternate screen, bracketed paste (xterm), and an empty screen where there is only one.
  private static let entering = "\u{1B}[?1049h\u{1B}[?2004h\u{1B}[H\u{1B}[2J"
  private static let leaving = "\u{1B}[0m\u{1B}[?2004l\u{1B}[?25h\u{1B}[H\u{1B}[2J\u{1B}[?1049l"

  private let signals: HeldSignals
  private let before: termios

  /// Gives a closure the terminal until it is done; a process that was suspended and continued
  /// begins a new turn.
  static func perform<Result>(
    _ body: (borrowing RawTerminal) throws -> Ending<Result>
  ) throws -> Result {
    while true {
      switch try turn(body) {
      case .done(let result): return result
      case .signal(let number): HeldSignals.takeEffect(number)
      }
    }
  }

  private static func turn<Result>(
    _ body: (borrowing RawTerminal) throws -> Ending<Result>
  ) throws -> Ending<Result> {
    try waitForForeground()
    let before = try settings()
    let terminal = RawTerminal(
      signals: try HeldSignals(and: [SIGWINCH, SIGCONT]), before: before)
    try terminal.enter()
    return try body(terminal)
  }

  /// Stops the process as long as it is in the background: the settings that the terminal has then
  /// are the shell's.
  private static func waitForForeground() throws(Failure) {
    // It changes nothing, but the kernel stops a process in the background that does it.
    let code = HeldSignals.unblocking(SIGTTOU) { tcdrain(STDIN_FILENO) == 0 ? 0 : errno }
    if code == EINTR { return try waitForForeground() }
    guard code == 0 else { throw failure }
  }

  private init(signals: consuming HeldSignals, before: termios) {
    self.signals = signals
    self.before = before
  }

  deinit {
    defer { CrashRescue.disarm() }
    // In the background, the terminal has the settings of another process.
    guard Self.isInForeground else { return }
    do {
      try Output.write(Self.leaving)
      // The next reader of the terminal must not get what was typed.
      try Self.change(before, TCSAFLUSH)
    } catch {
      // The terminal is closed; restoring its settings is unnecessary.
    }
  }

  private func enter() throws(Failure) {
    CrashRescue.arm(before, showing: Self.leaving)
    // Keys of before could be seen, so they are thrown away.
    try Self.change(before.raw, TCSAFLUSH)
    try Output.write(Self.entering)
  }

  /// Waits for keys, a signal, a readable descriptor, or the end of a time; -1 stands for no end.
  func wait(for descriptor: Int32, milliseconds: Int32) throws(Failure) -> Events {
    var waiting = [STDIN_FILENO, signals.reader, descriptor].map {
      pollfd(fd: $0, events: Int16(POLLIN), revents: 0)
    }
    // The kernel writes into the array, which outlives the call.
    var count = unsafe poll(&waiting, nfds_t(waiting.count), milliseconds)
    while count < 0 {
      if errno != EINTR { throw Self.failure }
      count = unsafe poll(&waiting, nfds_t(waiting.count), milliseconds)
    }
    if let signal = signals.next() { return Events(signal: signal) }
    if waiting[0].revents == 0 { return Events(isTimeOut: count == 0) }
    if !Self.isInForeground { return Events(signal: SIGTTIN) }
    return Events(bytes: try read())
  }

  private func read() throws(Failure) -> [UInt8] {
    var buffer = [UInt8](repeating: 0, count: 1024)
    // The kernel writes at most as much as it is told.
    let count = unsafe readBytes(STDIN_FILENO, &buffer, buffer.count)
    if count == 0 { throw Failure("The terminal is closed.") }
    if count > 0 { return Array(buffer[..<count]) }
    if errno == EAGAIN { return [] }
    throw Self.failure
  }

  private static func settings() throws(Failure) -> termios {
    var settings = termios()
    // The kernel fills the structure.
    guard unsafe tcgetattr(STDIN_FILENO, &settings) == 0 else { throw failure }
    return settings
  }

  private static func change(_ settings: termios, _ when: Int32) throws(Failure) {
    var settings = settings
    // The kernel copies the structure.
    while unsafe tcsetattr(STDIN_FILENO, when, &settings) != 0 {
      if errno != EINTR { throw failure }
    }
  }

  /// Whether the keys go to this process; a terminal that is not its own does not say.
  private static var isInForeground: Bool {
    let group = tcgetpgrp(STDIN_FILENO)
    return group == -1 || group == getpgrp()
  }

  private static var failure: Failure { Failure(call: "Using the terminal") }
}

extension termios {
  /// The same, but each key arrives at once and does not show; those that make signals still do.
  fileprivate var raw: termios {
    var settings = self
    settings.c_lflag &= ~tcflag_t(ECHO | ECHONL | ICANON | IEXTEN)
    settings.c_lflag |= tcflag_t(ISIG)
    settings.c_iflag &= ~tcflag_t(ICRNL | INLCR | IGNCR | ISTRIP | IXON)
    // The array is a variable of this call.
    unsafe withUnsafeMutableBytes(of: &settings.c_cc) { keys in
      unsafe keys[Int(VMIN)] = 1
      unsafe keys[Int(VTIME)] = 0
    }
    return settings
  }
}
