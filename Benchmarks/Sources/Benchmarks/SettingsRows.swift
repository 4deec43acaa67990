import Foundation
import Glibc
import KeyValueStorage

let settingsRows: [Row] = [
  Row(
    name: "setting get", subject: SettingsWorkloads.get, baseline: SettingsBaselines.dictionaryGet,
    target: .ratio(atMost: 2)),
  Row(
    name: "setting get of a struct", subject: SettingsWorkloads.getStruct,
    baseline: SettingsBaselines.dictionaryGet, target: .ratio(atMost: 3)),
  Row(
    name: "setting get", subject: SettingsWorkloads.get, baseline: SettingsBaselines.defaultsGet,
    target: .ratio(atMost: 0.1)),
  Row(name: "setting get", subject: SettingsWorkloads.get, baseline: SQLite.select()),
  Row(
    name: "setting set and get, coalesced", subject: SettingsWorkloads.setAndGet,
    baseline: SettingsBaselines.defaultsSetAndGet, target: .ratio(atMost: 1.0 / 200)),
  Row(
    name: "setting set", subject: SettingsWorkloads.set(SettingsWorkloads.thousand),
    baseline: SettingsBaselines.replace(SettingsWorkloads.thousand), target: .ratio(atMost: 1.4)),
  Row(
    name: "setting set", subject: SettingsWorkloads.set(SettingsWorkloads.thousand),
    baseline: SettingsBaselines.defaultsSet),
  Row(
    name: "setting set", subject: SettingsWorkloads.set(SettingsWorkloads.thousand),
    baseline: SettingsBaselines.encode),
  Row(
    name: "setting set", subject: SettingsWorkloads.set(SettingsWorkloads.thousand),
    baseline: SQLite.upsert()),
  Row(
    name: "setting set at 100,000 keys",
    subject: SettingsWorkloads.set(SettingsWorkloads.hundredThousand),
    baseline: SettingsBaselines.replace(SettingsWorkloads.hundredThousand),
    target: .ratio(atMost: 3)),
  Row(
    name: "settings open at 100,000 keys", subject: SettingsWorkloads.open,
    baseline: SettingsBaselines.parse, target: .ratio(atMost: 1.5)),
  Row(
    name: "setting set 1,000 times, synchronize", subject: SettingsWorkloads.setThousand,
    baseline: SettingsWorkloads.set(SettingsWorkloads.thousand), target: .ratio(atMost: 3)),
  Row(
    name: "setting save on 1,000 threads, slowest",
    subject: Workload(name: "slowest") { SettingsWorkloads.crowd.slowest() },
    baseline: Workload(name: "the median of the same run") { SettingsWorkloads.crowd.median() },
    target: .ratio(atMost: 20)),
  Row(
    name: "setting write by 7 processes, busy processors",
    subject: Workload(name: "7 processes") { SettingsWorkloads.processes.time() },
    baseline: Workload(name: "1 process") { SettingsWorkloads.processes.timeOfOne() },
    target: .ratio(atMost: 2)),
  Row(
    name: "setting write by 7 processes, busy processors, slowest",
    subject: Workload(name: "slowest") { SettingsWorkloads.processes.slowest() },
    baseline: Workload(name: "7 medians of 1 process") {
      Double(CrowdedProcesses.count) * SettingsWorkloads.processes.medianOfOne()
    },
    target: .ratio(atMost: 3)),
]

private enum SettingsWorkloads {
  static let thousand = BenchmarkSettings(keys: 1000)
  static let hundredThousand = BenchmarkSettings(keys: 100_000)
  static let crowd = CrowdedSaves()
  static let processes = CrowdedProcesses()
  /// An interval so long that only `synchronize()` writes.
  private static let longTime = WritePolicy.coalesced(within: .seconds(100_000))

  static let get = {
    let store = thousand.open()
    let settings = (0..<thousand.count).map { thousand.setting($0, in: store) }
    return Workload(name: "get") { iterations in
      for index in 0..<iterations { keep(settings[index % settings.count].wrappedValue) }
    }
  }()

  private struct Window: Codable, Sendable {
    var title = "main"
    var width = 80
    var height = 24
    var isMaximized = false
  }

  static let getStruct = {
    let window = StoredValue(
      wrappedValue: Window(), "window", in: BenchmarkSettings(keys: 1000).open())
    window.wrappedValue.width = 100
    return Workload(name: "get of a struct") { iterations in
      for _ in 0..<iterations { keep(window.wrappedValue) }
    }
  }()

  static let setAndGet = {
    let settings = BenchmarkSettings(keys: 1000)
    let setting = settings.setting(500, in: settings.open(longTime))
    let values = (0..<2).map(BenchmarkSettings.value)
    return Workload(name: "set and get") { iterations in
      for index in 0..<iterations {
        setting.wrappedValue = values[index % 2]
        keep(setting.wrappedValue)
      }
    }
  }()

