import CLibrary
import Concurrency
import FoundationEssentials
package import Testing

/// A member of an etcd cluster, whose process and data are removed when the test process ends.
package final class EtcdProcess: Sendable {
  /// The member that the tests of a process share, each with keys of its own.
  package static let shared = Result { try EtcdProcess() }

  package let directory: String
  package let url: String
  private let words: [String]
  /// The writing end of the standard input of the shell that ends the member.
  private let input = Lock<Int32>(-1)
  private let shell = Lock<pid_t>(0)

  package struct Failure: Error {
    let what: String
  }

  /// Starts the only member of a new cluster.
  package convenience init() throws {
    let ports = try Self.freePorts(2)
    let (client, peer) = ("http://127.0.0.1:\(ports[0])", "http://127.0.0.1:\(ports[1])")
    try self.init(
      name: "only", url: client,
      [
        "--listen-peer-urls", peer, "--initial-advertise-peer-urls", peer,
        "--initial-cluster", "only=\(peer)",
      ])
  }

  package init(name: String, url: String, _ options: [String]) throws {
    self.url = url
    directory = "\(FileManager.default.temporaryDirectory.path)/locket-etcd-\(UUID())"
    try FileManager.default.createDirectory(atPath: directory, withIntermediateDirectories: true)
    words =
      [
        "--name", name, "--data-dir", "\(directory)/data", "--logger", "zap", "--log-level",
        "error",
        "--listen-client-urls", url, "--advertise-client-urls", url,
      ] + options
    try start()
  }

  deinit { stop() }

  /// Starts the member, again if it was killed.
  package func start() throws {
    stop()
    // The shell lives as long as the test process, whose end closes its standard input.
    let script = """
      etcd "$@" >"\(directory)/log" 2>&1 </dev/null & member=$!
      echo $member >"\(directory)/pid.new"; mv "\(directory)/pid.new" "\(directory)/pid"
      cat >/dev/null; kill -KILL $member; wait $member 2>/dev/null
      [ -e "\(directory)/keep" ] || rm -rf "\(directory)"
      """
    // A pipe with a name, which can be opened without a moment in which a child inherits it.
    let pipe = "\(directory)/\(UUID())"
    guard unsafe mkfifo(pipe, 0o600) == 0 else { throw Failure(what: "mkfifo") }
    let end = unsafe open(pipe, O_RDWR | O_CLOEXEC)
    var actions = unsafe posix_spawn_file_actions_t()
    unsafe posix_spawn_file_actions_init(&actions)
    defer { unsafe posix_spawn_file_actions_destroy(&actions) }
    unsafe posix_spawn_file_actions_addopen(&actions, 0, pipe, O_RDONLY, 0)
    // Allocated for the call, and freed after it.
    var arguments =
      unsafe (["/bin/sh", "-c", script, "sh"] + words).map { unsafe strdup($0) } + [nil]
    defer { unsafe arguments.forEach { unsafe free($0) } }
    var process: pid_t = 0
    let code = unsafe posix_spawn(&process, "/bin/sh", &actions, nil, &arguments, environ)
    guard code == 0 else {
      close(end)
      throw Failure(what: "posix_spawn: \(code)")
    }
    input.withLock { $0 = end }
    shell.withLock { $0 = process }
    try wait { FileManager.default.fileExists(atPath: "\(directory)/pid") }
  }

  /// Kills the member, which keeps its data if `keepingData`.
  package func stop(keepingData: Bool = false) {
    let process = shell.withLock { shell in
      defer { shell = 0 }
      return shell
    }
    guard process != 0 else { return }
    if keepingData {
      _ = FileManager.default.createFile(atPath: "\(directory)/keep", contents: nil)
    }
    close(input.withLock { $0 })
    var status: Int32 = 0
    while unsafe waitpid(process, &status, 0) == -1, errno == EINTR {}
    if keepingData {
      for name in ["keep", "pid"] {
        do { try FileManager.default.removeItem(atPath: "\(directory)/\(name)") } catch {}
      }
    }
  }

  /// Replaces the data of the only member of a cluster by a snapshot, and restarts the member.
  package func restore(_ snapshot: String) throws {
    stop(keepingData: true)
    try FileManager.default.removeItem(atPath: "\(directory)/data")
    let options = ["--name", "--data-dir", "--initial-cluster", "--initial-advertise-peer-urls"]
      .flatMap { option in [option, words[(words.firstIndex(of: option) ?? 0) + 1]] }
    try control(["snapshot", "restore", snapshot] + options)
    try start()
  }

  /// Sends a signal to the member, such as SIGSTOP.
  package func signal(_ number: Int32) throws {
    let text = String(decoding: try content(of: "\(directory)/pid"), as: UTF8.self)
    guard let process = pid_t(text.filter(\.isNumber)) else { throw Failure(what: "pid") }
    kill(process, number)
  }

  /// Returns ports that no process uses at present.
  package static func freePorts(_ count: Int) throws -> [Int] {
    var sockets: [Int32] = []
    defer { for socket in sockets { close(socket) } }
    return try (0..<count).map { _ in
      let socket = CLibrary.socket(AF_INET, streamSocket, 0)
      sockets.append(socket)
      var address = sockaddr_in()
      address.sin_family = sa_family_t(AF_INET)
      address.sin_addr.s_addr = UInt32(0x7F00_0001).bigEndian
      var size = socklen_t(MemoryLayout<sockaddr_in>.size)
      let port = unsafe withUnsafeMutablePointer(to: &address) { address -> Int? in
        unsafe address.withMemoryRebound(to: sockaddr.self, capacity: 1) { address in
          guard unsafe bind(socket, address, size) == 0,
            unsafe getsockname(socket, address, &size) == 0
          else { return nil }
          return 0
        }
      }
      guard port != nil else { throw Failure(what: "no free port") }
      return Int(UInt16(bigEndian: address.sin_port))
    }
  }

  #if canImport(Glibc)
    package static let streamSocket = Int32(SOCK_STREAM.rawValue)
  #else
    package static let streamSocket = Int32(SOCK_STREAM)
  #endif

  /// Runs etcd's own client with the member, and returns its output.
  @discardableResult
  package func control(_ arguments: [String], input: String = "") throws -> String {
    let file = "\(directory)/\(UUID())"
    let child = try ChildProcess(
      "/bin/sh",
      ["-c", "printf %s \"$1\" | { shift; ETCDCTL_API=3 exec etcdctl \"$@\" 2>&1; }", "sh", input]
        + ["--endpoints", url] + arguments, output: file)
    let status = child.end()
    let text = String(decoding: try content(of: file), as: UTF8.self)
    if status != 0 { throw Failure(what: text) }
    return text
  }

  /// Whether etcd, its client, libcurl and openssl are installed.
  package static let isInstalled: Bool = {
    let path = ProcessInfo.processInfo.environment["PATH"] ?? ""
    let hasPrograms = ["etcd", "etcdctl", "openssl"].allSatisfy { program in
      path.split(separator: ":").contains {
        FileManager.default.isExecutableFile(atPath: "\($0)/\(program)")
      }
    }
    let libraries = ["libcurl.so.4", "libcurl-gnutls.so.4"]
    return hasPrograms && libraries.contains { unsafe dlopen($0, RTLD_NOW | RTLD_LOCAL) != nil }
  }()
}

extension Trait where Self == ConditionTrait {
  /// Skips tests where etcd is not installed; where `CI` is set, they fail instead.
  package static var needsEtcd: Self {
    .enabled(
      if: EtcdProcess.isInstalled || ProcessInfo.processInfo.environment["CI"] != nil,
      "The packages etcd-server, etcd-client, libcurl4 and openssl are not all installed.")
  }
}
