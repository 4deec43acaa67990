import Dispatch
import FoundationEssentials
import SecretStorage

#if canImport(Glibc)
  import Glibc
#else
  import Musl
#endif

/// A part of the tour, which runs alone as well.
struct Chapter: Sendable {
  let title: String
  let tell: @Sendable (Stage) async throws -> Void
}

/// A walk through Locket, on files that are removed at the end.
enum Tour {
  private static let chapters: [Chapter] = [
    .serialized, .settings, .password, .refreshing, .matching, .processes, .locking, .copying,
    .protecting, .slots, .rotating, .moving, .damage, .rollback, .rules, .validation,
  ]

  private static let opening = """
    Locket in \(chapters.count) chapters, on files in a temporary directory.

    """

  private static let ending = """

    That was the tour. Two whole programs to copy are beside it: `swift run --package-path Example
    daemon` and `… signup`. `swift run locket --help` lists the commands of the tool.
    """

  static func run(_ options: Options) async throws {
    var chosen = Array(chapters.indices)
    if let text = options.parameters.first {
      guard let number = Int(text), chapters.indices.contains(number - 1) else {
        throw UsageError("CHAPTER is a number from 1 to \(chapters.count).")
      }
      chosen = [number - 1]
    }
    // A reader that ends early, such as `head`, must not keep the tour from removing its files.
    signal(SIGPIPE, SIG_IGN)
    let stage = try Stage()
    let sources = [SIGINT, SIGTERM, SIGHUP].map { removing(stage, at: $0) }
    defer { for source in sources { source.cancel() } }
    do {
      try await tell(chosen, on: stage)
    } catch {
      try stage.clear()
      throw error
    }
    try stage.clear()
  }

  private static func tell(_ chosen: [Int], on stage: Stage) async throws {
    let isWhole = chosen.count > 1
    if isWhole { try Output.line(opening) }
    for index in chosen {
      try stage.showTitle("\(index + 1). \(chapters[index].title)")
      try await chapters[index].tell(stage)
      guard isWhole else { return }
      if index + 1 < chapters.count, try await !goesOn(after: index + 1) { return }
    }
    try Output.line(ending)
  }

  /// Pauses on a terminal, until Enter goes on or `q` ends the tour.
  private static func goesOn(after number: Int) async throws -> Bool {
    try Output.line("")
    guard isatty(STDIN_FILENO) == 1, isatty(STDOUT_FILENO) == 1 else { return true }
    let prompt = "\(number) of \(chapters.count). Enter continues, q quits: "
    let answer: Secret
    do throws(SecretStoreError) {
      answer = try await TerminalConversation().ask(.visible(prompt))
    } catch {
      guard error == .cancelled else { throw error }
      return false
    }
    try Output.line("")
    // The bytes are compared inside of the closure.
    return unsafe answer.withUnsafeBytes { unsafe $0.first != UInt8(ascii: "q") }
  }

  /// Removes the files when a signal ends the process.
  private static func removing(_ stage: Stage, at number: Int32) -> any DispatchSourceSignal {
    let source = DispatchSource.makeSignalSource(signal: number, queue: .global())
    let isRegistered = DispatchSemaphore(value: 0)
    // Before the registration, the signal ends the process and leaves the files.
    source.setRegistrationHandler { isRegistered.signal() }
    source.setEventHandler {
      do {
        try stage.clear()
      } catch {
        Program.report("\(error)")
      }
      signal(number, SIG_DFL)
      kill(getpid(), number)
    }
    source.activate()
    isRegistered.wait()
    return source
  }
}
