import FoundationEssentials

#if canImport(Glibc)
  import Glibc
#else
  import Musl
#endif

/// A program on a terminal of its own, of which this is the person.
final class TerminalSession {
  static let interrupt = "\u{3}"
  static let suspend = "\u{1A}"
  static let endOfInput = "\u{4}"

  let process: pid_t
  /// The settings that the program found.
  private let settingsBefore: [UInt32]
  private let master: Int32
  /// Held open, so that the terminal keeps its settings when the program has ended.
  private let slave: Int32
  private var isEnded = false
  private var bytes: [UInt8] = []
  /// What is to be seen now.
  private(set) var display: TerminalDisplay

  /// All that was shown so far.
  var screen: String { String(decoding: bytes, as: UTF8.self) }

  /// The variables come in the place of the machine's; the size is 80 columns and 24 rows.
  init(_ words: [String], on machine: Machine, variables: [String] = []) throws {
    display = TerminalDisplay(columns: 80, rows: 24)
    var ends: (master: Int32, slave: Int32) = (-1, -1)
    var name = [CChar](repeating: 0, count: 64)
    // The name has no more than "/dev/pts/" and a number.
    guard unsafe openpty(&ends.master, &ends.slave, &name, nil, nil) == 0 else {
      throw Unexpected(what: "no pseudo-terminal: errno \(errno)")
    }
    (master, slave) = ends
    for end in [master, slave] { _ = fcntl(end, F_SETFD, FD_CLOEXEC) }
    let path = String(
      decoding: name.prefix { $0 != 0 }.map { UInt8(bitPattern: $0) }, as: UTF8.self)
    var size = winsize(ws_row: 24, ws_col: 80, ws_xpixel: 0, ws_ypixel: 0)
    // The kernel copies the structure.
    _ = unsafe ioctl(master, UInt(TIOCSWINSZ), &size)
    settingsBefore = Self.settings(of: master)
    // The first one that the leader of a session opens becomes its terminal.
    process = try Child.spawn(
      words, environment: machine.environment(with: variables),
      files: Array(repeating: (path, O_RDWR), count: 3))
  }

  convenience init(_ arguments: String..., on machine: Machine) throws {
    try self.init([Machine.executable] + arguments, on: machine)
  }

  deinit {
    if !isEnded {
      kill(process, SIGKILL)
      var status: Int32 = 0
      _ = unsafe waitpid(process, &status, 0)
    }
    close(master)
    close(slave)
  }

  /// Whether the terminal shows what is typed.
  var echoes: Bool {
    var settings = termios()
    // The kernel fills the structure; asking the master's end tells the settings of the terminal.
    return unsafe tcgetattr(master, &settings) == 0 && settings.c_lflag & tcflag_t(ECHO) != 0
  }

  /// Lets the terminal show what is typed, as a shell does when its job was stopped.
  func showTyping() {
    var settings = termios()
    // The kernel fills the structure, and copies it.
    unsafe tcgetattr(slave, &settings)
    settings.c_lflag |= tcflag_t(ECHO)
    unsafe tcsetattr(slave, TCSANOW, &settings)
  }

  /// Waits until the program is stopped, as by SIGSTOP.
  func waitForStop() throws {
    try wait(for: "the stop") {
      let text = try String(contentsOfFile: "/proc/\(process)/stat", encoding: .utf8)
      // The state follows the name, which is in parentheses: proc_pid_stat(5).
      return text.split(separator: ")").last?.hasPrefix(" T ") == true
    }
  }

  /// Whether the terminal is as the program found it.
  var isGivenBack: Bool {
    Self.settings(of: master) == settingsBefore && !display.isAlternate && display.isCursorShown
      && !display.takesPastes
  }

  /// All the settings of a terminal, to compare.
  private static func settings(of master: Int32) -> [UInt32] {
    var settings = termios()
    // As above; the array is made inside of the closure.
    guard unsafe tcgetattr(master, &settings) == 0 else { return [] }
    let keys = unsafe withUnsafeBytes(of: settings.c_cc) { unsafe $0.map(UInt32.init) }
    return [settings.c_iflag, settings.c_oflag, settings.c_cflag, settings.c_lflag] + keys
  }

  /// Makes the terminal larger or smaller, of which the program hears.
  func resize(columns: Int, rows: Int) {
    drain(waiting: 0)
    display.resize(columns: columns, rows: rows)
    var size = winsize(
      ws_row: UInt16(rows), ws_col: UInt16(columns), ws_xpixel: 0, ws_ypixel: 0)
    // The kernel copies the structure.
    _ = unsafe ioctl(master, UInt(TIOCSWINSZ), &size)
  }

  func type(_ text: String) {
    var text = text
    // The text is copied by the call.
    let written = text.withUTF8 { unsafe write(master, $0.baseAddress, $0.count) }
    precondition(written == text.utf8.count)
  }

  /// Waits for a prompt, and for the terminal not to show the answer.
  func waitForPrompt(_ prompt: String) throws {
    try wait(for: "the prompt \(prompt)") { screen.hasSuffix(prompt) && !echoes }
  }

  func answer(_ prompt: String, _ text: String) throws {
    try waitForPrompt(prompt)
    type(text + "\n")
  }

  /// Waits until a prompt was shown as often, and for the terminal not to show the answer.
  func waitForPrompt(_ prompt: String, times: Int) throws {
    try wait(for: "the prompt \(prompt), \(times) times") {
      screen.ranges(of: prompt).count == times && screen.hasSuffix(prompt) && !echoes
    }
  }

  func waitForText(_ text: String) throws {
    try wait(for: text) { screen.contains(text) }
  }

  /// Waits until the display shows something.
  func waitForDisplay(
    _ what: String, _ condition: (TerminalDisplay) -> Bool
  ) throws {
    try wait(for: what) { condition(display) }
  }

  /// Waits until the display shows a text.
  func waitForDisplay(of text: String) throws {
    try waitForDisplay(text) { $0.text.contains(text) }
  }

  /// Waits until the program has ended, and returns how.
  func end() throws -> Child.Status {
    var status: Child.Status?
    try wait(for: "the end") {
      status = try Child.statusIfEnded(process)
      return status != nil
    }
    isEnded = true
    drain(waiting: 0)
    return status!
  }

  private func wait(for what: String, _ condition: () throws -> Bool) throws {
    // Far more than any of it takes, so that a mistake fails instead of hanging.
    for _ in 0..<12_000 {
      drain(waiting: 5)
      if try condition() { return }
    }
    throw Unexpected(what: "\(what) did not come; the screen shows: \(display.text)\n\(screen)")
  }

  private func drain(waiting milliseconds: Int32) {
    var waiting = pollfd(fd: master, events: Int16(POLLIN), revents: 0)
    var buffer = [UInt8](repeating: 0, count: 4096)
    // Both calls write into variables of this one.
    while unsafe poll(&waiting, 1, milliseconds) > 0, Int32(waiting.revents) & POLLIN != 0 {
      let count = unsafe read(master, &buffer, buffer.count)
      if count <= 0 { return }
      bytes += buffer[..<count]
      display.show(buffer[..<count])
    }
  }
}
