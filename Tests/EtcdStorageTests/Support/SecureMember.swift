import Concurrency
import FoundationEssentials
import SecretStorage
import TestSupport

@testable import EtcdStorage

/// Certificates, and members of etcd that use them.
final class SecureMember: Sendable {
  let processes: [EtcdProcess]
  let directory: TemporaryDirectory
  let urls: [String]

  struct Failure: Error {
    let output: String
  }

  /// Makes an authority, and certificates for addresses, with their days of validity.
  private static let script = """
    set -eu
    cd "$1"
    new="-newkey ec -pkeyopt ec_paramgen_curve:P-256 -nodes"
    authority() {
      openssl req -x509 $new -keyout "$1.key" -out "$1.pem" -days 3 -subj "/CN=$1" \\
        -addext basicConstraints=critical,CA:true -addext keyUsage=critical,keyCertSign,cRLSign
    }
    certificate() {
      openssl req $new -keyout "$1.key" -out "$1.csr" -subj "$2"
      printf 'subjectAltName=%s\\nextendedKeyUsage=serverAuth,clientAuth\\nkeyUsage=digitalSignature' \\
        "$3" >"$1.ext"
      openssl x509 -req -in "$1.csr" -CA authority.pem -CAkey authority.key -CAcreateserial \\
        -days $4 -out "$1.pem" -extfile "$1.ext"
    }
    authority authority
    authority stranger
    certificate server /O=server IP:127.0.0.1,DNS:localhost 3
    certificate client /O=client DNS:client 3
    certificate named /CN=app DNS:client 3
    certificate expired /O=server IP:127.0.0.1 -1
    certificate other /O=server IP:127.0.0.2 3
    """

  init(server: String = "server", members: Int = 1) throws {
    directory = try TemporaryDirectory()
    let output = directory("output")
    let child = try ChildProcess(
      "/bin/sh", ["-c", "exec 2>&1; \(Self.script)", "sh", directory.path], output: output)
    guard child.end() == 0 else {
      throw Failure(output: String(decoding: try content(of: output), as: UTF8.self))
    }
    let ports = try EtcdProcess.freePorts(2 * members)
    let peers = ports.dropFirst(members).map { "http://127.0.0.1:\($0)" }
    urls = ports.prefix(members).map { "https://127.0.0.1:\($0)" }
    let all = peers.enumerated().map { "m\($0)=\($1)" }.joined(separator: ",")
    var processes: [EtcdProcess] = []
    for (number, (url, peer)) in zip(urls, peers).enumerated() {
      processes.append(
        try EtcdProcess(
          name: "m\(number)", url: url,
          [
            "--listen-peer-urls", peer, "--initial-advertise-peer-urls", peer,
            "--initial-cluster", all, "--cert-file", directory("\(server).pem"),
            "--key-file", directory("\(server).key"), "--trusted-ca-file",
            directory("authority.pem"), "--client-cert-auth",
          ]))
    }
    self.processes = processes
  }

  func file(_ name: String) -> URL { URL(filePath: directory(name)) }

  func tls(authority: String = "authority", client: String? = "client") -> EtcdTLS {
    EtcdTLS(
      authority: .file(file("\(authority).pem")),
      certificate: client.map { .file(file("\($0).pem")) },
      key: client.map { .file(file("\($0).key")) })
  }

  func cluster(_ tls: EtcdTLS? = nil, user: EtcdUser? = nil) -> EtcdCluster {
    let cluster = EtcdCluster(endpoints: urls, tls: tls ?? self.tls(), user: user)
    cluster.requestTimeout = .seconds(20)
    cluster.readTimeout = .seconds(60)
    return cluster
  }

  /// Runs etcd's own client, with certificates.
  @discardableResult
  func control(_ arguments: [String], input: String = "") throws -> String {
    try processes[0].control(
      arguments + [
        "--cacert", directory("authority.pem"), "--cert", directory("client.pem"), "--key",
        directory("client.key"),
      ], input: input)
  }

  /// Makes the user `app`, whose role permits the keys that begin with `/app`.
  func enableUsers(password: String) throws -> EtcdUser {
    try EtcdStorageTests.enableUsers(password: password) { try control($0) }
  }
}

/// Makes the user `app` in the cluster of a member, whose client is called with arguments.
func enableUsers(
  password: String, _ control: (_ arguments: [String]) throws -> Void
) throws -> EtcdUser {
  for command in [
    ["user", "add", "root:root"], ["user", "grant-role", "root", "root"],
    ["user", "add", "app:\(password)"], ["role", "add", "app"],
    ["role", "grant-permission", "app", "--prefix=true", "readwrite", "/app"],
    ["user", "grant-role", "app", "app"], ["auth", "enable"],
  ] { try control(command) }
  return EtcdUser(name: "app", password: Secret(Data(password.utf8)))
}
