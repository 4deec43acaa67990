import SecretStorage

#if canImport(Glibc)
  import Glibc
#else
  import Musl
#endif

@main
enum Program {
  static func main() {
    exit(run(Array(CommandLine.arguments.dropFirst())).rawValue)
  }

  private static func run(_ words: [String]) -> ExitStatus {
    do {
      return try Command.run(words)
    } catch let error as UsageError {
      report("Example: \(error.reason)\n\n\(error.command?.usage ?? Command.overview)")
    } catch let error as Failure {
      report("Example: \(error.reason)")
    } catch {
      report("Example: \(error)")
    }
    return .failed
  }

  private static func report(_ text: String) {
    do {
      try Output.line(text, to: .standardError)
    } catch {
      // Standard error is closed or full: the exit status is left to tell.
    }
  }
}
