import LibCrypto
import SecretStorage

extension SecretDaemon {
  /// The identifier and the secrets' encryption of the session, which is opened if necessary.
  func openSession() throws(BusFailure) -> TransportSession {
    if let session { return session }
    let opened =
      if let encrypted = try openEncryptedSession() { encrypted } else { try openPlainSession() }
    session = opened
    return opened
  }

  /// Returns nil if libcrypto is missing or the daemon does not offer the encryption.
  private func openEncryptedSession() throws(BusFailure) -> TransportSession? {
    let agreement: SessionKeyAgreement
    do { agreement = try SessionKeyAgreement() } catch { return nil }
    let reply: BusMessage
    do throws(BusFailure) {
      reply = try call(
        Self.path, "Service", "OpenSession", TransportSession.encryptedAlgorithm,
        BusVariant(BusBytes(agreement.publicKey)))
    } catch {
      if case .refused("org.freedesktop.DBus.Error.NotSupported", _) = error { return nil }
      throw error
    }
    let other = try reply.variant(BusBytes.self).value
    let path = try reply.result(BusPath.self).value
    do {
      return TransportSession(path: path, key: try agreement.key(with: other))
    } catch let failure as BusFailure {
      throw failure
    } catch {
      throw .malformed("a key agreement that failed (\(error))")
    }
  }

  private func openPlainSession() throws(BusFailure) -> TransportSession {
    let reply = try call(Self.path, "Service", "OpenSession", "plain", BusVariant(""))
    try reply.skip("v")
    return TransportSession(path: try reply.result(BusPath.self).value, key: nil)
  }

  /// Calls a closure with the session, once more in a new one if the daemon has forgotten it.
  ///
  /// If the two sides do not understand each other, the next call has a new session.
  func inSession<Result>(
    _ body: (TransportSession) throws(BusFailure) -> Result
  ) throws(BusFailure) -> Result {
    do throws(BusFailure) {
      return try body(try openSession())
    } catch {
      switch error {
      case .refused("org.freedesktop.Secret.Error.NoSession", _):
        session = nil
        return try body(try openSession())
      case .malformed: session = nil
      default: break
      }
      throw error
    }
  }
}

/// A secret in the form of the API: the session, the parameters of the encryption, the value and
/// the content type.
struct TransportedSecret: BusArgument {
  static var signature: String { "(oayays)" }
  private static let contents = "oayays"
  /// The most bytes that are copied from a message.
  private static let largestCount = 4 << 20
  private let secret: Secret
  private let session: TransportSession

  init(_ secret: Secret, in session: TransportSession) {
    self.secret = secret
    self.session = session
  }

  func write(to message: BusMessage) throws(BusFailure) {
    try message.write("r", of: Self.contents) { () throws(BusFailure) in
      try message.append(session.path, as: "o")
      if let (parameters, value) = try session.encrypt(secret) {
        try message.append(parameters)
        try message.append(value)
      } else {
        try message.append([])
        try unsafe secret.withUnsafeBytes { bytes throws(BusFailure) in
          try unsafe message.append(bytes)
        }
      }
      try message.append("text/plain")
    }
  }

  static func read(
    from message: BusMessage, in session: TransportSession
  ) throws(BusFailure) -> Secret {
    try message.read("r", of: contents) { () throws(BusFailure) in
      _ = try message.result(BusPath.self)
      let parameters = try message.result(BusBytes.self).value
      let secret = unsafe try message.bytes { bytes throws(BusFailure) in
        if bytes.count > largestCount { throw .malformed("a secret of \(bytes.count) bytes") }
        return unsafe try session.decrypt(bytes, parameters: parameters)
      }
      _ = try message.string()
      return secret
    }
  }
}
