import Foundation

/// These benchmarks with the libraries of another commit, in a process that measures a round of a
/// row when it is asked to.
final class ComparedCommit: Sendable {
  /// The option with which that process starts.
  static let option = "--answer"

  private let name: String
  private let worktree: URL
  private let process = Process()
  private let requests = Pipe()
  private let answers = Pipe()

  /// Builds a commit in a temporary worktree, with the sources of these benchmarks, and starts it.
  ///
  /// - Parameters:
  ///   - commit: A name of the commit, for git.
  ///   - arguments: The arguments that choose the same rows.
  init(_ commit: String, arguments: [String]) {
    name = commit
    worktree = FileManager.default.temporaryDirectory.appending(path: "locket-\(UUID())")
    let isBuilt = Self.run([
      "sh", "-ec",
      """
      git worktree add --quiet --detach "$1" "$2"
      # Its rows may be others, and may not know the option.
      top=$(git rev-parse --show-toplevel)
      rm -rf "$1/Benchmarks"
      mkdir "$1/Benchmarks"
      cp -r "$top/Benchmarks/Package.swift" "$top/Benchmarks/Sources" "$1/Benchmarks"
      swift build -c release --package-path "$1/Benchmarks" --product Benchmarks >&2
      """, "sh", worktree.path, commit,
    ])
    if !isBuilt {
      removeWorktree()
      Benchmarks.stop("\(commit) could not be built with these benchmarks.")
    }
    process.executableURL = worktree.appending(path: "Benchmarks/.build/release/Benchmarks")
    process.arguments = arguments + [Self.option]
    process.standardInput = requests
    process.standardOutput = answers
    attempt { try process.run() }
  }

  /// Returns the same operations with those of the commit as their baselines.
  func rows(for rows: [Row]) -> [Row] {
    rows.enumerated().map { index, row in
      Row(
        name: row.name, subject: row.subject(),
        baseline: Workload(name: self.name) { self.nanosecondsPerIteration(ofRow: index) })
    }
  }

  private func nanosecondsPerIteration(ofRow index: Int) -> Double {
    attempt { try requests.fileHandleForWriting.write(contentsOf: Data("\(index)\n".utf8)) }
    // An answer is written at once, so it is also read at once.
    let answer = String(decoding: answers.fileHandleForReading.availableData, as: UTF8.self)
    guard let time = Double(answer.dropLast()) else { fatalError("\(name) does not answer.") }
    return time
  }

  /// Ends the process, which removes its files, and removes the worktree.
  func end() {
    attempt { try requests.fileHandleForWriting.close() }
    process.waitUntilExit()
    removeWorktree()
  }

  private func removeWorktree() {
    _ = Self.run(["git", "worktree", "remove", "--force", worktree.path])
  }

  /// Measures a round of a row for each line with its index, in the process with the ``option``.
  static func answer(for rows: [Row]) {
    var prepared: [Int: CalibratedWorkload] = [:]
    withAnotherThread {
      while let line = readLine(), let index = Int(line) {
        let workload = prepared[index] ?? CalibratedWorkload(rows[index].subject())
        prepared[index] = workload
        print(workload.nanosecondsPerIteration())
        fflush(nil)
      }
    }
  }

  private static func run(_ command: [String]) -> Bool {
    let process = Process()
    process.executableURL = URL(filePath: "/usr/bin/env")
    process.arguments = command
    attempt { try process.run() }
    process.waitUntilExit()
    return process.terminationStatus == 0
  }
}
