import StorageInternals

extension Diagnosis {
  /// Notes who asks a person for a store, and whether they can here.
  mutating func note(_ authenticator: (any Authenticator)?) {
    let subject = "Authenticator"
    guard let authenticator else {
      return note(subject, "none: a context must bring one for items that need a proof")
    }
    if let obstacle = (authenticator as? PAMAuthenticator)?.obstacle {
      return problem(subject, "\(type(of: authenticator)): \(obstacle)")
    }
    let capabilities = authenticator.capabilities
    let proves = capabilities.isEmpty ? "nothing as things are" : "\(capabilities)"
    note(subject, "\(type(of: authenticator)), which can prove \(proves)")
  }

  /// Notes whether logins can be asked for.
  mutating func notePAM() {
    do {
      _ = try LibPAM.shared.get()
      note("PAM", "libpam.so.0")
    } catch {
      note("PAM", "not there, and needed by PAMAuthenticator: \(error)")
    }
  }
}
