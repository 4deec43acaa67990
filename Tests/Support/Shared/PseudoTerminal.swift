import FoundationEssentials

#if canImport(Glibc)
  package import Glibc
#else
  package import Musl
#endif

/// A program on a terminal of its own, and the keyboard and screen of that terminal.
package class PseudoTerminal {
  package static let interrupt = "\u{3}"
  package static let endOfInput = "\u{4}"
  package static let quit = "\u{1C}"
  package static let suspend = "\u{1A}"

  package let process: pid_t
  private let master: Int32
  /// Held open, so that the terminal keeps its settings when the program has ended.
  private let slave: Int32
  private var status: Int32?
  /// The settings of the terminal before the program was started.
  package let settingsBefore: [UInt32]
  /// All that was shown so far.
  package private(set) var screen = ""
  /// The same, because a piece may end inside of a character.
  private var shown: [UInt8] = []
  /// The screen when a prompt was answered last.
  private var answeredScreen: String?

  package struct Failure: Error { let text: String }

  /// Starts a program, whose first word is its path, in a session that has the terminal.
  package init(
    _ words: [String], environment: [String] = StartedProcess.inheritedEnvironment
  ) throws {
    var ends: (master: Int32, slave: Int32) = (-1, -1)
    var name = [CChar](repeating: 0, count: 64)
    // The name has no more than "/dev/pts/" and a number.
    guard unsafe openpty(&ends.master, &ends.slave, &name, nil, nil) == 0 else {
      throw Failure(text: "no pseudo-terminal: errno \(errno)")
    }
    (master, slave) = ends
    for end in [master, slave] { _ = fcntl(end, F_SETFD, FD_CLOEXEC) }
    Self.resize(master, columns: 80, rows: 24)
    settingsBefore = Self.settings(of: master)
    let path = String(
      decoding: name.prefix { $0 != 0 }.map { UInt8(bitPattern: $0) }, as: UTF8.self)
    process = try StartedProcess.spawn(
      words, environment: environment, files: Array(repeating: (path, O_RDWR), count: 3))
  }

  deinit {
    if status == nil {
      kill(process, SIGKILL)
      var status: Int32 = 0
      _ = unsafe waitpid(process, &status, 0)
    }
    close(master)
    close(slave)
  }

  private static func resize(_ master: Int32, columns: Int, rows: Int) {
    var size = winsize(ws_row: UInt16(rows), ws_col: UInt16(columns), ws_xpixel: 0, ws_ypixel: 0)
    // The kernel copies the structure.
    _ = unsafe ioctl(master, UInt(TIOCSWINSZ), &size)
  }

  /// Makes the terminal larger or smaller than 80 columns and 24 rows, and tells the program.
  func resize(columns: Int, rows: Int) {
    drain(waiting: 0)
    Self.resize(master, columns: columns, rows: rows)
  }

  /// Whether the terminal shows what is typed.
  package var echoes: Bool {
    var settings = termios()
    // The kernel fills the structure; asking the master's end tells the settings of the terminal.
    return unsafe tcgetattr(master, &settings) == 0 && settings.c_lflag & tcflag_t(ECHO) != 0
  }

  /// All the settings of the terminal, to compare.
  package var settings: [UInt32] { Self.settings(of: master) }

  private static func settings(of master: Int32) -> [UInt32] {
    var settings = termios()
    // As above; the array is made inside of the closure.
    guard unsafe tcgetattr(master, &settings) == 0 else { return [] }
    let keys = unsafe withUnsafeBytes(of: settings.c_cc) { unsafe $0.map(UInt32.init) }
    return [settings.c_iflag, settings.c_oflag, settings.c_cflag, settings.c_lflag] + keys
  }

  /// Lets the terminal show and edit what is typed, as a shell does when its job was stopped.
  package func showTyping() {
    var settings = termios()
    // The kernel fills the structure, and copies it.
    unsafe tcgetattr(slave, &settings)
    settings.c_lflag |= tcflag_t(ECHO | ICANON | IEXTEN)
    unsafe tcsetattr(slave, TCSANOW, &settings)
  }

  /// The group of processes that the keys go to.
  package var foregroundGroup: pid_t { tcgetpgrp(master) }

  package func type(_ text: String) throws {
    var rest = ArraySlice(text.utf8)
    while !rest.isEmpty {
      // The terminal takes no more than the program has room for.
      let count = unsafe rest.prefix(1024).withUnsafeBytes {
        unsafe write(master, $0.baseAddress, $0.count)
      }
      guard count > 0 else { throw Failure(text: "nothing can be typed: errno \(errno)") }
      rest = rest.dropFirst(count)
    }
  }

  /// Waits for a prompt, and for the terminal not to show the answer.
  package func waitForPrompt(_ prompt: String) throws {
    try wait(for: "the prompt \(prompt)") { screen.hasSuffix(prompt) && !echoes }
  }

  /// Waits for a prompt after the one that was answered last, and answers it.
  package func answer(_ prompt: String, _ text: String) throws {
    let answered = answeredScreen
    try wait(for: "the prompt \(prompt)") {
      screen.hasSuffix(prompt) && screen != answered && !echoes
    }
    answeredScreen = screen
    try type("\(text)\n")
  }

  /// Waits until a prompt was shown as often, and for the terminal not to show the answer.
  package func waitForPrompt(_ prompt: String, times: Int) throws {
    try wait(for: "the prompt \(prompt), \(times) times") {
      screen.ranges(of: prompt).count == times && screen.hasSuffix(prompt) && !echoes
    }
  }

  package func waitForStop() throws {
    try wait(for: "the stop") { try StartedProcess.isStopped(process) }
  }

  package func waitForText(_ text: String) throws { try wait(for: text) { screen.contains(text) } }

  package func wait(for what: String, on condition: (String) -> Bool) throws {
    try wait(for: what) { condition(screen) }
  }

  /// Waits for the program's end, and returns the exit status, or the signal as a negative number.
  package func end() throws -> Int32 {
    try wait(for: "the end") { status != nil }
    drain(waiting: 0)
    return status!
  }

  private func wait(for what: String, _ condition: () throws -> Bool) throws {
    while true {
      let hasEnded = hasEnded
      drain(waiting: 5)
      if try condition() { return }
      if hasEnded {
        throw Failure(text: "\(what) did not come before the end; the screen shows: \(screen)")
      }
    }
  }

  /// Whether the program has ended; keeps its status.
  private var hasEnded: Bool {
    if self.status != nil { return true }
    var status: Int32 = 0
    // The kernel writes the status.
    guard unsafe waitpid(process, &status, WNOHANG) == process else { return false }
    self.status = StartedProcess.exitStatus(status)
    return true
  }

  private func drain(waiting milliseconds: Int32) {
    var waiting = pollfd(fd: master, events: Int16(POLLIN), revents: 0)
    var buffer = [UInt8](repeating: 0, count: 4096)
    // Both calls write into variables of this one.
    while unsafe poll(&waiting, 1, milliseconds) > 0, Int32(waiting.revents) & POLLIN != 0 {
      let count = unsafe read(master, &buffer, buffer.count)
      if count <= 0 { return }
      receive(buffer[..<count])
    }
  }

  /// Takes bytes that the program wrote.
  func receive(_ bytes: ArraySlice<UInt8>) {
    shown += bytes
    screen = String(decoding: shown, as: UTF8.self)
  }
}
