public import FoundationEssentials
import SecretStorage

// The secrets of a `.env` file.
extension ForeignSecrets {
  /// Reads the variables of a `.env` file.
  ///
  /// Each variable becomes a generic password with its name as the account, and its value in UTF-8,
  /// which a `@GenericPassword` property of type `String` can read. Text that python-dotenv and
  /// motdotla/dotenv interpret differently is an error; <doc:ForeignFormats> describes the dialect.
  ///
  /// - Returns: The variables, in the order of the file.
  /// - Throws: ``MigrationError/malformed(path:reason:)`` with the line, including for a variable
  ///   with two different values; ``MigrationError/unsupported(path:reason:)`` for more than 64 MiB
  ///   or 100,000 variables, or a line or quoted value of more than 16 MiB and 64 KiB;
  ///   ``MigrationError/invalid(_:)`` for an empty service; or
  ///   ``MigrationError/system(call:path:code:)``.
  public static func environmentFile(at url: URL, service: String) throws -> ForeignSecrets {
    if service.isEmpty { throw MigrationError.invalid("The service must not be empty") }
    let (file, bytes) = try SourceFile.read(url)
    var parser = try EnvironmentParser(bytes, of: file.path)
    var secrets: [ForeignSecret] = []
    var seen: [String: EnvironmentParser.Variable] = [:]
    for variable in try parser.variables() {
      if let earlier = seen[variable.name] {
        guard earlier.value == variable.value else {
          throw MigrationError.malformed(
            path: file.path,
            reason: """
              line \(variable.line): the variable has a different value on line \(earlier.line); \
              remove one of the two
              """)
        }
        continue
      }
      seen[variable.name] = variable
      secrets.append(
        ForeignSecret(
          position: "line \(variable.line)",
          identity: .generic(service: service, account: variable.name), secret: variable.value))
    }
    return ForeignSecrets(secrets, file: file)
  }
}
