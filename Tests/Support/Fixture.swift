package import FoundationEssentials
import Testing

/// The files in the folder `Fixtures` of a target of tests: that of the calling source file.
package enum Fixture {
  package static func url(_ name: String, source: String = #filePath) -> URL {
    let tests = source.ranges(of: "/Tests/").last!.upperBound
    let target = source[tests...].prefix { $0 != "/" }
    return URL(filePath: "\(source[..<tests])\(target)/Fixtures/\(name)")
  }

  package static func text(_ name: String, source: String = #filePath) throws -> String {
    try String(contentsOf: url(name, source: source), encoding: .utf8)
  }

  /// The lines of a file, each of which is a JSON value.
  package static func rows<Row: Decodable>(
    _ name: String, as type: Row.Type = Row.self, source: String = #filePath
  ) throws -> [Row] {
    let rows = try text(name, source: source).split(separator: "\n")
      .map { try JSONDecoder().decode(type, from: Data($0.utf8)) }
    return try #require(rows.isEmpty ? nil : rows, "\(name) is empty")
  }
}
