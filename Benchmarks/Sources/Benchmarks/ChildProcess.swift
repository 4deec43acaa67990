import FoundationEssentials
import Glibc

/// A process of another program, in a process group of its own, which is killed at a deadline.
///
/// Rows time it, so it is not Foundation's `Process`, which waits in a run loop.
struct ChildProcess {
  private let id: pid_t
  private let input: Int32
  private let output: Int32
  private var deadline: ContinuousClock.Instant

  /// Runs a program until it ends.
  ///
  /// - Returns: Its standard output; nil if it cannot be started, fails or reaches the deadline.
  static func output(
    of command: [String], input: String = "", environment: [String: String] = [:],
    deadline: Duration = .seconds(60)
  ) -> String? {
    guard let child = ChildProcess(command, input, environment, deadline) else { return nil }
    let output = child.read { _ in false }
    close(child.output)
    return child.succeeds() ? output : nil
  }

  /// Starts a program that ends with its standard input, which is closed when this process ends.
  ///
  /// - Returns: The first line of its standard output; nil if there is none before the deadline.
  static func firstLine(
    of command: [String], environment: [String: String], deadline: Duration = .seconds(60)
  ) -> String? {
    guard let child = ChildProcess(command, nil, environment, deadline) else { return nil }
    atExit {
      var ending = child
      ending.deadline = .now + .seconds(10)
      close(child.input)
      _ = ending.read { _ in false }
      _ = ending.succeeds()
    }
    let line = child.read { $0.last == UInt8(ascii: "\n") }
    return line.last == "\n" ? String(line.dropLast()) : nil
  }

  /// Starts a program that is found in `PATH`, with a text that a pipe holds as its standard input,
  /// which otherwise stays open.
  private init?(
    _ command: [String], _ text: String?, _ environment: [String: String], _ deadline: Duration
  ) {
    var (input, output) = ([Int32](repeating: 0, count: 2), [Int32](repeating: 0, count: 2))
    guard pipe(&input) == 0, pipe(&output) == 0 else {
      fatalError("The machine gave no pipe (error \(errno)).")
    }
    for end in input + output { _ = fcntl(end, F_SETFD, FD_CLOEXEC) }
    // Before the start, because a write to a process that has ended raises a signal.
    if let text {
      _ = write(input[1], text, text.utf8.count)
      close(input[1])
    }
    var actions = posix_spawn_file_actions_t()
    posix_spawn_file_actions_init(&actions)
    posix_spawn_file_actions_adddup2(&actions, input[0], STDIN_FILENO)
    posix_spawn_file_actions_adddup2(&actions, output[1], STDOUT_FILENO)
    posix_spawn_file_actions_addopen(&actions, STDERR_FILENO, "/dev/null", O_WRONLY, 0)
    var attributes = posix_spawnattr_t()
    posix_spawnattr_init(&attributes)
    posix_spawnattr_setflags(&attributes, Int16(POSIX_SPAWN_SETPGROUP))
    let variables = ProcessInfo.processInfo.environment.merging(environment) { $1 }
    let arguments = command.map { strdup($0) } + [nil]
    let assignments = variables.map { strdup("\($0)=\($1)") } + [nil]
    var id: pid_t = 0
    let code = posix_spawnp(&id, command[0], &actions, &attributes, arguments, assignments)
    for string in arguments + assignments { free(string) }
    posix_spawn_file_actions_destroy(&actions)
    posix_spawnattr_destroy(&attributes)
    close(input[0])
    close(output[1])
    (self.id, self.input, self.output) = (id, input[1], output[0])
    self.deadline = ContinuousClock.now + deadline
    if code != 0 {
      close(self.output)
      return nil
    }
  }

  /// Returns the standard output until it ends or is complete, or until the deadline.
  private func read(until isComplete: ([UInt8]) -> Bool) -> String {
    var bytes: [UInt8] = []
    var buffer = [UInt8](repeating: 0, count: 4096)
    while !isComplete(bytes) {
      var ready = pollfd(fd: output, events: Int16(POLLIN), revents: 0)
      let milliseconds = Int32(max(0, (deadline - ContinuousClock.now) / .milliseconds(1)))
      guard poll(&ready, 1, milliseconds) > 0 else { break }
      let count = Glibc.read(output, &buffer, buffer.count)
      guard count > 0 else { break }
      bytes += buffer[..<count]
    }
    return String(decoding: bytes, as: UTF8.self)
  }

  /// Waits for the end of the process, which has closed its output or reached the deadline.
  ///
  /// It asks repeatedly, because a blocking call has no deadline, and little is left to wait for.
  private func succeeds() -> Bool {
    var status: Int32 = 0
    while waitpid(id, &status, WNOHANG) == 0 {
      if ContinuousClock.now > deadline { kill(-id, SIGKILL) }
      sched_yield()
    }
    return status == 0
  }
}