  static func set(_ settings: BenchmarkSettings) -> Workload {
    let setting = settings.setting(settings.count / 2, in: settings.open())
    return Workload(name: "set, \(settings.count) keys") { iterations in
      // A value other than the stored one, since an equal one would not be written.
      let first = setting.wrappedValue == BenchmarkSettings.value(0) ? 1 : 0
      for index in 0..<iterations {
        setting.wrappedValue = BenchmarkSettings.value((first + index) % 2)
      }
      if let error = setting.error { fatalError("\(error)") }
    }
  }

  static let open = Workload(name: "open") { iterations in
    for index in 0..<iterations {
      let value = hundredThousand.setting(index, in: hundredThousand.open()).wrappedValue
      if value.isEmpty { fatalError("A key was not found.") }
    }
  }

  static let setThousand = {
    let settings = BenchmarkSettings(keys: 1000)
    let store = settings.open(longTime)
    let all = (0..<1000).map { settings.setting($0, in: store) }
    let values = [0, 1].map { first in (0..<1000).map { BenchmarkSettings.value($0 + first) } }
    return Workload(name: "1,000 sets, synchronize") { iterations in
      for _ in 0..<iterations {
        let new = values[all[0].wrappedValue == values[0][0] ? 1 : 0]
        for (setting, value) in zip(all, new) { setting.wrappedValue = value }
        attempt { try store.synchronize() }
      }
    }
  }()
}

private enum SettingsBaselines {
  static let dictionaryGet = {
    let keys = (0..<1000).map(BenchmarkSettings.key)
    let values = Dictionary(
      uniqueKeysWithValues: keys.enumerated().map { ($1, BenchmarkSettings.value($0)) })
    let mutex = BareMutex()
    return Workload(name: "[String: String], mutex") { iterations in
      for index in 0..<iterations {
        mutex.lock()
        let value = values[keys[index % keys.count]]
        mutex.unlock()
        keep(value)
      }
    }
  }()

  /// Returns Foundation's defaults with as many keys, and writes none of them.
  private static func foundationDefaults() -> UserDefaults {
    guard let defaults = UserDefaults(suiteName: "locket.\(UUID())") else {
      fatalError("Foundation has no such suite.")
    }
    for index in 0..<1000 {
      defaults.set(BenchmarkSettings.value(index), forKey: BenchmarkSettings.key(index))
    }
    return defaults
  }

  static let defaultsGet = {
    // Used by one thread at a time.
    nonisolated(unsafe) let defaults = foundationDefaults()
    let keys = (0..<1000).map(BenchmarkSettings.key)
    return Workload(name: "UserDefaults get") { iterations in
      for index in 0..<iterations { keep(defaults.string(forKey: keys[index % keys.count])) }
    }
  }()

  static let defaultsSetAndGet = settingDefaults("UserDefaults set and get") {
    keep($0.string(forKey: "key 500"))
  }
  static let defaultsSet = settingDefaults("UserDefaults set, synchronize") {
    keep($0.synchronize())
  }

  private static func settingDefaults(
    _ name: String, then finish: @escaping @Sendable (UserDefaults) -> Void
  ) -> Workload {
    // Used by one thread at a time.
    nonisolated(unsafe) let defaults = foundationDefaults()
    return Workload(name: name) { iterations in
      for index in 0..<iterations {
        defaults.set(BenchmarkSettings.value(index % 2), forKey: "key 500")
        finish(defaults)
      }
    }
  }

  /// The common way by hand.
  static let encode = {
    let file = temporaryDirectory().appending(path: "settings.json")
    let values = Dictionary(
      uniqueKeysWithValues: (0..<1000).map {
        (BenchmarkSettings.key($0), BenchmarkSettings.value($0))
      })
    return Workload(name: "JSONEncoder, atomic write") { iterations in
      var values = values
      for index in 0..<iterations {
        values["key 500"] = BenchmarkSettings.value(index % 2)
        attempt { try JSONEncoder().encode(values).write(to: file, options: .atomic) }
      }
    }
  }()

  /// The minimum of a durable write: temporary file, fsync, rename, fsync of the directory.
  static func replace(_ settings: BenchmarkSettings) -> Workload {
    let bytes = settings.bytes
    let directory = settings.file.deletingLastPathComponent().path
    let (path, temporary) = (directory + "/bare", directory + "/bare.tmp")
    return Workload(name: "bare recipe, \(bytes.count) bytes") { iterations in
      for _ in 0..<iterations {
        let file = Glibc.open(temporary, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0o600)
        guard write(file, bytes, bytes.count) == bytes.count, fsync(file) == 0, close(file) == 0,
          rename(temporary, path) == 0
        else { fatalError("The bare recipe failed.") }
        let directory = Glibc.open(directory, O_RDONLY | O_DIRECTORY | O_CLOEXEC)
        fsync(directory)
        close(directory)
      }
    }
  }

  static let parse = {
    let file = BenchmarkSettings(keys: 100_000).file
    return Workload(name: "JSONSerialization") { iterations in
      for _ in 0..<iterations {
        attempt { keep(try JSONSerialization.jsonObject(with: Data(contentsOf: file))) }
      }
    }
  }()
}
