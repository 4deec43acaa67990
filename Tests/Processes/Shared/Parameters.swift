import CLibrary

/// A job of a child process, whose executable has the folder of this file as a symbolic link.
protocol Parameterized { var parameters: [String] { get } }

extension Parameterized {
  func parameter(_ index: Int) throws -> String {
    guard parameters.indices.contains(index) else { throw Misuse() }
    return parameters[index]
  }

  func number(_ index: Int) throws -> Int {
    guard let number = Int(try parameter(index)) else { throw Misuse() }
    return number
  }
}

/// Invalid arguments.
struct Misuse: Error {}

/// Writes a line to standard output in one call, so that lines of several threads do not mix.
func printLine(_ text: String) { write("\(text)\n", to: STDOUT_FILENO) }

func write(_ text: String, to descriptor: Int32) {
  let bytes = Array(text.utf8)
  guard unsafe write(descriptor, bytes, bytes.count) == bytes.count else {
    fatalError("The journal cannot be written (error \(errno)).")
  }
}
