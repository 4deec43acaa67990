public import Foundation
import KeyValueStorage
public import PasswordRules
import SecretMigration
import SecretStorage
import Testing
public import Validation

// As an app does for the modules without Foundation; `@retroactive` is for another package.
extension PasswordRulesError: LocalizedError {
  /// The text of the error.
  public var errorDescription: String? { description }
}

extension PasswordBlockListError: LocalizedError {
  /// The text of the error.
  public var errorDescription: String? { description }
}

/// What `localizedDescription` shows of the errors of all modules.
struct ErrorTextTests {
  @Test func localizedDescriptionIsTheText() throws {
    let errors: [any Error] = [
      KeyValueStoreError.empty(path: "/f"), SecretStoreError.locked("its key file"),
      MigrationError.store(.locked("its key file")), PasswordRulesError.excluded("e"),
      PasswordBlockListError.tooLarge(path: "/f", limit: 1),
    ]
    for error in errors { #expect(error.localizedDescription == "\(error)") }
    // The one that is missing is deprecated, and tested in its own module.
    #expect(Set(errors.map { "\(type(of: $0))" } + ["KeychainError"]) == Self.publicErrorTypes)
  }

  /// The names of the public error types that the sources declare.
  private static var publicErrorTypes: Set<String> {
    let folder = Folder(path: "Sources")
    let lines = folder.files(ending: ".swift").flatMap { file in
      folder.text(of: file).split(separator: "\n")
    }
    let names = lines.compactMap { line -> String? in
      let line = line.drop { $0 == " " }
      guard line.hasPrefix("public "), let colon = line.firstIndex(of: ":"),
        line[colon...].split(whereSeparator: { " :,{".contains($0) }).contains("Error")
      else { return nil }
      return line[..<colon].split(separator: " ").last.map(String.init)
    }
    return Set(names)
  }

  @Test func acceptanceNamesCallAndCommand() {
    for (error, call, command) in [
      (SecretStoreError.rolledBack("It"), "acceptRollback()", "accept-rollback"),
      (.replaced("It"), "acceptReplacement()", "accept-replacement"),
    ] {
      #expect("\(error)".contains("accept it with \(call) or `locket secrets \(command)`"))
    }
  }
}
