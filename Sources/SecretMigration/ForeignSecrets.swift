/// The secrets of another program, all of them read and decrypted, and nothing changed.
///
/// They are read by ``keychainExport(at:passphrase:)``,
/// ``cryptFile(at:passphrase:skippingUnreadable:reporting:)``,
/// ``libsecretKeyring(at:passphrase:skippingUnreadable:)`` or ``environmentFile(at:service:)``, or made by
/// the app, and written by ``migrate(to:conflicts:isDryRun:removingSource:reporting:)``.
/// The decrypted secrets are in protected memory; while they are read, parts of them are in memory that is
/// not.
public struct ForeignSecrets: Sendable {
  /// A secret that is in the source but cannot be read.
  public struct Unreadable: Hashable, Sendable {
    /// Where it stands in its source.
    public let place: String
    /// Why it cannot be read, as a sentence for a person.
    public let reason: String

    /// Describes a secret that cannot be read.
    public init(place: String, reason: String) {
      self.place = place
      self.reason = reason
    }
  }

  /// The secrets, in the order in which they are written: the oldest first, where the source tells.
  public let secrets: [ForeignSecret]
  /// What had to be left out.
  public let unreadable: [Unreadable]
  /// The file that can be removed when all of it is somewhere else.
  let file: SourceFile?

  /// Collects secrets that an app read by itself; there is no source to remove.
  public init(_ secrets: [ForeignSecret], unreadable: [Unreadable] = []) {
    self.init(secrets, unreadable: unreadable, file: nil)
  }

  init(_ secrets: [ForeignSecret], unreadable: [Unreadable] = [], file: SourceFile?) {
    self.secrets = secrets
    self.unreadable = unreadable
    self.file = file
  }
}

extension ForeignSecrets {
  /// The most secrets that a file may have, because each takes far more memory than it may have bytes there.
  static let countLimit = 100_000

  static func checkCount(_ count: Int, of path: String) throws(MigrationError) {
    if count > countLimit {
      throw .unsupported(path: path, reason: "it has more than \(countLimit) secrets")
    }
  }
}

extension ForeignSecrets: CustomReflectable {
  /// A mirror without children, so that a dump shows no names.
  public var customMirror: Mirror { Mirror(self, children: EmptyCollection()) }
}
