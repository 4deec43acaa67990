public import Foundation
import KeyValueStorage
public import PasswordRules
import SecretMigration
import SecretStorage
import Testing

// As an app does for the modules without Foundation; `@retroactive` is for another package.
extension PasswordRulesError: LocalizedError {
  /// The text of the error.
  public var errorDescription: String? { description }
}

/// What `localizedDescription` shows of the errors of all modules.
struct ErrorTextTests {
  private static let settings: [KeyValueStoreError] = [
    .unreadable(UnreadableFile(path: "/f", reason: "r", offset: 1)), .empty(path: "/f"),
    .notAFile(path: "/f"), .tooLarge(path: "/f", limit: 1), .ownedByAnother(path: "/f"),
    .busy(path: "/f", holder: 1), .newerVersion(found: 2, supported: 1),
    .migrationFailed(version: 1, reason: "r"), .undecodable(key: "k", type: "T", reason: "r"),
    .unencodable(key: "k", type: "T", reason: "r"), .invalid("i"), .unavailable("u"), .cancelled,
    .system(call: "open", path: "/f", code: 2),
  ]
  private static let secrets: [SecretStoreError] = [
    .locked, .wrongPassphrase, .wrongKey("k"), .wrongApplicationPassword, .cancelled, .denied("d"),
    .otherDevice("o"), .duplicate, .conflict, .unsupported("u"), .invalid("i"), .undecodable("u"),
    .corrupted("c"), .rolledBack("r"), .replaced("r"), .newerFormat("n"),
    .insecure(path: "/f", reason: "r"), .missingLibrary("m"), .unavailable("u"),
    .busy(path: "/f", holder: 1), .system(call: "open", path: "/f", code: 2),
  ]
  private static let migration: [MigrationError] = [
    .malformed(path: "/f", reason: "r"), .damaged(path: "/f", reason: "r"),
    .wrongPassphrase(path: "/f"), .unsupported(path: "/f", reason: "r"), .invalid("i"),
    .missingLibrary("m"), .unavailable("u"), .notReadBack(position: "p"),
    .notRemovable(path: "/f", reason: "r"), .cancelled, .store(.locked),
    .system(call: "open", path: "/f", code: 2),
  ]
  private static let rules: [PasswordRulesError] = [
    .unsatisfiable("u"), .excluded("e"), .tooComplex("t"),
  ]

  @Test func localizedDescriptionIsTheText() {
    let errors: [[any Error]] = [Self.settings, Self.secrets, Self.migration, Self.rules]
    for error in errors.joined() { #expect(error.localizedDescription == "\(error)") }
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
