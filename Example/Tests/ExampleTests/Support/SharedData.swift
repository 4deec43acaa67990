import FoundationEssentials

/// Data of other programs that stands beside the project on some machines.
enum SharedData {
  private static let directory = URL(filePath: #filePath).deletingLastPathComponent()
    .appending(path: "../../../../../shared/password-rules", directoryHint: .isDirectory)

  static var isAvailable: Bool {
    FileManager.default.fileExists(atPath: directory.path)
  }

  /// The values of a file with one JSON value a line.
  static func lines<Row: Decodable>(of name: String) throws -> [Row] {
    try Data(contentsOf: directory.appending(path: name)).split(separator: UInt8(ascii: "\n"))
      .map { try JSONDecoder().decode(Row.self, from: $0) }
  }
}
