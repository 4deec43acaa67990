import CLibrary
import Concurrency
import SecretMigration
import StorageInternals
import TestSupport
import Testing

@testable import SecretStorage

/// A store that alters or loses its input, or has a faster concurrent writer.
private final class FaultyStore: ForwardingStore {
  enum Fault {
    case otherSecret, nothing, otherAttributes, duplicate, full
  }

  let store: any SecretStore = InMemorySecretStore()
  private let fault: Lock<Fault?>

  init(_ fault: Fault) { self.fault = Lock(fault) }

  func add(
    _ secret: Secret, identity: ItemIdentity, attributes: ItemAttributes,
    authorizedBy authorization: Authorization
  ) throws(SecretStoreError) -> SecretItem {
    let fault = fault.exchange(nil)
    var (stored, kept) = (secret, attributes)
    switch fault {
    case .full: throw .system(call: "write", path: "vault", code: 28)
    case .otherSecret: stored = Secret([0])
    case .otherAttributes: kept = ItemAttributes(label: "other")
    default: break
    }
    let item = try store.add(stored, identity: identity, attributes: kept)
    if fault == .duplicate { throw .duplicate }
    if fault == .nothing { try store.remove(item.id, expecting: item.revision) }
    return item
  }
}

struct ReadBackTests {
  private let directory: TemporaryDirectory
  private let source: ForeignSecrets

  init() throws {
    directory = try TemporaryDirectory()
    let file = write(Array("A=1\nB=2".utf8), to: directory(".env"))
    source = try .environmentFile(at: file, service: "app")
  }

  private var sourceExists: Bool {
    get throws { try FileSystem().status(of: directory(".env")) != nil }
  }

  @Test(arguments: [FaultyStore.Fault.otherSecret, .otherAttributes, .nothing])
  private func differentReadingIsAnErrorAndKeepsTheSource(fault: FaultyStore.Fault) throws {
    let store = FaultyStore(fault)
    #expect(throws: MigrationError.notReadBack(position: "line 1")) {
      try source.migrate(to: store, removingSource: true)
    }
    #expect(try sourceExists)
  }

  @Test func secretOfAFasterWriterIsIdentical() throws {
    let report = try source.migrate(to: FaultyStore(.duplicate), removingSource: true)
    #expect(report.entries.map(\.outcome) == [.identical, .added])
    #expect(report.isSourceRemoved)
    #expect(try !sourceExists)
  }

  @Test func errorOfTheStoreEndsTheMigration() throws {
    let store = FaultyStore(.full)
    #expect(throws: MigrationError.store(.system(call: "write", path: "vault", code: 28))) {
      try source.migrate(to: store, removingSource: true)
    }
    #expect(try sourceExists)
    #expect(try source.migrate(to: store, removingSource: true).isSourceRemoved)
  }

  /// The process of an earlier migration was killed before it flushed what it wrote.
  @Test func sourceIsKeptUntilTheVaultIsFlushed() throws {
    let path = directory.path
    let outage = Outage(of: .fsync, on: path, isOn: false)
    func open() -> SecretVault {
      SecretVault(cipher: OpenSSLCipher()) { timeout in
        VaultLocation(
          path: "\(path)/secrets.vault", stateDirectory: path, cipher: OpenSSLCipher(),
          lockTimeout: timeout, fileSystem: outage.fileSystem)
      }
    }
    try source.migrate(to: open())
    // Without the machine's record, the vault may not be on disk.
    for name in try FileSystem().entries(of: path) where name.hasSuffix(".state") {
      try FileSystem().unlink(directory(name))
    }
    outage.begin()
    let vault = open()
    let error = MigrationError.store(.uncertain(path: path, code: EIO))
    for _ in 0..<2 {
      #expect(throws: error) { try source.migrate(to: vault, removingSource: true) }
      #expect(try sourceExists)
    }
    outage.end()
    let report = try source.migrate(to: vault, removingSource: true)
    #expect(report.entries.map(\.outcome) == [.identical, .identical] && report.isSourceRemoved)
    #expect(try !sourceExists)
  }
}
