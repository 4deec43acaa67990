import FoundationEssentials
import KeyValueStorage
import SecretStorage

/// The growth of vaults and settings with the number of items, to a million.
///
/// Each storage is made in this process and measured in a new one, whose memory holds nothing else.
enum GrowthCurves {
  /// What a new process measured.
  struct Point {
    var storage: String
    var count: Int
    /// The number of each of the ``GrowthCurves/quantities``.
    var numbers: [Double]
  }

  /// The option with which a process measures a storage and prints the numbers.
  static let option = "--curve-point"

  private static let times = ["ns", "µs", "ms", "s"]
  private static let bytes = ["B", "kB", "MB", "GB"]
  static let quantities = [
    (name: "open", units: times), (name: "get", units: times), (name: "set", units: times),
    (name: "memory", units: bytes), (name: "file", units: bytes),
  ]

  static func points() -> [Point] {
    [100, 1000, 10_000, 100_000, 1_000_000].flatMap { count in
      [
        point("vault", BenchmarkVault(items: count, isCompacted: true).file, count),
        point("settings", BenchmarkSettings(keys: count).file, count),
      ]
    }
  }

  static func table(_ points: [Point]) -> Table {
    Table(
      header: ["storage", "items"] + quantities.map(\.name),
      cells: points.map { point in
        [point.storage, "\(point.count)"]
          + zip(point.numbers, quantities).map { short($0, $1.units) }
      })
  }

  private static func point(_ storage: String, _ file: URL, _ count: Int) -> Point {
    let output = ChildProcess.output(
      of: ["/proc/self/exe", option, storage, file.path, "\(count)"], deadline: .seconds(600))
    let numbers = output?.split(separator: "\n").compactMap { Double($0) }
    guard let numbers, numbers.count == quantities.count else {
      fatalError("\(storage) with \(count) items could not be measured.")
    }
    return Point(storage: storage, count: count, numbers: numbers)
  }

  /// Measures a storage, in a process with the arguments of ``option``.
  static func measure(_ arguments: [String]) {
    guard arguments.count == 3, let count = Int(arguments[2]) else {
      fatalError("The arguments are invalid.")
    }
    let file = URL(filePath: arguments[1])
    let open: @Sendable (URL, Int) -> Item = arguments[0] == "vault" ? openVault : openSettings
    let before = LargeVault.residentBytes
    let item = open(file, count)
    let memory = max(0, LargeVault.residentBytes - before)
    let size = sizeOfFile(file.path)
    let workloads = [
      Workload(name: "open") { for _ in 0..<$0 { keep(open(file, count)) } },
      Workload(name: "get") { for _ in 0..<$0 { item.get() } },
      Workload(name: "set") { for index in 0..<$0 { item.set(index) } },
    ]
    for workload in workloads {
      let calibrated = CalibratedWorkload(workload)
      print(Quartiles(of: (0..<7).map { _ in calibrated.nanosecondsPerIteration() }).median)
    }
    print(memory)
    print(size)
  }

  private typealias Item = (get: @Sendable () -> Void, set: @Sendable (Int) -> Void)

  private static func openVault(_ file: URL, _ count: Int) -> Item {
    let vault = SecretVault(fileURL: file, stateDirectory: file.deletingLastPathComponent())
    let password = PasswordItem<String>(
      .generic(service: "benchmark", account: "account-\(count / 2)"), refreshPolicy: .onAccess,
      in: vault)
    guard password.value == BenchmarkVault.value else { fatalError("An item was not found.") }
    return ({ keep(password.value) }, { _ in password.value = BenchmarkVault.value })
  }

  private static func openSettings(_ file: URL, _ count: Int) -> Item {
    let setting = StoredValue(
      wrappedValue: "", BenchmarkSettings.key(count / 2), in: KeyValueStore(json: file))
    if setting.wrappedValue.isEmpty { fatalError("A key was not found.") }
    return (
      { keep(setting.wrappedValue) },
      // An equal value would not be written.
      { _ in setting.wrappedValue = BenchmarkSettings.value(.random(in: 0...1_000_000_000)) }
    )
  }
}
