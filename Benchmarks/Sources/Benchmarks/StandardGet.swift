import Foundation
import Glibc
import KeyValueStorage

/// Gets of properties in the standard store, in a new process for each round, because a process has
/// one standard store.
enum StandardGet {
  /// The option with which a process measures a round and prints its time.
  static let option = "--standard-get"
  static let plain = "plain"
  /// The store of `KeyValueStore.bootstrap(_:)` takes the place of the standard one.
  static let bootstrapped = "bootstrapped"

  /// Returns a workload with the standard store that an argument names.
  static func workload(_ argument: String) -> Workload {
    Workload(name: "get in .standard, \(argument)") {
      let (process, output) = (Process(), Pipe())
      process.executableURL = URL(filePath: "/proc/self/exe")
      process.arguments = [option, argument]
      process.standardOutput = output
      attempt { try process.run() }
      let text = String(decoding: output.fileHandleForReading.readDataToEndOfFile(), as: UTF8.self)
      process.waitUntilExit()
      guard let time = Double(text.dropLast()) else { fatalError("The process measured nothing.") }
      return time
    }
  }

  /// Measures a round, in a process with the argument of ``option``.
  static func measure(_ argument: String?) {
    let directory = FileManager.default.temporaryDirectory.appending(path: "locket-\(UUID())")
    removeAtExit(directory)
    setenv("XDG_CONFIG_HOME", directory.path, 1)
    if argument == bootstrapped {
      KeyValueStore.bootstrap(KeyValueStore(json: directory.appending(path: "settings.json")))
    }
    let settings = (0..<1000).map { index in
      StoredValue(wrappedValue: "", BenchmarkSettings.key(index), in: .standard)
    }
    attempt {
      try KeyValueStore.standard.transaction {
        for (index, setting) in settings.enumerated() {
          setting.wrappedValue = BenchmarkSettings.value(index)
        }
      }
    }
    withAnotherThread {
      let workload = CalibratedWorkload(
        Workload(name: "get") { iterations in
          for index in 0..<iterations { keep(settings[index % settings.count].wrappedValue) }
        })
      print(workload.nanosecondsPerIteration())
    }
  }
}
