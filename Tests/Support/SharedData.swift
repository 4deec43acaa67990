package import FoundationEssentials

/// Data of other programs, next to the project on some machines.
package enum SharedData {
  private static let directory = URL(filePath: #filePath).deletingLastPathComponent()
    .appending(path: "../../../shared/password-rules", directoryHint: .isDirectory)

  package static var isAvailable: Bool { FileManager.default.fileExists(atPath: directory.path) }

  /// Returns the values of a file with one JSON value per line.
  package static func lines<Row: Decodable>(of name: String) throws -> [Row] {
    try content(of: name).split(separator: UInt8(ascii: "\n"))
      .map { try JSONDecoder().decode(Row.self, from: $0) }
  }

  package static func content(of name: String) throws -> Data {
    try Data(contentsOf: directory.appending(path: name))
  }
}

extension Array {
  /// Returns every nth element, from the first on.
  package func every(_ step: Int) -> [Element] {
    stride(from: 0, to: count, by: step).map { self[$0] }
  }
}
