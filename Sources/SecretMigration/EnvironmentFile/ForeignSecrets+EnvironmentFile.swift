public import FoundationEssentials
import SecretStorage

extension ForeignSecrets {
  /// Reads the variables of an `.env` file.
  ///
  /// Each becomes a generic password: the service is the given one, the account is the variable's
  /// name, and the secret its value as UTF-8. A `@GenericPassword` of type `String` with that
  /// service and account reads it. <doc:ForeignFormats> has the dialect; text that python-dotenv
  /// and motdotla/dotenv read in different ways is an error, and never a guess.
  ///
  /// - Parameters:
  ///   - url: The file.
  ///   - service: The service of the items.
  /// - Returns: The variables, in the file's order.
  /// - Throws: ``MigrationError/malformed(path:reason:)``, with the line, also for a variable that has two
  ///   different values; ``MigrationError/unsupported(path:reason:)`` for more than 64 MiB or 100,000 variables;
  ///   ``MigrationError/invalid(_:)`` for an empty service; or what kept the file from being read.
  public static func environmentFile(
    at url: URL, service: String
  ) throws(MigrationError) -> ForeignSecrets {
    if service.isEmpty { throw .invalid("The service of the variables is empty") }
    let (file, bytes) = try SourceFile.read(url)
    var parser = try EnvironmentParser(bytes, of: file.path)
    var secrets: [ForeignSecret] = []
    var known: [String: EnvironmentParser.Variable] = [:]
    for variable in try parser.variables() {
      if let earlier = known[variable.name] {
        guard earlier.value == variable.value else {
          throw .malformed(
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
