import Dispatch
import EtcdStorage
import Foundation
import KeyValueStorage
import SecretStorage

/// A vault and settings with many items in etcd: the times of opening and of a change, and the
/// memory.
///
/// They are made in one process and measured in a new one, whose memory holds nothing else.
enum LargeCluster {
  private static let prefix = "/large"

  static func make(count: Int) {
    let member = BenchmarkMember.shared
    let made = BenchmarkVault(items: count, isCompacted: true) { directory in
      attempt {
        let key = directory.appending(path: "key")
        try FileManager.default.createDirectory(at: directory, withIntermediateDirectories: true)
        try Data((0..<64).map { UInt8($0) }).write(to: key)
        let vault = vault(member.cluster, directory)
        try vault.addSlot(.keyFile(key), named: "every machine")
        return vault
      }
    }
    let store = KeyValueStore(etcd: member.cluster, prefix: "\(prefix)/settings")
    attempt {
      try store.transaction {
        for index in 0..<count {
          try store.set(BenchmarkSettings.value(index), for: BenchmarkSettings.key(index))
        }
      }
    }
    let process = Process()
    process.executableURL = URL(filePath: "/proc/self/exe").resolvingSymlinksInPath()
    process.arguments = ["--large-cluster-at", member.url, made.directory.path, "\(count)"]
    attempt { try process.run() }
    process.waitUntilExit()
  }

  private static func vault(_ cluster: EtcdCluster, _ directory: URL) -> SecretVault {
    SecretVault(etcd: cluster, prefix: "\(prefix)/vault", stateDirectory: directory)
  }

  static func measure(_ url: String, _ directory: URL, count: Int) {
    func cluster() -> EtcdCluster { EtcdCluster(endpoints: [url]) }
    let clock = ContinuousClock()
    let heard = DispatchSemaphore(value: 0)

    let first = residentBytes
    let vault = vault(cluster(), directory)
    func password(_ vault: SecretVault) -> PasswordItem<String> {
      PasswordItem(.generic(service: "benchmark", account: "account-1"), in: vault)
    }
    let item = password(vault)
    let vaultTime = clock.measure { _ = item.value }
    let vaultMemory = residentBytes - first
    let observation = vault.observeChanges { heard.signal() }
    let other = Self.vault(cluster(), directory)
    _ = password(other).value
    let change = clock.measure {
      password(other).value = "changed"
      heard.wait()
      while item.value != "changed" {}
    }
    keep(observation)

    let second = residentBytes
    let store = KeyValueStore(etcd: cluster(), prefix: "\(prefix)/settings")
    let setting = StoredValue(wrappedValue: "", BenchmarkSettings.key(1), in: store)
    let storeTime = clock.measure { _ = setting.wrappedValue }
    let storeMemory = residentBytes - second
    let settingObservation = setting.observe { _, new in if new == "changed" { heard.signal() } }
    let writer = BareConnection(port: UInt16(url.split(separator: ":").last ?? "") ?? 0)
    let settingChange = clock.measure {
      writer?.put("\(prefix)/settings/\(BenchmarkSettings.key(1))", "\"changed\"")
      heard.wait()
    }
    keep((settingObservation, store))
    print(
      """
      In etcd, a vault of \(count) items of 32 bytes was opened in \(milliseconds(vaultTime)) ms, \
      with \(vaultMemory / count) bytes of memory an item; a set was seen by another object after \
      \(milliseconds(change)) ms. \(count) settings of 32 characters were opened in \
      \(milliseconds(storeTime)) ms, with \(storeMemory / count) bytes of memory a setting; a bare \
      put was seen by an observer after \(milliseconds(settingChange)) ms.
      """)
  }
}
