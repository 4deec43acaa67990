import Foundation
import SecretStorage

extension Machine {
  convenience init() throws { try self.init(program: "Example") }

  /// Stores the password of an account, as an app would.
  func store(_ password: String, site: String, account: String) async throws {
    @InternetPassword(server: site, account: account, in: vault) var stored: String?
    stored = password
    try await $stored.save()
  }

  /// The password that a sign-up kept for a user name; nil when there is none.
  func password(of name: String = "chihiro") throws -> String? {
    @InternetPassword(server: SignUpSession.site, account: name, refreshPolicy: .manual, in: vault)
    var stored: String?
    return try $stored.load()
  }
}

/// Returns the text of a file in `Fixtures`.
func fixture(_ name: String) throws -> String {
  let folder = URL(filePath: #filePath).deletingLastPathComponent()
  return try String(contentsOf: folder.appending(path: "../Fixtures/\(name)"), encoding: .utf8)
}

/// Returns the lines of a screen in `Fixtures/screens`.
func expectedScreen(_ name: String) throws -> Substring {
  try fixture("screens/\(name)").dropLast()
}
