import CLibrary
import StorageInternals
import TestSupport
import Testing

@testable import SecretStorage

/// Many forgeries in one child process, which logs each before it opens the file.
struct ForgeryBatch {
  /// The mistakes, and the last forgery, after which a batch resumes if the process ended.
  struct Outcome {
    var mistakes: [String] = []
    var last: (number: Int, name: String)?
    var isComplete = false
  }

  /// Runs forgeries by their numbers, in a dedicated process.
  ///
  /// The journal gets a line for each forgery before it is opened, `!` and a mistake for each that
  /// is found, and `.` when all are done.
  static func run(_ numbers: Range<Int>, in directory: String) throws {
    keepFiles(in: directory)
    let journal = try FileSystem().open(
      "\(directory)/journal", O_WRONLY | O_CREAT, mode: 0o600)
    var end = 0
    func note(_ line: String) throws {
      let bytes = Array("\(line)\n".utf8)
      try journal.write(bytes, at: end)
      end += bytes.count
    }
    var judges: [Corpus.Form: ForgeryJudge] = [:]
    for form in Corpus.Form.allCases { judges[form] = try ForgeryJudge(Corpus(form)) }
    let corpora = judges.mapValues(\.corpus)
    for number in numbers {
      let forgery = try Forgery(seed: UInt64(number), of: corpora)
      // SIGALRM ends a process that hangs.
      alarm(120)
      try note("\(number)\t\(forgery.name)")
      for mistake in try judges[forgery.form]?.mistakes(of: forgery) ?? [] {
        try note("!\t\(forgery.name)\t\(mistake)")
      }
    }
    alarm(0)
    try note(".")
  }

  /// Redirects every temporary file of this process to a directory.
  static func keepFiles(in directory: String) {
    // `setenv` copies the path, and no other thread uses the environment yet.
    unsafe setenv("TMPDIR", directory, 1)
  }

  /// Parses the journal.
  static func outcome(in directory: String) throws -> Outcome {
    var outcome = Outcome()
    let path = "\(directory)/journal"
    guard try FileSystem().status(of: path) != nil else { return outcome }
    let text = String(decoding: try content(of: path), as: UTF8.self)
    for line in text.split(separator: "\n") {
      let parts = line.split(separator: "\t", maxSplits: 1).map(String.init)
      if line == "." {
        outcome.isComplete = true
      } else if parts[0] == "!" {
        outcome.mistakes.append(parts[1])
      } else {
        outcome.last = Int(parts[0]).map { ($0, parts[1]) }
      }
    }
    return outcome
  }
}
