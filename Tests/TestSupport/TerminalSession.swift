import FoundationEssentials
import StorageInternals

#if canImport(Glibc)
  package import Glibc
#else
  package import Musl
#endif

/// A program on a terminal of its own, of which this is the person.
package final class TerminalSession {
  package static let interrupt = "\u{3}"
  package static let endOfInput = "\u{4}"
  package static let erase = "\u{7F}"
  package static let eraseLine = "\u{15}"
  package static let eraseWord = "\u{17}"
  package static let literal = "\u{16}"
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
  /// The screen when a prompt was answered last.
  private var answeredScreen: String?

  package struct Failure: Error {
    let text: String
  }

  /// Starts a program, whose first word is its path, in a session that has the terminal.
  package init(_ words: [String]) throws {
    var ends: (master: Int32, slave: Int32) = (-1, -1)
    var name = [CChar](repeating: 0, count: 64)
    // The name has no more than "/dev/pts/" and a number.
    guard unsafe openpty(&ends.master, &ends.slave, &name, nil, nil) == 0 else {
      throw Failure(text: "no pseudo-terminal: errno \(errno)")
    }
    (master, slave) = ends
    for end in [master, slave] { _ = fcntl(end, F_SETFD, FD_CLOEXEC) }
    settingsBefore = Self.settings(of: master)
    process = try Self.spawn(words, on: name)
  }

  /// Starts an executable of this package.
  package convenience init(executable: String, _ arguments: [String]) throws {
    try self.init([try ChildProcess.path(ofExecutable: executable)] + arguments)
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

  private static func spawn(_ words: [String], on terminal: [CChar]) throws -> pid_t {
    // What `posix_spawn` takes is of this call alone.
    var actions = unsafe posix_spawn_file_actions_t()
    unsafe posix_spawn_file_actions_init(&actions)
    defer { unsafe posix_spawn_file_actions_destroy(&actions) }
    for number in 0..<3 as Range<Int32> {
      // The first one that the leader of a session opens becomes its terminal.
      unsafe posix_spawn_file_actions_addopen(&actions, number, terminal, O_RDWR, 0)
    }
    var attributes = posix_spawnattr_t()
    unsafe posix_spawnattr_init(&attributes)
    defer { unsafe posix_spawnattr_destroy(&attributes) }
    // The threads of a test's pool block signals, and its caller may ignore some, which the child
    // would inherit.
    var mask = sigset_t()
    unsafe sigemptyset(&mask)
    unsafe posix_spawnattr_setsigmask(&attributes, &mask)
    var defaults = mask
    for number in [SIGINT, SIGQUIT, SIGHUP, SIGTERM, SIGPIPE, SIGTSTP, SIGTTIN, SIGTTOU] {
      unsafe sigaddset(&defaults, number)
    }
    unsafe posix_spawnattr_setsigdefault(&attributes, &defaults)
    // POSIX_SPAWN_SETSID, which the header shows only to those who define _GNU_SOURCE.
    let newSession: Int16 = 0x80
    unsafe posix_spawnattr_setflags(
      &attributes, newSession | Int16(POSIX_SPAWN_SETSIGMASK | POSIX_SPAWN_SETSIGDEF))
    let arguments = unsafe words.map { unsafe strdup($0) } + [nil]
    let variables = unsafe environment.map { unsafe strdup($0) } + [nil]
    defer { unsafe (arguments + variables).forEach { unsafe free($0) } }
    var process: pid_t = 0
    let code = unsafe posix_spawn(
      &process, words[0], &actions, &attributes, arguments, variables)
    guard code == 0 else { throw Failure(text: "posix_spawn of \(words[0]): errno \(code)") }
    return process
  }

  /// This process's, but without the report that Swift's runtime makes of SIGQUIT as of a crash.
  private static var environment: [String] {
    ProcessInfo.processInfo.environment.filter { $0.key != "SWIFT_BACKTRACE" }
      .map { "\($0.key)=\($0.value)" } + ["SWIFT_BACKTRACE=enable=no"]
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

  package func waitForText(_ text: String) throws {
    try wait(for: text) { screen.contains(text) }
  }

  package func wait(for what: String, on condition: (String) -> Bool) throws {
    try wait(for: what) { condition(screen) }
  }

  /// Waits until the program has ended, and returns the exit status, or the signal as a negative
  /// number.
  package func end() throws -> Int32 {
    try wait(for: "the end") {
      var status: Int32 = 0
      // The kernel writes the status.
      guard unsafe waitpid(process, &status, WNOHANG) == process else { return false }
      self.status = status & 0x7F == 0 ? status >> 8 & 0xFF : -(status & 0x7F)
      return true
    }
    drain(waiting: 0)
    return status!
  }

  private func wait(for what: String, _ condition: () throws -> Bool) throws {
    // Far more than any of it takes, so that a mistake fails instead of hanging.
    for _ in 0..<12_000 {
      drain(waiting: 5)
      if try condition() { return }
    }
    throw Failure(text: "\(what) did not come; the screen shows: \(screen)")
  }

  private func drain(waiting milliseconds: Int32) {
    var waiting = pollfd(fd: master, events: Int16(POLLIN), revents: 0)
    var buffer = [UInt8](repeating: 0, count: 4096)
    // Both calls write into variables of this one.
    while unsafe poll(&waiting, 1, milliseconds) > 0, Int32(waiting.revents) & POLLIN != 0 {
      let count = unsafe read(master, &buffer, buffer.count)
      if count <= 0 { return }
      screen += String(decoding: buffer[..<count], as: UTF8.self)
    }
  }
}
