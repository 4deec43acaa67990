import StorageInternals

/// The operations of processes on one counter, and a check for an order that explains them all.
///
/// Each increment gives the counter the next number. The history is linearizable if every number
/// was given once, and if no operation saw a lower number than one that had ended before it began.
package struct CounterHistory {
  private struct Operation {
    var begin: UInt64
    var end: UInt64
    var number: Int
    var isIncrement: Bool
  }

  private var operations: [Operation] = []
  private var unansweredCount = 0

  package init() {}

  package struct Malformed: Error { package let line: String }

  package var acknowledgedCount: Int { operations.count(where: \.isIncrement) }

  /// Adds the journal of a process: `+` before an increment; after it, or after a read, `=` or `r`,
  /// the begin and end in nanoseconds, and the number; `-` after a refused increment.
  ///
  /// The last increment of a killed process has no answer, and may have happened.
  package mutating func add(_ journal: some Sequence<String>) throws {
    var isOpen = false
    for line in journal {
      let words = line.split(separator: "\t")
      if words == ["+"] || words == ["-"] {
        isOpen = words == ["+"]
        continue
      }
      guard words.count == 4, words[0] == "=" || words[0] == "r", let begin = UInt64(words[1]),
        let end = UInt64(words[2]), let number = Int(words[3])
      else { throw Malformed(line: line) }
      let isIncrement = words[0] == "="
      operations.append(Operation(begin: begin, end: end, number: number, isIncrement: isIncrement))
      if isIncrement { isOpen = false }
    }
    if isOpen { unansweredCount += 1 }
  }

  /// Returns the contradictions to every order, given the counter's final number.
  package func contradictions(atEnd final: Int) -> [String] {
    var result: [String] = []
    let given = Dictionary(grouping: operations.filter(\.isIncrement), by: \.number)
    for (number, all) in given where all.count > 1 {
      result.append("\(number) was given \(all.count) times")
    }
    if !(0...unansweredCount).contains(final - given.count) {
      result.append(
        "\(given.count) numbers were given, \(unansweredCount) may have been, and it is at \(final)"
      )
    }

    // The highest number seen by an operation that has ended.
    let ended = operations.sorted { $0.end < $1.end }
    var next = 0
    var highest = 0
    for operation in operations.sorted(by: { $0.begin < $1.begin }) {
      while ended[next].end < operation.begin {
        highest = max(highest, ended[next].number)
        next += 1
      }
      let least = operation.isIncrement ? highest + 1 : highest
      if operation.number < least { result.append("\(operation.number) came after \(highest)") }
      if let source = given[operation.number]?.first, operation.end < source.begin {
        result.append("\(operation.number) was seen before it was given")
      }
    }
    return result
  }
}

extension CounterHistory {
  /// Runs `count` processes at once, repeatedly kills one and starts another one in its place, and
  /// has all of them end when each has incremented the number.
  ///
  /// The directory gets the journals, and the file `stop` that ends the processes.
  package init(
    ofProcesses count: Int, kills: Int, in directory: String,
    start: (_ journal: String) throws -> ChildProcess
  ) throws {
    var started = 0
    func startNext() throws -> (process: ChildProcess, journal: String) {
      started += 1
      let journal = "\(directory)/journal \(started)"
      return (try start(journal), journal)
    }
    var running = try (0..<count).map { _ in try startNext() }
    var generator = Campaign.generator(count)
    for _ in 0..<kills {
      let place = Int.random(in: 0..<count, using: &generator)
      let (process, journal) = running[place]
      let progress = Int.random(in: 1...1_000, using: &generator)
      try wait(for: process) { try FileSystem().status(of: journal)?.size ?? 0 >= progress }
      process.stop()
      process.end()
      running[place] = try startNext()
    }
    for (process, journal) in running {
      try wait(for: process) { try content(of: journal).contains(UInt8(ascii: "=")) }
    }
    try FileSystem().replaceFile(at: "\(directory)/stop", with: [])
    for (process, _) in running { try process.wait() }
    self.init()
    for number in 1...started {
      let bytes = try content(of: "\(directory)/journal \(number)")
      // The kill may have torn the last line.
      let lines = String(decoding: bytes, as: UTF8.self).split(
        separator: "\n", omittingEmptySubsequences: false)
      try add(lines.dropLast().map(String.init))
    }
  }
}
