import Dispatch
import EtcdStorage
import FoundationEssentials
import KeyValueStorage
import SecretStorage

/// Comparisons with etcd itself; none if it is not installed.
let etcdRows: [Row] =
  !BenchmarkMember.isInstalled
  ? []
  : [
    Row(
      name: "etcd vault set", subject: EtcdWorkloads.set(threads: 1), baseline: EtcdWorkloads.put,
      target: .ratio(atMost: 1.5)),
    Row(
      name: "etcd vault set, 8 threads", subject: EtcdWorkloads.set(threads: 8),
      baseline: EtcdWorkloads.set(threads: 1), target: .ratio(atMost: 1.0 / 4)),
    Row(
      name: "etcd vault get", subject: EtcdWorkloads.getSecret,
      baseline: EtcdWorkloads.getSecretOfFile, target: nil),
    Row(
      name: "etcd setting set", subject: EtcdWorkloads.setSetting, baseline: EtcdWorkloads.put,
      target: nil),
    Row(
      name: "etcd setting get", subject: EtcdWorkloads.get, baseline: EtcdWorkloads.getOfFile,
      target: .ratio(atMost: 1.2)),
    Row(
      name: "etcd change to observer", subject: EtcdWorkloads.observe,
      baseline: EtcdWorkloads.watch, target: .ratio(atMost: 2)),
  ]

/// The objects are created in the first round, so that other rows do not start etcd.
private enum EtcdWorkloads {
  private static let cluster = BenchmarkMember.shared.cluster

  static let vault = BenchmarkVault(items: 1000) { directory in
    let vault = SecretVault(etcd: cluster, prefix: "/vault", stateDirectory: directory)
    let key = directory.appending(path: "key")
    attempt {
      try FileManager.default.createDirectory(at: directory, withIntermediateDirectories: true)
      try Data((0..<64).map { UInt8($0) }).write(to: key)
      try vault.addSlot(.keyFile(key), named: "every machine")
    }
    return vault
  }

  static func set(threads: Int) -> Workload {
    let started = Counter()
    return Workload(name: "set, \(threads) threads", threads: threads) { iterations in
      let index = started.next() % threads
      let password = vault.password(index)
      for _ in 0..<iterations { password.value = BenchmarkVault.value }
      if let error = password.error { fatalError("\(error)") }
    }
  }

  private static let connection = BareConnection(port: BenchmarkMember.shared.port)!
  /// As long as the record of a set.
  private static let record = String(repeating: "x", count: 420)

  static let put = Workload(name: "bare put") { iterations in
    for _ in 0..<iterations { connection.put("/bare/key", record) }
  }

  static let getSecret = Workload(name: "get") { iterations in
    let password = vault.password(500)
    for _ in 0..<iterations { keep(password.value) }
  }

  private static let fileVault = BenchmarkVault(items: 1000)

  static let getSecretOfFile = Workload(name: "get of a file's vault") { iterations in
    let password = fileVault.password(500)
    for _ in 0..<iterations { keep(password.value) }
  }

  private static let fileSettings = BenchmarkSettings(keys: 1000)

  private static func settings(_ store: KeyValueStore) -> [StoredValue<String>] {
    attempt {
      try store.transaction {
        for index in 0..<1000 {
          try store.set(BenchmarkSettings.value(index), for: BenchmarkSettings.key(index))
        }
      }
    }
    return (0..<1000).map { fileSettings.setting($0, in: store) }
  }

  private static let store = KeyValueStore(etcd: cluster, prefix: "/settings")
  private static let ofEtcd = settings(store)
  private static let ofFile = settings(fileSettings.open())

  static let get = Workload(name: "get") { iterations in
    let settings = ofEtcd
    for index in 0..<iterations { keep(settings[index % settings.count].wrappedValue) }
  }

  static let getOfFile = Workload(name: "get of a file's setting") { iterations in
    let settings = ofFile
    for index in 0..<iterations { keep(settings[index % settings.count].wrappedValue) }
  }

  static let setSetting = Workload(name: "set") { iterations in
    for index in 0..<iterations {
      ofEtcd[index % 1000].wrappedValue = BenchmarkSettings.value(Int.random(in: 0..<1_000_000))
    }
  }

  private static let heard = DispatchSemaphore(value: 0)
  private static let observed = KeyValueStore(etcd: cluster, prefix: "/observed")
  private static let observation = observed.observe { _ in heard.signal() }

  /// Changes a setting as another program does, and waits until an observer is called.
  static let observe = Workload(name: "put and observe") { iterations in
    keep(observation)
    for _ in 0..<iterations {
      connection.put("/observed/key", "\"\(Int.random(in: 0..<1_000_000_000))\"")
      heard.wait()
    }
  }

  private static let watcher = {
    let connection = BareConnection(port: BenchmarkMember.shared.port)!
    connection.watch("/watched/")
    return connection
  }()

  static let watch = Workload(name: "bare put and watch") { iterations in
    let watcher = watcher
    for _ in 0..<iterations {
      connection.put("/watched/key", "\"\(Int.random(in: 0..<1_000_000_000))\"")
      watcher.waitForChange()
    }
  }
}
