public import FoundationEssentials
import SecretStorage

extension ForeignSecrets {
  /// Reads the variables of an `.env` file.
  ///
  /// Each becomes a generic password with the given service, the variable's name as account, and
  /// its value in UTF-8 as secret, which a `@GenericPassword` of type `String` reads.
  /// <doc:ForeignFormats> describes the dialect. Text that python-dotenv and motdotla/dotenv read
  /// differently is an error.
  ///
  /// - Parameters:
  ///   - url: The file.
  ///   - service: The service of the items.
  /// - Returns: The variables, in the file's order.
  /// - Throws: ``MigrationError/malformed(path:reason:)``, with the line, also for a variable with
  ///   two different values; ``MigrationError/unsupported(path:reason:)`` for over 64 MiB or
  ///   100,000 variables; ``MigrationError/invalid(_:)`` for an empty service; or a read error.
  public static func environmentFile(
    at url: URL, service: String
  ) throws -> ForeignSecrets {
    if service.isEmpty { throw MigrationError.invalid("The service of the variables is empty") }
    let (file, bytes) = try SourceFile.read(url)
    var parser = try EnvironmentParser(bytes, of: file.path)
    var secrets: [ForeignSecret] = []
    var known: [String: EnvironmentParser.Variable] = [:]
    for variable in try parser.variables() {
      if let earlier = known[variable.name] {
        guard earlier.value == variable.value else {
          throw MigrationError.malformed(
            path: file.path,
            reason: """
              line \(variable.line): the variable has another value in line \(earlier.line); remove \
              one of them
              """)
        }
        continue
      }
      known[variable.name] = variable
      secrets.append(
        ForeignSecret(
          place: "line \(variable.line)",
          identity: .generic(service: service, account: variable.name), secret: variable.value))
    }
    return ForeignSecrets(secrets, file: file)
  }
}
