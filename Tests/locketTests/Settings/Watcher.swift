import CLibrary
import FoundationEssentials
import TestSupport

/// The executable while it watches a file of settings, and what it writes.
final class Watcher {
  let process: ChildProcess
  private let output: Reader
  private let errors: Reader

  /// Starts the executable, by a command that `wrap` makes of its words.
  init(_ name: String, on machine: Machine, wrap: ([String]) -> [String] = { $0 }) throws {
    let pipes = try ["out", "err"].map { try Reader(machine.path("\(UUID()).\($0)")) }
    (output, errors) = (pipes[0], pipes[1])
    process = ChildProcess(
      try StartedProcess.spawn(
        wrap([machine.executable, "settings", "watch", "--file", machine.path(name)]),
        environment: machine.environment(),
        files: [("/dev/null", O_RDONLY)] + pipes.map { ($0.path, O_WRONLY) }))
  }

  /// Waits for the next line of standard output.
  func nextLine() throws -> String { try output.nextLine() }

  /// Waits for the next line of standard error.
  func nextComplaint() throws -> String { try errors.nextLine() }

  /// Waits until the watching has begun, which is the next message.
  func waitForBeginning() throws {
    let line = try nextComplaint()
    guard line == "locket: Watching for changes. Press Ctrl-C to stop." else {
      throw Unexpected(what: line)
    }
  }

  /// Closes the reading end of standard output, as `head` does.
  func stopReading() { output.stop() }

  /// Waits for the end, and returns the exit status, or the signal as a negative number.
  func wait() -> Int32 { StartedProcess.exitStatus(process.end()) }
}

/// A named pipe, and the lines that come out of it.
private final class Reader {
  let path: String
  private var descriptor: Int32
  private var bytes: [UInt8] = []

  init(_ path: String) throws {
    self.path = path
    // The path is copied by both calls.
    guard unsafe mkfifo(path, 0o600) == 0 else { throw Unexpected(what: "mkfifo: errno \(errno)") }
    descriptor = unsafe open(path, O_RDONLY | O_NONBLOCK | O_CLOEXEC)
    guard descriptor >= 0 else { throw Unexpected(what: "open: errno \(errno)") }
  }

  deinit { stop() }

  func stop() {
    if descriptor >= 0 { close(descriptor) }
    descriptor = -1
  }

  /// Waits for a line, or for the end of the watcher, which is an error.
  func nextLine() throws -> String {
    while true {
      if let end = bytes.firstIndex(of: UInt8(ascii: "\n")) {
        defer { bytes.removeFirst(end + 1) }
        return String(decoding: bytes[..<end], as: UTF8.self)
      }
      var waiting = pollfd(fd: descriptor, events: Int16(POLLIN), revents: 0)
      var buffer = [UInt8](repeating: 0, count: 4096)
      // Both calls write into variables of this one.
      guard unsafe poll(&waiting, 1, -1) > 0 else { continue }
      let count = unsafe read(descriptor, &buffer, buffer.count)
      if count == 0 { throw Unexpected(what: "the watcher has ended") }
      if count > 0 { bytes += buffer[..<count] }
    }
  }
}
