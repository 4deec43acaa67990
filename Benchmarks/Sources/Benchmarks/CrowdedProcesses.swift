import Foundation
import KeyValueStorage
import Synchronization

/// The durable writes of several processes to one settings file, beside those of one process, while
/// each processor is kept busy by another thread.
final class CrowdedProcesses: Sendable {
  /// The numbers of one run in nanoseconds, each until it is taken.
  private struct Numbers {
    var time: Double?
    var timeOfOne: Double?
    var slowest: Double?
    var medianOfOne: Double?
  }

  /// The option with which a process writes and prints the time of each write.
  static let option = "--settings-writer"
  /// Four processes save a value, and three make a transaction.
  static let count = 7
  private static let savingCount = 4
  private static let duration: UInt64 = 500_000_000

  private let settings = BenchmarkSettings(keys: 100)
  private let numbers = Mutex(Numbers())

  /// The time per write of all processes together.
  func time() -> Double { take(\.time) }
  /// The time per write of one process.
  func timeOfOne() -> Double { take(\.timeOfOne) }
  /// The longest write of all processes.
  func slowest() -> Double { take(\.slowest) }
  /// The median write of one process.
  func medianOfOne() -> Double { take(\.medianOfOne) }

  private func take(_ number: WritableKeyPath<Numbers, Double?>) -> Double {
    numbers.withLock { numbers in
      if numbers[keyPath: number] == nil {
        let (all, one) = (writes(of: Self.count), writes(of: 1))
        numbers = Numbers(
          time: Double(Self.duration) / Double(all.count),
          timeOfOne: Double(Self.duration) / Double(one.count),
          slowest: all.last, medianOfOne: one[one.count / 2])
      }
      return numbers[keyPath: number].take() ?? 0
    }
  }

  /// Returns the times of the writes of new processes, sorted.
  private func writes(of count: Int) -> [Double] {
    // By then, all processes have opened the file.
    let start = DispatchTime.now().uptimeNanoseconds + 500_000_000
    let end = start + Self.duration
    let processes = (0..<count).map { index in
      let (process, output) = (Process(), Pipe())
      process.executableURL = URL(filePath: "/proc/self/exe")
      process.arguments = [
        Self.option, settings.file.path, "\(index)",
        index < Self.savingCount ? "save" : "transaction", "\(start)", "\(end)",
      ]
      process.standardOutput = output
      attempt { try process.run() }
      return (process, output)
    }
    _ = timeOnThreads(ProcessInfo.processInfo.activeProcessorCount) {
      while DispatchTime.now().uptimeNanoseconds < end {}
    }
    let times = processes.flatMap { process, output in
      let text = String(decoding: output.fileHandleForReading.readDataToEndOfFile(), as: UTF8.self)
      process.waitUntilExit()
      return text.split(separator: "\n").compactMap { Double($0) }
    }
    if times.isEmpty { fatalError("The processes wrote nothing.") }
    return times.sorted()
  }

  /// Writes until a time, in a process with the arguments of ``option``.
  static func write(_ arguments: [String]) {
    guard arguments.count == 5, let start = UInt64(arguments[3]), let end = UInt64(arguments[4])
    else { fatalError("The arguments are invalid.") }
    let store = KeyValueStore(json: URL(filePath: arguments[0]))
    let setting = StoredValue(wrappedValue: 0, "writer \(arguments[1])", in: store)
    var value = setting.wrappedValue
    while DispatchTime.now().uptimeNanoseconds < start { usleep(1000) }
    var times = ""
    while DispatchTime.now().uptimeNanoseconds < end {
      value += 1
      let begin = DispatchTime.now().uptimeNanoseconds
      attempt {
        if arguments[2] == "save" {
          try setting.save(value)
        } else {
          try store.transaction { setting.wrappedValue = value }
        }
      }
      times += "\(DispatchTime.now().uptimeNanoseconds - begin)\n"
    }
    print(times)
  }
}
