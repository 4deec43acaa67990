import Concurrency
import FoundationEssentials
import KeyValueStorage
import SecretStorage
import TestSupport
import Testing

@testable import EtcdStorage

/// A server that answers anything: there is no trap, no hang and no wrong secret.
@Suite(.needsEtcd, .expectsFailures)
struct HostileServerTests {
  private func short(_ url: String) -> EtcdCluster {
    let cluster = EtcdCluster(endpoints: [url])
    cluster.requestTimeout = .milliseconds(50)
    cluster.readTimeout = .milliseconds(50)
    cluster.writeTimeout = .milliseconds(50)
    return cluster
  }

  static let bodies: [String] = [
    "", "null", "[]", "{}", "{\"header\":{\"revision\":\"x\"}}", "{\"kvs\":[{}]}",
    "{\"kvs\":[{\"key\":\"!\"}]}",
    "{\"header\":{\"revision\":\"9223372036854775807\"},\"count\":\"9223372036854775807\",\"more\":true,\"kvs\":[{\"key\":\"YQ==\",\"mod_revision\":\"9223372036854775807\"}]}",
    "{\"succeeded\":true}", "{\"succeeded\":true,\"header\":{\"revision\":\"-1\"}}",
    "{\"succeeded\":false,\"responses\":[]}", "{\"succeeded\":false,\"responses\":[{},{},{},{}]}",
    "{\"responses\":[{\"response_range\":{}},{\"response_range\":{\"count\":\"-5\",\"more\":true}}]}",
    "{\"result\":{\"created\":true,\"events\":[{}]}}\n{\"result\":{\"canceled\":true}}\n",
    String(repeating: "[", count: 100_000),
    "{\"error\":\"\(String(repeating: "x", count: 10_000))\",\"code\":7}",
  ]

  @Test(
    arguments: Campaign.isFull
      ? [200, 400, 401, 500].flatMap { status in bodies.map { (status, $0) } }
      : Array(
        zip(
          [200, 200, 400, 200, 401, 200, 500, 200, 200, 200, 200, 200, 200, 200, 200, 403], bodies))
  )
  func anyAnswerIsAnErrorOrNothing(_ status: Int, _ body: String) throws {
    let text = Array(
      "HTTP/1.1 \(status) X\r\nContent-Length: \(body.utf8.count)\r\n\r\n\(body)".utf8)
    let proxy = try FaultyProxy(
      to: try EtcdProcess.shared.get().url, .answer { text })
    let test = try EtcdTestVault(short(proxy.url))
    let vault = test.open()
    vault.lockTimeout = .milliseconds(50)
    #expect(throws: (any Error).self) { try vault.add("1", account: "a") }
    do {
      #expect(try vault.items(matching: .all).isEmpty)
    } catch {
      #expect("\(error)".utf8.count < 1000)
    }
    let store = KeyValueStore(etcd: short(proxy.url), prefix: test.prefix)
    do {
      try store.set(1, for: "a")
    } catch {
      #expect("\(error)".utf8.count < 1000)
    }
    do { _ = try store.keys() } catch { #expect("\(error)".utf8.count < 1000) }
  }

  @Test(arguments: ["9223372036854775807", "-9223372036854775808", "4611686018427387904"])
  func revisionThatCannotBeIsRefused(_ revision: String) throws {
    let body = "{\"succeeded\":true,\"header\":{\"revision\":\"\(revision)\"}}"
    let text = Array("HTTP/1.1 200 X\r\nContent-Length: \(body.utf8.count)\r\n\r\n\(body)".utf8)
    let proxy = try FaultyProxy(to: try EtcdProcess.shared.get().url, .answer { text })
    let store = KeyValueStore(etcd: EtcdCluster(endpoints: [proxy.url]), prefix: "/hostile")
    #expect(throws: KeyValueStoreError.self) { try store.set(1, for: "a") }
  }

  /// A server that knows the password, and repeats it to whatever shows messages.
  @Test(arguments: [7, 3, 9, 14])
  func messagesRepeatNoPasswordAndNoToken(_ code: Int) throws {
    let (password, token) = ("The Valley Wind", "Mehve")
    let body = """
      {"error":"authentication failed: \(password) \(token) \\u001b[31m","code":\(code),\
      "token":"\(token)"}
      """
    // Authentication succeeds with another status.
    for (status, next) in [(400, 400), (200, 400)] {
      let statuses = Lock([status])
      let proxy = try FaultyProxy(
        to: try EtcdProcess.shared.get().url,
        .answer {
          let status = statuses.withLock { $0.popLast() } ?? next
          return Array(
            "HTTP/1.1 \(status) X\r\nContent-Length: \(body.utf8.count)\r\n\r\n\(body)".utf8)
        })
      let cluster = EtcdCluster(
        endpoints: [proxy.url], user: EtcdUser(name: "app", password: Secret(password.utf8)))
      cluster.readTimeout = .milliseconds(500)
      let error = #expect(throws: EtcdError.self) {
        try cluster.read(RangeRequest(key: Bytes("x")))
      }
      let text = "\(try #require(error))"
      if status == 400 { #expect(!text.contains(password)) }
      #expect(!text.contains(token) && !text.contains("\u{1B}"), "\(text)")
    }
  }

  @Test func answerWithoutAnEndIsLimited() throws {
    let part =
      Array(
        "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n800000\r\n".utf8)
      + [UInt8](repeating: 0x20, count: 8 << 20) + Array("\r\n".utf8)
    let proxy = try FaultyProxy(
      to: try EtcdProcess.shared.get().url, .answer { part + part })
    let cluster = short(proxy.url)
    cluster.requestTimeout = .seconds(5)
    let error = #expect(throws: EtcdError.self) {
      try cluster.read(RangeRequest(key: Bytes("x")))
    }
    #expect(error != nil)
  }

  /// Changed bytes within values of base64 and revisions.
  @Test func changedAnswersGiveNoWrongSecret() throws {
    let proxy = try FaultyProxy(to: try EtcdProcess.shared.get().url)
    let test = try EtcdTestVault()
    let vault = try test.make()
    for number in 0..<5 { _ = try vault.add("secret \(number)", account: "a\(number)") }
    let generator = Lock(SeededGenerator(seed: 7))
    var refused = 0
    for _ in 0..<Campaign.size(sample: 20, full: 3000) {
      proxy.set(
        .change { bytes in
          generator.withLock { generator in
            let body = bytes.count - min(bytes.count, 600)
            guard bytes.count > 200 else { return }
            let index = Int.random(in: max(0, body)..<bytes.count, using: &generator)
            let letters = Array("ABCxyz0189+/=\"{}".utf8)
            bytes[index] = letters[Int.random(in: 0..<letters.count, using: &generator)]
          }
        })
      let cluster = short(proxy.url)
      cluster.requestTimeout = .milliseconds(300)
      cluster.readTimeout = .milliseconds(300)
      let object = test.open(cluster)
      do {
        let items = try object.items(matching: .all)
        #expect(items.count == 5)
        for item in items {
          let account = item.identity.account ?? ""
          let expected = "secret \(account.last ?? "?")"
          #expect(try object.secret(of: item.id)?.secret.password == expected)
        }
      } catch {
        refused += 1
      }
    }
    #expect(refused > 0)
    proxy.set(.pass)
    #expect(try test.open(try testCluster()).items(matching: .all).count == 5)
  }
}
