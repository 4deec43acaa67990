import KeyValueStorage
import SecretStorage

/// The reason why an etcd cluster did not do what was asked.
///
/// Vaults throw the corresponding `SecretStoreError`, and settings the
/// corresponding `KeyValueStoreError`. No case contains a secret.
public enum EtcdError: Error, Hashable, Sendable {
  /// The library libcurl is missing; the string names the packages that contain it.
  case missingLibrary(String)
  /// An argument or a file of the configuration is not valid.
  case invalid(String)
  /// No endpoint answered within the deadline, or the cluster has no quorum.
  case unreachable(String)
  /// A certificate was refused, by this process or by the server.
  case certificate(String)
  /// The name, the password or the token was refused.
  case authentication(String)
  /// The user's roles do not permit the access.
  case denied(String)
  /// The request is larger than the server accepts.
  case tooLarge(String)
  /// The database of the cluster is full.
  case full(String)
  /// The revision was compacted.
  case compacted(String)
  /// Another process holds a lock of the cluster.
  case busy(String)
  /// It is unknown whether a write was made.
  case uncertain(String)
  /// An answer is not one that etcd gives.
  case malformed(String)
}

extension EtcdError: CustomStringConvertible {
  /// A description of the failure and of the remedy, in one or more sentences.
  public var description: String {
    switch self {
    case .missingLibrary(let what), .invalid(let what): what
    case .unreachable(let what):
      """
      \(what). Check the endpoint, whether it needs https, the network, and that a majority of the \
      members is running.
      """
    case .certificate(let what):
      """
      \(what). Check that the server uses TLS, the authority's certificate, the names and dates of \
      the server's certificate, and the client's certificate.
      """
    case .authentication(let what):
      "\(what). Check the user's name and password, and that authentication is enabled."
    case .denied(let what):
      "\(what). Grant the user a role with permission to read and write the prefix."
    case .tooLarge(let what):
      "\(what). Store less at once, or raise the server's --max-request-bytes."
    case .full(let what):
      """
      \(what). Compact and defragment the cluster, disarm the alarm with `etcdctl alarm disarm`, \
      or raise --quota-backend-bytes.
      """
    case .compacted(let what): "\(what). Read the newest revision instead."
    case .busy(let what): "\(what). Wait for its holder, and try again."
    case .uncertain(let what):
      "\(what). It was made completely or not at all, and the next access tells which."
    case .malformed(let what):
      """
      \(what). Check that the endpoint is for clients of etcd 3.4 or later, and whether it needs \
      https.
      """
    }
  }
}

extension SecretStoreError {
  init(_ error: EtcdError, of name: String) {
    switch error {
    case .missingLibrary(let what): self = .missingLibrary(what)
    // The description of `SecretStoreError` adds a period.
    case .invalid, .tooLarge: self = .invalid(String("\(error)".dropLast()))
    case .uncertain: self = .uncertain("\(name): \(error)")
    case .busy: self = .busy(path: name, holder: nil)
    case .malformed, .unreachable, .certificate, .authentication, .denied, .full, .compacted:
      self = .unavailable("\(name): \(error)")
    }
  }
}

extension KeyValueStoreError {
  init(_ error: EtcdError, of name: String) {
    switch error {
    case .missingLibrary(let what): self = .unavailable(what)
    case .invalid(let what): self = .invalid(what)
    case .denied: self = .denied("\(name): \(error)")
    case .uncertain: self = .uncertain("\(name): \(error)")
    case .tooLarge: self = .tooLarge(path: nil, limit: 1 << 20)
    case .busy, .malformed, .unreachable, .certificate, .authentication, .full, .compacted:
      self = .unavailable("\(name): \(error)")
    }
  }
}

extension String {
  /// The beginning of a text of a server for a message, without characters that affect a terminal
  /// and without a token, which the server may repeat.
  func quoted(hiding token: String?) -> String {
    let text = token.map { replacing($0, with: "…") } ?? self
    return String(
      String.UnicodeScalarView(
        text.unicodeScalars.prefix(200).map { (0x20..<0x7F).contains($0.value) ? $0 : "?" }))
  }
}
