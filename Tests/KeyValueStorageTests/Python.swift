/// The second reader of the files: Python with its standard library.
enum Python {
  static func run(_ program: String, _ arguments: [String]) throws {
    try ChildProcess("/usr/bin/env", ["python3", "-c", program] + arguments).wait()
  }
}
