import CLibrary
import Concurrency
import EtcdStorage
import FoundationEssentials
import KeyValueStorage
import SecretStorage

/// A process of the campaign: it increments a counter in a vault, and one in settings, and prints a
/// journal of each in the form of `CounterHistory`, with the name of the counter before each line.
///
/// Meanwhile, another thread calls the getters of both; a line `g` has the longest time of a call,
/// in milliseconds.
@main enum EtcdWorker {
  static func main() throws {
    KeyValueStore.onFailure = { _ in }
    SecretStores.onFailure = { _ in }
    let arguments = CommandLine.arguments
    let cluster = EtcdCluster(
      endpoints: arguments[1].split(separator: ",").map(String.init),
      user: EtcdUser(name: arguments[5], password: Secret(arguments[6].utf8)))
    let (prefix, directory, count) = (arguments[2], arguments[3], Int(arguments[4]) ?? 0)
    let vault = SecretVault(
      etcd: cluster, prefix: "\(prefix)/vault", stateDirectory: URL(filePath: directory),
      authenticator: nil)
    let store = KeyValueStore(etcd: cluster, prefix: "\(prefix)/settings")
    let longest = Lock(Duration.zero)
    guard DetachedThread.start({ get(vault, store, longest) }) == 0 else { exit(2) }
    for _ in 0..<count {
      try repeating("v") { try increment(vault) }
      try repeating("s") { try increment(store) }
      // A read may be refused while there is no quorum.
      let begin = now()
      if let number = try? read(store) { line("s", "r\t\(begin)\t\(now())\t\(number)") }
    }
    line("g", "\(Int(longest.withLock { $0 } / .milliseconds(1)))")
  }

  private static func get(
    _ vault: SecretVault, _ store: KeyValueStore, _ longest: Lock<Duration>
  ) {
    let password = PasswordItem<String>(.generic(service: "counter"), in: vault)
    let setting = StoredValue(wrappedValue: 0, "counter", in: store)
    func measure<Value>(_ body: () -> Value) -> Value {
      let start = ContinuousClock.now
      defer {
        let time = ContinuousClock.now - start
        longest.withLock { $0 = max($0, time) }
      }
      return body()
    }
    while true {
      let begin = now()
      let value = measure { password.value }
      // A getter knows the writes that returned a second before it.
      if password.status == .value, let number = value.flatMap({ Int($0) }) {
        line("v", "r\t\(begin - 1_000_000_000)\t\(now())\t\(number)")
      }
      _ = measure { setting.wrappedValue }
      usleep(20_000)
    }
  }

  private static func now() -> UInt64 {
    var time = timespec()
    unsafe clock_gettime(CLOCK_MONOTONIC, &time)
    return UInt64(time.tv_sec) * 1_000_000_000 + UInt64(time.tv_nsec)
  }

  private static func line(_ counter: String, _ text: String) { print("\(counter)\t\(text)") }

  /// Increments a counter, again after each failure that is certain.
  private static func repeating(_ counter: String, _ body: () throws -> Int) throws {
    while true {
      line(counter, "+")
      let begin = now()
      do {
        let number = try body()
        return line(counter, "=\t\(begin)\t\(now())\t\(number)")
      } catch SecretStoreError.uncertain, KeyValueStoreError.uncertain {
        return line(counter, "?")
      } catch SecretStoreError.conflict, SecretStoreError.unavailable,
        KeyValueStoreError.unavailable
      {
        line(counter, "-")
        usleep(20_000)
      }
    }
  }

  private static func increment(_ vault: SecretVault) throws -> Int {
    let identity = ItemIdentity.generic(service: "counter")
    guard let item = try vault.items(matching: .exactly(identity)).first,
      let reading = try vault.secret(of: item.id)
    else { throw SecretStoreError.conflict }
    let text = unsafe reading.secret.withUnsafeBytes { bytes in
      unsafe String(decoding: bytes, as: UTF8.self)
    }
    let number = (Int(text) ?? 0) + 1
    _ = try vault.update(
      item.id, expecting: reading.itemRevision, attributes: nil, secret: Secret("\(number)".utf8))
    return number
  }

  private static func increment(_ store: KeyValueStore) throws -> Int {
    try store.transaction {
      let number = (try store.value(of: "counter") ?? 0) + 1
      try store.set(number, for: "counter")
      return number
    }
  }

  private static func read(_ store: KeyValueStore) throws -> Int {
    try store.value(of: "counter") ?? 0
  }
}
