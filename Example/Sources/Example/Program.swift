#if canImport(Glibc)
  import Glibc
#else
  import Musl
#endif

@main
enum Program {
  static func main() async {
    StandardDescriptors.fill()
    exit(await run().rawValue)
  }

  private static func run() async -> ExitStatus {
    do {
      return try await Command.run(words())
    } catch let error as UsageError {
      report("\(error.reason)\n\n\(error.usage ?? Command.overview())")
    } catch let error as Failure {
      report(error.reason)
    } catch {
      report("\(error)")
    }
    return .failed
  }

  /// What the person wrote after the program's name.
  ///
  /// `CommandLine.arguments` would put other characters in the place of what is not UTF-8.
  private static func words() throws(Failure) -> [String] {
    var words: [String] = []
    for number in 1..<max(1, Int(CommandLine.argc)) {
      // The system keeps the arguments until the process ends.
      guard let argument = unsafe CommandLine.unsafeArgv[number],
        let word = unsafe String(validatingCString: argument)
      else { throw Failure("Argument \(number) is not text in UTF-8.") }
      words.append(word)
    }
    return words
  }

  /// Tells the person what is wrong.
  static func report(_ text: String) {
    do {
      try Output.line("Example: \(text)", to: .standardError)
    } catch {
      // Standard error is closed or full: the exit status is left to tell.
    }
  }
}
