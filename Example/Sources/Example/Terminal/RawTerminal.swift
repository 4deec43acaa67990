#if canImport(Glibc)
  import Glibc
#else
  import Musl
#endif

/// The terminal of standard input and output while a form has it: each key arrives at once, none
/// shows by itself, and what was on the screen comes back in the end.
///
/// However this ends, the settings are as they were: at the end of its life, which a thrown error
/// brings about, too, and when the process crashes.
struct RawTerminal: ~Copyable {
  /// How a turn at the terminal ended.
  enum Ending<Result> {
    case done(Result)
    /// A signal came that is to have its effect, for which the terminal is given back.
    case signal(Int32)
  }

  /// What there is to be dealt with.
  struct Events {
    /// What was typed.
    var bytes: [UInt8] = []
    var signal: Int32?
    /// Whether the time is over, and nothing else happened.
    var isTimeOut = false
  }

  // The alternate screen, bracketed paste (xterm), and an empty screen where there is only one.
  private static let entering = "\u{1B}[?1049h\u{1B}[?2004h\u{1B}[H\u{1B}[2J"
  private static let leaving = "\u{1B}[0m\u{1B}[?2004l\u{1B}[?25h\u{1B}[H\u{1B}[2J\u{1B}[?1049l"

  private let signals: HeldSignals
  private let before: termios

  /// Lets a closure have the terminal until it is done; a process that was suspended or went on
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
    // It changes nothing, but the kernel lets nobody do it in the background.
    let code = HeldSignals.unblocking(SIGTTOU) { tcdrain(STDIN_FILENO) == 0 ? 0 : errno }
    if code == EINTR { return try waitForForeground() }
    guard code == 0 else { throw failure }
  }

  private init(signals: consuming HeldSignals, before: termios) {
    self.signals = signals
    self.before = before
  }

  deinit {
    CrashRescue.disarm()
    // In the background, the terminal is somebody else's.
    guard Self.isInForeground else { return }
    do {
      try write(Self.leaving)
      // The beginning of an answer is for nobody else.
      try Self.change(before, TCSAFLUSH)
    } catch {
      // The terminal is gone, and nobody misses it.
    }
  }

  private func enter() throws(Failure) {
    CrashRescue.arm(before, showing: Self.leaving)
    // What was typed before could be seen, so it is thrown away.
    try Self.change(before.raw, TCSAFLUSH)
    try write(Self.entering)
  }

  /// Waits for something to deal with: keys, a signal, a descriptor that becomes readable, or the
  /// end of some milliseconds; -1 stands for no end.
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
    if count == 0 { throw Failure("The terminal is gone.") }
    if count > 0 { return Array(buffer[..<count]) }
    if errno == EINTR || errno == EAGAIN { return [] }
    throw Self.failure
  }

  /// Shows text and obeys what in it moves the cursor.
  func write(_ text: String) throws(Failure) {
    var rest = ArraySlice(text.utf8)
    while !rest.isEmpty {
      // The bytes are used inside of the closure alone.
      let count = unsafe rest.withUnsafeBytes { unsafe writeBytes(STDOUT_FILENO, $0) }
      if count >= 0 {
        rest.removeFirst(count)
      } else if errno == EAGAIN {
        // Whoever shares the terminal has made it so.
        var waiting = pollfd(fd: STDOUT_FILENO, events: Int16(POLLOUT), revents: 0)
        _ = unsafe poll(&waiting, 1, -1)
      } else if errno != EINTR {
        throw Self.failure
      }
    }
  }

  /// How many columns and rows it has.
  var size: ScreenSize {
    var size = winsize()
    // The kernel fills the structure.
    guard unsafe ioctl(STDOUT_FILENO, UInt(TIOCGWINSZ), &size) == 0, size.ws_col > 0,
      size.ws_row > 0
    else { return ScreenSize(columns: 80, rows: 24) }
    return ScreenSize(columns: Int(size.ws_col), rows: Int(size.ws_row))
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

  /// Whether the process is the one that the keys go to; a terminal that is not its own has no such.
  private static var isInForeground: Bool {
    let group = tcgetpgrp(STDIN_FILENO)
    return group == -1 || group == getpgrp()
  }

  private static var failure: Failure {
    Failure("The terminal cannot be used: \(SystemCall.reason).")
  }
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

/// `read`, which means another function inside of a type that has one; the caller has the room.
private func readBytes(
  _ descriptor: Int32, _ start: UnsafeMutablePointer<UInt8>, _ count: Int
) -> Int {
  unsafe read(descriptor, start, count)
}

/// `write`, for the same reason.
private func writeBytes(_ descriptor: Int32, _ bytes: UnsafeRawBufferPointer) -> Int {
  unsafe write(descriptor, bytes.baseAddress, bytes.count)
}
