import CLibrary
import Concurrency
public import FoundationEssentials
import StorageInternals

/// The certificates of a connection to etcd.
public struct EtcdTLS: Sendable {
  /// Certificates or a private key, in the PEM format.
  public enum PEM: Sendable {
    /// The content, for example from `SecretStore`.
    case content(Data)
    /// A file, which is read again when it changes, as tools that renew certificates expect.
    case file(URL)
  }

  /// The certificates of the authorities that sign the servers' certificates; nil for those that
  /// the system trusts.
  public var authority: PEM?
  /// The client's certificate, with its intermediate ones; nil for none.
  ///
  /// If etcd has users, the certificate must not have a common name: the JSON gateway refuses it.
  public var certificate: PEM?
  /// The private key of the client's certificate.
  public var key: PEM?

  /// Creates a description of certificates; nothing is read until a connection is made.
  public init(authority: PEM? = nil, certificate: PEM? = nil, key: PEM? = nil) {
    self.authority = authority
    self.certificate = certificate
    self.key = key
  }
}

extension EtcdTLS {
  /// The certificates at one moment.
  struct Material: Sendable {
    let authority, certificate, key: Item?

    struct Item: Sendable {
      let bytes: [UInt8]
      /// The file, which libraries need that cannot read from memory.
      let path: String?
    }
  }

  /// The statuses of the files, which differ after a change.
  struct Stamp: Equatable, Sendable {
    fileprivate let files: [[Int64]]
  }

  private static let sizeLimit = 1 << 20

  func stamp() throws(EtcdError) -> Stamp {
    var files: [[Int64]] = []
    for case .file(let url) in [authority, certificate, key].compactMap(\.self) {
      let status = try reading(url.path) { () throws(SystemError) in
        try FileSystem().status(of: url.path, followingLink: true)
      }
      guard let status else { throw .invalid("The certificate file \(url.path) is missing.") }
      files.append([
        Int64(truncatingIfNeeded: status.inode), Int64(status.size), Int64(status.modified),
      ])
    }
    return Stamp(files: files)
  }

  func material() throws(EtcdError) -> Material {
    Material(
      authority: try item(authority), certificate: try item(certificate), key: try item(key))
  }

  private func item(_ pem: PEM?) throws(EtcdError) -> Material.Item? {
    switch pem {
    case nil: return nil
    case .content(let data): return Material.Item(bytes: Array(data), path: nil)
    case .file(let url):
      let bytes = try reading(url.path) { () throws(SystemError) in
        try FileSystem().open(url.path, O_RDONLY | O_NONBLOCK | O_CLOEXEC)
          .read(from: 0, count: Self.sizeLimit)
      }
      return Material.Item(bytes: bytes, path: url.path)
    }
  }

  private func reading<Result>(
    _ path: String, _ body: () throws(SystemError) -> Result
  ) throws(EtcdError) -> Result {
    do {
      return try body()
    } catch {
      throw .invalid("The certificate file \(path) cannot be read: \(error).")
    }
  }
}
