import EtcdStorage
import Foundation
import Glibc

/// A cluster with one member of etcd, which ends with this process.
final class BenchmarkMember: Sendable {
  static let shared = BenchmarkMember()

  static let isInstalled = {
    let path = ProcessInfo.processInfo.environment["PATH"] ?? ""
    return path.split(separator: ":").contains {
      FileManager.default.isExecutableFile(atPath: "\($0)/etcd")
    }
  }()
  static let missing = "The rows of etcd are skipped, because etcd is not installed."

  let port: UInt16
  var url: String { "http://127.0.0.1:\(port)" }
  var cluster: EtcdCluster { EtcdCluster(endpoints: [url]) }

  private init() {
    let free = (0..<2).map { _ in BareConnection.freePort() }
    port = free[0]
    let directory = FileManager.default.temporaryDirectory.appending(path: "locket-\(UUID())")
    let peer = "http://127.0.0.1:\(free[1])"
    // The shell lives as long as this process, whose end closes its standard input.
    let script = """
      etcd --data-dir "$0" --logger zap --log-level error --quota-backend-bytes 4294967296 \
      --listen-client-urls "$1" --advertise-client-urls "$1" --listen-peer-urls "$2" \
      --initial-advertise-peer-urls "$2" --initial-cluster "default=$2" </dev/null >/dev/null 2>&1 &
      cat >/dev/null; kill -KILL $!; wait $! 2>/dev/null; rm -rf "$0"
      """
    let shell = Process()
    shell.executableURL = URL(filePath: "/bin/sh")
    shell.arguments = ["-c", script, directory.path, "http://127.0.0.1:\(port)", peer]
    // The shell keeps the pipe until this process ends.
    let input = Pipe()
    _ = Unmanaged.passRetained(input)
    shell.standardInput = input
    attempt { try shell.run() }
    for _ in 0..<500 where BareConnection(port: port) == nil { usleep(20_000) }
  }
}

/// A kept connection to the JSON gateway of etcd, with nothing between it and the socket.
final class BareConnection: @unchecked Sendable {
  // `@unchecked`: each connection is used by one thread at a time.
  private let socket: Int32
  private var received: [UInt8] = []

  static func freePort() -> UInt16 {
    let socket = Glibc.socket(AF_INET, Int32(SOCK_STREAM.rawValue), 0)
    defer { close(socket) }
    var (address, size) = (loopback(0), socklen_t(MemoryLayout<sockaddr_in>.size))
    withUnsafeMutablePointer(to: &address) { address in
      address.withMemoryRebound(to: sockaddr.self, capacity: 1) {
        _ = bind(socket, $0, size)
        _ = getsockname(socket, $0, &size)
      }
    }
    return UInt16(bigEndian: address.sin_port)
  }

  private static func loopback(_ port: UInt16) -> sockaddr_in {
    var address = sockaddr_in()
    address.sin_family = sa_family_t(AF_INET)
    address.sin_port = port.bigEndian
    address.sin_addr.s_addr = UInt32(0x7F00_0001).bigEndian
    return address
  }

  /// Connects to a port of this machine; nil while there is no server.
  init?(port: UInt16) {
    socket = Glibc.socket(AF_INET, Int32(SOCK_STREAM.rawValue), 0)
    var address = Self.loopback(port)
    let code = withUnsafePointer(to: &address) { address in
      address.withMemoryRebound(to: sockaddr.self, capacity: 1) {
        connect(socket, $0, socklen_t(MemoryLayout<sockaddr_in>.size))
      }
    }
    if code != 0 { return nil }
  }

  deinit { close(socket) }

  private func send(_ path: String, _ body: String) {
    let text = Array(
      """
      POST /v3/\(path) HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/json\r\n\
      Content-Length: \(body.utf8.count)\r\n\r\n\(body)
      """.utf8)
    guard Glibc.send(socket, text, text.count, 0) == text.count else { fatalError("send") }
  }

  private func receive() {
    var buffer = [UInt8](repeating: 0, count: 1 << 16)
    let count = recv(socket, &buffer, buffer.count, 0)
    guard count > 0 else { fatalError("etcd closed the connection (error \(errno)).") }
    received += buffer[..<count]
  }

  /// Puts a value, and waits for the answer.
  func put(_ key: String, _ value: String) {
    let (key, value) = (
      Data(key.utf8).base64EncodedString(), Data(value.utf8).base64EncodedString()
    )
    send("kv/put", "{\"key\":\"\(key)\",\"value\":\"\(value)\"}")
    received = []
    // The answer is an object of one header.
    while !received.suffix(3).starts(with: "}}\n".utf8), received.last != UInt8(ascii: "}") {
      receive()
    }
    guard received.starts(with: "HTTP/1.1 200".utf8) else { fatalError("etcd refused a put.") }
  }

  /// Begins to watch the keys with a prefix.
  func watch(_ prefix: String) {
    let key = Data(prefix.utf8).base64EncodedString()
    let end = Data((prefix.dropLast() + "0").utf8).base64EncodedString()
    send("watch", "{\"create_request\":{\"key\":\"\(key)\",\"range_end\":\"\(end)\"}}")
    wait(for: "\"created\"")
  }

  /// Waits for the next change.
  func waitForChange() { wait(for: "\"events\"") }

  private func wait(for text: String) {
    while true {
      if let range = Data(received).range(of: Data(text.utf8)) {
        received.removeFirst(range.upperBound)
        return
      }
      receive()
    }
  }
}
