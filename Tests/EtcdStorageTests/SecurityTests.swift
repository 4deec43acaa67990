import Concurrency
import FoundationEssentials
import KeyValueStorage
import SecretStorage
import TestSupport
import Testing

@testable import EtcdStorage

/// Certificates, users, and secrets in messages.
@Suite(.needsEtcd, .expectsFailures)
struct EtcdSecurityTests {
  private static let member = Result { try SecureMember() }

  /// Returns the error of a read.
  private func failure(of cluster: EtcdCluster) -> EtcdError? {
    do {
      _ = try cluster.read(RangeRequest(key: Bytes("x")))
      return nil
    } catch {
      return error
    }
  }

  private func expectCertificateError(
    _ cluster: EtcdCluster, sourceLocation: SourceLocation = #_sourceLocation
  ) {
    let error = failure(of: cluster)
    if case .certificate? = error { return }
    Issue.record("\(String(describing: error))", sourceLocation: sourceLocation)
  }

  @Test func mutualTLSWorksFromFilesAndFromMemory() throws {
    let member = try Self.member.get()
    #expect(failure(of: member.cluster()) == nil)
    var tls = member.tls()
    tls.authority = .content(try Data(contentsOf: member.file("authority.pem")))
    tls.certificate = .content(try Data(contentsOf: member.file("client.pem")))
    tls.key = .content(try Data(contentsOf: member.file("client.key")))
    #expect(failure(of: member.cluster(tls)) == nil)
    let store = KeyValueStore(etcd: member.cluster(tls), prefix: "/s")
    let seen = Lock(0)
    let observation = StoredValue(wrappedValue: 0, "a", in: store)
      .observe { _, new in seen.withLock { $0 = new } }
    try KeyValueStore(etcd: member.cluster(), prefix: "/s").set(7, for: "a")
    try wait { seen.withLock { $0 } == 7 }
    withExtendedLifetime(observation) {}
  }

  @Test func certificatesOfOthersAreRefused() throws {
    let member = try Self.member.get()
    expectCertificateError(member.cluster(member.tls(authority: "stranger")))
    expectCertificateError(member.cluster(EtcdTLS()))
    // The server refuses a client without a certificate, or with one of another authority.
    for client in [nil, "stranger"] {
      expectCertificateError(member.cluster(member.tls(client: client)))
    }
  }

  @Test(arguments: ["expired", "other"])
  func certificateOfTheServerMustBeValid(_ name: String) throws {
    let member = try SecureMember(server: name)
    expectCertificateError(member.cluster())
  }

  @Test func renewedCertificateIsReadAgain() throws {
    let member = try Self.member.get()
    let directory = try TemporaryDirectory()
    let file = URL(filePath: directory("client.pem"))
    try Data(contentsOf: member.file("client.pem")).write(to: file)
    var tls = member.tls()
    tls.certificate = .file(file)
    let cluster = member.cluster(tls)
    #expect(failure(of: cluster) == nil)
    try Data("no certificate".utf8).write(to: file)
    try wait { failure(of: cluster) != nil }
    try Data(contentsOf: member.file("client.pem")).write(to: file)
    try wait { failure(of: cluster) == nil }
  }

  @Test func usersHaveTheirPrefixesOnly() throws {
    let member = try SecureMember()
    let password = "The Valley Wind"
    let user = try member.enableUsers(password: password)
    func cluster(_ user: EtcdUser?, client: String = "client") -> EtcdCluster {
      member.cluster(member.tls(client: client), user: user)
    }
    let app = cluster(user)
    let store = KeyValueStore(etcd: app, prefix: "/app/settings")
    try store.set(1, for: "a")
    #expect(try store.value(of: "a") == 1)
    // A vault of the user, and a token that became void.
    let directory = try TemporaryDirectory()
    let key = URL(filePath: directory("key"))
    try Data((0..<64).map { UInt8($0) }).write(to: key)
    let vault = SecretVault(
      etcd: app, prefix: "/app/vault", stateDirectory: URL(filePath: directory("state")))
    try vault.addSlot(.keyFile(key), named: "every machine")
    app.state.withLock { $0.token = "void" }
    _ = try vault.add("1", account: "a")
    #expect(try vault.text(of: "a") == "1")

    var errors: [any Error] = []
    func expect(
      _ cluster: EtcdCluster, _ prefix: String,
      sourceLocation: SourceLocation = #_sourceLocation, _ isExpected: (KeyValueStoreError) -> Bool
    ) {
      do {
        try KeyValueStore(etcd: cluster, prefix: prefix).set("secret value", for: "a")
        Issue.record("There is no error.", sourceLocation: sourceLocation)
      } catch {
        errors.append(error)
        let isRight = (error as? KeyValueStoreError).map(isExpected) == true
        #expect(isRight, "\(error)", sourceLocation: sourceLocation)
      }
    }
    expect(app, "/other") { if case .denied = $0 { true } else { false } }
    let wrong = EtcdUser(name: "app", password: Secret(Data("Mehve".utf8)))
    expect(cluster(wrong), "/app/s") { "\($0)".contains("password") }
    expect(cluster(nil), "/app/s") { "\($0)".contains("requires a user") }
    expect(cluster(user, client: "named"), "/app/s") { "\($0)".contains("common name") }
    try member.control(
      ["user", "passwd", "app", "--interactive=false", "--user", "root:root"], input: "new")
    expect(cluster(user), "/app/s") { "\($0)".contains("password") }
    for error in errors {
      for secret in [password, "Mehve", "secret value"] { #expect(!"\(error)".contains(secret)) }
    }
    #expect(!String(reflecting: app).contains(password))
    var dumped = ""
    dump(app, to: &dumped)
    #expect(!dumped.contains("app\"") && !dumped.contains(password))
  }

  @Test(arguments: [
    "https://app:secret@127.0.0.1", "127.0.0.1:2379", "https://", "ftp://x", "http://x/path",
    "http://x y",
  ])
  func endpointsAreAddressesOnly(_ endpoint: String) throws {
    let error = failure(of: EtcdCluster(endpoints: [endpoint]))
    guard case .invalid? = error else {
      Issue.record("\(String(describing: error))")
      return
    }
    #expect(!"\(String(describing: error))".contains("secret"))
  }
}
