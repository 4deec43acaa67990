import FoundationEssentials
import TestSupport
import Testing

@testable import KeyValueStorage

/// Settings that Python's standard library reads from a file.
enum PythonSettings {
  private static let program = """
    import json, plistlib, sys

    kind, path, output = sys.argv[1:]
    with open(path, 'rb') as file:
      content = json.load(file) if kind == 'json' else plistlib.load(file)
    with open(output, 'w') as file:
      for key, value in content.items():
        file.write(f'{key}\\t{value}\\n')
    """

  /// The values, numbers or text, as text; each line has a key and its value.
  static func values(of file: TestFile) throws -> [String: String] {
    let output = file.directory + "/python"
    try Python.run(program, [file.format == .json ? "json" : "plist", file.path, output])
    var values: [String: String] = [:]
    for line in try String(contentsOfFile: output, encoding: .utf8).split(separator: "\n") {
      let parts = line.split(separator: "\t", omittingEmptySubsequences: false).map(String.init)
      try #require(parts.count == 2)
      values[parts[0]] = parts[1]
    }
    return values
  }
}
