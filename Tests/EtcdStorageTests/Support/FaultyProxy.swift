import CLibrary
import Concurrency
import TestSupport

/// A server on a free port that passes what it receives to another one, or fails in some way.
final class FaultyProxy: Sendable {
  enum Mode: Sendable {
    case pass
    /// Closes each connection.
    case refuse
    /// Takes requests, and neither passes nor answers them.
    case silent
    /// Does so with the connections of the members of etcd with these numbers only.
    case isolate(Set<String>)
    /// Passes requests, and closes the connection instead of answering one with a text.
    case dropAnswers(to: String)
    /// Does so with the next answer only.
    case dropNextAnswer
    /// Passes answers with changed bytes.
    case change(@Sendable (inout [UInt8]) -> Void)
    /// Answers each request with bytes.
    case answer(@Sendable () -> [UInt8])
  }

  /// Both sides of a connection.
  private final class Link: Sendable {
    struct State: Sendable {
      /// Whether bytes were lost, so that nothing is passed any more.
      var isSilent = false
      /// The beginning of the last request.
      var request = ""
      /// The number of the member that sends the requests.
      var sender = ""
      /// The number of threads that use the sockets; the last one closes them.
      var users = 2
    }

    let client, server: Int32
    let state = Lock(State())

    init(_ client: Int32, _ server: Int32) { (self.client, self.server) = (client, server) }

    func end() { for socket in [client, server] { shutdown(socket, Int32(SHUT_RDWR)) } }

    /// Returns the state after a request of a client.
    func received(_ bytes: [UInt8], isRequest: Bool) -> State {
      state.withLock { state in
        if isRequest,
          bytes.starts(with: Array("POST ".utf8)) || bytes.starts(with: Array("GET ".utf8))
        {
          state.request = String(decoding: bytes.prefix(4000), as: UTF8.self)
          let name = "X-Server-From: "
          let line = state.request.split(separator: "\r\n").first { $0.hasPrefix(name) }
          state.sender = line.map { String($0.dropFirst(name.count)) } ?? ""
        }
        return state
      }
    }
  }

  let port: Int
  private let target: UInt16
  private let listener: Int32
  private let mode: Lock<Mode>
  private let links = Lock<[ObjectIdentifier: Link]>([:])

  var url: String { "http://127.0.0.1:\(port)" }

  init(to url: String, _ mode: Mode = .pass) throws {
    port = try EtcdProcess.freePorts(1)[0]
    target = UInt16(url.split(separator: ":").last ?? "") ?? 0
    self.mode = Lock(mode)
    let listener = socket(AF_INET, EtcdProcess.streamSocket, 0)
    self.listener = listener
    var one: Int32 = 1
    unsafe setsockopt(listener, SOL_SOCKET, SO_REUSEADDR, &one, 4)
    _ = unsafe Self.withAddress(UInt16(port)) { address, size in
      unsafe bind(listener, address, size)
    }
    listen(listener, 64)
    _ = DetachedThread.start { [weak self] in
      while true {
        let client = accept(listener, nil, nil)
        guard client >= 0, let self else { return }
        self.serve(client)
      }
    }
  }

  deinit {
    shutdown(listener, Int32(SHUT_RDWR))
    close(listener)
    endConnections()
  }

  private func endConnections() { for link in links.withLock({ $0.values }) { link.end() } }

  /// Sets what happens from now on, and ends the connections that exist.
  func set(_ new: Mode, endingConnections: Bool = false) {
    mode.withLock { $0 = new }
    if endingConnections { endConnections() }
  }

  /// Makes the connections that exist silent, as a router does that has forgotten them.
  func silenceConnections() {
    for link in links.withLock({ $0.values }) { link.state.withLock { $0.isSilent = true } }
  }

  private static func withAddress(
    _ port: UInt16, _ body: (UnsafePointer<sockaddr>, socklen_t) -> Int32
  ) -> Int32 {
    var address = sockaddr_in()
    address.sin_family = sa_family_t(AF_INET)
    address.sin_port = port.bigEndian
    address.sin_addr.s_addr = UInt32(0x7F00_0001).bigEndian
    return unsafe withUnsafePointer(to: &address) { address in
      unsafe address.withMemoryRebound(to: sockaddr.self, capacity: 1) {
        unsafe body($0, socklen_t(MemoryLayout<sockaddr_in>.size))
      }
    }
  }

  private func serve(_ client: Int32) {
    let server = socket(AF_INET, EtcdProcess.streamSocket, 0)
    let code = unsafe Self.withAddress(target) { unsafe connect(server, $0, $1) }
    let link = Link(client, server)
    links.withLock { $0[ObjectIdentifier(link)] = link }
    let end: @Sendable () -> Void = { [links] in
      link.end()
      let isLast = link.state.withLock { state in
        state.users -= 1
        return state.users == 0
      }
      guard isLast else { return }
      links.withLock { $0[ObjectIdentifier(link)] = nil }
      close(client)
      close(server)
    }
    if code != 0 { link.end() }
    for (from, to) in [(client, server), (server, client)] {
      let isRequest = from == client
      let started = DetachedThread.start { [weak self] in
        defer { end() }
        var buffer = [UInt8](repeating: 0, count: 1 << 16)
        while true {
          let count = unsafe recv(from, &buffer, buffer.count, 0)
          guard count > 0, let self else { return }
          var bytes = Array(buffer[..<count])
          guard self.handle(&bytes, isRequest: isRequest, link) else { return }
          if bytes.isEmpty { continue }
          let sent = unsafe send(to, bytes, bytes.count, Int32(MSG_NOSIGNAL))
          if sent != bytes.count { return }
        }
      }
      if started != 0 { end() }
    }
  }

  /// Changes bytes on their way; returns false to end the connection.
  private func handle(_ bytes: inout [UInt8], isRequest: Bool, _ link: Link) -> Bool {
    let mode = self.mode.withLock { mode -> Mode in
      if case .dropNextAnswer = mode, !isRequest {
        mode = .pass
        return .dropAnswers(to: "")
      }
      return mode
    }
    let state = link.received(bytes, isRequest: isRequest)
    var isLost = state.isSilent
    switch mode {
    case .pass, .dropNextAnswer: break
    case .refuse: return false
    case .silent: isLost = true
    case .isolate(let members): isLost = isLost || members.contains(state.sender)
    case .dropAnswers(let path):
      if !isRequest, path.isEmpty || state.request.contains(path) { return false }
    case .change(let change): if !isRequest { change(&bytes) }
    case .answer(let answer):
      if isRequest {
        let text = answer()
        _ = unsafe send(link.client, text, text.count, Int32(MSG_NOSIGNAL))
      }
      bytes = []
    }
    if isLost {
      link.state.withLock { $0.isSilent = true }
      bytes = []
    }
    return true
  }
}
